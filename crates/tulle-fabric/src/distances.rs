//! Hop distances between switches, by breadth-first searches from many sources at the same time.
//!
//! One search covers a block of 512 source switches. Each switch has a mask of 512 bits: the sources whose search has reached the switch.
//! To advance all searches of a block by one hop, every channel needs one OR of two masks. Blocks are independent, so they run in parallel.

use rayon::prelude::*;
use tulle_base::{memory, task};

use crate::Fabric;

/// Links of a graph in compressed rows: all links of a fabric, or some of them.
#[derive(Debug, Clone, Copy)]
pub struct Links<'a> {
    /// Index of the first link of each switch, followed by the number of links.
    pub offsets: &'a [u32],
    /// Target switch of each link. Every link must have a reverse link.
    pub targets: &'a [u32],
}

impl<'a> From<&'a Fabric> for Links<'a> {
    fn from(fabric: &'a Fabric) -> Self {
        Self { offsets: fabric.offsets(), targets: fabric.targets() }
    }
}

impl<'a> Links<'a> {
    /// The number of switches.
    pub fn num_switches(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the switches adjacent to `switch`.
    pub fn neighbours(&self, switch: u32) -> &'a [u32] {
        &self.targets[self.offsets[switch as usize] as usize..self.offsets[switch as usize + 1] as usize]
    }
}

/// The distance that stands for "no path" or "beyond [`FARTHEST`]".
pub const UNREACHED: u8 = u8::MAX;

/// The largest distance that [`Distances`] can hold.
pub const FARTHEST: u8 = u8::MAX - 1;

/// Hop distances between all pairs of switches, one byte each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    switches: usize,
    hops: Vec<u8>,
}

impl Distances {
    /// Returns distances over `links`; pairs without a path, or farther apart than [`FARTHEST`], are [`UNREACHED`].
    pub fn of<'a>(links: impl Into<Links<'a>>) -> Self {
        let links = links.into();
        let switches = links.num_switches();
        let all: Vec<u32> = (0..switches as u32).collect();
        let mut hops = memory::matrix("hop distances", UNREACHED, switches, switches);
        hops.par_chunks_mut(BLOCK * switches.max(1)).zip(all.par_chunks(BLOCK)).for_each(|(rows, sources)| {
            search(links, sources, |distance, fresh| {
                if distance > usize::from(FARTHEST) {
                    return;
                }
                for (switch, bits) in fresh.iter().enumerate() {
                    for (word, mut bits) in bits.iter().copied().enumerate() {
                        while bits != 0 {
                            let row = word * 64 + bits.trailing_zeros() as usize;
                            rows[row * switches + switch] = distance as u8;
                            bits &= bits - 1;
                        }
                    }
                }
            });
        });
        Self { switches, hops }
    }

    /// Returns the distances from `switch` to every switch, which equal the distances in the reverse direction.
    pub fn row(&self, switch: u32) -> &[u8] {
        &self.hops[switch as usize * self.switches..(switch as usize + 1) * self.switches]
    }

    /// Returns the largest distance; [`UNREACHED`] if some pair has no path or is farther apart than [`FARTHEST`], 0 if the graph has no
    /// switches.
    pub fn diameter(&self) -> u8 {
        self.hops.iter().copied().max().unwrap_or(0)
    }

    /// Returns the first pair of switches whose distance is [`UNREACHED`].
    pub fn first_unreached(&self) -> Option<(u32, u32)> {
        let at = self.hops.iter().position(|&hops| hops == UNREACHED)?;
        Some(((at / self.switches) as u32, (at % self.switches) as u32))
    }
}

