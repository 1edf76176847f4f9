//! Finds the entries that differ between two states of a network, and orders the changes so that no intermediate state has a loop.

use std::collections::HashMap;

use rayon::prelude::*;
use tulle_base::task;

use super::{Entries, Hop};

/// An entry that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The switch that holds the entry, by its old id.
    pub switch: u32,
    /// The layer.
    pub layer: u32,
    /// The destination by its old id. A destination that is not in the old state has the id from the argument `switches` of [`changes`].
    pub destination: u32,
    /// The round in which the entry changes, counted from 0. A round starts after all lower rounds are finished.
    pub round: u32,
    /// Whether the entry is removed, because the destination has failed or no longer has endpoints.
    pub gone: bool,
}

/// Returns the changes from `old` to `new`, ascending by switch, layer and destination. Switch s of `new` has the id `switches[s]` in
/// `old`. A switch that is not in `old`, because it returns or is added, has a unique id that no switch of `old` has.
///
/// For one layer and destination, an entry changes in a later round than all other changing entries on its new paths. So if a switch has
/// its new entry, packets from there meet only new entries. If a switch still has its old entry, packets from there meet old entries until
/// they reach a switch with a new entry. This is true at any time, for any order of changes within a round. A loop would therefore consist
/// only of old entries or only of new entries, and neither the old nor the new entries have loops. Entries that keep their hops count as
/// both old and new.
///
/// Returning switches must load all their entries before round 0, so these entries are not listed. They count as both old and new, too:
/// no old entry leads to a returning switch, so with them the old entries still have no loops.
///
/// Entries of switches that are not in `new` are not listed.
pub fn changes(old: &Entries, new: &Entries, switches: &[u32]) -> Vec<Change> {
    let known = old.rows().len();
    let now_of: HashMap<u32, u32> = (0..).zip(switches).map(|(now, &switch)| (switch, now)).collect();
    let later = new.destinations().iter().map(|&now| switches[now as usize]);
    let mut destinations: Vec<u32> = old.destinations().iter().copied().chain(later).collect();
    destinations.sort_unstable();
    destinations.dedup();
    let columns: Vec<(usize, u32)> =
        (0..old.layers()).flat_map(|layer| destinations.iter().map(move |&destination| (layer, destination))).collect();
    let mut found: Vec<Change> = columns
        .par_iter()
        .flat_map_iter(|&(layer, destination)| {
            task::check();
            let before = old.destinations().binary_search(&destination).ok();
            let after = now_of.get(&destination).and_then(|now| new.destinations().binary_search(now).ok());
            let differs: Vec<bool> = (0..)
                .zip(switches)
                .map(|(now, &switch)| {
                    let was = before.filter(|_| (switch as usize) < known).map(|place| old.hops(switch, layer, place));
                    let is = after.map(|place| new.hops(now, layer, place));
                    (switch as usize) < known && !same(was.unwrap_or_default(), is.unwrap_or_default())
                })
                .collect();
            // A destination without endpoints in the new network gets no packets, so its entries are removed in any order.
            let depths = after.map_or_else(|| vec![1; differs.len()], |place| depths(new, layer, place, &differs));
            let changed = (0..switches.len()).filter(|&now| differs[now]).map(|now| Change {
                switch: switches[now],
                layer: layer as u32,
                destination,
                round: depths[now] - 1,
                gone: after.is_none(),
            });
            changed.collect::<Vec<_>>()
        })
        .collect();
    found.sort_by_key(|change| (change.switch, change.layer, change.destination));
    found
}

/// Returns whether two entries of a switch forward packets to the same ports with the same weights. The ids of neighbours are not compared,
/// because a repair may have changed these ids.
fn same(old: &[Hop], new: &[Hop]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| (old.port, old.weight) == (new.port, new.weight))
}

/// Returns, per switch, the maximum number of switches with changed entries on any of its paths to the destination, including the switch
/// itself.
fn depths(new: &Entries, layer: usize, place: usize, differs: &[bool]) -> Vec<u32> {
    const UNKNOWN: u32 = u32::MAX;
    let mut depths = vec![UNKNOWN; differs.len()];
    if !differs.contains(&true) {
        return depths;
    }
    let mut stack = Vec::new();
    for start in 0..differs.len() as u32 {
        stack.push((start, 0));
        while let Some((switch, at)) = stack.last_mut() {
            let switch = *switch;
            let hops = new.hops(switch, layer, place);
            if depths[switch as usize] == UNKNOWN
                && let Some(hop) = hops.get(*at)
            {
                *at += 1;
                if depths[hop.next as usize] == UNKNOWN {
                    stack.push((hop.next, 0));
                }
                continue;
            }
            let below = hops.iter().map(|hop| depths[hop.next as usize]).max().unwrap_or(0);
            depths[switch as usize] = below + u32::from(differs[switch as usize]);
            stack.pop();
        }
    }
    depths
}

#[cfg(test)]
mod tests;
