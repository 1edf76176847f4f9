//! Finds up to k edge-disjoint paths per pair. The cables of each path are removed before the search for the next path.

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use crate::paths::all_pairs::{Finder, Found};
use crate::remove_find::RemoveFind;
use crate::ties::Ties;

/// A finder of up to `k` edge-disjoint paths per pair. `ties` chooses among equally short paths.
pub(crate) struct RemoveFindPair<'a, T, M> {
    search: RemoveFind<'a>,
    source: u32,
    k: usize,
    make_ties: M,
    ties: T,
}

impl<'a, T: Ties, M: Fn(u32) -> T> RemoveFindPair<'a, T, M> {
    /// Returns a finder over `fabric`. `distances` must be the distances in this fabric.
    pub fn new(fabric: &'a Fabric, distances: &'a Distances, k: usize, make_ties: M) -> Self {
        Self { search: RemoveFind::new(fabric, distances), source: 0, k, ties: make_ties(0), make_ties }
    }
}

impl<T: Ties, M: Fn(u32) -> T> Finder for RemoveFindPair<'_, T, M> {
    fn begin(&mut self, source: u32) {
        self.source = source;
        self.ties = (self.make_ties)(source);
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        self.search.start(self.source, destination);
        while paths.len() < self.k
            && let Some(path) = self.search.next(&mut self.ties)
        {
            paths.push(path);
        }
    }
}
