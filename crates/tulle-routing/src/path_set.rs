//! Path sets: explicit paths per ordered pair of switches.

use rayon::prelude::*;
use tulle_base::memory::{self, Need};
use tulle_fabric::Fabric;

/// Explicit paths per ordered pair of switches. A path is stored as the ports that it takes, hop by hop.
///
/// The paths of a pair are in the order that the scheme documents, usually the shortest first. Three flat arrays hold all paths: the first
/// path of each pair, the first hop of each path, and the port of each hop. A pair takes 4 bytes, a path 4 bytes, and a hop 2 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSet {
    switches: u32,
    /// The first path of each pair, at index `source * switches + destination`. The array has one further entry at the end: the number of
    /// all paths.
    first_path: Vec<u32>,
    /// The first hop of each path. The array has one further entry at the end: the number of all hops.
    first_hop: Vec<u32>,
    /// The port of each hop, at the switch from which the hop leaves.
    ports: Vec<u16>,
}

impl PathSet {
    /// Returns the number of switches.
    pub fn num_switches(&self) -> usize {
        self.switches as usize
    }

    /// Returns the number of paths over all pairs.
    pub fn num_paths(&self) -> usize {
        self.first_hop.len() - 1
    }

    /// Returns the numbers of the paths from `source` to `destination`.
    pub fn between(&self, source: u32, destination: u32) -> std::ops::Range<u32> {
        let pair = source as usize * self.switches as usize + destination as usize;
        self.first_path[pair]..self.first_path[pair + 1]
    }

    /// Returns the number of paths of each pair, ordered by source, then by destination.
    pub(crate) fn paths_per_pair(&self) -> impl Iterator<Item = u32> + '_ {
        self.first_path.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Returns the number of hops of each path.
    pub(crate) fn hops_per_path(&self) -> impl Iterator<Item = u32> + '_ {
        self.first_hop.windows(2).map(|ends| ends[1] - ends[0])
    }

    /// Returns the ports of all paths, one path after the other.
    pub fn all_ports(&self) -> &[u16] {
        &self.ports
    }

    /// Returns the position of path number `path` in [`Self::all_ports`].
    pub fn hops(&self, path: u32) -> std::ops::Range<u32> {
        self.first_hop[path as usize]..self.first_hop[path as usize + 1]
    }

    /// Returns the path set with these arrays and this number of switches; `None` if the lengths of the arrays contradict each other.
    pub(crate) fn assemble(
        switches: usize,
        paths_per_pair: impl Iterator<Item = u32>,
        hops_per_path: impl Iterator<Item = u32>,
        ports: Vec<u16>,
    ) -> Option<Self> {
        let sums = |counts: &mut dyn Iterator<Item = u32>| -> Option<Vec<u32>> {
            let mut sum = 0u32;
            let ends = counts.map(|count| {
                sum = sum.checked_add(count)?;
                Some(sum)
            });
            std::iter::once(Some(0)).chain(ends).collect()
        };
        let (mut paths_per_pair, mut hops_per_path) = (paths_per_pair, hops_per_path);
        let first_path = sums(&mut paths_per_pair)?;
        let first_hop = sums(&mut hops_per_path)?;
        let fit = first_path.len() == switches * switches + 1
            && first_hop.len() == *first_path.last()? as usize + 1
            && ports.len() == *first_hop.last()? as usize;
        fit.then_some(Self { switches: switches as u32, first_path, first_hop, ports })
    }

    /// Returns the ports of path number `path`, one per hop. Each port belongs to the switch from which the hop leaves.
    pub fn ports(&self, path: u32) -> &[u16] {
        let path = path as usize;
        &self.ports[self.first_hop[path] as usize..self.first_hop[path + 1] as usize]
    }

    /// Returns the channels of path number `path`, which starts at `source`.
    pub fn channels<'a>(&'a self, fabric: &'a Fabric, source: u32, path: u32) -> impl Iterator<Item = u32> + 'a {
        self.ports(path).iter().scan(source, |switch, &port| {
            let channel = fabric.offsets()[*switch as usize] + u32::from(port);
            *switch = fabric.targets()[channel as usize];
            Some(channel)
        })
    }
}

/// Collects the paths from one source to all destinations. Sources are independent of each other, so they can be built in parallel.
#[derive(Debug, Default)]
pub struct SourcePaths {
    paths_per_destination: Vec<u32>,
    hops_per_path: Vec<u16>,
    ports: Vec<u16>,
}

