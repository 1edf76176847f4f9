//! The effects of selectors: they spread load over layers and paths, and keep short flows on short paths.

use crate::support::{flows, layers, run};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, Outcome};
use tulle_routing::Routing;

/// Returns a fabric with two paths from switch 0 to switch 3: over switch 1 in layer 0, and over switch 2 in layer 1.
fn two_ways() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        builder.cable(a, b);
    }
    builder.endpoints(0, 2);
    builder.endpoints(3, 2);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let over_1: [&[u32]; 4] = [&[0, 1, 2, 1], &[0, 1, 0, 3], &[0, 0, 2, 3], &[1, 1, 2, 3]];
    let over_2: [&[u32]; 4] = [&[0, 1, 2, 2], &[0, 1, 0, 3], &[0, 0, 2, 3], &[2, 1, 2, 3]];
    let routing = layers(&fabric, &[&over_1, &over_2]);
    (fabric, routing)
}

fn outcome(transport: &str, selector: &str) -> Outcome {
    let (fabric, routing) = two_ways();
    let config = Config {
        transport: transport.to_owned(),
        selector: selector.to_owned(),
        queue: if transport.starts_with("purified") { "trim" } else { "ecn" }.to_owned(),
        ..Config::default()
    };
    let outcome = run(&fabric, &routing, &flows(&[(0, 2, 4_000_000), (1, 3, 4_000_000)]), &config);
    assert!(outcome.complete);
    assert_eq!(outcome.flows.hops, [4.0, 4.0]);
    outcome
}

/// If flows use only layer 0, two flows share one path. If they use both layers, two paths carry their packets.
#[test]
fn layers_double_the_throughput() {
    let base = outcome("purified:window=16", "ecmp").end as f64;
    for selector in ["random", "round-robin", "ksp-adaptive", "reps", "ugal", "spritz", "recycle"] {
        let end = outcome("purified:window=16", selector).end as f64;
        assert!(end < 0.65 * base, "{selector}: {end} of {base}");
    }
    // Selectors that use queue lengths or feedback avoid the busy path. Selectors that choose at random do not avoid it.
    let trimmed = |selector| outcome("purified:window=16", selector).counters.data_trimmed;
    for selector in ["ksp-adaptive", "reps", "ugal", "recycle"] {
        assert!(trimmed(selector) * 2 < trimmed("random"), "{selector}: {} {}", trimmed(selector), trimmed("random"));
    }
}

/// The congestion on the path over switch 1 is not at the first switch, so a selector can detect it only from feedback.
#[test]
fn feedback_reveals_congestion_beyond_the_first_switch() {
    let mut builder = FabricBuilder::new(5);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3), (1, 4)] {
        builder.cable(a, b);
    }
    builder.endpoints(0, 1);
    builder.endpoints(3, 2);
    builder.endpoints(4, 1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let layer = |toward: u32| -> [Vec<u32>; 5] {
        let first = if toward == 3 { [1, 2] } else { [2, 1] };
        [
            vec![0, 1, 2, first[0], 1],
            vec![0, 1, 0, 3, 4],
            vec![0, 0, 2, 3, 0],
            vec![first[0], 1, 2, 3, 1],
            vec![1, 1, 1, 1, 4],
        ]
    };
    let tables = [3, 4].map(layer);
    let rows = tables.each_ref().map(|table| table.each_ref().map(Vec::as_slice));
    let routing = layers(&fabric, &[&rows[0], &rows[1]]);
    // Endpoint 3, at switch 4, fills the cable from switch 1 to switch 3 with packets to endpoint 2. Endpoint 0 sends to endpoint 1.
    let workload = flows(&[(3, 2, 20_000_000), (0, 1, 4_000_000)]);
    for (transport, queue) in [("purified", "trim"), ("ndp:window=8", "trim"), ("dctcp", "ecn"), ("tcp", "droptail")] {
        let finish = |selector: &str| {
            let config = Config {
                transport: transport.to_owned(),
                selector: selector.to_owned(),
                queue: queue.to_owned(),
                ..Config::default()
            };
            let outcome = run(&fabric, &routing, &workload, &config);
            assert!(outcome.complete);
            outcome.flows.finish[1] as f64
        };
        let blind = finish("round-robin");
        for selector in ["reps", "spritz:small=0B", "recycle"] {
            let time = finish(selector);
            assert!(time < 0.95 * blind, "{transport} {selector}: {time} of {blind}");
        }
    }
}

#[test]
fn subflows_use_all_layers() {
    let one = outcome("mptcp:subflows=1", "ecmp").end as f64;
    let two = outcome("mptcp:subflows=2", "ecmp").end as f64;
    assert!(two < 0.7 * one, "{two} of {one}");
    // Subflows keep their layers with every selector, including selectors that choose in switches.
    for selector in ["flowlet", "ksp-adaptive", "ugal", "recycle"] {
        assert_eq!(outcome("mptcp:subflows=2", selector).end as f64, two, "{selector}");
    }
}

/// If the other layers have longer paths, only flows above the size limit leave layer 0.
#[test]
fn short_flows_keep_to_shortest_paths() {
    let fabric = tulle_topologies::build("clique:degree=7,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=6,rho=0.4", 1).unwrap();
    let rows: Vec<_> =
        (0..14).map(|source| (source, (source + 3) % 16, if source < 7 { 50_000 } else { 60_000 })).collect();
    let config = Config { selector: "size-aware:bytes=50KB,gap=0".to_owned(), ..Config::default() };
    let outcome = run(&fabric, &routing, &flows(&rows), &config);
    for flow in 0..14 {
        let (hops, changes) = (outcome.flows.hops[flow], outcome.flows.layer_changes[flow]);
        if flow < 7 {
            assert!(hops <= 3.0 && changes == 0, "flow {flow}: {hops} links, {changes} changes");
        } else {
            assert!(hops > 3.0 && changes > 0, "flow {flow}: {hops} links, {changes} changes");
        }
    }
}
