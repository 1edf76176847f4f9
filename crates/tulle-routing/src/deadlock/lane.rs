//! One virtual lane that takes paths while it stays free of cycles.

use super::online_order::OnlineOrder;

/// A virtual lane without a cycle, and what is known not to fit.
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