impl SourcePaths {
    /// Adds the paths to the next destination, starting with switch 0. Each path is a list of ports.
    pub fn destination<'a>(&mut self, paths: impl IntoIterator<Item = &'a [u16]>) {
        let before = self.hops_per_path.len();
        for path in paths {
            self.hops_per_path.push(path.len() as u16);
            self.ports.extend_from_slice(path);
        }
        self.paths_per_destination.push((self.hops_per_path.len() - before) as u32);
    }

    /// Returns the number of bytes of the arrays. In the path set, the paths of this source will take 2 bytes more for each path.
    pub fn bytes(&self) -> u64 {
        let (pairs, paths, hops) = (self.paths_per_destination.len(), self.hops_per_path.len(), self.ports.len());
        Self::need(pairs as u64, paths as u64, hops as u64)
    }

    /// Returns the number of bytes that arrays for these numbers of destinations, paths and hops need.
    pub fn need(pairs: u64, paths: u64, hops: u64) -> u64 {
        Need::default().of::<u32>(pairs).of::<u16>(paths).of::<u16>(hops).get()
    }

    /// Frees unused memory.
    pub fn shrink_to_fit(&mut self) {
        self.paths_per_destination.shrink_to_fit();
        self.hops_per_path.shrink_to_fit();
        self.ports.shrink_to_fit();
    }

    /// Joins all sources, in the order of their switches, into a path set.
    ///
    /// # Panics
    /// Panics if a source has no entry for some destination, or if the paths have 2³² hops or more.
    pub fn join(sources: Vec<Self>) -> PathSet {
        let switches = sources.len();
        let total = |count: fn(&Self) -> usize| sources.iter().map(count).sum::<usize>();
        let (paths, hops) = (total(|source| source.hops_per_path.len()), total(|source| source.ports.len()));
        assert!(u32::try_from(hops.max(paths)).is_ok(), "a path set has fewer than 2^32 hops");
        let mut set = PathSet {
            switches: switches as u32,
            first_path: memory::array("paths of pairs", 0, switches * switches + 1),
            first_hop: memory::matrix("paths", 0, paths + 1, 1),
            ports: memory::array("hops of paths", 0, hops),
        };
        // The start of each source's part in each array is known in advance, so all sources are written in parallel.
        let (mut first_path, mut first_hop) = (&mut set.first_path[1..], &mut set.first_hop[1..]);
        let mut ports = &mut set.ports[..];
        let (mut path, mut hop) = (0, 0);
        let mut parts = Vec::with_capacity(switches);
        for source in sources {
            assert_eq!(
                source.paths_per_destination.len(),
                switches,
                "every source must have an entry for every destination"
            );
            let begins = (path, hop);
            path += source.hops_per_path.len() as u32;
            hop += source.ports.len() as u32;
            let part = (
                first_path.split_off_mut(..switches).expect("a row per source"),
                first_hop.split_off_mut(..source.hops_per_path.len()).expect("as many paths as counted"),
                ports.split_off_mut(..source.ports.len()).expect("as many hops as counted"),
            );
            parts.push((source, begins, part));
        }
        parts.into_par_iter().for_each(|(source, (mut path, mut hop), (first_path, first_hop, ports))| {
            for (end, &count) in first_path.iter_mut().zip(&source.paths_per_destination) {
                path += count;
                *end = path;
            }
            for (end, &count) in first_hop.iter_mut().zip(&source.hops_per_path) {
                hop += u32::from(count);
                *end = hop;
            }
            ports.copy_from_slice(&source.ports);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_triangle() {
        let triangle = tulle_topologies::build("clique:degree=2", 0).unwrap();
        // For each pair: the direct path, and the path around the ring in the opposite direction, as ports.
        let sources = (0..3u32).map(|source| {
            let mut paths = SourcePaths::default();
            for destination in 0..3u32 {
                let Some(port) = triangle.neighbours(source).iter().position(|&next| next == destination) else {
                    paths.destination([]);
                    continue;
                };
                let other = triangle.neighbours(source)[1 - port];
                let onward = triangle.neighbours(other).iter().position(|&next| next == destination).unwrap();
                paths.destination([&[port as u16][..], &[1 - port as u16, onward as u16][..]]);
            }
            paths
        });
        let set = SourcePaths::join(sources.collect());
        assert_eq!((set.num_switches(), set.num_paths()), (3, 12));
        assert!(set.between(1, 1).is_empty());
        for (source, destination) in [(0, 1), (2, 0), (1, 2)] {
            let ends: Vec<(usize, u32)> = set
                .between(source, destination)
                .map(|path| {
                    let channels: Vec<u32> = set.channels(&triangle, source, path).collect();
                    (channels.len(), triangle.targets()[*channels.last().unwrap() as usize])
                })
                .collect();
            assert_eq!(ends, [(1, destination), (2, destination)]);
        }
    }
}
