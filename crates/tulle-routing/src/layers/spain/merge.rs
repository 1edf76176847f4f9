//! Merges subgraphs into forests.

use rand::Rng;
use rand::seq::SliceRandom;
use tulle_fabric::Fabric;

use crate::sets::Sets;

/// Merges `subgraphs` into forests, greedily and in random order. Each subgraph is given as the cables of a tree. Each forest starts with
/// the first remaining subgraph and absorbs every later subgraph that forms no cycle with the forest. Returns at most `most` forests: those
/// that connect the most pairs of switches, ordered by this number.
pub(super) fn forests(fabric: &Fabric, mut subgraphs: Vec<Vec<u32>>, most: usize, rng: &mut impl Rng) -> Vec<Vec<u32>> {
    subgraphs.shuffle(rng);
    let mut left: Vec<Vec<u32>> = subgraphs;
    let mut merged: Vec<(u64, Vec<u32>)> = Vec::new();
    let mut forest = Forest::new(fabric);
    let all_pairs = (fabric.num_switches() * fabric.num_switches().saturating_sub(1)) as u64;
    let mut spanning = 0;
    // The loop can stop when `most` forests connect all switches. No later forest is better, and the sort is stable, so later forests would
    // come last.
    while !left.is_empty() && spanning < most {
        forest.clear();
        left.retain(|subgraph| !forest.take(subgraph));
        let pairs = forest.pairs();
        spanning += usize::from(pairs == all_pairs);
        merged.push((pairs, forest.cables()));
    }
    merged.sort_by_key(|&(pairs, _)| std::cmp::Reverse(pairs));
    merged.truncate(most);
    merged.into_iter().map(|(_, cables)| cables).collect()
}

struct Forest<'a> {
    fabric: &'a Fabric,
    joined: Sets,
    trial: Sets,
    /// Per switch, the representative of its set of connected switches.
    tops: Vec<u32>,
    /// Per channel, whether the forest contains its cable. A cable is named by one of its channels.
    has: Vec<bool>,
}

impl<'a> Forest<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        let switches = fabric.num_switches();
        let has = vec![false; fabric.num_channels()];
        let tops = (0..switches as u32).collect();
        Self { fabric, joined: Sets::new(switches), trial: Sets::new(switches), tops, has }
    }

    fn clear(&mut self) {
        self.joined.reset();
        self.find_tops();
        self.has.fill(false);
    }

    fn find_tops(&mut self) {
        (0..).zip(&mut self.tops).for_each(|(switch, top)| *top = self.joined.top(switch));
    }

    /// Adds `cables` if the forest stays acyclic. Returns whether they were added.
    fn take(&mut self, cables: &[u32]) -> bool {
        let ends = |cable: u32| (self.fabric.sources()[cable as usize], self.fabric.targets()[cable as usize]);
        let new = |has: &[bool], cable: u32| !has[cable as usize];
        // Most subgraphs do not fit, because one of their cables closes a cycle. So this loop first tests each cable alone, which needs no
        // copy of the sets.
        for &cable in cables {
            let (a, b) = ends(cable);
            if self.tops[a as usize] == self.tops[b as usize] && new(&self.has, cable) {
                return false;
            }
        }
        self.trial.copy(&self.joined);
        for &cable in cables {
            let (a, b) = ends(cable);
            if new(&self.has, cable) && !self.trial.join(a, b) {
                return false;
            }
        }
        std::mem::swap(&mut self.joined, &mut self.trial);
        self.find_tops();
        cables.iter().for_each(|&cable| self.has[cable as usize] = true);
        true
    }

    /// Returns the number of ordered pairs of switches that the forest connects.
    fn pairs(&mut self) -> u64 {
        let mut members = vec![0u64; self.fabric.num_switches()];
        for switch in 0..members.len() as u32 {
            members[self.joined.top(switch) as usize] += 1;
        }
        members.iter().map(|&members| members * members.saturating_sub(1)).sum()
    }

    fn cables(&self) -> Vec<u32> {
        (0..self.has.len() as u32).filter(|&cable| self.has[cable as usize]).collect()
    }
}
