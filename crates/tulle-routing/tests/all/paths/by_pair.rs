//! Compares path sets with a brute-force search, for every pair of small random fabrics.

use super::oracle::{Path, cables, connected, fabric, pairs, route, simple_paths, verify};
use proptest::prelude::*;
use tulle_fabric::Fabric;

/// Returns the simple paths of a pair, ordered by length, then by channels. Paths over different parallel cables are different paths.
fn by_length(fabric: &Fabric, source: u32, destination: u32) -> Vec<Path> {
    let mut all = simple_paths(fabric, source, destination);
    all.sort_by_key(|path| (path.len(), path.clone()));
    all
}

proptest! {
    #[test]
    fn ksp_takes_the_first_k_paths(fabric in connected(), k in 1usize..20) {
        let routing = route(&fabric, &format!("ksp:k={k}"), 0);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let mut expected = by_length(&fabric, source, destination);
            expected.truncate(k);
            prop_assert_eq!(routing.paths(&fabric, source, destination), expected);
        }
    }

    #[test]
    fn rksp_takes_k_shortest_paths(fabric in connected(), k in 1usize..20, seed in 0u64..99) {
        let routing = route(&fabric, &format!("rksp:k={k}"), seed);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let lengths = |paths: Vec<Path>| paths.iter().map(Vec::len).collect::<Vec<_>>();
            let found = routing.paths(&fabric, source, destination);
            for (at, path) in found.iter().enumerate() {
                prop_assert!(!found[..at].contains(path));
            }
            let mut expected = by_length(&fabric, source, destination);
            expected.truncate(k);
            prop_assert_eq!(lengths(found), lengths(expected));
        }
    }

    #[test]
    fn llskr_limits_the_spread(fabric in connected(), spread in 0usize..4, min in 1usize..6, more in 0usize..9) {
        let max = min + more;
        let routing = route(&fabric, &format!("llskr:spread={spread},min={min},max={max}"), 0);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let mut expected = by_length(&fabric, source, destination);
            let short = expected.iter().filter(|path| path.len() <= expected[0].len() + spread).count();
            expected.truncate(short.clamp(min, max));
            prop_assert_eq!(routing.paths(&fabric, source, destination), expected);
        }
    }

    #[test]
    fn edksp_takes_the_shortest_of_what_is_left(fabric in connected(), k in 1usize..9) {
        let routing = route(&fabric, &format!("edksp:k={k}"), 0);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let mut left = simple_paths(&fabric, source, destination);
            let mut expected = Vec::new();
            while expected.len() < k && !left.is_empty() {
                let path = left.remove(0);
                left.retain(|other| cables(&fabric, other).iter().all(|cable| !cables(&fabric, &path).contains(cable)));
                expected.push(path);
            }
            prop_assert_eq!(routing.paths(&fabric, source, destination), expected);
        }
    }

    #[test]
    fn redksp_takes_a_shortest_of_what_is_left(fabric in connected(), k in 1usize..9, seed in 0u64..99) {
        let routing = route(&fabric, &format!("redksp:k={k}"), seed);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let mut left = simple_paths(&fabric, source, destination);
            let found = routing.paths(&fabric, source, destination);
            for path in &found {
                prop_assert!(left.contains(path), "the path shares a cable with an earlier path");
                prop_assert_eq!(path.len(), left[0].len());
                left.retain(|other| cables(&fabric, other).iter().all(|cable| !cables(&fabric, path).contains(cable)));
            }
            prop_assert!(found.len() == k || left.is_empty());
        }
    }

    #[test]
    fn spain_shares_as_little_as_it_can(fabric in connected(), k in 1usize..12) {
        let routing = route(&fabric, &format!("spain-paths:k={k}"), 0);
        verify(&fabric, routing.path_set().unwrap());
        for (source, destination) in pairs(&fabric) {
            let all = simple_paths(&fabric, source, destination);
            let mut weights = vec![0; fabric.num_channels()];
            let mut expected: Vec<Path> = Vec::new();
            while expected.len() < k {
                let cost = |path: &Path| -> usize {
                    cables(&fabric, path).iter().map(|&cable| 1 + weights[cable as usize]).sum()
                };
                let path = all.iter().min_by_key(|&path| (cost(path), path)).unwrap().clone();
                if expected.contains(&path) {
                    break;
                }
                cables(&fabric, &path).iter().for_each(|&cable| weights[cable as usize] += fabric.num_cables());
                expected.push(path);
            }
            expected.sort_by_key(Vec::len);
            prop_assert_eq!(routing.paths(&fabric, source, destination), expected);
        }
    }
}

#[test]
fn next_hops_of_redksp_are_equally_likely() {
    // From switch 0 to switch 1, there are six paths of 2 hops, over the switches 2 to 7. Each of them must be the first path with equal
    // probability, and each of the other five must then be the second path with equal probability.
    let fabric = fabric(8, (2..8).flat_map(|middle| [(0, middle), (middle, 1)]));
    let mut counts = [[0; 6]; 6];
    for seed in 0..3600 {
        let paths = route(&fabric, "redksp:k=2", seed).paths(&fabric, 0, 1);
        counts[paths[0][0] as usize][paths[1][0] as usize] += 1;
    }
    for (first, row) in counts.iter().enumerate() {
        for (second, &count) in row.iter().enumerate() {
            let range = if first == second { 0..=0 } else { 75..=165 };
            assert!(range.contains(&count), "{first} then {second}: {count} of 3600");
        }
    }
}

#[test]
fn parallel_cables_are_edges_of_their_own() {
    let fabric = fabric(3, [(0, 1), (0, 1), (0, 1), (1, 2), (0, 2)]);
    let lengths = |spec: &str| {
        let paths = route(&fabric, spec, 1).paths(&fabric, 0, 1);
        paths.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(lengths("edksp:k=8"), [1, 1, 1, 2]);
    assert_eq!(lengths("redksp:k=8"), [1, 1, 1, 2]);
    assert_eq!(lengths("ksp:k=8"), [1, 1, 1, 2]);
    let mut taken = [0; 3];
    for seed in 0..600 {
        taken[route(&fabric, "rksp:k=1", seed).paths(&fabric, 0, 1)[0][0] as usize] += 1;
    }
    assert!(taken.iter().all(|count| (140..=260).contains(count)), "{taken:?}");
}
