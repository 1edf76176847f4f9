//! A virtual channel that accepts paths as long as its dependencies stay acyclic.

use super::members::Members;
use super::online_order::OnlineOrder;

/// A virtual channel whose accepted paths form no dependency cycle. It remembers which turns would close a cycle. A turn is a pair of
/// consecutive channels.
pub(crate) struct AcyclicVc<'a> {
    order: OnlineOrder<'a>,
    /// Per turn, the channel before it.
    before: &'a [u32],
    /// One bit per turn (pair of consecutive channels). The bit is set if the turn would close a cycle with the accepted paths. It is never
    /// cleared, because accepted paths are never removed.
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

    /// Accepts a path if its turns follow the current order of channels; does not search for cycles. Returns whether the path was accepted.
    /// `path` is a list of turns (pairs of consecutive channels).
    fn take_in_order(&mut self, path: &[u32]) -> bool {
        let fits = path.iter().all(|&turn| self.order.allows(self.before[turn as usize], turn as usize));
        if fits {
            path.iter().for_each(|&turn| assert!(self.order.insert(self.before[turn as usize], turn as usize)));
        }
        fits
    }

    /// Accepts a path unless it closes a cycle. Returns whether the path was accepted. `path` is a list of turns (pairs of consecutive
    /// channels).
    pub fn take(&mut self, path: &[u32]) -> bool {
        if path.iter().any(|&turn| self.refused[turn as usize / 64] >> (turn % 64) & 1 == 1) {
            return false;
        }
        // This check runs before any turn is added, because adding a turn can move many channels in the order.
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
            // Other paths may contain this turn too. So the next lines check whether the turn alone, without the earlier turns of this
            // path, closes a cycle with the accepted paths.
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

/// Balances the number of paths per virtual channel. Paths move from virtual channels with more paths than the mean to virtual channels
/// with fewer paths than the mean, as long as the dependencies there stay acyclic. `class` is the virtual channel of each path.
///
/// When a path leaves a virtual channel, the turns of the path (pairs of consecutive channels) stay recorded there. These turns can forbid
/// later paths but never cause a cycle.
pub(crate) fn even_out(vcs: &mut [AcyclicVc<'_>], members: &Members, class: &mut [u8]) {
    let mut loads = vec![0usize; vcs.len()];
    for member in 0..members.len() {
        loads[usize::from(class[members.route(member) as usize])] += 1;
    }
    let mean = members.len() / vcs.len().max(1);
    let mut order: Vec<usize> = (0..vcs.len()).filter(|&vc| loads[vc] < mean).collect();
    order.sort_by_key(|&vc| loads[vc]);
    for to in order {
        // The first pass only checks whether a path follows the current order of channels. This check is fast, and most paths pass it. The
        // second pass searches for cycles. It runs only if the virtual channel still has too few paths.
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
