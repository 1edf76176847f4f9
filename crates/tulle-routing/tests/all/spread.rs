//! Tests the guarantees of `spread` with `aim=disjoint`: disjoint paths, short paths and balanced links, all within the hop limit.
//!
//! The expected fractions of pairs with three disjoint paths are the values for four layers in docs/explanation/spread.md.

use tulle_fabric::Fabric;
use tulle_routing::quality::{Quality, Sharing};
use tulle_routing::{Routing, build, path};

fn fabric(spec: &str) -> Fabric {
    tulle_topologies::build(spec, 1).unwrap()
}

fn quality(fabric: &Fabric, routing: &Routing) -> Quality {
    Quality::of(fabric, routing, Sharing::Cable)
}

/// Returns the fraction of pairs with at least three disjoint paths.
fn three_disjoint(quality: &Quality) -> f64 {
    quality.share(&quality.exact, 3)
}

/// Returns the standard deviation of the number of paths per channel, divided by the mean.
fn spread(quality: &Quality) -> f64 {
    let (mean, deviation) = quality.load();
    deviation / mean
}

/// Returns the mean number of hops of almost-minimal routing (Algorithm 1 of Blach et al., NSDI24) as `spec` describes it, averaged over
/// three seeds.
fn hops_of_algorithm_1(fabric: &Fabric, spec: &str) -> f64 {
    let hops = |seed| quality(fabric, &build(fabric, spec, seed).unwrap()).average_hops();
    (0..3).map(hops).sum::<f64>() / 3.0
}

/// Returns by how many hops a path is longer than the distance of its pair: the maximum over all pairs and layers. Checks that layer 0 is
/// minimal.
fn detour(fabric: &Fabric, routing: &Routing) -> usize {
    let switches = fabric.num_switches() as u32;
    let pairs = (0..switches).flat_map(|s| (0..switches).map(move |t| (s, t)));
    let beyond = |(source, destination)| {
        let hops: Vec<usize> =
            routing.layers().iter().map(|layer| path(fabric, layer, source, destination).len()).collect();
        let distance = *hops.iter().min().unwrap();
        assert_eq!(hops[0], distance, "layer 0 is not minimal from {source} to {destination}");
        hops.iter().max().unwrap() - distance
    };
    pairs.map(beyond).max().unwrap()
}

#[test]
fn slimfly_5_reaches_the_cap() {
    // The Hoffman–Singleton graph has girth 5, so neighbours have no second path of up to three hops. Only the 2,100 pairs (of 2,450) that
    // are two hops apart can have three disjoint paths.
    let fabric = fabric("slimfly:q=5");
    let algorithm_1 = hops_of_algorithm_1(&fabric, "almost-minimal:layers=4");
    for seed in 0..5 {
        let quality = quality(&fabric, &build(&fabric, "spread:layers=4,aim=disjoint", seed).unwrap());
        assert_eq!(quality.exact[3..].iter().sum::<u64>(), 2100);
        assert_eq!(quality.longest.len(), 4, "paths have at most 3 hops");
        assert!(quality.average_hops() <= 1.05 * algorithm_1, "{} hops", quality.average_hops());
        assert!(spread(&quality) <= 0.01, "{}", spread(&quality));
    }
}

#[test]
fn slimfly_9_nearly_reaches_it() {
    let fabric = fabric("slimfly:q=9");
    let algorithm_1 = hops_of_algorithm_1(&fabric, "almost-minimal:layers=4");
    let quality = quality(&fabric, &build(&fabric, "spread:layers=4,aim=disjoint", 0).unwrap());
    assert!(three_disjoint(&quality) >= 0.93, "{}", three_disjoint(&quality));
    assert_eq!(quality.longest.len(), 4, "paths have at most 3 hops");
    assert!(quality.average_hops() <= 1.05 * algorithm_1, "{} hops", quality.average_hops());
    assert!(spread(&quality) <= 0.01, "{}", spread(&quality));
}

#[test]
fn dragonfly_one_hop_more_than_minimal() {
    let fabric = fabric("dragonfly:p=4");
    let routing = build(&fabric, "spread:layers=4,aim=disjoint", 0).unwrap();
    assert_eq!(
        build(&fabric, "spread:layers=4,limit=minimal+1,aim=disjoint", 0).unwrap().layers(),
        routing.layers(),
        "the default"
    );
    let quality = quality(&fabric, &routing);
    assert!(three_disjoint(&quality) >= 0.74, "{}", three_disjoint(&quality));
    assert_eq!(detour(&fabric, &routing), 1);
    // In Algorithm 1 of Blach et al. (NSDI24), these lengths give every pair a path that is one hop longer than minimal.
    let algorithm_1 = hops_of_algorithm_1(&fabric, "almost-minimal:layers=4,lengths=2x3x4");
    assert!(quality.average_hops() <= 1.05 * algorithm_1, "{} hops", quality.average_hops());
}

#[test]
fn jellyfish_within_three_hops() {
    let fabric = fabric("jellyfish:switches=100,degree=11");
    let algorithm_1 = hops_of_algorithm_1(&fabric, "almost-minimal:layers=4");
    let quality = quality(&fabric, &build(&fabric, "spread:layers=4,aim=disjoint", 0).unwrap());
    assert!(three_disjoint(&quality) >= 0.95, "{}", three_disjoint(&quality));
    assert_eq!(quality.longest.len(), 4, "paths have at most 3 hops");
    assert!(quality.average_hops() <= 1.05 * algorithm_1, "{} hops", quality.average_hops());
}

#[test]
fn more_layers_more_disjoint_paths() {
    let fabric = fabric("slimfly:q=7");
    let mean = |layers: u32| {
        let quality =
            quality(&fabric, &build(&fabric, &format!("spread:layers={layers},effort=2,aim=disjoint"), 0).unwrap());
        let paths: u64 = quality.exact.iter().enumerate().map(|(paths, &pairs)| paths as u64 * pairs).sum();
        paths as f64 / quality.pairs as f64
    };
    let means = [1, 2, 3, 4, 8, 16].map(mean);
    assert_eq!(means[0], 1.0);
    assert!(means.is_sorted_by(|fewer, more| fewer < more), "{means:?}");
}

#[test]
fn trees_of_two_levels_take_two_hops_more() {
    // Most pairs of leaf switches have only one minimal path, and all paths between leaves have an even number of hops.
    let fabric = fabric("oft:k=4");
    let quality = quality(&fabric, &build(&fabric, "spread:layers=4,aim=disjoint", 0).unwrap());
    assert_eq!(quality.longest.len(), 5, "paths have up to 4 hops");
    assert!(three_disjoint(&quality) > 0.9, "{}", three_disjoint(&quality));
}

#[test]
fn a_limit_of_the_diameter_keeps_to_minimal_paths_between_the_farthest() {
    let fabric = fabric("slimfly:q=5");
    let routing = build(&fabric, "spread:layers=4,limit=2,aim=disjoint", 0).unwrap();
    assert_eq!(detour(&fabric, &routing), 0, "with girth 5, no pair has a second path of two hops");
}

#[test]
fn more_paths_than_can_be_counted_are_refused() {
    let mut builder = tulle_fabric::FabricBuilder::new(24_000);
    (1..24_000).for_each(|switch| builder.cable(switch - 1, switch));
    let long = builder.finish("path", Default::default()).unwrap();
    let error = build(&long, "spread:layers=4,aim=disjoint", 0).unwrap_err().to_string();
    assert_eq!(
        error,
        "spread: 24000 switches in 4 layers are too many; legal: at most 23170 switches with this number of layers"
    );
}
