//! Tests that configurations that can deadlock are refused, and that deadlocks are detected and described.

use crate::support::run;
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_flit::{Config, Traffic};
use tulle_routing::{Routes, Routing, TableBuilder};

/// A ring of four switches on which all packets travel in the same direction.
fn one_way_ring() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(4);
    (0..4).for_each(|switch| builder.cable(switch, (switch + 1) % 4));
    builder.endpoints_each(3);
    let ring = builder.finish("file", Default::default()).unwrap();
    let mut table = TableBuilder::new(&ring);
    for switch in 0..4u32 {
        let port = ring.neighbours(switch).iter().position(|&next| next == (switch + 1) % 4).unwrap() as u16;
        (0..4).filter(|&to| to != switch).for_each(|to| table.set(switch, to, &[port]));
    }
    let routing = Routing::new("one-way".to_owned(), Routes::Layers(vec![table.finish()]));
    (ring, routing)
}

fn config(policy: &str, router: &str) -> Config {
    Config {
        policy: policy.to_owned(),
        router: router.to_owned(),
        load: 1.0,
        window: 20_000,
        drain: 0,
        may_deadlock: true,
        ..Config::default()
    }
}

#[test]
fn a_deadlocked_ring_is_detected_and_described() {
    let (ring, routing) = one_way_ring();
    let traffic = Traffic::new(&ring, "uniform", 0).unwrap();
    for router in [
        "input-queued:vcs=1,buffer=4",
        "input-queued:vcs=3,buffer=2",
        "virtual-cut-through:vcs=1,buffer=4,output=2",
        "virtual-cut-through:vcs=1,buffer=4,output=2,crossbar=1",
        "virtual-cut-through:vcs=1,buffer=4,output=2,crossbar=1,queues=voq",
    ] {
        let outcome = run(&ring, &routing, &traffic, &config("free", router)).unwrap();
        let deadlock = outcome.deadlock.expect("it deadlocks");
        let channels: Vec<u32> = deadlock.channels.iter().map(|&(channel, _)| channel).collect();
        assert_eq!(channels.len(), 4, "{deadlock}");
        for (at, &channel) in channels.iter().enumerate() {
            let next = channels[(at + 1) % 4];
            assert_eq!(ring.targets()[channel as usize], ring.sources()[next as usize], "{deadlock}");
        }
        assert!(deadlock.to_string().starts_with("deadlock found in cycle "), "{deadlock}");
        assert!(!outcome.complete && outcome.warnings.iter().any(|line| line.contains("can deadlock")));
    }
}

#[test]
fn configurations_that_can_deadlock_are_refused() {
    let (ring, routing) = one_way_ring();
    let traffic = Traffic::new(&ring, "uniform", 0).unwrap();
    let refused = Config { may_deadlock: false, ..config("free", "input-queued:vcs=1") };
    let error = run(&ring, &routing, &traffic, &refused).unwrap_err().to_string();
    assert!(error.contains("can deadlock: 0→1→2→3→0") || error.contains("can deadlock: 1→2→3→0→1"), "{error}");
}

#[test]
fn safe_policies_run_at_full_load() {
    let (ring, routing) = one_way_ring();
    let traffic = Traffic::new(&ring, "uniform", 0).unwrap();
    for (policy, router) in [("hops", "input-queued:vcs=3"), ("plan:dfsssp", "input-queued:vcs=4")] {
        let safe = Config { may_deadlock: false, ..config(policy, router) };
        let outcome = run(&ring, &routing, &traffic, &safe).unwrap();
        assert_eq!(outcome.deadlock, None, "{policy}");
        assert!(outcome.accepted > 0.15, "{policy} {}", outcome.accepted);
    }
}