/// Returns the distances of `pairs` of switches, in the order of the pairs; [`UNREACHED`] has the same meaning as in [`Distances`]. The
/// required memory grows with the number of switches and the number of pairs, but not with the square of the number of switches.
pub fn of_pairs<'a>(links: impl Into<Links<'a>>, pairs: &[(u32, u32)]) -> Vec<u8> {
    let links = links.into();
    let mut order: Vec<usize> = memory::collect("places of pairs", 0..pairs.len());
    order.sort_by_key(|&at| pairs[at].0);
    let mut sources: Vec<u32> = order.iter().map(|&at| pairs[at].0).collect();
    sources.dedup();
    let blocks: Vec<(&[u32], &[usize])> = sources
        .chunks(BLOCK)
        .map(|block| {
            let [start, end] =
                [block[0], block[block.len() - 1] + 1].map(|source| order.partition_point(|&at| pairs[at].0 < source));
            (block, &order[start..end])
        })
        .collect();
    let parts = blocks.into_par_iter().map(|(block, order)| {
        // Pairs whose distance is not known yet: the row of the source, the destination, and the index in `order`.
        let mut left: Vec<(usize, u32, usize)> = Vec::with_capacity(order.len());
        let mut row = 0;
        for (place, &at) in order.iter().enumerate() {
            let (source, destination) = pairs[at];
            row += usize::from(block[row] != source);
            left.push((row, destination, place));
        }
        let mut found = vec![UNREACHED; order.len()];
        search(links, block, |distance, fresh| {
            if distance <= usize::from(FARTHEST) {
                left.retain(|&(row, destination, place)| {
                    let met = fresh[destination as usize][row / 64] >> (row % 64) & 1 == 1;
                    if met {
                        found[place] = distance as u8;
                    }
                    !met
                });
            }
        });
        (order, found)
    });
    let mut hops = memory::array("distances of pairs", UNREACHED, pairs.len());
    for (order, found) in parts.collect::<Vec<_>>() {
        order.iter().zip(found).for_each(|(&at, distance)| hops[at] = distance);
    }
    hops
}

/// Number of 64-bit words in the mask of a switch; eight words are one cache line.
const WORDS: usize = 8;
const BLOCK: usize = WORDS * 64;

type Bits = [u64; WORDS];

/// Histogram of the distances of ordered pairs of switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistanceHistogram {
    /// `pairs[d]`: ordered pairs of distinct switches at distance `d`; `pairs[0]` is 0.
    pub pairs: Vec<u64>,
    /// Ordered pairs without a path.
    pub unreachable: u64,
}

impl DistanceHistogram {
    /// The largest distance; `None` if some pair has no path.
    pub fn diameter(&self) -> Option<u32> {
        (self.unreachable == 0).then(|| self.pairs.len() as u32 - 1)
    }

    /// The mean distance in hops over ordered pairs of distinct switches; `None` if some pair has no path or no pair exists.
    pub fn average(&self) -> Option<f64> {
        let pairs: u64 = self.pairs.iter().sum();
        let hops: u64 = self.pairs.iter().enumerate().map(|(distance, &pairs)| distance as u64 * pairs).sum();
        (self.unreachable == 0 && pairs > 0).then(|| hops as f64 / pairs as f64)
    }
}

/// Returns the distances over ordered pairs of switches with endpoints. If no switch has endpoints, the pairs of all switches count.
pub fn histogram(fabric: &Fabric) -> DistanceHistogram {
    let mut members = fabric.endpoint_switches();
    if members.is_empty() {
        members = (0..fabric.num_switches() as u32).collect();
    }
    task::begin(members.len().div_ceil(BLOCK));
    let parts: Vec<Vec<u64>> = members
        .par_chunks(BLOCK)
        .map(|sources| {
            let mut pairs = Vec::new();
            search(fabric.into(), sources, |distance, fresh| {
                let count = members.iter().map(|&switch| count_ones(&fresh[switch as usize])).sum();
                pairs.resize((distance + 1).max(pairs.len()), 0);
                pairs[distance] = count;
            });
            task::step();
            pairs
        })
        .collect();
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let mut pairs = vec![0u64; longest];
    for part in &parts {
        for (total, count) in pairs.iter_mut().zip(part) {
            *total += count;
        }
    }
    pairs[0] = 0;
    while pairs.len() > 1 && pairs.last() == Some(&0) {
        pairs.pop();
    }
    let members = members.len() as u64;
    let reached: u64 = pairs.iter().sum();
    DistanceHistogram { pairs, unreachable: members * members.saturating_sub(1) - reached }
}

