//! Dependencies added one at a time, kept free of cycles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_fabric::Fabric;
use tulle_fabric::task;

use super::turns::Turns;

/// Turns of one virtual channel without a cycle, with the channels in an order that every turn follows.
///
/// A turn against the order is looked at from both ends: what its second channel leads to, by ascending order, and what
/// leads to its first, by descending order, in turns until the two searches meet (a cycle) or pass each other (none, and
/// what was found on either side moves past each other). Haeupler, Kavitha, Mathew, Sen, Tarjan: Incremental cycle
/// detection, topological ordering, and strong component maintenance (ACM TALG 2012) §4, "compatible search".
pub(crate) struct OnlineOrder<'a> {
    fabric: &'a Fabric,
    turns: &'a Turns,
    /// A bit per turn.
    present: Vec<u64>,
    /// Per channel a number that ascends along the order.
    label: Vec<u64>,
    /// Per channel the next in order and the one before; the last entry is both ends.
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Per channel the last search that found it from either end.
    ahead: Vec<u32>,
    behind: Vec<u32>,
    searches: u32,
}

impl<'a> OnlineOrder<'a> {
    /// No turns; channels in order of their ids.
    pub fn new(fabric: &'a Fabric, turns: &'a Turns) -> Self {
        let channels: Vec<u32> = (0..turns.num_channels() as u32).collect();
        Self::of(fabric, turns, &channels, |_| false)
    }

    /// The turns that `held` holds, all of which follow `channels`, an order of all channels.
    pub fn of(fabric: &'a Fabric, turns: &'a Turns, channels: &[u32], held: impl Fn(usize) -> bool) -> Self {
        let mut present = vec![0; turns.len().div_ceil(64)];
        for turn in (0..turns.len()).filter(|&turn| held(turn)) {
            present[turn / 64] |= 1 << (turn % 64);
        }
        let mut order = Self {
            fabric,
            turns,
            present,
            label: vec![0; channels.len()],
            next: vec![0; channels.len() + 1],
            previous: vec![0; channels.len() + 1],
            ahead: vec![0; channels.len()],
            behind: vec![0; channels.len()],
            searches: 0,
        };
        let ends = channels.len() as u32;
        let mut last = ends;
        for &channel in channels.iter().chain(&[ends]) {
            order.next[last as usize] = channel;
            order.previous[channel as usize] = last;
            last = channel;
        }
        order.relabel();
        order
    }

    /// Whether `turn` is there.
    #[inline]
    pub fn holds(&self, turn: usize) -> bool {
        self.present[turn / 64] >> (turn % 64) & 1 == 1
    }

    /// Takes a turn away.
    pub fn remove(&mut self, turn: usize) {
        self.present[turn / 64] &= !(1 << (turn % 64));
    }

    /// Adds `turn`, one out of channel `before`, unless that makes a cycle; whether it did.
    pub fn insert(&mut self, before: u32, turn: usize) -> bool {
        let channel = self.turns.leads_to(before, turn);
        if self.label[before as usize] > self.label[channel as usize] && !self.reorder(before, channel) {
            return false;
        }
        self.present[turn / 64] |= 1 << (turn % 64);
        true
    }

