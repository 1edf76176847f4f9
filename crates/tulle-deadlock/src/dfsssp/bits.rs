//! A set of numbers, with one bit per number.

use std::ops::Range;

/// A set of numbers below a bound.
#[derive(Debug)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns an empty set for numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self(vec![0; bound.div_ceil(64)])
    }

    /// Adds `number` to the set.
    #[inline]
    pub fn set(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Adds `number` to the set; returns whether it is new.
    #[inline]
    pub fn add(&mut self, number: usize) -> bool {
        let new = !self.has(number);
        self.set(number);
        new
    }

    /// Removes `number` from the set.
    #[inline]
    pub fn clear(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Returns whether `number` is in the set.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    /// Returns the smallest member in `range`, if any.
    #[inline]
    pub fn first(&self, range: Range<usize>) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            let bits = self.0[at / 64] >> (at % 64);
            if bits != 0 {
                return Some(at + bits.trailing_zeros() as usize).filter(|&first| first < range.end);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_a_set(changes in prop::collection::vec((0usize..200, any::<bool>()), 0..80), start in 0usize..200, end in 0usize..200) {
            let (mut bits, mut plain) = (Bits::new(200), [false; 200]);
            for (number, there) in changes {
                if there { prop_assert_eq!(bits.add(number), !plain[number]) } else { bits.clear(number) }
                plain[number] = there;
            }
            (0..200).for_each(|number| assert_eq!(bits.has(number), plain[number]));
            prop_assert_eq!(bits.first(start..end), (start..end).find(|&number| plain[number]));
        }
    }
}
