//! Splitting the ways into a destination among the layers.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Deals `entries` out to `classes` classes at random, as evenly as they go; where there are fewer entries than classes,
/// the rest get one drawn from all.
pub(super) fn split<T: Copy>(entries: &[T], classes: usize, rng: &mut impl Rng) -> Vec<Vec<T>> {
    let mut dealt = entries.to_vec();
    dealt.shuffle(rng);
    let mut result = vec![Vec::new(); classes];
    // Which layers get one more is drawn too, so that over many destinations no layer gets more than another.
    let first = if classes > 0 { rng.random_range(0..classes) } else { 0 };
    for (at, entry) in dealt.into_iter().enumerate() {
        result[(first + at) % classes].push(entry);
    }
    for class in result.iter_mut().filter(|class| class.is_empty()) {
        class.push(entries[rng.random_range(0..entries.len())]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_fabric::random::stream;

    #[test]
    fn every_entry_is_in_one_class_and_sizes_differ_by_one_at_most() {
        for (entries, classes) in [(7, 3), (12, 4), (3, 3), (29, 8)] {
            let all: Vec<u32> = (0..entries).collect();
            let split = split(&all, classes, &mut stream(1, "test", 0));
            let mut sizes: Vec<usize> = split.iter().map(Vec::len).collect();
            sizes.sort_unstable();
            assert!(sizes[classes - 1] - sizes[0] <= 1, "{sizes:?}");
            let mut joined = split.concat();
            joined.sort_unstable();
            assert_eq!(joined, all);
        }
    }

    #[test]
    fn spare_classes_share_entries() {
        let split = split(&[4, 9], 5, &mut stream(1, "test", 0));
        assert!(split.iter().all(|class| class.len() == 1 && [4, 9].contains(&class[0])));
        assert!([4, 9].iter().all(|entry| split.iter().any(|class| class[0] == *entry)));
    }
}
