//! Tie rules, which choose among equally good alternatives.

use rand::{Rng, RngExt};
use tulle_base::random::Xoshiro256PlusPlus;

/// A rule that chooses among equally good alternatives. The alternatives are in ascending order.
pub(crate) trait Ties {
    /// Whether the rule always chooses the first alternative, so that the others need not be examined.
    const FIRST: bool;

    /// Returns the index of the chosen alternative. `count`, the number of alternatives, is at least 1.
    fn pick(&mut self, count: usize) -> usize;

    /// Returns a rank for a path. Paths of equal length are ordered by rank, and then by ports.
    fn rank(&mut self) -> u64;
}

/// Chooses the port with the lowest number, and thus the neighbour with the lowest id.
pub(crate) struct Lowest;

impl Ties for Lowest {
    const FIRST: bool = true;

    fn pick(&mut self, _count: usize) -> usize {
        0
    }

    fn rank(&mut self) -> u64 {
        0
    }
}

/// Chooses each alternative with the same probability, using the random numbers of a stream.
pub(crate) struct Random(pub Xoshiro256PlusPlus);

impl Ties for Random {
    const FIRST: bool = false;

    fn pick(&mut self, count: usize) -> usize {
        if count == 1 { 0 } else { self.0.random_range(0..count as u32) as usize }
    }

    fn rank(&mut self) -> u64 {
        self.0.next_u64()
    }
}
