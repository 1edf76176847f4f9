//! The greedy count of disjoint paths in FatPaths. It finds a shortest path by breadth-first search, deletes the cables of this path, and
//! repeats both steps.
//!
//! The search goes from A to B, visits neighbours by ascending id, and stops at the first switch of B that it reaches.
//! Deleting cables makes no path shorter, so the lengths of the found paths never decrease. Therefore a search for
//! paths of h hops can skip switches that are too far from B. This changes neither the paths nor their order.

use tulle_fabric::Fabric;
use tulle_routing::disjoint::Ball;

use super::Lengths;

pub(super) struct Greedy<'a> {
    fabric: &'a Fabric,
    ball: Ball,
    /// For each channel, the number (`round`) of the last count that deleted it.
    deleted: Vec<u32>,
    round: u32,
    /// For each switch, the number of the last search that reached it, and the channel over which the search reached
    /// it.
    met: Vec<(u32, u32)>,
    search: u32,
    queue: Vec<u32>,
}

impl<'a> Greedy<'a> {
    pub fn new(fabric: &'a Fabric) -> Self {
        Self {
            fabric,
            ball: Ball::new(fabric),
            deleted: vec![0; fabric.num_channels()],
            round: 0,
            met: vec![(0, 0); fabric.num_switches()],
            search: 0,
            queue: Vec::new(),
        }
    }

    /// Counts disjoint paths from the switches `from` to the switches `to`. The two sets must have no common switch.
    pub fn count(&mut self, from: &[u32], to: &[u32], lengths: Lengths) -> u32 {
        self.round += 1;
        self.ball.grow(self.fabric, to, lengths.most.div_ceil(2));
        let mut paths = 0;
        for hops in lengths.fewest..=lengths.most {
            while let Some(last) = self.search(from, hops) {
                self.delete(last, from);
                paths += 1;
            }
        }
        paths
    }

    /// Returns the last channel of a path of `hops` hops. The caller must know that no shorter path exists.
    fn search(&mut self, from: &[u32], hops: u32) -> Option<u32> {
        self.search += 1;
        self.queue.clear();
        for &switch in from {
            self.met[switch as usize] = (self.search, 0);
            if hops == 1
                && let Some(channel) = self.exit(switch)
            {
                return Some(channel);
            }
            self.queue.push(switch);
        }
        let (mut at, mut end, mut depth) = (0, self.queue.len(), 1);
        while depth < hops {
            for channel in self.fabric.channels_of(self.queue[at]) {
                let next = self.fabric.targets()[channel];
                if self.met[next as usize].0 == self.search
                    || self.deleted[channel] == self.round
                    || depth + self.ball.at_least(next) > hops
                {
                    continue;
                }
                self.met[next as usize] = (self.search, channel as u32);
                // One hop before the end, the search can stop at the first switch that is adjacent to the destinations. A complete search
                // would continue from this switch before all switches that it reaches later.
                if depth + 1 == hops
                    && let Some(channel) = self.exit(next)
                {
                    return Some(channel);
                }
                self.queue.push(next);
            }
            at += 1;
            if at == end {
                (end, depth) = (self.queue.len(), depth + 1);
                if at == end {
                    return None;
                }
            }
        }
        None
    }

    /// Returns the first channel from `switch` into the destination set that is not deleted.
    fn exit(&self, switch: u32) -> Option<u32> {
        let fabric = self.fabric;
        let into = |&channel: &usize| {
            self.deleted[channel] != self.round && self.ball.at_least(fabric.targets()[channel]) == 0
        };
        (self.ball.at_least(switch) == 1).then(|| fabric.channels_of(switch).find(into))?.map(|channel| channel as u32)
    }

    /// Deletes the cables of the path that ends with channel `last`.
    fn delete(&mut self, last: u32, from: &[u32]) {
        let mut channel = last;
        loop {
            self.deleted[channel as usize] = self.round;
            self.deleted[self.fabric.reverse()[channel as usize] as usize] = self.round;
            let switch = self.fabric.sources()[channel as usize];
            if from.contains(&switch) {
                return;
            }
            channel = self.met[switch as usize].1;
        }
    }
}
