//! Numbers of walks, and next-hop sets, by multiplication with the adjacency matrix (FatPaths App. B-A).

use rayon::prelude::*;
use tulle_base::memory::{self, Need};
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, UNREACHED};

/// Returns the number of walks of exactly `length` hops between all ordered pairs of switches, row by row. This is the
/// `length`-th power of the adjacency matrix.
///
/// Walks may repeat switches and cables; parallel cables count separately. A number of `u64::MAX` means this many walks
/// or more. Takes 8 bytes per pair of switches, and length · S · channels additions for S switches.
pub fn walks(fabric: &Fabric, length: u32) -> Vec<u64> {
    let switches = fabric.num_switches();
    let mut matrix = memory::matrix("numbers of walks", 0u64, switches, switches);
    task::begin(switches);
    matrix.par_chunks_mut(switches.max(1)).enumerate().for_each_init(
        || vec![0u64; switches],
        |next, (source, row)| {
            task::step();
            row[source] = 1;
            for _ in 0..length {
                task::check();
                for (switch, number) in next.iter_mut().enumerate() {
                    let from = fabric.neighbours(switch as u32).iter().map(|&neighbour| row[neighbour as usize]);
                    *number = from.fold(0, u64::saturating_add);
                }
                row.copy_from_slice(next);
            }
        },
    );
    matrix
}

/// The ports that start a shortest path, for every ordered pair of switches. The computation follows FatPaths App. B-A, but with sets of
/// ports instead of numbers of paths, and with unions of sets instead of sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextHops {
    switches: usize,
    /// Number of 64-bit words per set; a set has one bit per port.
    words: usize,
    sets: Vec<u64>,
}

impl NextHops {
    /// Computes the sets of next hops for `fabric`. The set is empty if the two switches are equal or have no path.
    pub fn of(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        let most = (0..switches as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
        let words = most.div_ceil(64).max(1);
        let pairs = switches as u64 * switches as u64;
        let need = Need::default().of::<u8>(pairs).of::<u64>(pairs.saturating_mul(words as u64));
        memory::must(need.require(|| format!("next hops between {switches} switches")));
        let distances = Distances::of(fabric);
        let mut sets = memory::matrix("next hops", 0u64, switches, switches * words);
        task::begin(switches);
        sets.par_chunks_mut((switches * words).max(1)).enumerate().for_each(|(source, row)| {
            task::step();
            let hops = distances.row(source as u32);
            for (port, &next) in fabric.neighbours(source as u32).iter().enumerate() {
                row[next as usize * words + port / 64] |= 1 << (port % 64);
            }
            let mut order: Vec<usize> = (0..switches).filter(|&at| hops[at] > 1 && hops[at] != UNREACHED).collect();
            order.sort_by_key(|&switch| hops[switch]);
            for switch in order {
                task::check();
                for &before in fabric.neighbours(switch as u32) {
                    if hops[before as usize] == hops[switch] - 1 {
                        for word in 0..words {
                            row[switch * words + word] |= row[before as usize * words + word];
                        }
                    }
                }
            }
        });
        Self { switches, words, sets }
    }

    /// Returns the ports of `switch`, ascending, that start a shortest path to `destination`.
    pub fn ports(&self, switch: u32, destination: u32) -> impl Iterator<Item = u32> + '_ {
        let start = (switch as usize * self.switches + destination as usize) * self.words;
        self.sets[start..start + self.words].iter().enumerate().flat_map(|(word, &set)| {
            let rest = std::iter::successors(Some(set), |&bits| Some(bits & bits.wrapping_sub(1)));
            rest.take_while(|&bits| bits != 0).map(move |bits| 64 * word as u32 + bits.trailing_zeros())
        })
    }

    /// Returns the number of ports of `switch` that start a shortest path to each switch.
    pub fn sizes(&self, switch: u32) -> impl Iterator<Item = u32> + '_ {
        let row = &self.sets[switch as usize * self.switches * self.words..][..self.switches * self.words];
        row.chunks(self.words).map(|set| set.iter().map(|word| word.count_ones()).sum())
    }
}

#[cfg(test)]
mod tests {
    use tulle_topologies::build;

    use super::*;
    use crate::ShortestPaths;

    #[test]
    fn walks_of_the_length_of_shortest_paths_are_those_paths() {
        for spec in ["slimfly:q=5", "dragonfly:p=2", "hyperx:shape=3x4x2", "jellyfish:switches=40,degree=4"] {
            let fabric = build(spec, 1).unwrap();
            let paths = ShortestPaths::of(&fabric);
            for length in 0..=4 {
                let walks = walks(&fabric, length);
                for source in 0..fabric.num_switches() {
                    let row = &walks[source * fabric.num_switches()..][..fabric.num_switches()];
                    for (at, &number) in row.iter().enumerate() {
                        let hops = u32::from(paths.hops(source as u32)[at]);
                        if hops == length {
                            assert_eq!(number, u64::from(paths.counts(source as u32)[at]), "{spec}");
                        } else if hops > length {
                            assert_eq!(number, 0, "{spec}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn next_hops_are_those_of_minimal_routing() {
        for spec in ["fattree:levels=3,radix=4", "hyperx:shape=3x3", "clique:degree=70,p=1"] {
            let fabric = build(spec, 1).unwrap();
            let next = NextHops::of(&fabric);
            let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
            for switch in 0..fabric.num_switches() as u32 {
                let sizes: Vec<u32> = next.sizes(switch).collect();
                for destination in 0..fabric.num_switches() as u32 {
                    let ports: Vec<u32> = next.ports(switch, destination).collect();
                    let group: Vec<u32> =
                        routing.layers()[0].next(switch, destination).iter().map(|&p| p.into()).collect();
                    assert_eq!(ports, group, "{spec}");
                    assert_eq!(sizes[destination as usize], ports.len() as u32);
                }
            }
        }
    }
}
