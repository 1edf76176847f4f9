//! Shared fabrics, routings, workloads and checks for tests.
#![allow(dead_code, reason = "each test file uses only some of the functions")]

use std::ops::ControlFlow;

use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, NEVER, Outcome, simulate};
use tulle_routing::{Routes, Routing, SourcePaths, TableBuilder};
use tulle_traffic::Workload;

/// Returns a row of switches, each with `p` endpoints and a cable to the next switch.
pub fn row(switches: u32, p: usize) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 1..switches {
        builder.cable(switch - 1, switch);
    }
    builder.endpoints_each(p);
    builder.finish("edges", Default::default()).unwrap()
}

/// Returns a routing with one layer that contains all shortest paths.
pub fn minimal(fabric: &Fabric) -> Routing {
    tulle_routing::build(fabric, "minimal", 0).unwrap()
}

/// Returns a workload of the given flows (source, destination, bytes), all starting at time 0.
pub fn flows(rows: &[(u32, u32, u64)]) -> Workload {
    let mut workload = Workload::default();
    for &(source, destination, bytes) in rows {
        workload.push(source, destination, bytes, 0);
    }
    workload
}

/// Runs a simulation without an observer and returns its results.
pub fn run(fabric: &Fabric, routing: &Routing, workload: &Workload, config: &Config) -> Outcome {
    simulate(fabric, routing, workload, config, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Returns a routing with single next hops. `next[layer][switch][destination]` is the next switch.
pub fn layers(fabric: &Fabric, next: &[&[&[u32]]]) -> Routing {
    let layer = |rows: &&[&[u32]]| {
        let mut table = TableBuilder::new(fabric);
        for (switch, row) in (0u32..).zip(*rows) {
            for (destination, &next) in (0u32..).zip(*row) {
                if destination != switch {
                    let port = fabric.neighbours(switch).binary_search(&next).unwrap();
                    table.set(switch, destination, &[port as u16]);
                }
            }
        }
        table.finish()
    };
    Routing::new("layers".to_owned(), Routes::Layers(next.iter().map(layer).collect()))
}

/// Returns a path set of `paths`, each a list of switches. The paths of a switch pair keep their order. If several cables connect two
/// switches, the first one is used.
pub fn paths(fabric: &Fabric, paths: &[&[u32]]) -> Routing {
    let switches = 0..fabric.num_switches() as u32;
    let sources = switches.clone().map(|source| {
        let mut of = SourcePaths::default();
        for destination in switches.clone() {
            let ends = (Some(&source), Some(&destination));
            let ports: Vec<Vec<u16>> = paths
                .iter()
                .filter(|path| (path.first(), path.last()) == ends)
                .map(|path| path.windows(2).map(|hop| port(fabric, hop[0], hop[1])).collect())
                .collect();
            of.destination(ports.iter().map(Vec::as_slice));
        }
        of
    });
    Routing::new("paths".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

fn port(fabric: &Fabric, switch: u32, next: u32) -> u16 {
    fabric.neighbours(switch).iter().position(|&other| other == next).unwrap() as u16
}

/// Returns a ring of switches with `p` endpoints each.
pub fn ring(switches: u32, p: usize) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 0..switches {
        builder.cable(switch, (switch + 1) % switches);
    }
    builder.endpoints_each(p);
    builder.finish("edges", Default::default()).unwrap()
}

/// Returns a workload of random `rows`: (source, distance from source to destination minus 1, bytes minus 1, start time). Endpoints are
/// taken modulo the number of endpoints.
pub fn workload(fabric: &Fabric, rows: &[(u16, u16, u32, u32)]) -> Workload {
    let endpoints = fabric.num_endpoints() as u32;
    let mut workload = Workload::default();
    for &(source, offset, bytes, start) in rows {
        let source = u32::from(source) % endpoints;
        let destination = (source + 1 + u32::from(offset) % (endpoints - 1)) % endpoints;
        workload.push(source, destination, u64::from(bytes) + 1, start.into());
    }
    workload
}

/// Checks the invariants of the results of a run without faults. `payload` is the payload of a full packet in bytes.
pub fn check(outcome: &Outcome, workload: &Workload, payload: u64) {
    let (flows, counters) = (&outcome.flows, &outcome.counters);
    assert!(counters.balance(), "{counters:?}");
    assert_eq!(outcome.complete, flows.finished() == workload.len());
    let sum = |column: &[u32]| column.iter().copied().map(u64::from).sum::<u64>();
    assert_eq!(counters.retransmitted, sum(&flows.retransmits));
    assert_eq!(counters.timeouts, sum(&flows.timeouts));
    let needed: u64 = workload.bytes.iter().map(|bytes| bytes.div_ceil(payload)).sum();
    if outcome.complete {
        assert_eq!((counters.data_in_flight, counters.control_in_flight), (0, 0));
        assert_eq!(counters.data_sent, needed + counters.retransmitted);
        let (arrived, lost) = (sum(&flows.trimmed), counters.control_dropped);
        assert!(arrived <= counters.data_trimmed && counters.data_trimmed <= arrived + lost);
        assert_eq!(outcome.end, *flows.finish.iter().max().unwrap());
    }
    for flow in 0..workload.len() {
        let (start, delivered, finish) = (flows.start[flow], flows.delivered[flow], flows.finish[flow]);
        assert!(start < delivered && (delivered < finish || finish == NEVER));
        assert!(flows.hops[flow] == 0.0 || flows.hops[flow] >= 2.0);
        let (bytes, all) = (flows.bytes_delivered[flow], workload.bytes[flow]);
        assert!(bytes == all || bytes < all && delivered == NEVER, "flow {flow}: {bytes} of {all} bytes");
    }
}
