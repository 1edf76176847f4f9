//! The tables of the Jellyfish paper.

use tulle_routing::{PathStatistics, path_statistics};

use super::oracle::route;

#[test]
fn the_small_jellyfish_has_the_tables_of_the_paper() {
    // Multi-Path Routing in the Jellyfish Network, Tables II to IV, RRG(36, 24, 16) with k = 8: mean hops 2.06; share of
    // disjoint pairs 56% (ksp), 59% (rksp), 100%; most paths of a pair over a link 6, 3, 1, 1. Means over ten graphs.
    for (routing, disjoint, most) in [
        ("ksp", 52.0..=59.0, 5..=7),
        ("rksp", 54.0..=62.0, 3..=5),
        ("edksp", 100.0..=100.0, 1..=1),
        ("redksp", 100.0..=100.0, 1..=1),
    ] {
        let statistics: Vec<PathStatistics> = (0..10)
            .map(|seed| {
                let fabric = tulle_fabric::build("jellyfish:switches=36,degree=16,p=8", seed).unwrap();
                path_statistics(&fabric, route(&fabric, routing, seed).path_set().unwrap())
            })
            .collect();
        let hops = statistics.iter().map(|s| s.hops_mean).sum::<f64>() / 10.0;
        assert!((hops - 2.064).abs() < 0.004, "{routing}: {hops} hops");
        let share = statistics.iter().map(|s| 100.0 * s.disjoint_share).sum::<f64>() / 10.0;
        assert!(disjoint.contains(&share), "{routing}: {share}%");
        for s in &statistics {
            assert_eq!((s.pairs, s.paths_min, s.paths_mean), (36 * 35, 8, 8.0));
            assert!(most.contains(&s.sharing_max), "{routing}: {}", s.sharing_max);
        }
    }
}
