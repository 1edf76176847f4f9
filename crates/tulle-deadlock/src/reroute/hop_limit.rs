//! The hop limit of a layer: a new path is not longer than the longest path of any other pair at the same distance.
//!
//! Schemes guarantee different limits (shortest paths, at most three hops, one hop more than minimal), and a routing from a file states
//! none. So the limit is taken from the surviving paths of a layer: per distance in the damaged fabric, the longest path of any pair no
//! farther apart. Pairs whose distance exceeds this limit take shortest paths.

use tulle_fabric::distances::Distances;

use super::column::Column;

/// Per distance, the maximum hops of a path.
#[derive(Debug, Clone)]
pub(super) struct HopLimit([u16; 256]);

impl HopLimit {
    /// Of a layer without any path yet.
    pub fn new() -> Self {
        Self([0; 256])
    }

    /// Includes the surviving paths toward one destination.
    pub fn add(&mut self, distances: &Distances, column: &Column) {
        let row = distances.row(column.destination);
        for &switch in column.order() {
            let longest = &mut self.0[usize::from(row[switch as usize])];
            *longest = column.hops(switch).max(*longest);
        }
    }

    /// Includes the limits that `other` collected from the surviving paths toward other destinations.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(longest, other)| *longest = other.max(*longest));
    }

    /// Completes the limit, so that it never falls with the distance and always allows shortest paths.
    pub fn close(&mut self) {
        let mut longest = 0;
        for (distance, limit) in (0..).zip(&mut self.0) {
            longest = (*limit).max(distance).max(longest);
            *limit = longest;
        }
    }

    /// Returns the maximum hops between switches at `distance`.
    pub fn at(&self, distance: u8) -> u16 {
        self.0[usize::from(distance)]
    }
}
