//! A channel order that all paths before the failures follow. New paths should follow this order too.

use tulle_fabric::{Fabric, NO_VIRTUAL_LAYER};
use tulle_routing::{Error, PathSet, Routes, Routing};

use crate::id_map::IdMap;
use crate::{Certificate, acyclic};

/// A rank for each channel of the damaged fabric. Ranks rise strictly along every old path. If ranks also rise along every new path, old
/// and new paths together are free of deadlock on one virtual channel.
pub(super) struct Order {
    ranks: Vec<u32>,
}

impl Order {
    /// Returns an order of the channels of `new` that all old paths follow, or `None` if the channel dependencies of these paths have a
    /// cycle. The old paths are the paths of `routing` on the fabric `old`.
    ///
    /// If all old paths are virtual up-down paths, the order follows the virtual layers and allows every other virtual up-down path
    /// (Flattened Clos (NSDI23) §7.2). Otherwise the order comes from a certificate, in which several channels can have the same rank. The
    /// order puts these channels in an arbitrary sequence, so it allows only some of the deadlock-free paths.
    ///
    /// # Errors
    /// Fails if a path of `routing` does not lead to its destination.
    pub fn of(old: &Fabric, new: &Fabric, id_map: &IdMap, routing: &Routing) -> Result<Option<Self>, Error> {
        let channels = 0..new.num_channels() as u32;
        if let Routes::Paths(set) = routing.routes()
            && let Some(ranks) = up_down(old).filter(|ranks| rise(old, set, ranks))
        {
            return Ok(Some(Self {
                ranks: channels.map(|channel| ranks[id_map.old_channel(channel) as usize]).collect(),
            }));
        }
        Ok(acyclic(old, routing)?.ok().map(|certificate| Self::certified(new, id_map, &certificate)))
    }

    /// Returns the order of `certificate`, which has ranks for the channels of the old fabric on one virtual channel.
    pub fn certified(new: &Fabric, id_map: &IdMap, certificate: &Certificate) -> Self {
        // Channels of equal rank do not depend on each other, so their sequence is arbitrary.
        let mut sorted: Vec<u32> = (0..new.num_channels() as u32).collect();
        sorted.sort_by_key(|&channel| certificate.rank(id_map.old_channel(channel), 0));
        let mut ranks = vec![0; sorted.len()];
        sorted.iter().enumerate().for_each(|(at, &channel)| ranks[channel as usize] = at as u32);
        Self { ranks }
    }

    /// Returns the position of `channel` in the order.
    pub fn rank(&self, channel: u32) -> u32 {
        self.ranks[channel as usize]
    }
}

/// Returns ranks that rise along virtual up-down paths, which go from lower to higher virtual layers and then down again. Returns `None` if
/// a channel does not connect two virtual layers.
fn up_down(fabric: &Fabric) -> Option<Vec<u32>> {
    let layers = fabric.virtual_layers();
    let top = layers.iter().flatten().copied().max()?;
    if top == NO_VIRTUAL_LAYER || layers.iter().any(|[near, far]| near == far) {
        return None;
    }
    let rank = |&[near, far]: &[u8; 2]| u32::from(if near < far { near } else { top + (top - near) });
    Some(layers.iter().map(rank).collect())
}

/// Returns whether `ranks` rise along every path of `set`.
fn rise(fabric: &Fabric, set: &PathSet, ranks: &[u32]) -> bool {
    let switches = 0..fabric.num_switches() as u32;
    switches.clone().all(|source| {
        switches.clone().flat_map(|destination| set.between(source, destination)).all(|path| {
            set.channels(fabric, source, path).map(|channel| ranks[channel as usize]).is_sorted_by(|a, b| a < b)
        })
    })
}
