//! Lossless networks: no packet is lost, and cycles of paused ports are detected (Flattened Clos (NSDI23) §2.2, §6.2).

use crate::support::{flows, layers, minimal, ring, run};
use tulle_fabric::Fabric;
use tulle_packet::{Config, Outcome};
use tulle_routing::{Routes, Routing, SourcePaths};
use tulle_traffic::Workload;

/// Returns a routing in which all paths run clockwise around the ring. It has a cyclic buffer dependency.
fn clockwise(fabric: &Fabric) -> Routing {
    layers(fabric, &[&[&[0, 1, 1, 1], &[2, 1, 2, 2], &[3, 3, 2, 3], &[0, 0, 0, 3]]])
}

/// Returns a routing that never uses the cable between switches 3 and 0. It has no cyclic buffer dependency.
fn row(fabric: &Fabric) -> Routing {
    layers(fabric, &[&[&[0, 1, 1, 1], &[0, 1, 2, 2], &[1, 1, 2, 3], &[2, 2, 2, 3]]])
}

/// Returns a workload in which every endpoint sends to an endpoint that is two switches away.
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
    let outcome = run(&ring(4, 4), routing, &workload(), &config);
    assert!(outcome.counters.balance());
    assert_eq!(outcome.counters.data_dropped + outcome.counters.control_dropped, 0);
    outcome
}

#[test]
fn a_cycle_of_paused_ports_is_reported() {
    let fabric = ring(4, 4);
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
            // Only flows from the port's switch or from the previous switch of the ring can wait at the port.
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
    let fabric = ring(4, 4);
    for transport in ["dcqcn:control=no", "dcqcn", "tcp:window=100,handshake=no"] {
        let outcome = simulate(&row(&fabric), "pfc:threshold=testbed", transport);
        assert!(outcome.complete && outcome.deadlock.is_none(), "{transport}");
        assert!(outcome.counters.pauses > 0);
        // On a single path, packets stay in order, so no flow goes back to an earlier packet.
        assert!(outcome.counters.retransmitted == 0 || transport.starts_with("tcp"), "{transport}");
    }
    // If windows are small, the waiting bytes never reach the recommended thresholds (Flattened Clos (NSDI23) §6.1).
    let outcome = simulate(&clockwise(&fabric), "pfc:threshold=recommended", "dctcp");
    assert!(outcome.complete && outcome.counters.pauses == 0);
}

/// Returns the testbed of Flattened Clos (NSDI23) §6.1: a Flattened Clos of four switches in a ring, with two cables to each neighbour.
fn testbed() -> Fabric {
    let spec = "flattenedclos:switches=4,degrees=1x1,parallel=yes,p=4";
    let fabrics = (0..1000).map(|seed| tulle_topologies::build(spec, seed).unwrap());
    let is_ring = |fabric: &Fabric| {
        let others = |switch: u32| -> Vec<u32> { (0..4).filter(|&other| other != switch).collect() };
        let cables = |a: u32, b: u32| fabric.neighbours(a).iter().filter(|&&other| other == b).count();
        (0..4).all(|a| others(a).into_iter().all(|b| [0, 2].contains(&cables(a, b))))
    };
    fabrics.into_iter().find(is_ring).expect("a seed gives the ring")
}

/// Returns the imbalanced path allocation of Flattened Clos (NSDI23) §6.2. Between neighbours, it uses the one-hop paths of `routing`.
/// Between opposite switches of the ring, it uses the two-hop clockwise paths of `routing`.
fn imbalanced(fabric: &Fabric, routing: &Routing) -> Routing {
    // The clockwise order: switch 0, its neighbour with the lowest number, the opposite switch, and the other neighbour.
    let next = fabric.neighbours(0).iter().copied().min().unwrap();
    let across = (1..4).find(|other| !fabric.neighbours(0).contains(other)).unwrap();
    let ring = [0, next, across, 6 - next - across];
    let place = |switch: u32| ring.iter().position(|&other| other == switch).unwrap();
    let sources = (0..4).map(|source| {
        let mut of = SourcePaths::default();
        for destination in 0..4 {
            let distance = (place(destination) + 4 - place(source)) % 4;
            let is_wanted = |path: &&Vec<u32>| {
                let first = fabric.targets()[path[0] as usize];
                path.len() == if distance == 2 { 2 } else { 1 }
                    && (distance != 2 || place(first) == (place(source) + 1) % 4)
            };
            let all = routing.paths(fabric, source, destination);
            let channels: Vec<&Vec<u32>> = all.iter().filter(is_wanted).collect();
            let ports: Vec<Vec<u16>> = channels
                .iter()
                .map(|path| {
                    let mut switch = source;
                    let port = |&channel: &u32| {
                        let port = channel - fabric.offsets()[switch as usize];
                        switch = fabric.targets()[channel as usize];
                        port as u16
                    };
                    path.iter().map(port).collect()
                })
                .collect();
            assert_eq!(ports.is_empty(), source == destination);
            of.destination(ports.iter().map(Vec::as_slice));
        }
        of
    });
    Routing::new("imbalanced".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

/// Flattened Clos (NSDI23) §6.2, with 16 flows per pair of switches. With shortest paths, the clockwise links deadlock, with and without
/// congestion control. With virtual up-down paths and the same imbalance, there is no deadlock. The flows have 2 MB instead of the paper's
/// 100 MB, because the deadlock forms within half a millisecond.
#[test]
fn an_imbalanced_allocation_deadlocks_shortest_paths_but_not_virtual_up_down() {
    let fabric = testbed();
    let mut workload = Workload::default();
    for flow in 0..256 {
        let (from, to, turn) = (flow / 64, flow / 16 % 4, flow % 16);
        if from != to {
            workload.push(4 * from + turn % 4, 4 * to + turn / 4, 2_000_000, 0);
        }
    }
    assert_eq!(workload.len(), 192);
    for transport in ["dcqcn:control=no", "dcqcn"] {
        let config = Config {
            rate: 50_000_000_000,
            mtu: 1500,
            queue: "pfc:threshold=testbed".to_owned(),
            transport: transport.to_owned(),
            selector: "round-robin:per=flow".to_owned(),
            ..Config::default()
        };
        let outcome = |scheme: &str| {
            let routing = tulle_routing::build(&fabric, scheme, 0).unwrap();
            let outcome = run(&fabric, &imbalanced(&fabric, &routing), &workload, &config);
            assert!(outcome.counters.pauses > 0 && outcome.counters.data_dropped == 0);
            outcome
        };
        let shortest = outcome("ksp:k=16");
        assert!(shortest.deadlock.is_some() && !shortest.complete, "{transport}");
        let virtual_updown = outcome("virtual-updown");
        assert!(virtual_updown.deadlock.is_none() && virtual_updown.complete, "{transport}");
    }
}

/// Without congestion control, pauses limit the rates of flows to the rate of the bottleneck link. With congestion control, switches mark
/// packets and pause far less often.
#[test]
fn congestion_control_avoids_pauses() {
    let fabric = tulle_topologies::build("star:endpoints=9", 0).unwrap();
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