/// Whether every switch reaches every other switch; true for a fabric without switches.
pub fn is_connected<'a>(links: impl Into<Links<'a>>) -> bool {
    let links = links.into();
    let switches = links.num_switches();
    let mut seen = vec![false; switches];
    let mut stack = Vec::new();
    if switches > 0 {
        seen[0] = true;
        stack.push(0u32);
    }
    let mut reached = stack.len();
    while let Some(switch) = stack.pop() {
        for &next in links.neighbours(switch) {
            if !std::mem::replace(&mut seen[next as usize], true) {
                reached += 1;
                stack.push(next);
            }
        }
    }
    reached == switches
}

/// Runs breadth-first searches from `sources` (at most one block) at the same time. For every hop count d at which some switch is reached,
/// calls `visit(d, fresh)`: `fresh` contains, per switch, the sources that first reach the switch after d hops.
fn search(links: Links<'_>, sources: &[u32], mut visit: impl FnMut(usize, &[Bits])) {
    let switches = links.num_switches();
    let mut reached = memory::array("switches in a search", [0u64; WORDS], switches);
    for (bit, &source) in sources.iter().enumerate() {
        reached[source as usize][bit / 64] |= 1 << (bit % 64);
    }
    let mut frontier = memory::collect("switches in a search", reached.iter().copied());
    let mut fresh = memory::array("switches in a search", [0u64; WORDS], switches);
    for distance in 0.. {
        task::check();
        visit(distance, &frontier);
        let mut any = false;
        for switch in 0..switches {
            let mut bits = [0u64; WORDS];
            for &neighbour in links.neighbours(switch as u32) {
                for (word, from) in bits.iter_mut().zip(&frontier[neighbour as usize]) {
                    *word |= from;
                }
            }
            for (word, known) in bits.iter_mut().zip(&mut reached[switch]) {
                *word &= !*known;
                *known |= *word;
                any |= *word != 0;
            }
            fresh[switch] = bits;
        }
        if !any {
            return;
        }
        std::mem::swap(&mut frontier, &mut fresh);
    }
}

fn count_ones(bits: &Bits) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FabricBuilder;

    fn path(switches: u32) -> Fabric {
        let mut builder = FabricBuilder::new(switches);
        for switch in 1..switches {
            builder.cable(switch - 1, switch);
        }
        builder.finish("edges", Default::default()).unwrap()
    }

    #[test]
    fn a_path_has_known_distances() {
        // With 600 switches, the search needs two blocks of sources.
        let histogram = histogram(&path(600));
        assert_eq!(histogram.diameter(), Some(599));
        assert_eq!(histogram.pairs[1], 2 * 599);
        assert!((histogram.average().unwrap() - 601.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn distances_of_a_ring() {
        let mut builder = FabricBuilder::new(523);
        for switch in 0..523 {
            builder.cable(switch, (switch + 1) % 523);
        }
        let ring = builder.finish("edges", Default::default()).unwrap();
        let distances = Distances::of(&ring);
        assert_eq!(distances.row(520)[3], 6);
        assert_eq!(distances.row(0)[254], 254);
        assert_eq!(distances.row(0)[255], UNREACHED, "beyond what a byte holds");
        assert_eq!(distances.first_unreached(), Some((0, 255)));
        // The pairs contain sources from both blocks, unsorted and with repetitions.
        let pairs: Vec<(u32, u32)> = (0..1500u32).map(|at| (at * 97 % 523, at * 31 % 523)).collect();
        let expected: Vec<u8> = pairs.iter().map(|&(a, b)| distances.row(a)[b as usize]).collect();
        assert_eq!(of_pairs(&ring, &pairs), expected);
        assert!(of_pairs(&ring, &[]).is_empty());
    }

    #[test]
    fn a_split_fabric_has_no_diameter() {
        let mut builder = FabricBuilder::new(4);
        builder.cable(0, 1);
        builder.cable(2, 3);
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let histogram = histogram(&fabric);
        assert_eq!((histogram.diameter(), histogram.average(), histogram.unreachable), (None, None, 8));
        assert!(!is_connected(&fabric));
    }
}
