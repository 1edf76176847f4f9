//! The hop limit of a layer: the new path of a pair is not longer than the longest surviving path of pairs at the same or a smaller
//! distance.
//!
//! Schemes guarantee different limits (shortest paths, at most three hops, one hop more than minimal), and a routing from a file states no
//! limit. So the limit comes from the surviving paths of the layer. For each distance in the damaged fabric, the limit is the number of
//! hops of the longest surviving path between switches at this or a smaller distance. If this limit is less than the distance, the pair may
//! use a shortest path.

use tulle_fabric::distances::Distances;

use super::column::Column;

/// For each distance, the maximum number of hops of a path.
#[derive(Debug, Clone)]
pub(super) struct HopLimit([u16; 256]);

impl HopLimit {
    /// Returns the limits of a layer without paths.
    pub fn new() -> Self {
        Self([0; 256])
    }

    /// Takes the surviving paths toward the destination of `column` into account.
    pub fn add(&mut self, distances: &Distances, column: &Column) {
        let row = distances.row(column.destination);
        for &switch in column.order() {
            let longest = &mut self.0[usize::from(row[switch as usize])];
            *longest = column.hops(switch).max(*longest);
        }
    }

    /// Takes the limits of `other` into account, which come from surviving paths toward other destinations.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(longest, other)| *longest = other.max(*longest));
    }

    /// Completes the limits. Afterwards, the limit never decreases with the distance and always allows shortest paths.
    pub fn close(&mut self) {
        let mut longest = 0;
        for (distance, limit) in (0..).zip(&mut self.0) {
            longest = (*limit).max(distance).max(longest);
            *limit = longest;
        }
    }

    /// Returns the maximum number of hops of a path between switches at `distance`.
    pub fn at(&self, distance: u8) -> u16 {
        self.0[usize::from(distance)]
    }
}
