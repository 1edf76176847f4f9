//! Runs a path search for all pairs of switches. Sources run in parallel.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use tulle_base::memory::{self, Parts};
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_spec::Info;

use crate::{Error, PathSet, SourcePaths};

/// The paths found for one pair, as ports. The memory is reused for the next pair.
#[derive(Debug, Default)]
pub(crate) struct Found {
    ends: Vec<usize>,
    ports: Vec<u16>,
}

impl Found {
    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Removes all paths.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Keeps only the first `count` paths.
    pub fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.ports.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Adds a path.
    pub fn push(&mut self, path: &[u16]) {
        self.ports.extend_from_slice(path);
        self.ends.push(self.ports.len());
    }

    /// Returns path number `at`.
    pub fn get(&self, at: usize) -> &[u16] {
        &self.ports[self.start(at)..self.ends[at]]
    }

    /// Returns path number `at`, so that it can be changed.
    pub fn get_mut(&mut self, at: usize) -> &mut [u16] {
        let start = self.start(at);
        &mut self.ports[start..self.ends[at]]
    }

    /// Swaps paths `one` and `other`, which must have equal lengths.
    pub fn swap(&mut self, one: usize, other: usize) {
        debug_assert_eq!(self.get(one).len(), self.get(other).len());
        let (one, other, hops) = (self.start(one), self.start(other), self.get(one).len());
        for hop in 0..hops {
            self.ports.swap(one + hop, other + hop);
        }
    }

    /// Sorts the paths by length. Paths of equal length keep their order.
    pub fn sort_by_length(&mut self) {
        let mut paths: Vec<Vec<u16>> = self.iter().map(<[u16]>::to_vec).collect();
        paths.sort_by_key(Vec::len);
        self.clear();
        paths.iter().for_each(|path| self.push(path));
    }

    /// Iterates over the paths in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u16]> {
        (0..self.len()).map(|at| self.get(at))
    }

    fn start(&self, at: usize) -> usize {
        if at == 0 { 0 } else { self.ends[at - 1] }
    }
}

/// Finds the paths of one pair after another. Every thread has its own finder.
pub(crate) trait Finder {
    /// Prepares the finder for pairs with this source, and starts the random streams of the source.
    fn begin(&mut self, source: u32);

    /// Adds the paths from the current source to another switch `destination` to `paths`, which is empty.
    fn find(&mut self, destination: u32, paths: &mut Found);
}

/// Maximum number of hops in a path set, summed over all paths.
const MAX_HOPS: u64 = u32::MAX as u64;

/// Returns the paths of all pairs of `fabric`. `finder` makes the finders. All pairs of one source use the same finder.
///
/// # Errors
/// Fails if the paths have more hops than a path set can store, or if they need more memory than is free.
pub(crate) fn all_pairs<F: Finder>(
    scheme: &Info,
    fabric: &Fabric,
    finder: impl Fn() -> F + Sync + Send,
) -> Result<PathSet, Error> {
    all_pairs_within(scheme, fabric, finder, MAX_HOPS)
}

fn all_pairs_within<F: Finder>(
    scheme: &Info,
    fabric: &Fabric,
    finder: impl Fn() -> F + Sync + Send,
    most_hops: u64,
) -> Result<PathSet, Error> {
    let switches = fabric.num_switches() as u32;
    let hops = AtomicU64::new(0);
    let what = || format!("{} over {switches} switches", scheme.name);
    // Before the search, the number of paths is unknown, so this check assumes one path of one hop per pair. The sources that finish first
    // then give a better estimate.
    let pairs = u64::from(switches) * u64::from(switches.saturating_sub(1));
    memory::require(what, 2 * SourcePaths::need(pairs, pairs, pairs))?;
    let parts = Parts::new(switches.into());
    task::begin(switches as usize);
    let sources: Result<Vec<SourcePaths>, Error> = (0..switches)
        .into_par_iter()
        .map_init(
            || (finder(), Found::default()),
            |(finder, paths), source| {
                let mut found = SourcePaths::default();
                let mut from_source = 0;
                task::step();
                finder.begin(source);
                for destination in 0..switches {
                    task::check();
                    paths.clear();
                    if destination != source {
                        finder.find(destination, paths);
                    }
                    from_source += paths.ports.len() as u64;
                    found.destination(paths.iter());
                }
                found.shrink_to_fit();
                parts.made(what, found.bytes())?;
                if hops.fetch_add(from_source, Ordering::Relaxed) + from_source <= most_hops {
                    return Ok(found);
                }
                let problem = format!(
                    "the paths between the {switches} switches of {} have too many hops in total",
                    fabric.spec()
                );
                let legal = format!(
                    "legal: at most {most_hops} hops in all paths together, for example with fewer paths per pair"
                );
                Err(Error::Fabric { scheme: scheme.name.to_owned(), problem, legal })
            },
        )
        .collect();
    sources.map(SourcePaths::join)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A finder for cliques. The only path of a pair is its direct cable.
    struct Direct(u32);

    impl Finder for Direct {
        fn begin(&mut self, source: u32) {
            self.0 = source;
        }

        fn find(&mut self, destination: u32, paths: &mut Found) {
            paths.push(&[(destination - u32::from(destination > self.0)) as u16]);
        }
    }

    #[test]
    fn too_many_hops_are_an_error() {
        let clique = tulle_topologies::build("clique:degree=5", 0).unwrap();
        let paths =
            |most| all_pairs_within(&<crate::paths::ksp::Ksp as tulle_spec::Plugin>::INFO, &clique, || Direct(0), most);
        assert_eq!(paths(30).unwrap().num_paths(), 30);
        let error = paths(29).unwrap_err().to_string();
        assert!(error.starts_with("ksp: the paths between the 6 switches of clique:degree=5,p=5 have"), "{error}");
        assert!(
            error.ends_with("legal: at most 29 hops in all paths together, for example with fewer paths per pair"),
            "{error}"
        );
    }

    #[test]
    fn found_paths_keep_their_order_and_length() {
        let mut found = Found::default();
        [&[1, 2, 3][..], &[4, 5], &[6, 7], &[8]].iter().for_each(|path| found.push(path));
        found.swap(1, 2);
        assert_eq!(found.iter().collect::<Vec<_>>(), [&[1, 2, 3][..], &[6, 7], &[4, 5], &[8]]);
        found.sort_by_length();
        assert_eq!(found.iter().collect::<Vec<_>>(), [&[8][..], &[6, 7], &[4, 5], &[1, 2, 3]]);
        found.truncate(2);
        found.get_mut(1)[0] = 9;
        found.push(&[0]);
        assert_eq!(found.iter().collect::<Vec<_>>(), [&[8][..], &[9, 7], &[0]]);
    }
}
