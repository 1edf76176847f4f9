//! Finds the k shortest simple paths of a pair. It lists paths by length. If this takes too long, it uses Yen's algorithm instead.

use std::ops::RangeInclusive;

use rand::RngExt;
use tulle_base::random::Xoshiro256PlusPlus;

use crate::paths::all_pairs::Found;
use crate::paths::by_length::{ByLength, Listing};
use crate::paths::neighbours::{Neighbours, WalkLengths};
use crate::paths::yen::Yen;
use crate::ties::{Lowest, Random};

/// A finder of the k shortest simple paths of one pair after another.
pub(crate) struct Shortest<'a> {
    neighbours: &'a Neighbours,
    lengths: &'a WalkLengths,
    by_length: ByLength<'a>,
    yen: Yen<'a>,
    /// Maximum number of neighbours that a listing may examine for a pair, per requested path.
    budget: u64,
}

/// The paths that a pair should get: all paths that are at most `spread` hops longer than the shortest path, but at most `most` paths. If
/// these are fewer than `least` paths, longer paths are added.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub least: usize,
    pub most: usize,
    pub spread: usize,
}

impl Wanted {
    /// Requests `k` paths of any length.
    pub fn exactly(k: usize) -> Self {
        Self { least: k, most: k, spread: 0 }
    }
}

/// Maximum length of a listed path. Walk lengths are limited to this number.
const LONGEST: usize = 254;

impl<'a> Shortest<'a> {
    /// Returns a finder over `neighbours`. `lengths` must be the walk lengths of the same fabric.
    pub fn new(neighbours: &'a Neighbours, lengths: &'a WalkLengths) -> Self {
        // Yen's algorithm needs one breadth-first search per hop of a path. The budget allows a listing about as much work per path as one
        // such search needs.
        Self::with_budget(neighbours, lengths, (neighbours.num_switches() + neighbours.len()) as u64)
    }

    fn with_budget(neighbours: &'a Neighbours, lengths: &'a WalkLengths, budget: u64) -> Self {
        let (by_length, yen) = (ByLength::new(neighbours, lengths), Yen::new(neighbours));
        Self { neighbours, lengths, by_length, yen, budget }
    }

    /// Adds the simple paths that `wanted` requests to `paths`, which must be empty. Paths are ordered by length, then lexicographically.
    pub fn lowest(&mut self, source: u16, destination: u16, wanted: Wanted, paths: &mut Found) {
        let mut budget = self.budget * wanted.most as u64;
        let lengths = self.hops(source, destination);
        let spread_ends = usize::from(*lengths.start()) + wanted.spread;
        let mut listed = true;
        self.by_length.toward(destination);
        for hops in lengths {
            let enough = if usize::from(hops) <= spread_ends { wanted.most } else { wanted.least };
            if paths.len() >= enough {
                break;
            }
            let listing = self.by_length.list(source, destination, hops, &mut budget, |path| {
                paths.push(path);
                paths.len() < enough
            });
            if listing == Listing::Exhausted {
                listed = false;
                break;
            }
        }
        if !(listed && (paths.len() >= wanted.least || self.most_hops() <= LONGEST)) {
            paths.clear();
            self.yen.find(source, destination, wanted.most, &mut Lowest, paths);
            let short = paths.iter().take_while(|path| path.len() <= spread_ends).count();
            paths.truncate(short.max(wanted.least));
        }
    }

    /// Adds the `k` shortest simple paths to `paths`, which must be empty. Paths are ordered by length. `random` chooses among paths of
    /// equal length, and orders them. The choice is uniform if all paths of this length can be listed.
    pub fn random(&mut self, source: u16, destination: u16, k: usize, random: &mut Random, paths: &mut Found) {
        if !self.listed(source, destination, k, &mut random.0, paths) {
            paths.clear();
            self.yen.find(source, destination, k, random, paths);
        }
    }

