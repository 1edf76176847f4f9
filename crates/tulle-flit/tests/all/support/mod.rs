//! Helpers shared by the tests.
#![allow(dead_code)]

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_flit::{Config, Error, Outcome, Traffic, simulate};
use tulle_routing::Routing;

/// Runs `config` with uniform traffic.
pub fn uniform(fabric: &Fabric, routing: &str, config: &Config) -> Outcome {
    let routing = tulle_routing::build(fabric, routing, 1).unwrap();
    run(fabric, &routing, &Traffic::new(fabric, "uniform", 0).unwrap(), config).unwrap()
}

pub fn run(fabric: &Fabric, routing: &Routing, traffic: &Traffic, config: &Config) -> Result<Outcome, Error> {
    simulate(fabric, routing, traffic, config, &mut |_| ControlFlow::Continue(()))
}

pub fn fabric(spec: &str) -> Fabric {
    tulle_topologies::build(spec, 1).unwrap()
}

/// Returns traffic in which only endpoint `from` sends; its destination is `to`.
pub fn pair(fabric: &Fabric, from: u32, to: u32) -> Traffic {
    let mut workload = tulle_traffic::Workload::default();
    workload.push(from, to, 1, 0);
    Traffic::from_workload(fabric, &workload).unwrap()
}

pub fn close(ours: f64, theirs: f64, share: f64) {
    assert!((ours / theirs - 1.0).abs() <= share, "{ours} against {theirs}");
}
