//! Merging subgraphs while they stay free of cycles.

use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_fabric::Fabric;

use crate::sets::Sets;

/// Subgraphs that are looked at together at first; twice as many every further time.
const FIRST: usize = 64;

/// Merges `subgraphs`, each the cables of a tree, greedily in random order: each that is left takes in all later ones that
/// close no cycle with it. Returns the merged forests, those that join most pairs of switches first.
pub(super) fn forests(fabric: &Fabric, mut subgraphs: Vec<Vec<u32>>, rng: &mut impl Rng) -> Vec<Vec<u32>> {
    subgraphs.shuffle(rng);
    let mut left: Vec<Vec<u32>> = subgraphs;
    let mut merged: Vec<(u64, Vec<u32>)> = Vec::new();
    let mut forest = Forest::new(fabric);
    while !left.is_empty() {
        forest.clear();
        forest.take_all(&mut left);
        merged.push((forest.pairs(), forest.cables()));
    }
    merged.sort_by_key(|&(pairs, _)| std::cmp::Reverse(pairs));
    merged.into_iter().map(|(_, cables)| cables).collect()
}

struct Forest<'a> {
    fabric: &'a Fabric,
    joined: Sets,
    trial: Sets,
    /// Per switch the member that stands for its set.
    tops: Vec<u32>,
    /// Per channel that names a cable, whether the forest has it.
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

    /// Takes subgraphs in, one after another, where the forest stays one; keeps the others.
    ///
    /// Most are refused by one cable alone. That can be seen of many at once: what such a cable closes a cycle with stays
    /// in the forest, whatever else is taken meanwhile.
    fn take_all(&mut self, subgraphs: &mut Vec<Vec<u32>>) {
        let mut taken = vec![false; subgraphs.len()];
        let (mut start, mut length) = (0, FIRST);
        while start < subgraphs.len() {
            let end = subgraphs.len().min(start + length);
            let candidates = subgraphs[start..end].par_iter().with_min_len(FIRST).enumerate();
            let fitting = candidates.filter(|(_, cables)| self.fits_each(cables)).map(|(at, _)| start + at);
            for at in fitting.collect::<Vec<usize>>() {
                taken[at] = self.take(&subgraphs[at]);
            }
            // The more the forest has, the less it still takes of what has passed that look.
            (start, length) = (end, 2 * length);
        }
        let mut taken = taken.into_iter();
        subgraphs.retain(|_| !taken.next().unwrap_or(false));
    }

    /// Whether the forest stays one with each of `cables` by itself.
    fn fits_each(&self, cables: &[u32]) -> bool {
        cables.iter().all(|&cable| {
            let (a, b) = self.ends(cable);
            self.tops[a as usize] != self.tops[b as usize] || self.has[cable as usize]
        })
    }

    /// Takes `cables` in where the forest stays one.
    fn take(&mut self, cables: &[u32]) -> bool {
        // Most are refused here, before anything is copied.
        if !self.fits_each(cables) {
            return false;
        }
        self.trial.copy(&self.joined);
        for &cable in cables {
            let (a, b) = self.ends(cable);
            if !self.has[cable as usize] && !self.trial.join(a, b) {
                return false;
            }
        }
        std::mem::swap(&mut self.joined, &mut self.trial);
        self.find_tops();
        cables.iter().for_each(|&cable| self.has[cable as usize] = true);
        true
    }

    fn ends(&self, cable: u32) -> (u32, u32) {
        (self.fabric.sources()[cable as usize], self.fabric.targets()[cable as usize])
    }

    /// The ordered pairs of switches that it joins.
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
