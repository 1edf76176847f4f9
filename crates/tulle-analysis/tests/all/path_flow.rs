//! Tests of flow over given paths: the bounds that flows and lengths prove, and refused inputs.

use tulle_analysis::Demands;
use tulle_analysis::throughput::{Capacities, PathFlow};
use tulle_fabric::Fabric;
use tulle_routing::build as route;
use tulle_topologies::build as fabric;

fn problem(fabric: &Fabric, routing: &str, traffic: &str) -> PathFlow {
    let routing = route(fabric, routing, 1).unwrap();
    let demands = Demands::build(fabric, traffic, 1).unwrap();
    PathFlow::new(fabric, &routing, &demands, Capacities::unit(fabric)).unwrap()
}

#[test]
fn all_equal_cost_paths_are_listed_once() {
    // Opposite corners of a square have two shortest paths; adjacent corners have one.
    let square = fabric("torus:shape=4,p=1", 0).unwrap();
    let flow = problem(&square, "minimal", "all-to-all");
    let paths: Vec<usize> = flow.first_path().windows(2).map(|ends| (ends[1] - ends[0]) as usize).collect();
    assert_eq!(paths.iter().filter(|&&paths| paths == 2).count(), 4);
    assert_eq!(paths.iter().filter(|&&paths| paths == 1).count(), 8);
    // If all layers have the same paths, each path is listed once.
    let flow = problem(&fabric("clique:degree=3", 0).unwrap(), "balanced:layers=4", "all-to-all");
    assert_eq!(flow.first_hop().len() - 1, flow.demand().len());
}

#[test]
fn a_flow_proves_its_smallest_share_at_the_fullest_channel() {
    let square = fabric("torus:shape=4,p=1", 0).unwrap();
    let flow = problem(&square, "minimal", "all-to-all");
    // Each pair demands 1/3. A channel carries the demand between its two switches and half of two other demands, in total 2/3.
    let amount: Vec<f64> = (0..flow.demand().len())
        .flat_map(|at| {
            let paths = (flow.first_path()[at + 1] - flow.first_path()[at]) as usize;
            vec![1.0 / paths as f64; paths]
        })
        .collect();
    assert!((flow.lower(&amount) - 1.5).abs() < 1e-12);
    let scaled: Vec<f64> = amount.iter().map(|amount| amount * 7.0).collect();
    assert!(
        (flow.lower(&scaled) - 1.5).abs() < 1e-12,
        "a flow whose amounts are multiplied by a factor proves the same throughput"
    );
    // There are 8 channels of length 1. 8 pairs have one hop and 4 pairs have two hops; each demands 1/3.
    assert!((flow.upper(&[1.0; 8]) - 1.5).abs() < 1e-12);
    let mut starved = amount.clone();
    starved[0] = -1e-9;
    assert_eq!(flow.lower(&starved), 0.0, "a pair without flow makes the throughput 0");
    assert_eq!(flow.upper(&[0.0; 8]), f64::INFINITY);
}

#[test]
fn misfits_are_one_line_errors() {
    let (square, clique) = (fabric("torus:shape=4,p=1", 0).unwrap(), fabric("clique:degree=2", 0).unwrap());
    let routing = route(&square, "minimal", 0).unwrap();
    let demands = Demands::all_to_all(&clique).unwrap();
    let error = PathFlow::new(&square, &routing, &demands, Capacities::unit(&square)).unwrap_err().to_string();
    assert!(error.contains("the traffic is for 3 switches; legal: 4 switches, as torus"), "{error}");
    for (capacity, words) in [
        (vec![1.0; 7], "7 capacities for 8 channels; legal: one per channel"),
        (vec![1.0, 1.0, -2.0, 1.0, 1.0, 1.0, 1.0, 1.0], "the capacity of channel 2 is -2; legal: finite, not below 0"),
        (vec![1.0, -1e-9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], "the capacity of channel 1 is -0.000000001"),
        (vec![f64::INFINITY; 8], "the capacity of channel 0 is inf"),
        (vec![f64::NAN; 8], "the capacity of channel 0 is NaN"),
        (vec![0.0; 8], "every capacity is 0"),
    ] {
        let error = Capacities::new(&square, capacity).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}