    /// Chooses paths at random from complete listings. Returns false if the budget does not allow complete listings.
    fn listed(
        &mut self,
        source: u16,
        destination: u16,
        k: usize,
        random: &mut Xoshiro256PlusPlus,
        paths: &mut Found,
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
                    // Reservoir sampling: each of the n listed paths of this length must be selected with the same probability. So the n-th
                    // path replaces one of the m selected paths with probability m/n.
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

    /// Returns the lengths that a simple path of the pair can have, up to [`LONGEST`].
    fn hops(&self, source: u16, destination: u16) -> RangeInclusive<u8> {
        let [even, odd] = self.lengths.rows(destination);
        let shortest = even[usize::from(source)].min(odd[usize::from(source)]);
        shortest..=self.most_hops().min(LONGEST) as u8
    }

    /// Returns the maximum number of hops of a simple path.
    fn most_hops(&self) -> usize {
        self.neighbours.num_switches() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_base::random::stream;
    use tulle_fabric::{Fabric, FabricBuilder};

    fn fabric(switches: u32, cables: impl IntoIterator<Item = (u32, u32)>) -> Fabric {
        let mut builder = FabricBuilder::new(switches);
        cables.into_iter().for_each(|(a, b)| builder.cable(a, b));
        builder.finish("edges", Default::default()).unwrap()
    }

    fn found(find: impl FnOnce(&mut Found)) -> Vec<Vec<u16>> {
        let mut paths = Found::default();
        find(&mut paths);
        paths.iter().map(<[u16]>::to_vec).collect()
    }

    #[test]
    fn listing_and_deviation_agree() {
        for seed in 0..40 {
            let mut random = stream(seed, "test", 0);
            let tree = (1..9).map(|switch| (random.random_range(0..switch), switch)).collect::<Vec<_>>();
            // The random graph is a tree with additional cables to switch 8, some of which may be parallel.
            let more = (0..seed % 14).map(|_| (random.random_range(0..8), 8)).collect::<Vec<_>>();
            let fabric = fabric(9, tree.into_iter().chain(more));
            let neighbours = Neighbours::of(&fabric);
            let lengths = WalkLengths::of(&neighbours);
            let mut listing = Shortest::with_budget(&neighbours, &lengths, 1 << 40);
            let mut deviation = Shortest::with_budget(&neighbours, &lengths, 0);
            for (source, destination) in (0..9).flat_map(|s| (0..9).map(move |d| (s, d))).filter(|(s, d)| s != d) {
                for k in [1, 2, 8, 255] {
                    for wanted in [Wanted::exactly(k), Wanted { least: 2.min(k), most: k, spread: 1 }] {
                        let lowest = |shortest: &mut Shortest| {
                            found(|paths| shortest.lowest(source, destination, wanted, paths))
                        };
                        assert_eq!(
                            lowest(&mut listing),
                            lowest(&mut deviation),
                            "listing and Yen's algorithm give different paths from {source} to {destination}: {wanted:?}"
                        );
                    }
                    let random = |shortest: &mut Shortest| {
                        let mut random = Random(stream(1, "test", 0));
                        let paths = found(|paths| shortest.random(source, destination, k, &mut random, paths));
                        paths.iter().map(Vec::len).collect::<Vec<_>>()
                    };
                    assert_eq!(random(&mut listing), random(&mut deviation));
                }
            }
        }
    }

    /// Returns all simple paths as ports, by brute force: it extends all walks that visit no switch twice.
    fn by_brute_force(fabric: &Fabric, source: u16, destination: u16) -> Vec<Vec<u16>> {
        let mut found = Vec::new();
        let mut growing = vec![(vec![u32::from(source)], Vec::new())];
        while let Some((switches, ports)) = growing.pop() {
            let last = switches[switches.len() - 1];
            if last == u32::from(destination) {
                found.push(ports);
                continue;
            }
            for (port, &next) in fabric.neighbours(last).iter().enumerate().filter(|(_, next)| !switches.contains(next))
            {
                growing.push(([&switches[..], &[next]].concat(), [&ports[..], &[port as u16]].concat()));
            }
        }
        found.sort_by_key(|path| (path.len(), path.clone()));
        found
    }

    #[test]
    fn parallel_cables_are_paths_of_their_own() {
        for seed in 0..30 {
            let mut random = stream(seed, "test", 1);
            let ring = (0..6).map(|switch| (switch, (switch + 1) % 6));
            let more = (0..seed % 7).map(|_| (random.random_range(0..3), random.random_range(3..6)));
            let fabric = fabric(6, ring.clone().chain(ring.take(seed as usize % 4)).chain(more.collect::<Vec<_>>()));
            let neighbours = Neighbours::of(&fabric);
            let lengths = WalkLengths::of(&neighbours);
            for budget in [0, 1 << 40] {
                let mut shortest = Shortest::with_budget(&neighbours, &lengths, budget);
                for (source, destination) in (0..6).flat_map(|s| (0..6).map(move |d| (s, d))).filter(|(s, d)| s != d) {
                    let all = by_brute_force(&fabric, source, destination);
                    for k in [1, 3, 255] {
                        let k = k.min(all.len());
                        let lowest = found(|paths| {
                            shortest.lowest(source, destination, Wanted::exactly(k), paths);
                        });
                        assert_eq!(lowest, all[..k], "wrong paths from {source} to {destination} with budget {budget}");
                        let mut random = Random(stream(2, "test", 0));
                        let drawn = found(|paths| shortest.random(source, destination, k, &mut random, paths));
                        let mut distinct = drawn.clone();
                        distinct.sort();
                        distinct.dedup();
                        assert_eq!(distinct.len(), k);
                        assert!(drawn.iter().all(|path| all.contains(path)));
                        let hops = |paths: &[Vec<u16>]| paths.iter().map(Vec::len).collect::<Vec<_>>();
                        assert_eq!(hops(&drawn), hops(&all[..k]));
                    }
                }
            }
        }
    }

    #[test]
    fn equally_long_paths_are_equally_likely() {
        // There are six paths of 2 hops from switch 0 to switch 1. The test lets the code choose two of these paths, by listing and by
        // Yen's algorithm.
        let fabric = fabric(8, (2..8).flat_map(|middle| [(0, middle), (middle, 1)]));
        let neighbours = Neighbours::of(&fabric);
        let lengths = WalkLengths::of(&neighbours);
        for budget in [0, 1 << 40] {
            let mut shortest = Shortest::with_budget(&neighbours, &lengths, budget);
            let mut random = Random(stream(3, "test", 0));
            let mut counts = [[0; 6]; 6];
            for _ in 0..6000 {
                let paths = found(|paths| shortest.random(0, 1, 2, &mut random, paths));
                counts[usize::from(paths[0][0])][usize::from(paths[1][0])] += 1;
            }
            for (first, row) in counts.iter().enumerate() {
                for (second, &count) in row.iter().enumerate() {
                    let range = if first == second { 0..=0 } else { 140..=260 };
                    assert!(
                        range.contains(&count),
                        "path {first}, then path {second} in {count} of 6000 random choices with budget {budget}"
                    );
                }
            }
        }
    }

    #[test]
    fn paths_longer_than_a_byte_are_found() {
        let ring = fabric(400, (0..400).map(|switch| (switch, (switch + 1) % 400)));
        let neighbours = Neighbours::of(&ring);
        let lengths = WalkLengths::of(&neighbours);
        for budget in [800, 1 << 40] {
            let mut shortest = Shortest::with_budget(&neighbours, &lengths, budget);
            let lowest = found(|paths| shortest.lowest(0, 7, Wanted::exactly(3), paths));
            assert_eq!(lowest.iter().map(Vec::len).collect::<Vec<_>>(), [7, 393]);
            let mut random = Random(stream(3, "test", 0));
            assert_eq!(found(|paths| shortest.random(0, 7, 3, &mut random, paths)).len(), 2);
        }
    }
}
