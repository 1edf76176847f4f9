//! One virtual channel that takes paths while it stays free of cycles.

use super::members::Members;
use super::online_order::OnlineOrder;

/// A virtual channel without a cycle, and what is known not to fit.
pub(crate) struct Lane<'a> {
    order: OnlineOrder<'a>,
    /// Per turn, the channel before it.
    before: &'a [u32],
    /// A bit per turn that would close a cycle with the paths taken so far: it would ever after.
    refused: Vec<u64>,
}

impl<'a> Lane<'a> {
    /// A lane that has taken the turns of `order`.
    pub fn new(order: OnlineOrder<'a>, before: &'a [u32]) -> Self {
        let refused = vec![0; before.len().div_ceil(64)];
        Self { order, before, refused }
    }

    /// Takes a path, given by its turns, unless that makes a cycle; whether it did.
    pub fn take(&mut self, path: &[u32]) -> bool {
        if path.iter().any(|&turn| self.refused[turn as usize / 64] >> (turn % 64) & 1 == 1) {
            return false;
        }
        let mut added = Vec::new();
        for &turn in path {
            let turn = turn as usize;
            if self.order.holds(turn) {
                continue;
            }
            if self.order.insert(self.before[turn], turn) {
                added.push(turn);
                continue;
            }
            if added.is_empty() {
                self.refused[turn / 64] |= 1 << (turn % 64);
            }
            added.into_iter().for_each(|turn| self.order.remove(turn));
            return false;
        }
        true
    }
}

/// Evens out how many paths the lanes have: those below the mean take paths of those above it, as far as they stay free of
/// cycles. `class` tells every path's lane.
///
/// A lane keeps the turns of paths that leave it, which makes later lanes' choices fewer, not wrong.
pub(crate) fn even_out(lanes: &mut [Lane<'_>], members: &Members, class: &mut [u8]) {
    let mut loads = vec![0usize; lanes.len()];
    for member in 0..members.len() {
        loads[usize::from(class[members.route(member) as usize])] += 1;
    }
    let mean = members.len() / lanes.len().max(1);
    let mut order: Vec<usize> = (0..lanes.len()).filter(|&lane| loads[lane] < mean).collect();
    order.sort_by_key(|&lane| loads[lane]);
    for to in order {
        for member in 0..members.len() {
            if loads[to] >= mean {
                break;
            }
            let from = &mut class[members.route(member) as usize];
            if loads[usize::from(*from)] > mean && lanes[to].take(members.turns(member)) {
                loads[usize::from(*from)] -= 1;
                loads[to] += 1;
                *from = to as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests;
