//! Lengths and numbers of shortest paths between all pairs of switches.
//!
//! One breadth-first search serves a block of sources, as in [`tulle_fabric::distances`]. There, a switch stores one bit per source; here,
//! it stores a number of paths per source. At every hop, a switch adds the numbers of its neighbours. This is the multiplication by the
//! adjacency matrix of FatPaths App. B-A, but only for pairs that the search has not reached before. Rows of numbers are added with SIMD
//! instructions.

use rayon::prelude::*;
use tulle_base::memory::{self, Need};
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{FARTHEST, Links, UNREACHED};

/// Number of sources per block. With a few thousand switches, the numbers of paths from this many sources to all
/// switches fit into the cache of a core.
const LANES: usize = 64;

type Lanes = [u32; LANES];

/// Length in hops and number of the shortest paths between all ordered pairs of switches. Takes 5 bytes per pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortestPaths {
    switches: usize,
    hops: Vec<u8>,
    counts: Vec<u32>,
}

impl ShortestPaths {
    /// Computes the shortest paths of `fabric`. Each parallel cable makes a separate path.
    ///
    /// Pairs without a path, and pairs more than [`FARTHEST`] hops apart, have the length [`UNREACHED`] and 0 paths. A
    /// switch reaches itself in 0 hops by 1 path. A number of `u32::MAX` means this many paths or more.
    pub fn of(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        let all: Vec<u32> = (0..switches as u32).collect();
        let pairs = switches as u64 * switches as u64;
        let need = Need::default().of::<u8>(pairs).of::<u32>(pairs);
        memory::must(need.require(|| format!("hops and numbers of shortest paths between {switches} switches")));
        let mut hops = memory::matrix("hop distances", UNREACHED, switches, switches);
        let mut counts = memory::matrix("numbers of shortest paths", 0, switches, switches);
        let rows = LANES * switches.max(1);
        task::begin(switches.div_ceil(LANES));
        hops.par_chunks_mut(rows).zip(counts.par_chunks_mut(rows)).zip(all.par_chunks(LANES)).for_each(
            |((hops, counts), sources)| {
                Block::new(fabric.into(), sources).run(|distance, switch, bits, row| {
                    task::check();
                    for lane in ones(bits) {
                        hops[lane * switches + switch] = distance;
                        counts[lane * switches + switch] = row[lane];
                    }
                });
                task::step();
            },
        );
        Self { switches, hops, counts }
    }

    /// The number of switches.
    pub fn num_switches(&self) -> usize {
        self.switches
    }

    /// Returns the hops from `switch` to every switch.
    pub fn hops(&self, switch: u32) -> &[u8] {
        &self.hops[switch as usize * self.switches..][..self.switches]
    }

    /// Returns the numbers of shortest paths from `switch` to every switch.
    pub fn counts(&self, switch: u32) -> &[u32] {
        &self.counts[switch as usize * self.switches..][..self.switches]
    }

    /// Returns the matrix of hops and the matrix of path counts, each row by row.
    pub fn into_parts(self) -> (Vec<u8>, Vec<u32>) {
        (self.hops, self.counts)
    }
}

/// A breadth-first search from all sources of a block at the same time.
struct Block<'a> {
    links: Links<'a>,
    /// For each switch, the sources whose search has reached the switch, as one bit per source.
    reached: Vec<u64>,
    /// For each switch, the sources whose search reached it at the last hop (`fresh`), and the numbers of their paths (`counts`).
    fresh: Vec<u64>,
    counts: Vec<Lanes>,
    all: u64,
    most_links: u64,
}

impl<'a> Block<'a> {
    fn new(links: Links<'a>, sources: &[u32]) -> Self {
        let switches = links.num_switches();
        let (mut fresh, mut counts) = (vec![0u64; switches], vec![[0; LANES]; switches]);
        for (lane, &source) in sources.iter().enumerate() {
            fresh[source as usize] |= 1 << lane;
            counts[source as usize][lane] = 1;
        }
        let most_links = (0..switches as u32).map(|switch| links.neighbours(switch).len()).max().unwrap_or(0) as u64;
        Self { links, reached: fresh.clone(), fresh, counts, all: u64::MAX >> (LANES - sources.len()), most_links }
    }

