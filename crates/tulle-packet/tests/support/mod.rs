//! Fabrics, routings and workloads for tests and benchmarks.
#![allow(dead_code, reason = "not every test uses everything")]

use std::collections::VecDeque;
use std::ops::ControlFlow;

use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, Outcome, simulate};
use tulle_routing::{Routing, Table, TableBuilder};
use tulle_traffic::Workload;

/// The three-level fat tree of switches with `k` ports: k³/4 endpoints, full bisection.
pub fn fat_tree(k: u32) -> Fabric {
    let half = k / 2;
    let pods = k;
    let (edges, cores) = (pods * half, half * half);
    let mut builder = FabricBuilder::new(2 * edges + cores);
    for edge in 0..edges {
        let pod = edge / half;
        for aggregation in 0..half {
            builder.cable(edge, edges + pod * half + aggregation);
        }
        builder.endpoints(edge, half as usize);
    }
    for aggregation in 0..edges {
        for core in 0..half {
            builder.cable(edges + aggregation, 2 * edges + aggregation % half * half + core);
        }
    }
    builder.finish("edges", Default::default()).unwrap()
}

/// Switches in a row, each with a cable to the next, and `p` endpoints each.
pub fn path(switches: u32, p: usize) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 1..switches {
        builder.cable(switch - 1, switch);
    }
    builder.endpoints_each(p);
    builder.finish("edges", Default::default()).unwrap()
}

/// A ring of `switches`, with chords to the switch `chord` ahead, and `p` endpoints each.
pub fn chordal_ring(switches: u32, chord: u32, p: usize) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 0..switches {
        builder.cable(switch, (switch + 1) % switches);
        if chord > 1 {
            builder.cable(switch, (switch + chord) % switches);
        }
    }
    builder.endpoints_each(p);
    builder.finish("edges", Default::default()).unwrap()
}

/// A table of all shortest paths over the channels that `keep` keeps; they must connect the fabric.
pub fn shortest_paths(fabric: &Fabric, keep: impl Fn(u32) -> bool) -> Table {
    let switches = fabric.num_switches();
    let mut builder = TableBuilder::new(fabric);
    let mut queue = VecDeque::new();
    for destination in 0..switches as u32 {
        let mut distance = vec![u32::MAX; switches];
        distance[destination as usize] = 0;
        queue.push_back(destination);
        while let Some(switch) = queue.pop_front() {
            for channel in fabric.channels_of(switch) {
                let next = fabric.targets()[channel] as usize;
                if distance[next] == u32::MAX && keep(fabric.reverse()[channel]) {
                    distance[next] = distance[switch as usize] + 1;
                    queue.push_back(next as u32);
                }
            }
        }
        for switch in (0..switches as u32).filter(|&switch| switch != destination) {
            let here = distance[switch as usize];
            assert!(here < u32::MAX, "the channels kept do not connect the fabric");
            let first = fabric.offsets()[switch as usize] as usize;
            let ports: Vec<u16> = fabric
                .channels_of(switch)
                .filter(|&channel| keep(channel as u32) && distance[fabric.targets()[channel] as usize] + 1 == here)
                .map(|channel| (channel - first) as u16)
                .collect();
            builder.set(switch, destination, &ports);
        }
    }
    builder.finish()
}

/// One layer of all shortest paths.
pub fn minimal(fabric: &Fabric) -> Routing {
    Routing::new("minimal".to_owned(), vec![shortest_paths(fabric, |_| true)])
}

/// A workload of flows (source, destination, bytes), all at time 0.
pub fn flows(rows: &[(u32, u32, u64)]) -> Workload {
    Workload {
        spec: "test".to_owned(),
        source: rows.iter().map(|row| row.0).collect(),
        destination: rows.iter().map(|row| row.1).collect(),
        bytes: rows.iter().map(|row| row.2).collect(),
        start: vec![0; rows.len()],
    }
}

/// Simulates to the end.
pub fn run(fabric: &Fabric, routing: &Routing, workload: &Workload, config: &Config) -> Outcome {
    simulate(fabric, routing, workload, config, &mut |_| ControlFlow::Continue(())).unwrap()
}
