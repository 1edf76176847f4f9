//! Finds an order of channels that many paths follow.
//!
//! The heaviest acyclic subgraph of a graph consists of the edges that follow some order of its nodes. Finding the best order is the
//! *linear ordering problem*, which is NP-hard. This heuristic moves one channel at a time to the best position in the order: the position
//! at which the most paths through the channel follow the order. The search stops when further moves bring almost no gain. Source: Martí,
//! Reinelt: The Linear Ordering Problem (2011) §3.3, insertion moves.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::members::Members;
use crate::turns::Turns;

/// A sweep moves every channel once to its best position. `SWEEPS` is the maximum number of sweeps. After `FIRST` sweeps of each starting
/// order, only the best order is improved further.
const SWEEPS: usize = 8;
const FIRST: usize = 2;
/// The search ends after a sweep whose gain is at most this fraction of the total number of turns (pairs of consecutive channels) of all
/// routes.
const WORTH: f64 = 3e-4;

/// The number of members (routes) that take each turn. A turn is a pair of consecutive channels. The numbers are stored twice: by the first
/// channel and by the second channel of the turn.
pub(super) struct Demand<'a> {
    fabric: &'a Fabric,
    turns: &'a Turns,
    /// Per turn, the number of members that take it. Turns are sorted by their first channel.
    onward: Vec<u32>,
    /// `into` holds the number of members (routes) for each pair of a channel and a preceding channel, sorted by the ports of the switch
    /// between the two channels. `first` is the index in `into` of each channel's first entry.
    into: Vec<u32>,
    first: Vec<usize>,
    /// Another sweep follows only if the gain of the last sweep exceeds this number of turns (pairs of consecutive channels).
    worth: i64,
}

impl<'a> Demand<'a> {
    /// Returns the demand of `members`.
    pub fn of(fabric: &'a Fabric, turns: &'a Turns, members: &Members) -> Self {
        let mut onward = Vec::new();
        onward.resize_with(turns.len(), || AtomicU32::new(0));
        (0..members.len()).into_par_iter().with_min_len(4096).for_each(|member| {
            for &turn in members.turns(member) {
                onward[turn as usize].fetch_add(1, Ordering::Relaxed);
            }
        });
        let onward: Vec<u32> = onward.into_iter().map(AtomicU32::into_inner).collect();
        Self::of_turns(fabric, turns, onward)
    }

    /// Returns the demand of members (routes) on `turns`. `onward` has the number of members that take each turn.
    fn of_turns(fabric: &'a Fabric, turns: &'a Turns, onward: Vec<u32>) -> Self {
        let mut first = vec![0];
        let mut into = Vec::with_capacity(turns.len());
        for channel in 0..turns.num_channels() as u32 {
            into.extend(before(fabric, channel).iter().map(|&before| onward[turns.turn(before, channel)]));
            first.push(into.len());
        }
        let all: f64 = onward.iter().map(|&count| f64::from(count)).sum();
        Self { fabric, turns, onward, into, first, worth: (WORTH * all) as i64 }
    }

    /// Returns the best order that the search reaches. Each entry of `starts` is an order of all channels at which a search starts. All
    /// searches run a few sweeps; only the best one then continues.
    pub fn best_order(&self, starts: Vec<Vec<u32>>) -> Vec<u32> {
        let begun = |mut order: Vec<u32>| {
            let more = (0..FIRST).all(|_| self.sweep(&mut order));
            (self.kept(&order), more, order)
        };
        let begun: Vec<_> = starts.into_par_iter().map(begun).collect();
        let best = begun.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best });
        let (_, more, mut order) = best.expect("there is a start");
        if more {
            (FIRST..SWEEPS).all(|_| self.sweep(&mut order));
        }
        order
    }

    /// Moves every channel once to its best position. Returns whether the gain was large enough for another sweep.
    fn sweep(&self, order: &mut [u32]) -> bool {
        let mut place: Vec<f64> = ranks(order).into_iter().map(f64::from).collect();
        let mut beside = Vec::new();
        let gained: i64 = (0..order.len() as u32).map(|channel| self.insert(channel, &mut place, &mut beside)).sum();
        order.sort_by(|&a, &b| place[a as usize].total_cmp(&place[b as usize]));
        gained > self.worth
    }

    /// Moves `channel` to its best position in the order. Returns by how much the number of turns that follow the order grows.
    fn insert(&self, channel: u32, place: &mut [f64], beside: &mut Vec<(f64, i64)>) -> i64 {
        task::check();
        let here = place[channel as usize];
        // For each adjacent channel: its position, and the change in the number of turns that follow the order if `channel` moves from
        // before this position to after it.
        beside.clear();
        let (mut kept, mut gain) = (0, 0);
        for (after, &count) in self.onward[self.turns.out_of(channel)].iter().enumerate() {
            if count > 0 {
                let at = place[self.turns.first_onward(channel) as usize + after];
                gain += i64::from(count);
                kept += if at > here { i64::from(count) } else { 0 };
                beside.push((at, -i64::from(count)));
            }
        }
        let into = &self.into[self.first[channel as usize]..self.first[channel as usize + 1]];
        for (&before, &count) in before(self.fabric, channel).iter().zip(into) {
            if count > 0 {
                let at = place[before as usize];
                kept += if at < here { i64::from(count) } else { 0 };
                beside.push((at, i64::from(count)));
            }
        }
        beside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(least, _)) = beside.first() else { return 0 };
        let (mut best, mut to) = (gain, least - 1.0);
        for (number, &(at, change)) in beside.iter().enumerate() {
            gain += change;
            let next = beside.get(number + 1).map_or(at + 2.0, |next| next.0);
            if gain > best && next > at {
                (best, to) = (gain, f64::midpoint(at, next));
            }
        }
        if best <= kept {
            return 0;
        }
        place[channel as usize] = to;
        best - kept
    }

    /// Returns how many turns of all members (routes) follow `order`.
    fn kept(&self, order: &[u32]) -> u64 {
        let rank = ranks(order);
        let of = |channel: u32| {
            let later = |turn: &usize| rank[self.turns.leads_to(channel, *turn) as usize] > rank[channel as usize];
            self.turns.out_of(channel).filter(later).map(|turn| u64::from(self.onward[turn])).sum::<u64>()
        };
        (0..order.len() as u32).map(of).sum()
    }
}

