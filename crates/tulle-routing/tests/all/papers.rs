//! Checks results of papers about the deployed Slim Fly (q = 5) and about Flattened Clos. The tolerance is the range of results over ten
//! seeds. If tulle's value differs from the paper's value, a comment says why.

use tulle_fabric::Fabric;
use tulle_routing::quality::{Quality, Sharing};

/// Returns the mean of `measure` over ten seeds.
fn mean(fabric: &Fabric, spec: &str, measure: impl Fn(&Quality) -> f64) -> f64 {
    let measured = (0..10).map(|seed| {
        let routing = tulle_routing::build(fabric, spec, seed).unwrap();
        measure(&Quality::of(fabric, &routing, Sharing::Channel))
    });
    measured.sum::<f64>() / 10.0
}

fn slimfly() -> Fabric {
    tulle_topologies::build("slimfly:q=5", 0).unwrap()
}

#[track_caller]
fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found:.2}, expected {expected}±{tolerance}");
}

/// Check the fraction of switch pairs with at least three disjoint paths (Blach et al., NSDI24, §6.3, Fig. 8).
#[test]
fn pairs_with_three_disjoint_paths() {
    let fabric = slimfly();
    for (spec, percent, tolerance) in [
        // The paper shows about 60, 88.5 and almost 100 percent for 4, 8 and 16 layers in Fig. 8. This graph has girth five, so adjacent
        // switches have no path of two or three hops besides their cable. With paths of at most three hops, the maximum is therefore 85.71
        // percent.
        ("almost-minimal:layers=4", 56.5, 1.5),
        ("almost-minimal:layers=8", 85.54, 0.2),
        ("almost-minimal:layers=16", 85.71, 0.02),
        ("almost-minimal:layers=4,lengths=3x4", 61.6, 1.5),
        ("almost-minimal:layers=8,lengths=3x4", 98.7, 0.6),
        ("almost-minimal:layers=16,lengths=3x4", 100.0, 0.05),
        // The next three lines are the paper's RUES (random) layers with 40%, 60% and 80% of the cables. For 40%, the paper shows about
        // 97.5 percent of the pairs; tulle's greedy count, which goes through the layers in order, gives 97.6 percent.
        ("random:layers=8,rho=0.4", 98.65, 0.8),
        ("random:layers=8,rho=0.6", 93.6, 1.0),
        ("random:layers=8,rho=0.8", 66.2, 2.0),
        // The next three lines are acyclic layers, which the paper calls "FatPaths".
        ("low-overlap:layers=4", 2.9, 0.8),
        ("low-overlap:layers=8", 14.0, 2.0),
        ("low-overlap:layers=16", 42.0, 3.0),
    ] {
        let percent_of = |quality: &Quality| 100.0 * quality.share(&quality.exact, 3);
        assert_near(spec, mean(&fabric, spec, percent_of), percent, tolerance);
    }
    let in_order = |quality: &Quality| 100.0 * quality.share(&quality.greedy, 3);
    assert_near("RUES 40%", mean(&fabric, "random:layers=8,rho=0.4", in_order), 97.6, 0.8);
}

/// Check the mean and the standard deviation of paths per link with eight layers (Blach et al., NSDI24, §6.2, Fig. 7).
#[test]
fn paths_per_link() {
    let fabric = slimfly();
    for (spec, load, deviation, tolerance) in
        [("almost-minimal:layers=8", 129.3, 1.4, 0.2), ("random:layers=8,rho=0.6", 146.0, 45.0, 2.5)]
    {
        assert_near(spec, mean(&fabric, spec, |quality| quality.load().0), load, 0.5);
        assert_near(spec, mean(&fabric, spec, |quality| quality.load().1), deviation, tolerance);
    }
}

/// Check the longest paths (Blach et al., NSDI24, §6.1, Fig. 6): almost-minimal layers have at most three hops, and RUES (random) layers
/// have more.
#[test]
fn longest_paths() {
    let fabric = slimfly();
    let longest = |quality: &Quality| quality.longest.len() as f64 - 1.0;
    assert_eq!(mean(&fabric, "almost-minimal:layers=8", longest), 3.0);
    assert_near("RUES 40%", mean(&fabric, "random:layers=8,rho=0.4", longest), 9.8, 0.7);
    assert_near("RUES 80%", mean(&fabric, "random:layers=8,rho=0.8", longest), 4.3, 0.4);
    // In Fig. 6 of the paper, the average path length of each pair is between two and four hops. In tulle, most pairs have an average from
    // 3 to 4.5 hops.
    let quality =
        Quality::of(&fabric, &tulle_routing::build(&fabric, "random:layers=8,rho=0.4", 0).unwrap(), Sharing::Cable);
    let between: u64 =
        quality.mean_hops.iter().filter(|(mean, _)| (3.0..4.5).contains(mean)).map(|(_, pairs)| pairs).sum();
    assert!(between as f64 > 0.8 * quality.pairs as f64, "{between} of {}", quality.pairs);
}

/// Check the mean path length of edge-disjoint spanning trees (Flattened Clos (NSDI23), Table 2, EDST). There are nine trees, and path
/// lengths count switches. The trees depend on the order of cables: with random orders, tulle's mean lengths are 7.9±0.3, 10.5±0.5 and
/// 14.2±0.7. With initial breadth-first trees, which the paper does not use, paths are shorter.
#[test]
fn edge_disjoint_spanning_trees() {
    for (switches, length, seeded, tolerance) in [(50, 7.69, 5.9, 0.7), (100, 10.01, 7.3, 0.9), (200, 14.01, 8.9, 1.2)]
    {
        let spec = format!("flattenedclos:switches={switches},ports=27,layers=4");
        let fabric = tulle_topologies::build(&spec, 1).unwrap();
        let switches = |quality: &Quality| quality.average_hops() + 1.0;
        assert_near(&spec, mean(&fabric, "edst", switches), length, tolerance);
        assert_near(&spec, mean(&fabric, "edst:seeded=bfs", switches), seeded, tolerance);
    }
}