    /// Runs the search. Calls `visit(hops, switch, sources, counts)` for every switch and hop count, with the sources
    /// at this distance and their numbers of paths.
    fn run(mut self, mut visit: impl FnMut(u8, usize, u64, &Lanes)) {
        let switches = self.reached.len();
        let (mut fresh, mut counts) = (vec![0u64; switches], vec![[0; LANES]; switches]);
        let mut most = 1u64;
        for distance in 0..=FARTHEST {
            let mut largest = 0;
            for (switch, (&bits, row)) in self.fresh.iter().zip(&self.counts).enumerate().filter(|(_, (b, _))| **b != 0)
            {
                visit(distance, switch, bits, row);
                largest = row.iter().copied().fold(largest, u32::max);
            }
            if largest == 0 {
                return;
            }
            most = u64::from(largest).min(most.saturating_mul(self.most_links));
            let exact = most.saturating_mul(self.most_links) <= u64::from(u32::MAX);
            for switch in 0..switches {
                fresh[switch] = 0;
                if self.reached[switch] == self.all {
                    continue;
                }
                let sum =
                    if exact { self.sum(switch, u32::wrapping_add) } else { self.sum(switch, u32::saturating_add) };
                let known = self.reached[switch];
                let mut bits = 0u64;
                for (lane, (to, from)) in counts[switch].iter_mut().zip(sum).enumerate() {
                    *to = if known >> lane & 1 == 1 { 0 } else { from };
                    bits |= u64::from(*to != 0) << lane;
                }
                fresh[switch] = bits;
                self.reached[switch] |= bits;
            }
            std::mem::swap(&mut self.fresh, &mut fresh);
            std::mem::swap(&mut self.counts, &mut counts);
        }
    }

    /// Returns, for each source, the sum of the path counts of the neighbours of `switch` that the search reached at the last hop.
    #[inline]
    fn sum(&self, switch: usize, add: impl Fn(u32, u32) -> u32) -> Lanes {
        let mut sum = [0; LANES];
        for &neighbour in self.links.neighbours(switch as u32) {
            if self.fresh[neighbour as usize] != 0 {
                for (sum, &count) in sum.iter_mut().zip(&self.counts[neighbour as usize]) {
                    *sum = add(*sum, count);
                }
            }
        }
        sum
    }
}

/// Returns the positions of the bits that are 1, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use tulle_fabric::FabricBuilder;
    use tulle_fabric::distances::Distances;
    use tulle_topologies::build;

    use super::*;

    #[test]
    fn lengths_agree_with_the_search_by_bits() {
        for spec in
            ["slimfly:q=7", "dragonfly:p=2", "torus:shape=5x4x3", "jellyfish:switches=150,degree=5", "star:endpoints=3"]
        {
            let fabric = build(spec, 3).unwrap();
            let (paths, distances) = (ShortestPaths::of(&fabric), Distances::of(&fabric));
            for switch in 0..fabric.num_switches() as u32 {
                assert_eq!(paths.hops(switch), distances.row(switch), "{spec}");
            }
        }
    }

    #[test]
    fn counts_have_closed_forms() {
        // In a hypercube, h! shortest paths lead to a switch at distance h.
        let paths = ShortestPaths::of(&build("hypercube:dimensions=12", 0).unwrap());
        let factorial = |n: u8| (1..=u32::from(n)).product::<u32>();
        assert!(paths.hops(5).iter().zip(paths.counts(5)).all(|(&hops, &count)| count == factorial(hops)));
        // In a HyperX, h! shortest paths lead to a switch that differs in h coordinates.
        let paths = ShortestPaths::of(&build("hyperx:shape=4x3x5", 0).unwrap());
        assert!(paths.hops(7).iter().zip(paths.counts(7)).all(|(&hops, &count)| count == factorial(hops)));
        // Switches 0 and 3 have two switches between them, with two cables on each side: 2 · 2 · 2 shortest paths.
        let mut builder = FabricBuilder::new(5);
        for (a, b) in [(0, 1), (0, 1), (0, 2), (0, 2), (1, 3), (1, 3), (2, 3), (2, 3)] {
            builder.cable(a, b);
        }
        let paths = ShortestPaths::of(&builder.finish("edges", Default::default()).unwrap());
        assert_eq!((paths.hops(0), paths.counts(0)), (&[0, 1, 1, 2, UNREACHED][..], &[1, 2, 2, 8, 0][..]));
    }

    #[test]
    fn counts_stop_at_the_largest_number() {
        // There are 11 groups in a row, with three switches each. Each switch has 5 cables to each switch of the next group. So each hop
        // multiplies the number of paths to a group by 15.
        let mut builder = FabricBuilder::new(33);
        for (near, far) in (0..10).flat_map(|at| (0..9).map(move |pair| (3 * at + pair / 3, 3 * at + 3 + pair % 3))) {
            (0..5).for_each(|_| builder.cable(near, far));
        }
        let paths = ShortestPaths::of(&builder.finish("edges", Default::default()).unwrap());
        let count = |hops: u32| 5u64.pow(hops) * 3u64.pow(hops - 1);
        for hops in 1..=10u32 {
            assert_eq!(u64::from(paths.counts(0)[3 * hops as usize]), count(hops).min(u64::from(u32::MAX)), "{hops}");
        }
    }
}
