//! k shortest simple paths per pair: listed by length, by deviation where a listing would run long.

use std::ops::RangeInclusive;

use rand::RngExt;
use tulle_fabric::random::Xoshiro256PlusPlus;

use crate::paths::all_pairs::PairPaths;
use crate::paths::by_length::{ByLength, Listing};
use crate::paths::neighbours::{Neighbours, WalkLengths};
use crate::paths::ties::{Lowest, Random};
use crate::paths::yen::Yen;

/// Finds k shortest simple paths, one pair after the other.
pub(crate) struct Shortest<'a> {
    neighbours: &'a Neighbours,
    lengths: &'a WalkLengths,
    by_length: ByLength<'a>,
    yen: Yen<'a>,
    /// Entries of rows that listings may look at per pair and path.
    budget: u64,
}

/// How many paths a pair is to have: all there are of at most `spread` hops over the shortest, but no more than `most`, and
/// longer ones up to `least`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub least: usize,
    pub most: usize,
    pub spread: usize,
}

impl Wanted {
    /// `k` paths of any length.
    pub fn exactly(k: usize) -> Self {
        Self { least: k, most: k, spread: 0 }
    }
}

/// The longest paths that are listed: as far as walk lengths reach.
const LONGEST: usize = 254;

impl<'a> Shortest<'a> {
    /// A finder over `neighbours`, whose walk lengths are `lengths`.
    pub fn new(neighbours: &'a Neighbours, lengths: &'a WalkLengths) -> Self {
        // A path found by deviation costs a breadth-first search per hop: listings may cost about one per path.
        Self::with_budget(neighbours, lengths, (neighbours.num_switches() + neighbours.len()) as u64)
    }

    fn with_budget(neighbours: &'a Neighbours, lengths: &'a WalkLengths, budget: u64) -> Self {
        let (by_length, yen) = (ByLength::new(neighbours, lengths), Yen::new(neighbours));
        Self { neighbours, lengths, by_length, yen, budget }
    }

    /// Adds the first simple paths in the order of length, then lexicographic, to the empty `paths`, as many as `wanted`.
    pub fn lowest(&mut self, source: u16, destination: u16, wanted: Wanted, paths: &mut PairPaths) {
        let mut budget = self.budget * wanted.most as u64;
        let mut lengths = self.hops(source, destination);
        let spread_ends = usize::from(*lengths.start()) + wanted.spread;
        self.by_length.toward(destination);
        let listed = lengths.all(|hops| {
            let wanted = if usize::from(hops) <= spread_ends { wanted.most } else { wanted.least };
            paths.len() >= wanted
                || Listing::Exhausted
                    != self.by_length.list(source, destination, hops, &mut budget, |path| {
                        paths.push(path);
                        paths.len() < wanted
                    })
        });
        if !(listed && (paths.len() >= wanted.least || self.most_hops() <= LONGEST)) {
            paths.clear();
            self.yen.find(source, destination, wanted.most, &mut Lowest, paths);
            let short = paths.iter().take_while(|path| path.len() <= spread_ends).count();
            paths.truncate(short.max(wanted.least));
        }
    }

    /// Adds `k` shortest simple paths to the empty `paths`, in the order of length: which of equally long ones, and in
    /// which order, is drawn from `random`, every choice alike while they can be listed. Of parallel cables, any.
    pub fn random(&mut self, source: u16, destination: u16, k: usize, random: &mut Random, paths: &mut PairPaths) {
        if !self.listed(source, destination, k, &mut random.0, paths) {
            paths.clear();
            self.yen.find(source, destination, k, random, paths);
        }
        if self.neighbours.parallel() {
            for at in 0..paths.len() {
                self.neighbours.pick_cables(source, paths.get_mut(at), |count| random.0.random_range(0..count));
            }
        }
    }

    /// Whether all `k` paths could be drawn from listings.
    fn listed(
        &mut self,
        source: u16,
        destination: u16,
        k: usize,
        random: &mut Xoshiro256PlusPlus,
        paths: &mut PairPaths,
    ) -> bool {
        let mut budget = self.budget * k as u64;
        self.by_length.toward(destination);
        for hops in self.hops(source, destination) {
            let shorter = paths.len();
            let mut seen = 0;
            let listing = self.by_length.list(source, destination, hops, &mut budget, |path| {
                seen += 1;
                if paths.len() < k {
                    paths.push(path);
                } else {
                    // Reservoir sampling: the n-th path of this length takes one of the m places with probability m/n.
                    let place = random.random_range(0..seen);
                    if place < k - shorter {
                        paths.get_mut(shorter + place).copy_from_slice(path);
                    }
                }
                true
            });
            if listing == Listing::Exhausted {
                return false;
            }
            for at in (shorter + 1..paths.len()).rev() {
                paths.swap(at, random.random_range(shorter..=at));
            }
            if paths.len() == k || usize::from(hops) == self.most_hops() {
                return true;
            }
        }
        false
    }

    /// The lengths at which simple paths can be, as far as they are listed.
    fn hops(&self, source: u16, destination: u16) -> RangeInclusive<u8> {
        let [even, odd] = self.lengths.rows(destination);
        let shortest = even[usize::from(source)].min(odd[usize::from(source)]);
        shortest..=self.most_hops().min(LONGEST) as u8
    }

    /// The most hops of any simple path.
    fn most_hops(&self) -> usize {
        self.neighbours.num_switches() - 1
    }
}
