//! Step 1: finds the switches and channels of the old fabric that are dead, which means that the damaged fabric does not have them.

use tulle_fabric::Fabric;
use tulle_routing::Error;

use super::order::Order;
use crate::id_map::IdMap;

/// The fabric before and after the failures, and the id maps between them.
pub(super) struct Damage<'a> {
    pub old: &'a Fabric,
    pub new: &'a Fabric,
    pub id_map: &'a IdMap,
    /// The order of channels that all old paths follow; `None` if there is none.
    pub order: Option<Order>,
}

impl Damage<'_> {
    /// Whether a path may continue from channel `before` into `channel`. It always may if there is no order to follow.
    pub fn rises(&self, before: u32, channel: u32) -> bool {
        self.order.as_ref().is_none_or(|order| order.rank(before) < order.rank(channel))
    }

    /// Returns the port of `switch` in the damaged fabric that was `port` in the old fabric; `None` if it is dead.
    pub fn port(&self, switch: u32, port: u16) -> Option<u16> {
        let old = self.old.offsets()[self.id_map.old_switch(switch) as usize] + u32::from(port);
        let new = self.id_map.new_channel(old)?;
        Some((new - self.new.offsets()[switch as usize]) as u16)
    }

    /// Returns the ports of `old` that are alive at `switch` of the damaged fabric, in ascending order.
    pub fn ports<'b>(&'b self, switch: u32, old: &'b [u16]) -> impl Iterator<Item = u16> + 'b {
        old.iter().filter_map(move |&port| self.port(switch, port))
    }

    /// Returns the error for switches of the damaged fabric that have no path between them.
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
