//! Distributes the cables that lead to a destination over the layers.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

/// Divides `cables` at random among `classes` classes, as evenly as possible. If there are fewer cables than classes, every empty class
/// gets a random one of the cables.
pub(super) fn split(cables: impl Iterator<Item = u32>, classes: usize, rng: &mut impl Rng) -> Vec<Vec<u32>> {
    if classes == 0 {
        return Vec::new();
    }
    let mut cables: Vec<u32> = cables.collect();
    cables.shuffle(rng);
    let mut result = vec![Vec::new(); classes];
    // The first class is also random, so that over many destinations all layers get about equally many cables.
    let first = rng.random_range(0..classes);
    for (at, &cable) in cables.iter().enumerate() {
        result[(first + at) % classes].push(cable);
    }
    if !cables.is_empty() {
        for class in result.iter_mut().filter(|class| class.is_empty()) {
            class.push(cables[rng.random_range(0..cables.len())]);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use tulle_base::random::stream;

    use super::*;

    #[test]
    fn every_cable_is_in_one_class_and_sizes_differ_by_one_at_most() {
        for (cables, classes) in [(7, 3), (12, 4), (3, 3), (29, 8)] {
            let split = split(0..cables, classes, &mut stream(1, "test", 0));
            let mut sizes: Vec<usize> = split.iter().map(Vec::len).collect();
            sizes.sort_unstable();
            assert!(sizes[classes - 1] - sizes[0] <= 1, "{sizes:?}");
            let mut joined = split.concat();
            joined.sort_unstable();
            assert_eq!(joined, (0..cables).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn classes_left_over_share_cables() {
        let split = split([4, 9].into_iter(), 5, &mut stream(1, "test", 0));
        assert!(split.iter().all(|class| class.len() == 1 && [4, 9].contains(&class[0])));
        assert!([4, 9].iter().all(|&cable| split.iter().any(|class| class[0] == cable)));
    }
}
