//! Finds the k shortest simple paths as deviations from paths that were already found (Yen, Management Science 17(11), 1971). As Lawler
//! proposed, a path deviates from its parent path only at or after the switch at which the parent itself deviated. So no path is found
//! twice.
//!
//! The time is polynomial: one breadth-first search per hop of every path found. [`super::by_length`] is usually far faster, so this module
//! is used only if listing all paths by length would take too long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::paths::all_pairs::Found;
use crate::paths::neighbours::Neighbours;
use crate::ties::Ties;

/// A finder of the k shortest simple paths of one pair after another.
pub(crate) struct Yen<'a> {
    neighbours: &'a Neighbours,
    /// Per switch, whether the search must avoid it, because it lies on the path before the deviation.
    removed: Vec<bool>,
    /// Per switch, the hops to the destination without the removed switches.
    hops: Vec<u32>,
    queue: Vec<u16>,
    ports: Vec<u16>,
}

/// A candidate for the next path. Candidates are ordered by hops, then by the rank of the tie rule, then by channels.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    hops: usize,
    rank: u64,
    /// The channels of the path. The switches alone do not identify a path, because two paths may differ only in parallel cables.
    channels: Vec<u32>,
    /// The number of channels at the start of the path that it shares with the path from which it was derived.
    deviation: usize,
}

const FAR: u32 = u32::MAX;

impl<'a> Yen<'a> {
    /// Returns a finder over `neighbours`.
    pub fn new(neighbours: &'a Neighbours) -> Self {
        let switches = neighbours.num_switches();
        Self {
            neighbours,
            removed: vec![false; switches],
            hops: vec![FAR; switches],
            queue: Vec::with_capacity(switches),
            ports: Vec::new(),
        }
    }

    /// Adds the `k` shortest simple paths to `paths`, or all simple paths if there are fewer. Paths of equal length are in lexicographic
    /// order, or in random order if `ties` is random.
    pub fn find(&mut self, source: u16, destination: u16, k: usize, ties: &mut impl Ties, paths: &mut Found) {
        let mut found: Vec<Vec<u32>> = Vec::with_capacity(k);
        let mut waiting = BinaryHeap::new();
        waiting.extend(self.deviate(source, &[], destination, &[], ties).map(Reverse));
        while let Some(Reverse(next)) = waiting.pop() {
            self.push(source, &next.channels, paths);
            found.push(next.channels);
            if found.len() == k {
                return;
            }
            let path = found.last().expect("a path was just found");
            for at in next.deviation..path.len() {
                // The channels that found paths take next after the same beginning.
                let taken: Vec<u32> =
                    found.iter().filter(|other| other.starts_with(&path[..at])).map(|other| other[at]).collect();
                waiting.extend(self.deviate(source, &path[..at], destination, &taken, ties).map(Reverse));
            }
        }
    }

    /// Returns the shortest simple path that begins with the channels `beginning`, and whose next channel is not in `taken`.
    fn deviate(
        &mut self,
        source: u16,
        beginning: &[u32],
        destination: u16,
        taken: &[u32],
        ties: &mut impl Ties,
    ) -> Option<Candidate> {
        let neighbours = self.neighbours;
        let entered = |channel: &u32| neighbours.switch(*channel as usize);
        let passed = || std::iter::once(source).chain(beginning.iter().map(entered));
        passed().for_each(|switch| self.removed[usize::from(switch)] = true);
        self.search(destination);
        passed().for_each(|switch| self.removed[usize::from(switch)] = false);
        let (mut channels, mut rest) = (beginning.to_vec(), FAR);
        let mut switch = beginning.last().map_or(source, entered);
        while switch != destination {
            let row = neighbours.row(switch);
            let row = row.start as u32..row.end as u32;
            let allowed = |channel: &u32| rest != FAR || !taken.contains(channel);
            let hops = |channel: u32| self.hops[usize::from(entered(&channel))];
            let nearest = row.clone().filter(allowed).map(hops).min()?;
            if nearest == FAR {
                return None;
            }
            let choices = row.filter(|channel| allowed(channel) && hops(*channel) == nearest);
            let count = choices.clone().count();
            let channel = choices.clone().nth(ties.pick(count))?;
            switch = entered(&channel);
            channels.push(channel);
            rest = nearest;
        }
        Some(Candidate { hops: channels.len(), rank: ties.rank(), channels, deviation: beginning.len() })
    }

    /// Computes the hops from all switches to `destination` without the removed switches.
    fn search(&mut self, destination: u16) {
        self.hops.fill(FAR);
        self.queue.clear();
        self.hops[usize::from(destination)] = 0;
        self.queue.push(destination);
        let mut at = 0;
        while let Some(&switch) = self.queue.get(at) {
            at += 1;
            for &next in self.neighbours.of_switch(switch) {
                if self.hops[usize::from(next)] == FAR && !self.removed[usize::from(next)] {
                    self.hops[usize::from(next)] = self.hops[usize::from(switch)] + 1;
                    self.queue.push(next);
                }
            }
        }
    }

    fn push(&mut self, source: u16, channels: &[u32], paths: &mut Found) {
        self.ports.clear();
        let mut switch = source;
        for &channel in channels {
            self.ports.push((channel as usize - self.neighbours.row(switch).start) as u16);
            switch = self.neighbours.switch(channel as usize);
        }
        paths.push(&self.ports);
    }
}
