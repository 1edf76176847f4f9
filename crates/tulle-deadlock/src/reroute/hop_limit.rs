//! The hop limit of a layer: new paths are no longer than those of other switches as far from their destination.
//!
//! Schemes promise different things (shortest paths, at most three hops, one hop more than minimal), and a routing from a
//! file names none. What remains of a layer tells in each case: per distance in the damaged fabric, the longest path of any
//! pair no farther apart. Pairs that are farther apart than that many hops take shortest paths.

use tulle_fabric::distances::Distances;

use super::column::Column;

/// Per distance, the most hops of a path.
#[derive(Debug, Clone)]
pub(super) struct HopLimit([u16; 256]);

impl HopLimit {
    /// Of a layer without any path yet.
    pub fn new() -> Self {
        Self([0; 256])
    }

    /// Takes in the paths that remain toward one destination.
    pub fn add(&mut self, distances: &Distances, column: &Column) {
        let row = distances.row(column.destination);
        for &switch in column.order() {
            let longest = &mut self.0[usize::from(row[switch as usize])];
            *longest = column.hops(switch).max(*longest);
        }
    }

    /// Takes in those of other destinations.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(longest, other)| *longest = other.max(*longest));
    }

    /// Closes the limit: it grows with the distance, and allows shortest paths.
    pub fn close(&mut self) {
        let mut longest = 0;
        for (distance, limit) in (0..).zip(&mut self.0) {
            longest = (*limit).max(distance).max(longest);
            *limit = longest;
        }
    }

    /// The most hops between switches at `distance`.
    pub fn at(&self, distance: u8) -> u16 {
        self.0[usize::from(distance)]
    }
}
