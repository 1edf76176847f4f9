//! k shortest simple paths by deviation from the paths already found (Yen, Management Science 17(11), 1971), with
//! Lawler's rule that a path deviates only from where it left its parent on, so that no path is found twice.
//!
//! Polynomial in everything: a breadth-first search per hop of every path found. [`super::by_length`] is far quicker where
//! there are many short paths; this takes over where a listing would run long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::paths::all_pairs::Found;
use crate::paths::neighbours::Neighbours;
use crate::paths::ties::Ties;

/// Finds k shortest simple paths, one pair after the other.
pub(crate) struct Yen<'a> {
    neighbours: &'a Neighbours,
    /// Per switch: out of bounds for the search, because it is on the way to where the path deviates.
    removed: Vec<bool>,
    /// Hops to the destination without the removed switches.
    hops: Vec<u32>,
    queue: Vec<u16>,
    ports: Vec<u16>,
}

/// A path waiting to be the next; ordered by hops, rank of its tie, switches.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    hops: usize,
    rank: u64,
    /// Every switch, source and destination included.
    switches: Vec<u16>,
    /// Where it left its parent: the position of the last switch that they share.
    deviation: usize,
}

const FAR: u32 = u32::MAX;

impl<'a> Yen<'a> {
    /// A finder over `neighbours`.
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

    /// Adds the `k` shortest simple paths (all of them, where there are fewer) as lowest ports; equally long ones in
    /// lexicographic order, or in random order, where `ties` are random.
    pub fn find(&mut self, source: u16, destination: u16, k: usize, ties: &mut impl Ties, paths: &mut Found) {
        let mut found: Vec<Vec<u16>> = Vec::with_capacity(k);
        let mut waiting = BinaryHeap::new();
        waiting.extend(self.deviate(&[source], destination, &[], ties).map(Reverse));
        while let Some(Reverse(next)) = waiting.pop() {
            self.push(&next.switches, paths);
            found.push(next.switches);
            if found.len() == k {
                return;
            }
            let path = found.last().expect("a path was just found");
            for at in next.deviation..path.len() - 1 {
                // All paths that share this beginning have gone on to these switches already.
                let taken: Vec<u16> =
                    found.iter().filter(|other| other.starts_with(&path[..=at])).map(|other| other[at + 1]).collect();
                waiting.extend(self.deviate(&path[..=at], destination, &taken, ties).map(Reverse));
            }
        }
    }

    /// The shortest simple path that begins with `beginning` and then goes on to none of `taken`.
    fn deviate(
        &mut self,
        beginning: &[u16],
        destination: u16,
        taken: &[u16],
        ties: &mut impl Ties,
    ) -> Option<Candidate> {
        beginning.iter().for_each(|&switch| self.removed[usize::from(switch)] = true);
        self.search(destination);
        beginning.iter().for_each(|&switch| self.removed[usize::from(switch)] = false);
        let (mut switches, mut rest) = (beginning.to_vec(), FAR);
        let mut switch = *beginning.last()?;
        while switch != destination {
            let allowed = |next: &u16| rest != FAR || !taken.contains(next);
            let neighbours = self.neighbours.of_switch(switch);
            let hops = |next: &u16| self.hops[usize::from(*next)];
            let nearest = neighbours.iter().filter(|next| allowed(next)).map(hops).min()?;
            if nearest == FAR {
                return None;
            }
            let choices = neighbours.iter().filter(|next| allowed(next) && hops(next) == nearest);
            let count = choices.clone().count();
            switch = *choices.clone().nth(ties.pick(count))?;
            switches.push(switch);
            rest = nearest;
        }
        Some(Candidate { hops: switches.len() - 1, rank: ties.rank(), switches, deviation: beginning.len() - 1 })
    }

    /// Hops of all switches to `destination` without the removed ones.
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

    fn push(&mut self, switches: &[u16], paths: &mut Found) {
        self.ports.clear();
        let hops = switches.windows(2).map(|hop| self.neighbours.port(self.neighbours.entry(hop[0], hop[1])));
        self.ports.extend(hops);
        paths.push(&self.ports);
    }
}
