//! An order of channels that the paths before failures follow, and that new ones follow too.

use tulle_fabric::{Fabric, NO_VIRTUAL_LAYER};
use tulle_routing::{Error, PathSet, Routes, Routing};

use crate::lineage::Lineage;
use crate::{Certificate, acyclic};

/// Ranks of the damaged fabric's channels, which rise strictly along every old path: paths along which they rise are free
/// of deadlock on one virtual channel, together with the old ones.
pub(super) struct Order {
    ranks: Vec<u32>,
}

impl Order {
    /// The order that the paths of `routing` over `old` follow, for the channels of `new`; `None` where they have cycles.
    ///
    /// Where all of them are virtual up-down paths, it is the order of the virtual layers, which leaves room for every
    /// other such path (Flattened Clos §7.2). Otherwise it is that of a certificate, equal ranks put in a row: it leaves
    /// room for some of the paths that would do.
    ///
    /// # Errors
    /// A routing with a path that does not lead to its destination.
    pub fn of(old: &Fabric, new: &Fabric, lineage: &Lineage, routing: &Routing) -> Result<Option<Self>, Error> {
        let channels = 0..new.num_channels() as u32;
        if let Routes::Paths(set) = routing.routes()
            && let Some(ranks) = up_down(old).filter(|ranks| rise(old, set, ranks))
        {
            return Ok(Some(Self {
                ranks: channels.map(|channel| ranks[lineage.old_channel(channel) as usize]).collect(),
            }));
        }
        Ok(acyclic(old, routing)?.ok().map(|certificate| Self::certified(new, lineage, &certificate)))
    }

    /// The order of a `certificate` of the old fabric's channels on one virtual channel.
    pub fn certified(new: &Fabric, lineage: &Lineage, certificate: &Certificate) -> Self {
        // Channels of one rank do not depend on each other: any order among them will do.
        let mut sorted: Vec<u32> = (0..new.num_channels() as u32).collect();
        sorted.sort_by_key(|&channel| certificate.rank(lineage.old_channel(channel), 0));
        let mut ranks = vec![0; sorted.len()];
        sorted.iter().enumerate().for_each(|(at, &channel)| ranks[channel as usize] = at as u32);
        Self { ranks }
    }

    /// Where `channel` stands.
    pub fn rank(&self, channel: u32) -> u32 {
        self.ranks[channel as usize]
    }
}

/// Ranks that rise along virtual up-down paths: from the lowest virtual layer up to the highest and down again. `None`
/// where some channel joins no two virtual layers.
fn up_down(fabric: &Fabric) -> Option<Vec<u32>> {
    let layers = fabric.virtual_layers();
    let top = layers.iter().flatten().copied().max()?;
    if top == NO_VIRTUAL_LAYER || layers.iter().any(|[near, far]| near == far) {
        return None;
    }
    let rank = |&[near, far]: &[u8; 2]| u32::from(if near < far { near } else { top + (top - near) });
    Some(layers.iter().map(rank).collect())
}

/// Whether `ranks` rise along every path of `set`.
fn rise(fabric: &Fabric, set: &PathSet, ranks: &[u32]) -> bool {
    let switches = 0..fabric.num_switches() as u32;
    switches.clone().all(|source| {
        switches.clone().flat_map(|destination| set.between(source, destination)).all(|path| {
            set.channels(fabric, source, path).map(|channel| ranks[channel as usize]).is_sorted_by(|a, b| a < b)
        })
    })
}
