//! Step 1 of rerouting: finds the dead switches and channels. A switch or channel of the old fabric is dead if the damaged fabric does not
//! have it.

use tulle_fabric::Fabric;
use tulle_routing::Error;

use super::order::Order;
use crate::id_map::IdMap;

/// The fabric before and after the failures, and the id maps between them.
pub(super) struct Damage<'a> {
    pub old: &'a Fabric,
    pub new: &'a Fabric,
    pub id_map: &'a IdMap,
    /// A channel order that all old paths follow; `None` if no such order exists.
    pub order: Option<Order>,
}

impl Damage<'_> {
    /// Returns whether a path may continue from channel `before` to channel `channel`. It always may if there is no channel order.
    pub fn rises(&self, before: u32, channel: u32) -> bool {
        self.order.as_ref().is_none_or(|order| order.rank(before) < order.rank(channel))
    }

    /// Returns the current number of an old `port` of `switch`, or `None` if the port's channel is dead. `switch` is a number of the
    /// damaged fabric.
    pub fn port(&self, switch: u32, port: u16) -> Option<u16> {
        let old = self.old.offsets()[self.id_map.old_switch(switch) as usize] + u32::from(port);
        let new = self.id_map.new_channel(old)?;
        Some((new - self.new.offsets()[switch as usize]) as u16)
    }

    /// Returns the current numbers of those `old` ports of `switch` whose channels are not dead, in ascending order. `switch` is a number
    /// of the damaged fabric.
    pub fn ports<'b>(&'b self, switch: u32, old: &'b [u16]) -> impl Iterator<Item = u16> + 'b {
        old.iter().filter_map(move |&port| self.port(switch, port))
    }

    /// Returns the error for two switches of the damaged fabric without a path between them.
    pub fn apart(&self, source: u32, destination: u32) -> Error {
        Error::Fabric {
            scheme: "reroute".to_owned(),
            problem: format!(
                "switch {} has no path to {} any more",
                self.new.label(source),
                self.new.label(destination)
            ),
            legal: "legal: faults that leave the fabric connected".to_owned(),
        }
    }
}
