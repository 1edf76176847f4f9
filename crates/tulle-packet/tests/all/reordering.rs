//! Reordering and failed layers: go-back-N over paths of different lengths, and MPTCP subflows that replace each other.

use crate::support::{flows, layers, minimal, run};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, Outcome};
use tulle_routing::Routing;

const MICROSECOND: u64 = 1_000_000;

fn roce(transport: &str, selector: &str) -> Outcome {
    let fabric = tulle_topologies::build("fattree:levels=3,radix=8", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=1MB", 7).unwrap();
    let config = Config {
        rate: 100_000_000_000,
        queue: "pfc".to_owned(),
        transport: transport.to_owned(),
        selector: selector.to_owned(),
        ..Config::default()
    };
    run(&fabric, &minimal(&fabric), &workload, &config)
}

/// Sprayed packets overtake each other, so a flow often goes back to a packet that it has already sent. After it has gone back, its packets
/// in flight are limited, so most of the sent packets are new. Without the limit, 85% of the packets are retransmissions.
#[test]
fn go_back_n_ends_over_paths_that_reorder() {
    let outcome = roce("dcqcn", "spray");
    let counters = &outcome.counters;
    assert!(outcome.complete && counters.retransmitted > 0);
    assert!(counters.retransmitted * 2 < counters.data_sent, "{counters:?}");
}

/// If packets arrive in order, no flow goes back to an earlier packet. So the limit on packets in flight after going back has no effect.
#[test]
fn in_order_the_window_does_not_matter() {
    let outcome = roce("dcqcn", "ecmp");
    assert_eq!(outcome.counters.retransmitted, 0);
    assert_eq!(roce("dcqcn:window=1", "ecmp"), outcome);
}

/// Returns a fabric with two paths from switch 0 to switch 3: over switch 1 in layer 0, and over switch 2 in layer 1.
fn two_ways() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        builder.cable(a, b);
    }
    builder.endpoints(0, 1);
    builder.endpoints(3, 1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let over_1: [&[u32]; 4] = [&[0, 1, 2, 1], &[0, 1, 0, 3], &[0, 0, 2, 3], &[1, 1, 2, 3]];
    let over_2: [&[u32]; 4] = [&[0, 1, 2, 2], &[0, 1, 0, 3], &[0, 0, 2, 3], &[2, 1, 2, 3]];
    let routing = layers(&fabric, &[&over_1, &over_2]);
    (fabric, routing)
}

/// If a layer silently loses all packets, the other subflows retransmit the packets of the subflow on this layer. The flow finishes
/// long before the layer works again.
#[test]
fn subflows_replace_a_failed_layer() {
    let (fabric, routing) = two_ways();
    for subflows in [2, 3, 8] {
        // From the middle of the flow on, switch 2 loses all packets. Only layer 1 uses this switch.
        let config = Config {
            transport: format!("mptcp:subflows={subflows}"),
            selector: "ecmp".to_owned(),
            queue: "ecn".to_owned(),
            faults: vec!["drop:switches=ids:2,at=400us,until=20s".to_owned()],
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &flows(&[(0, 1, 2_000_000)]), &config);
        assert!(outcome.complete && outcome.faults[0].data_lost > 0, "{:?}", outcome.counters);
        assert!(outcome.end < 20_000 * MICROSECOND, "{subflows}: {} ps", outcome.end);
        let needed = 2_000_000u64.div_ceil(8936);
        assert_eq!(outcome.counters.data_sent, needed + outcome.counters.retransmitted);
        // Every packet is delivered at least once.
        assert!(outcome.counters.data_delivered >= needed);
    }
}
