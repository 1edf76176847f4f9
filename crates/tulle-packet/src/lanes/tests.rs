//! A ring whose paths run clockwise: it needs two virtual lanes, and it deadlocks if both are merged into one.

use std::ops::ControlFlow;

use tulle_deadlock::{VcPlan, assign_vcs};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_routing::{Routes, Routing, TableBuilder};
use tulle_traffic::Workload;

use super::LanePlan;
use crate::simulate::run;
use crate::{Config, Outcome};

const SWITCHES: u32 = 5;

/// Returns a ring with four endpoints per switch, and its clockwise routing.
fn ring() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(SWITCHES);
    (0..SWITCHES).for_each(|switch| builder.cable(switch, (switch + 1) % SWITCHES));
    builder.endpoints_each(4);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let mut table = TableBuilder::new(&fabric);
    for switch in 0..SWITCHES {
        let next = (switch + 1) % SWITCHES;
        let port = fabric.neighbours(switch).iter().position(|&other| other == next).unwrap() as u16;
        (0..SWITCHES).filter(|&to| to != switch).for_each(|to| table.set(switch, to, &[port]));
    }
    let routing = Routing::new("clockwise".to_owned(), Routes::Layers(vec![table.finish()]));
    (fabric, routing)
}

fn simulate(plan: Option<&VcPlan>, merge: bool, transport: &str, control: &str) -> Outcome {
    let (fabric, routing) = ring();
    let mut workload = Workload::default();
    // Every endpoint sends to an endpoint three switches further on.
    (0..4 * SWITCHES).for_each(|from| workload.push(from, (from + 12) % (4 * SWITCHES), 1_000_000, 0));
    let config = Config {
        mtu: 1500,
        transport: transport.to_owned(),
        selector: "ecmp".to_owned(),
        queue: format!("pfc:threshold=testbed,control={control}"),
        ..Config::default()
    };
    let lanes = plan.map(|plan| {
        let mut lanes = LanePlan::new(plan, &fabric, &routing, &config).unwrap();
        if merge {
            lanes.lanes.fill(0);
        }
        lanes
    });
    let outcome = run(&fabric, &routing, lanes, &workload, &config, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.counters.balance(), "{:?}", outcome.counters);
    assert_eq!(outcome.counters.data_dropped + outcome.counters.control_dropped, 0);
    assert_eq!(outcome.complete, outcome.deadlock.is_none());
    outcome
}

#[test]
fn a_ring_deadlocks_without_lanes_or_with_merged_lanes_and_completes_with_its_plan() {
    let (fabric, routing) = ring();
    for scheme in ["dfsssp", "lash", "hops", "dfsssp:vcs=6"] {
        let (plan, _) = assign_vcs(&fabric, &routing, scheme).unwrap();
        for (transport, control) in [
            ("dcqcn:control=no", "first"),
            ("dcqcn", "first"),
            ("ndp", "first"),
            ("tcp:window=100,handshake=no", "data"),
        ] {
            let about = format!("{scheme}, {transport}");
            assert!(simulate(None, false, transport, control).deadlock.is_some(), "{about}");
            let planned = simulate(Some(&plan), false, transport, control);
            assert!(planned.complete && planned.counters.pauses > 0, "{about}: {:?}", planned.deadlock);
            assert_eq!(planned.num_lanes, plan.num_vcs(), "{about}");
            let merged = simulate(Some(&plan), true, transport, control);
            let deadlock = merged.deadlock.unwrap_or_else(|| panic!("{about}: no deadlock with merged lanes"));
            assert_eq!(deadlock.ports.len(), SWITCHES as usize, "{about}");
            assert!(deadlock.ports.iter().all(|port| port.lane == Some(0) && port.bytes > 0), "{about}: {deadlock:?}");
        }
    }
}