/// Returns the channels that lead into `channel`, sorted by the ports of the switch between them and `channel`.
fn before(fabric: &Fabric, channel: u32) -> &[u32] {
    &fabric.reverse()[fabric.channels_of(fabric.sources()[channel as usize])]
}

/// Returns the place of each channel in `order`.
pub(super) fn ranks(order: &[u32]) -> Vec<u32> {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &channel)| rank[channel as usize] = at as u32);
    rank
}

/// Returns an order of all channels in two halves. The first half has the channels toward higher switch numbers, the second half all other
/// channels. Within each half, a channel comes before the channels that it leads to.
pub(super) fn up_then_down(fabric: &Fabric) -> Vec<u32> {
    let key = |channel: u32| {
        let (from, to) = (fabric.sources()[channel as usize], fabric.targets()[channel as usize]);
        if from < to { (0, from, to) } else { (1, u32::MAX - from, u32::MAX - to) }
    };
    let mut order: Vec<u32> = (0..fabric.num_channels() as u32).collect();
    order.sort_by_key(|&channel| key(channel));
    order
}

/// Returns the order of [`up_then_down`] with its two halves exchanged.
pub(super) fn down_then_up(fabric: &Fabric) -> Vec<u32> {
    let (up, mut order): (Vec<u32>, Vec<u32>) = up_then_down(fabric)
        .into_iter()
        .partition(|&channel| fabric.sources()[channel as usize] < fabric.targets()[channel as usize]);
    order.extend(up);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_channel_goes_where_most_follows(counts in prop::collection::vec(0u32..6, 36), start in Just((0..12).collect::<Vec<u32>>()).prop_shuffle()) {
            let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
            let turns = Turns::of(&fabric);
            let demand = Demand::of_turns(&fabric, &turns, counts);
            for channel in 0..12 {
                let mut place: Vec<f64> = ranks(&start).iter().map(|&rank| f64::from(rank)).collect();
                let gained = demand.insert(channel, &mut place, &mut Vec::new());
                let mut moved = start.clone();
                moved.sort_by(|&a, &b| place[a as usize].total_cmp(&place[b as usize]));
                let others: Vec<u32> = start.iter().copied().filter(|&other| other != channel).collect();
                let best = (0..12).map(|at| {
                    let mut order = others.clone();
                    order.insert(at, channel);
                    demand.kept(&order)
                });
                prop_assert_eq!(demand.kept(&moved), best.max().unwrap());
                prop_assert_eq!(demand.kept(&moved) - demand.kept(&start), gained as u64);
            }
        }

        #[test]
        fn an_order_is_of_all_channels_and_no_worse_than_its_start(counts in prop::collection::vec(0u32..6, 36)) {
            let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
            let turns = Turns::of(&fabric);
            let demand = Demand::of_turns(&fabric, &turns, counts);
            let starts = [up_then_down(&fabric), down_then_up(&fabric)];
            let best = demand.best_order(starts.to_vec());
            let mut all = best.clone();
            all.sort_unstable();
            prop_assert_eq!(all, (0..12).collect::<Vec<u32>>());
            prop_assert!(starts.iter().all(|start| demand.kept(start) <= demand.kept(&best)));
        }
    }

    #[test]
    fn up_then_down_is_what_its_name_says() {
        // In a line of three switches, channels 0 to 3 lead from switch 0 to 1, 1 to 0, 1 to 2, and 2 to 1.
        let fabric = tulle_topologies::build("mesh:shape=3", 0).unwrap();
        assert_eq!(up_then_down(&fabric), [0, 2, 3, 1]);
        assert_eq!(down_then_up(&fabric), [3, 1, 0, 2]);
    }
}
