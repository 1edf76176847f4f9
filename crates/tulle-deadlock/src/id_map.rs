//! Maps switches and channels of a damaged fabric to their ids in the fabric before the damage.

use tulle_fabric::{Fabric, Origin};
use tulle_routing::Error;

/// A map from the ids of a fabric's switches and channels to their ids in the original fabric, and back.
#[derive(Debug, Clone)]
pub(crate) struct IdMap {
    old_switches: Vec<u32>,
    old_channels: Vec<u32>,
    new_channels: Vec<u32>,
}

const REMOVED: u32 = u32::MAX;

impl IdMap {
    /// Returns the map from `new` to `old`. The map uses equal ids or the recorded origin of `new`, whichever makes `new` a
    /// part of `old`.
    ///
    /// # Errors
    /// Fails if `new` is not a part of `old`.
    pub fn of(old: &Fabric, new: &Fabric) -> Result<Self, Error> {
        let same = || ((0..new.num_switches() as u32).collect(), (0..new.num_channels() as u32).collect());
        let origin = |origin: &Origin| (origin.switches.clone(), origin.channels.clone());
        // If both graphs have the same size, they may be equal, so equal ids are tried first, and then the recorded origin. Otherwise, the
        // recorded origin is tried first, and then equal ids, because a part of `old` may not record its origin.
        let gone = (old.num_switches(), old.num_channels()) != (new.num_switches(), new.num_channels());
        let candidates = [(!gone).then(same), new.origin().map(origin), gone.then(same)];
        let came = candidates.into_iter().flatten().find(|(switches, channels)| leads(old, new, switches, channels));
        let Some((old_switches, old_channels)) = came else {
            return Err(Error::Fabric {
                scheme: "reroute".to_owned(),
                problem: format!(
                    "{} {:?} is not a part of {} {:?}",
                    new.spec(),
                    new.faults(),
                    old.spec(),
                    old.faults()
                ),
                legal: "legal: a fabric without some of the switches and links of the routed fabric".to_owned(),
            });
        };
        let mut new_channels = vec![REMOVED; old.num_channels()];
        old_channels.iter().enumerate().for_each(|(new, &old)| new_channels[old as usize] = new as u32);
        Ok(Self { old_switches, old_channels, new_channels })
    }

    /// Returns the old id of a switch of the new fabric.
    pub fn old_switch(&self, switch: u32) -> u32 {
        self.old_switches[switch as usize]
    }

    /// Returns the old id of a channel of the new fabric.
    pub fn old_channel(&self, channel: u32) -> u32 {
        self.old_channels[channel as usize]
    }

    /// Returns the new id of a channel of the old fabric; `None` if it was removed.
    pub fn new_channel(&self, channel: u32) -> Option<u32> {
        Some(self.new_channels[channel as usize]).filter(|&new| new != REMOVED)
    }
}

/// Returns whether every switch and channel of `new` corresponds, under this map, to one of `old`.
fn leads(old: &Fabric, new: &Fabric, switches: &[u32], channels: &[u32]) -> bool {
    let was = |channel: usize, ends: fn(&Fabric) -> &[u32]| {
        let end = switches.get(ends(new)[channel] as usize);
        end.is_some() && ends(old).get(channels[channel] as usize) == end
    };
    switches.len() == new.num_switches()
        && channels.len() == new.num_channels()
        && switches.iter().all(|&switch| (switch as usize) < old.num_switches())
        && (0..new.num_channels()).all(|channel| was(channel, Fabric::sources) && was(channel, Fabric::targets))
}