    /// Brings `before` in order before `channel`, unless `channel` leads to it.
    fn reorder(&mut self, before: u32, channel: u32) -> bool {
        task::check();
        self.searches += 1;
        let search = self.searches;
        let (low, high) = (self.label[channel as usize], self.label[before as usize]);
        let mut ahead = BinaryHeap::from([(Reverse(low), channel)]);
        let mut behind = BinaryHeap::from([(high, before)]);
        self.ahead[channel as usize] = search;
        self.behind[before as usize] = search;
        let (mut passed_ahead, mut passed_behind) = (Vec::new(), Vec::new());
        while let (Some(&(Reverse(up), next)), Some(&(down, last))) = (ahead.peek(), behind.peek()) {
            if up > down {
                break;
            }
            ahead.pop();
            behind.pop();
            passed_ahead.push(next);
            passed_behind.push(last);
            for turn in self.turns.out_of(next) {
                if !self.holds(turn) {
                    continue;
                }
                let found = self.turns.leads_to(next, turn) as usize;
                if self.behind[found] == search {
                    return false;
                }
                if self.label[found] < high && std::mem::replace(&mut self.ahead[found], search) != search {
                    ahead.push((Reverse(self.label[found]), found as u32));
                }
            }
            let switch = self.fabric.sources()[last as usize];
            for out in self.fabric.channels_of(switch) {
                let found = self.fabric.reverse()[out] as usize;
                if !self.holds(self.turns.turn(found as u32, last)) {
                    continue;
                }
                if self.ahead[found] == search {
                    return false;
                }
                if self.label[found] > low && std::mem::replace(&mut self.behind[found], search) != search {
                    behind.push((self.label[found], found as u32));
                }
            }
        }
        // Everything ahead and not passed comes after everything behind and not passed; the cut lies between.
        let ends = self.turns.num_channels() as u32;
        let cut = match (ahead.peek(), behind.peek()) {
            (None, _) => self.next[before as usize],
            (_, None) => channel,
            (Some(&(_, next)), _) => next,
        };
        let at = if cut == ends { u64::MAX } else { self.label[cut as usize] };
        // Passed ahead by ascending, behind by descending label.
        let moved: Vec<u32> = passed_behind
            .into_iter()
            .rev()
            .filter(|&channel| self.label[channel as usize] > at)
            .chain(passed_ahead.into_iter().filter(|&channel| self.label[channel as usize] < at))
            .collect();
        self.put_before(cut, &moved);
        true
    }

    /// Moves `channels`, in this order, to right before `cut`.
    fn put_before(&mut self, cut: u32, channels: &[u32]) {
        for &channel in channels {
            let (previous, next) = (self.previous[channel as usize], self.next[channel as usize]);
            self.next[previous as usize] = next;
            self.previous[next as usize] = previous;
        }
        let ends = self.turns.num_channels() as u32;
        let before = self.previous[cut as usize];
        let low = if before == ends { 0 } else { self.label[before as usize] };
        let high = if cut == ends { u64::MAX } else { self.label[cut as usize] };
        let step = (high - low) / (channels.len() as u64 + 1);
        let mut last = before;
        for (at, &channel) in channels.iter().enumerate() {
            self.next[last as usize] = channel;
            self.previous[channel as usize] = last;
            self.label[channel as usize] = low + step * (at as u64 + 1);
            last = channel;
        }
        self.next[last as usize] = cut;
        self.previous[cut as usize] = last;
        if step == 0 {
            self.relabel();
        }
    }

    /// Spaces all labels evenly, in the order that there is.
    fn relabel(&mut self) {
        let ends = self.turns.num_channels();
        let step = u64::MAX / (ends as u64 + 1);
        let mut channel = self.next[ends] as usize;
        let mut label = 0;
        while channel != ends {
            label += step;
            self.label[channel] = label;
            channel = self.next[channel] as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether the turns of `held` have a cycle: every channel that can be left again and again stays.
    fn cyclic(turns: &Turns, held: &[(u32, u32)]) -> bool {
        let mut alive = vec![true; turns.num_channels()];
        for _ in 0..turns.num_channels() {
            for channel in 0..turns.num_channels() as u32 {
                alive[channel as usize] &= held.iter().any(|&(before, next)| before == channel && alive[next as usize]);
            }
        }
        alive.contains(&true)
    }

    proptest! {
        #[test]
        fn takes_every_turn_that_closes_no_cycle(tries in prop::collection::vec((0usize..36, 0usize..3, any::<bool>()), 1..150)) {
            let fabric = tulle_fabric::build("clique:degree=3", 0).unwrap();
            let turns = Turns::of(&fabric);
            let mut order = OnlineOrder::new(&fabric, &turns);
            let mut held: Vec<(u32, u32)> = Vec::new();
            for (before, port, remove) in tries {
                if remove && !held.is_empty() {
                    let (before, channel) = held.swap_remove(port % held.len());
                    order.remove(turns.turn(before, channel));
                    continue;
                }
                let before = before as u32 % 12;
                let channel = turns.leads_to(before, turns.out_of(before).start + port);
                if held.contains(&(before, channel)) {
                    prop_assert!(order.holds(turns.turn(before, channel)));
                    continue;
                }
                held.push((before, channel));
                let closes = cyclic(&turns, &held);
                prop_assert_eq!(order.insert(before, turns.turn(before, channel)), !closes);
                if closes {
                    held.pop();
                }
                for &(before, channel) in &held {
                    prop_assert!(order.label[before as usize] < order.label[channel as usize]);
                }
            }
        }
    }
}
