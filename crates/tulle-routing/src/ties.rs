//! Tie rules: which of several equally good choices is taken.

use rand::{Rng, RngExt};
use tulle_base::random::Xoshiro256PlusPlus;

/// Chooses among equally good choices, which are offered in ascending order.
pub(crate) trait Ties {
    /// Whether the first choice is always taken, so that later ones need not be examined.
    const FIRST: bool;

    /// Returns the index of the selected choice out of `count`, which is at least 1.
    fn pick(&mut self, count: usize) -> usize;

    /// Returns a number that orders equally long paths, before their ports do.
    fn rank(&mut self) -> u64;
}

/// Ties go to the lowest port, and so to the lowest switch.
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

/// Every choice is equally likely, drawn from the stream.
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
