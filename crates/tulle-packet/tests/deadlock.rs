//! Lossless networks: nothing is lost, and cycles of paused ports are found (Flattened Clos §2.2, §6.2).

mod support;

use support::{flows, layers, minimal, run};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, Outcome};
use tulle_routing::Routing;
use tulle_traffic::Workload;

/// Four switches in a ring with four endpoints each.
fn ring() -> Fabric {
    let mut builder = FabricBuilder::new(4);
    for switch in 0..4 {
        builder.cable(switch, (switch + 1) % 4);
    }
    builder.endpoints_each(4);
    builder.finish("edges", Default::default()).unwrap()
}

/// All clockwise: a cyclic buffer dependency.
fn clockwise(fabric: &Fabric) -> Routing {
    layers(fabric, &[&[&[0, 1, 1, 1], &[2, 1, 2, 2], &[3, 3, 2, 3], &[0, 0, 0, 3]]])
}

/// Never over the cable of switches 3 and 0: no cycle.
fn row(fabric: &Fabric) -> Routing {
    layers(fabric, &[&[&[0, 1, 1, 1], &[0, 1, 2, 2], &[1, 1, 2, 3], &[2, 2, 2, 3]]])
}

/// Every endpoint sends to the one two switches on.
fn workload() -> Workload {
    let rows: Vec<_> = (0..16).map(|source| (source, (source + 8) % 16, 2_000_000)).collect();
    flows(&rows)
}

fn simulate(routing: &Routing, queue: &str, transport: &str) -> Outcome {
    let config = Config {
        mtu: 1500,
        queue: queue.to_owned(),
        transport: transport.to_owned(),
        selector: "ecmp".to_owned(),
        ..Config::default()
    };
    let outcome = run(&ring(), routing, &workload(), &config);
    assert!(outcome.counters.balance());
    assert_eq!(outcome.counters.data_dropped + outcome.counters.control_dropped, 0);
    outcome
}

#[test]
fn a_cycle_of_paused_ports_is_reported() {
    let fabric = ring();
    for transport in ["dcqcn:control=no", "dcqcn", "tcp:window=100,handshake=no", "ndp"] {
        let outcome = simulate(&clockwise(&fabric), "pfc:threshold=testbed", transport);
        let deadlock = outcome.deadlock.as_ref().unwrap_or_else(|| panic!("{transport}: {:?}", outcome.counters));
        assert!(!outcome.complete && outcome.end >= deadlock.time && deadlock.time > 0);
        assert_eq!(deadlock.ports.len(), 4);
        for (place, port) in deadlock.ports.iter().enumerate() {
            let next = &deadlock.ports[(place + 1) % 4];
            assert_eq!((port.to, (port.from + 1) % 4), (next.from, port.to), "clockwise");
            assert_eq!(fabric.targets()[port.channel as usize], port.to);
            assert!(port.since <= deadlock.time && port.bytes > 0 && !port.flows.is_empty());
            // Flows from this switch or the one before.
            for flow in &port.flows {
                assert!([port.from, (port.from + 3) % 4].contains(&(flow / 4)), "{transport}: flow {flow}");
            }
        }
        let text = deadlock.to_string();
        assert!(text.starts_with("deadlock at ") && !text.contains('\n'), "{text}");
    }
}

#[test]
fn without_a_cycle_all_is_delivered() {
    let fabric = ring();
    for transport in ["dcqcn:control=no", "dcqcn", "tcp:window=100,handshake=no"] {
        let outcome = simulate(&row(&fabric), "pfc:threshold=testbed", transport);
        assert!(outcome.complete && outcome.deadlock.is_none(), "{transport}");
        assert!(outcome.counters.pauses > 0);
        // Nothing overtakes on one path, so nobody asks to go back.
        assert!(outcome.counters.retransmitted == 0 || transport.starts_with("tcp"), "{transport}");
    }
    // The recommended thresholds are not reached where windows are small (§6.1).
    let outcome = simulate(&clockwise(&fabric), "pfc:threshold=recommended", "dctcp");
    assert!(outcome.complete && outcome.counters.pauses == 0);
}

/// Without control, rates are those of the bottleneck; with it, switches pause far less and mark instead.
#[test]
fn notices_spare_pauses() {
    let fabric = tulle_fabric::build("star:endpoints=9", 0).unwrap();
    let rows: Vec<_> = (1..9).map(|source| (source, 0, 3_000_000)).collect();
    let outcome = |transport: &str| {
        let config = Config {
            mtu: 1500,
            queue: "pfc:threshold=testbed".to_owned(),
            transport: transport.to_owned(),
            selector: "ecmp".to_owned(),
            ..Config::default()
        };
        let outcome = run(&fabric, &minimal(&fabric), &flows(&rows), &config);
        assert!(outcome.complete && outcome.counters.data_dropped == 0 && outcome.counters.retransmitted == 0);
        outcome
    };
    let (without, with) = (outcome("dcqcn:control=no"), outcome("dcqcn"));
    assert!(with.counters.marked > 0 && with.counters.pauses * 4 < without.counters.pauses, "{:?}", with.counters);
    let ideal = 8 * (3_000_000 + 3_000_000u64.div_ceil(1436) * 64) * 800;
    assert!(without.end > ideal && without.end < ideal * 102 / 100, "{} of {ideal}", without.end);
    assert!(with.end < ideal * 2, "{} of {ideal}", with.end);
}
