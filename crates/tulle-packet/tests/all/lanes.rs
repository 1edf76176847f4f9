//! Virtual lanes: a run with a valid plan neither deadlocks nor loses data, and lanes pause only themselves.

use std::ops::ControlFlow;

use crate::support::{check, flows, row};
use proptest::prelude::*;
use tulle_deadlock::{VcPlan, assign_vcs};
use tulle_fabric::Fabric;
use tulle_packet::{Config, Outcome, simulate, simulate_with_plan};
use tulle_routing::Routing;
use tulle_traffic::Workload;

fn run(fabric: &Fabric, routing: &Routing, plan: &VcPlan, workload: &Workload, config: &Config) -> Outcome {
    simulate_with_plan(fabric, routing, plan, workload, config, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn pfc(queue: &str, transport: &str, selector: &str) -> Config {
    let [queue, transport, selector] = [queue, transport, selector].map(str::to_owned);
    Config { mtu: 1500, queue, transport, selector, ..Config::default() }
}

fn without_plan(fabric: &Fabric, routing: &Routing, workload: &Workload, config: &Config) -> Outcome {
    simulate(fabric, routing, workload, config, &mut |_| ControlFlow::Continue(())).unwrap()
}

const FABRICS: [&str; 7] = [
    "torus:dims=3x3,p=2",
    "torus:dims=5,p=3",
    "slimfly:q=3",
    "dragonfly:p=1,a=3,h=1",
    "hyperx:shape=3x3,p=2",
    "hypercube:dimensions=3,p=2",
    "jellyfish:switches=10,degree=3,p=2",
];
const ROUTINGS: [&str; 6] =
    ["minimal", "random:layers=3,rho=0.6", "balanced:layers=2", "almost-minimal:layers=3", "ksp:k=3", "redksp:k=3"];
const SCHEMES: [&str; 6] = ["dfsssp", "lash", "hops", "colouring", "dfsssp:vcs=8", "one-vc"];
const TRANSPORTS: [&str; 6] = [
    "dcqcn:control=no",
    "dcqcn",
    "ndp:window=40",
    "purified:window=40",
    "tcp:window=60,handshake=no",
    "mptcp:subflows=3",
];
const SELECTORS: [&str; 8] = ["ecmp", "flowlet", "random", "round-robin", "spray", "ugal", "recycle", "ksp-adaptive"];
const QUEUES: [&str; 6] = [
    "pfc:xoff=20KB,mark=no",
    "pfc:xoff=10KB,xon=0,control=data,mark=no",
    "pfc:xoff=8KB,lanes=whole",
    "pfc:buffer=300KB,mark=no",
    "pfc:buffer=150KB,alpha=50%,control=data",
    "pfc:threshold=testbed",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// With its plan, every routing delivers all bytes, whatever the fabric, scheme, transport, selector and thresholds are.
    #[test]
    fn runs_with_a_plan_complete(
        picks in [0..FABRICS.len(), 0..ROUTINGS.len(), 0..SCHEMES.len(), 0..TRANSPORTS.len(), 0..SELECTORS.len(), 0..QUEUES.len()],
        seed in 0u64..8,
        turn in 1u32..40,
    ) {
        let [fabric, routing, scheme, transport, selector, queue] = picks;
        let fabric = tulle_topologies::build(FABRICS[fabric], seed).unwrap();
        let Ok(routing) = tulle_routing::build(&fabric, ROUTINGS[routing], seed) else { return Ok(()) };
        // Some schemes cannot plan some routings.
        let Ok((plan, repaired)) = assign_vcs(&fabric, &routing, SCHEMES[scheme]) else { return Ok(()) };
        let routing = repaired.unwrap_or(routing);
        prop_assume!(plan.num_vcs() <= 15);
        // Every endpoint sends to the endpoint whose number is larger by the same offset. The endpoints of a switch therefore send to at
        // most two switches and overload cables.
        let endpoints = fabric.num_endpoints() as u32;
        let rows: Vec<_> = (0..endpoints)
            .map(|from| (from, (from + 1 + turn % (endpoints - 1)) % endpoints, 60_000 + u64::from(from) * 977))
            .collect();
        let workload = flows(&rows);
        let config = Config { seed, ..pfc(QUEUES[queue], TRANSPORTS[transport], SELECTORS[selector]) };
        let outcome = run(&fabric, &routing, &plan, &workload, &config);
        prop_assert!(outcome.complete && outcome.deadlock.is_none(), "{:?} {:?}", outcome.deadlock, outcome.counters);
        prop_assert_eq!(outcome.counters.data_dropped + outcome.counters.control_dropped, 0);
        check(&outcome, &workload, 1436);
        prop_assert_eq!(outcome.num_lanes, plan.num_vcs());
        // Results depend neither on the number of threads nor on the run.
        let threaded = Config { threads: Some(4), ..config };
        prop_assert!(run(&fabric, &routing, &plan, &workload, &threaded) == outcome, "threads");
    }
}

/// On a torus, shortest paths deadlock with a single lane. With the lanes of a plan, they do not.
#[test]
fn a_torus_deadlocks_without_its_plan() {
    let fabric = tulle_topologies::build("torus:dims=5,p=4", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let rows: Vec<_> = (0..20).map(|from| (from, (from + 8) % 20, 2_000_000)).collect();
    let config = pfc("pfc:threshold=testbed", "dcqcn:control=no", "ecmp");
    let alone = without_plan(&fabric, &routing, &flows(&rows), &config);
    assert!(alone.deadlock.is_some() && alone.num_lanes == 1);
    assert!(alone.deadlock.unwrap().ports.iter().all(|port| port.lane.is_none()));
    for scheme in ["dfsssp", "lash", "hops"] {
        let (plan, _) = assign_vcs(&fabric, &routing, scheme).unwrap();
        let outcome = run(&fabric, &routing, &plan, &flows(&rows), &config);
        assert!(outcome.complete && outcome.counters.data_dropped == 0, "{scheme}: {:?}", outcome.deadlock);
    }
}

/// Many networks deadlock under load without their plan, and none with it.
#[test]
fn many_networks_need_their_plan() {
    let mut deadlocks = 0;
    for fabric in FABRICS {
        let fabric = tulle_topologies::build(fabric, 1).unwrap();
        for routing in ROUTINGS {
            let Ok(routing) = tulle_routing::build(&fabric, routing, 1) else { continue };
            let (plan, _) = assign_vcs(&fabric, &routing, "dfsssp").unwrap();
            let endpoints = fabric.num_endpoints() as u32;
            let turns = [endpoints / 2, endpoints / 3, 2 * endpoints / 3];
            let row = |from: u32, turn: u32| (from, (from + turn) % endpoints, 200_000);
            let rows: Vec<_> = (0..endpoints).flat_map(|from| turns.map(|turn| row(from, turn))).collect();
            let config = pfc("pfc:xoff=6KB,xon=3KB,mark=no", "dcqcn:control=no", "round-robin:per=flow");
            deadlocks += u32::from(without_plan(&fabric, &routing, &flows(&rows), &config).deadlock.is_some());
            let outcome = run(&fabric, &routing, &plan, &flows(&rows), &config);
            assert!(outcome.complete, "{} on {}: {:?}", routing.spec(), fabric.spec(), outcome.deadlock);
        }
    }
    assert!(deadlocks >= 10, "{deadlocks}");
}

/// With one lane, a plan does not change the results of transports without urgent data. The results of `dcqcn` can differ: with lanes, a
/// pause stops single flows of an endpoint, not all of them.
#[test]
fn one_lane_equals_no_plan() {
    let fabric = row(4, 3);
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &routing, "one-vc").unwrap();
    let rows: Vec<_> =
        (0..12).flat_map(|from| [(from, (from + 5) % 12, 300_000), (from, (from + 7) % 12, 90_000)]).collect();
    for transport in ["dcqcn:control=no", "tcp:window=100,handshake=no", "ndp"] {
        for queue in ["pfc:xoff=20KB,headroom=20KB", "pfc:buffer=200KB,headroom=20KB,control=data"] {
            let config = pfc(queue, transport, "ecmp");
            let alone = without_plan(&fabric, &routing, &flows(&rows), &config);
            let planned = run(&fabric, &routing, &plan, &flows(&rows), &config);
            assert!(alone.complete && planned.complete && alone.counters.pauses > 0);
            if transport != "dcqcn:control=no" {
                assert_eq!(planned.flows, alone.flows, "{transport}, {queue}");
            }
        }
    }
}

/// A lane pauses only itself: a congested port does not slow down a flow on another lane that does not use this port.
#[test]
fn lanes_pause_only_themselves() {
    let fabric = row(3, 7);
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let mut plans = (2..9).map(|vcs| assign_vcs(&fabric, &routing, &format!("dfsssp:vcs={vcs}")).unwrap().0);
    let plan = plans.find(|plan| plan.sl(0, 0, 1) != plan.sl(0, 0, 2)).expect("paths are spread over the lanes");
    // Six flows overload the cable from switch 1 to switch 2. The last flow ends at switch 1.
    let mut rows: Vec<_> = [0, 1, 2, 7, 8, 9].into_iter().zip(14..).map(|(from, to)| (from, to, 3_000_000)).collect();
    rows.push((3, 10, 1_000_000));
    let config = pfc("pfc:xoff=10KB,mark=no", "dcqcn:control=no", "ecmp");
    let finish = |outcome: Outcome| {
        assert!(outcome.complete);
        *outcome.flows.finish.last().unwrap()
    };
    let alone = finish(without_plan(&fabric, &routing, &flows(&rows[6..]), &config));
    let held = finish(without_plan(&fabric, &routing, &flows(&rows), &config));
    let planned = finish(run(&fabric, &routing, &plan, &flows(&rows), &config));
    // Two lanes share the cable to switch 1 evenly. With one lane, the flow waits for packets to switch 2.
    assert!(planned <= 2 * alone && held > 5 * planned, "{alone} alone, {planned} with lanes, {held} without");
}

/// Returns the error of a simulation with the plan of `routing` by `scheme`. The simulated routing is `other`, if it is given.
fn error(queue: &str, scheme: &str, routing: &str, other: Option<&str>) -> String {
    let is_tree = routing == "updown";
    let spec = if is_tree { "fattree:levels=2,leaves=4,cores=2,p=2" } else { "torus:dims=4x4" };
    let fabric = tulle_topologies::build(spec, 0).unwrap();
    let build = |spec: &str| tulle_routing::build(&fabric, spec, 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &build(routing), scheme).unwrap();
    let config = pfc(queue, "tcp", "ecmp");
    let simulated = build(other.unwrap_or(routing));
    let flows = flows(&[(0, 1, 1)]);
    let found = simulate_with_plan(&fabric, &simulated, &plan, &flows, &config, &mut |_| ControlFlow::Continue(()));
    found.unwrap_err().to_string()
}

#[test]
fn plans_that_cannot_run_are_refused() {
    let drops = error("droptail", "dfsssp", "minimal", None);
    assert_eq!(
        drops,
        "queue=droptail drops packets, so it has no virtual lanes for dfsssp; legal: queue=pfc, or no deadlock scheme"
    );
    let many = error("pfc", "dfsssp:vcs=16", "minimal", None);
    assert!(many.starts_with("dfsssp:vcs=16 uses 16 virtual lanes for minimal; legal: at most 15"), "{many}");
    let other = error("pfc", "dfsssp", "minimal", Some("random:layers=2"));
    assert!(other.contains("the plan dfsssp is not valid for routing 'random:layers=2"), "{other}");
    let phases = error("pfc", "phases", "updown", None);
    assert!(phases.starts_with("phases:inner=one-vc plans routes over an intermediate switch"), "{phases}");
}
