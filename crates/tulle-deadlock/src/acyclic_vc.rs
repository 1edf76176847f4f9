//! A virtual channel that accepts paths as long as its dependencies stay acyclic.

use super::members::Members;
use super::online_order::OnlineOrder;

/// A virtual channel whose paths form no cycle, with a list of turns that are known not to fit.
pub(crate) struct AcyclicVc<'a> {
    order: OnlineOrder<'a>,
    /// Per turn, the channel before it.
    before: &'a [u32],
    /// A bit per turn that would close a cycle with the accepted paths; it stays set, because paths are never removed.
    refused: Vec<u64>,
    /// New turns of the current path.
    added: Vec<u32>,
}

impl<'a> AcyclicVc<'a> {
    /// Returns a virtual channel that contains the turns of `order`.
    pub fn new(order: OnlineOrder<'a>, before: &'a [u32]) -> Self {
        let refused = vec![0; before.len().div_ceil(64)];
        Self { order, before, refused, added: Vec::new() }
    }

    /// Accepts a path, given by its turns, if the current order allows it, without a search. Returns whether the path was accepted.
    fn take_in_order(&mut self, path: &[u32]) -> bool {
        let fits = path.iter().all(|&turn| self.order.allows(self.before[turn as usize], turn as usize));
        if fits {
            path.iter().for_each(|&turn| assert!(self.order.insert(self.before[turn as usize], turn as usize)));
        }
        fits
    }

    /// Accepts a path, given by its turns, unless it closes a cycle. Returns whether the path was accepted.
    pub fn take(&mut self, path: &[u32]) -> bool {
        if path.iter().any(|&turn| self.refused[turn as usize / 64] >> (turn % 64) & 1 == 1) {
            return false;
        }
        // This check comes before any turn is added, because adding a turn can move many channels in the order.
        for &turn in path {
            let turn = turn as usize;
            if !self.order.holds(turn) && self.order.closes(self.before[turn], turn) {
                self.refused[turn / 64] |= 1 << (turn % 64);
                return false;
            }
        }
        for &turn in path {
            let turn = turn as usize;
            if self.order.holds(turn) {
                continue;
            }
            if self.order.insert(self.before[turn], turn) {
                self.added.push(turn as u32);
                continue;
            }
            let alone = self.added.is_empty();
            for added in self.added.drain(..) {
                self.order.remove(self.before[added as usize], added as usize);
            }
            // Other paths have the same turn, so check whether this turn fits even without the turns before it.
            if alone || !self.order.insert(self.before[turn], turn) {
                self.refused[turn / 64] |= 1 << (turn % 64);
            } else {
                self.order.remove(self.before[turn], turn);
            }
            return false;
        }
        self.added.clear();
        true
    }
}

/// Evens out the number of paths per virtual channel. Virtual channels with fewer paths than the mean take paths of those with more, as far
/// as they stay acyclic. `class` is the virtual channel of each path.
///
/// A virtual channel keeps the turns of paths that leave it. This restricts later choices, but never makes them wrong.
pub(crate) fn even_out(vcs: &mut [AcyclicVc<'_>], members: &Members, class: &mut [u8]) {
    let mut loads = vec![0usize; vcs.len()];
    for member in 0..members.len() {
        loads[usize::from(class[members.route(member) as usize])] += 1;
    }
    let mean = members.len() / vcs.len().max(1);
    let mut order: Vec<usize> = (0..vcs.len()).filter(|&vc| loads[vc] < mean).collect();
    order.sort_by_key(|&vc| loads[vc]);
    for to in order {
        // Most paths fit into the current order. Other paths are searched for only if these are too few.
        for take in [AcyclicVc::take_in_order, AcyclicVc::take] {
            for member in 0..members.len() {
                if loads[to] >= mean {
                    break;
                }
                let from = &mut class[members.route(member) as usize];
                if loads[usize::from(*from)] > mean && take(&mut vcs[to], members.turns(member)) {
                    loads[usize::from(*from)] -= 1;
                    loads[to] += 1;
                    *from = to as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
