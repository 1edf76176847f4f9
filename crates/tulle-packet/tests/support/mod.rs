//! Fabrics, routings and workloads for tests.
#![allow(dead_code, reason = "not every test uses everything")]

use std::ops::ControlFlow;

use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, Outcome, simulate};
use tulle_routing::{Routes, Routing, TableBuilder};
use tulle_traffic::Workload;

/// Switches in a row, each with a cable to the next, and `p` endpoints each.
pub fn row(switches: u32, p: usize) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 1..switches {
        builder.cable(switch - 1, switch);
    }
    builder.endpoints_each(p);
    builder.finish("edges", Default::default()).unwrap()
}

/// One layer of all shortest paths.
pub fn minimal(fabric: &Fabric) -> Routing {
    tulle_routing::build(fabric, "minimal", 0).unwrap()
}

/// A workload of flows (source, destination, bytes), all at time 0.
pub fn flows(rows: &[(u32, u32, u64)]) -> Workload {
    let mut workload = Workload::default();
    for &(source, destination, bytes) in rows {
        workload.push(source, destination, bytes, 0);
    }
    workload
}

/// Simulates to the end.
pub fn run(fabric: &Fabric, routing: &Routing, workload: &Workload, config: &Config) -> Outcome {
    simulate(fabric, routing, workload, config, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// Layers of single next hops: layer by layer, per switch its next switch toward each destination.
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
