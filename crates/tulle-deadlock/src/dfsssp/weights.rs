//! Finds the minimum weight in a range of positions, while weights change.

use std::cmp::Reverse;
use std::ops::Range;

/// An array of weights. Changing a weight and finding the minimum in a range each take O(log n) steps.
///
/// The weights are stored in a binary tree over the positions. Each node stores the minimum weight of its subtree, with its position.
pub(super) struct Weights {
    places: usize,
    /// Node `i` has the children `2i` and `2i + 1`; position `p` is the leaf `places + p`.
    nodes: Vec<Node>,
}

/// A weight and its position. If two weights are equal, the one at the later position counts as lighter.
type Node = (u32, Reverse<u32>);

impl Weights {
    /// Returns an array of `places` unset weights. An unset weight is heavier than all other weights.
    pub fn new(places: usize) -> Self {
        Self { places, nodes: vec![(u32::MAX, Reverse(0)); 2 * places] }
    }

    /// Sets the weight of `place`.
    pub fn set(&mut self, place: usize, weight: u32) {
        let mut at = self.places + place;
        self.nodes[at] = (weight, Reverse(place as u32));
        while at > 1 {
            at /= 2;
            let lightest = self.nodes[2 * at].min(self.nodes[2 * at + 1]);
            if self.nodes[at] == lightest {
                break;
            }
            self.nodes[at] = lightest;
        }
    }

    /// Returns the position of the minimum weight in the non-empty `range`; if several weights are equal, the last of their positions. All
    /// weights in the range must be set.
    pub fn lightest(&self, range: Range<usize>) -> usize {
        let (mut low, mut high) = (self.places + range.start, self.places + range.end);
        let mut lightest = self.nodes[low];
        while low < high {
            if low % 2 == 1 {
                lightest = lightest.min(self.nodes[low]);
                low += 1;
            }
            if high % 2 == 1 {
                high -= 1;
                lightest = lightest.min(self.nodes[high]);
            }
            low /= 2;
            high /= 2;
        }
        lightest.1.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_lightest(changes in prop::collection::vec((0usize..13, 0u32..5), 1..60)) {
            let mut weights = Weights::new(13);
            let mut plain = [9u32; 13];
            (0..13).for_each(|place| weights.set(place, 9));
            for (place, weight) in changes {
                weights.set(place, weight);
                plain[place] = weight;
                for low in 0..13 {
                    for high in low + 1..=13 {
                        let lightest = (low..high).rev().min_by_key(|&place| plain[place]).unwrap();
                        prop_assert_eq!(weights.lightest(low..high), lightest);
                    }
                }
            }
        }
    }
}
