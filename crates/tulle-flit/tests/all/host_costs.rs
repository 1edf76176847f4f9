//! Times per message at endpoints (`software`) and gaps between messages (`gap`) in runs to completion, in cycles.

use std::ops::ControlFlow;

use crate::support::fabric;
use tulle_fabric::Fabric;
use tulle_flit::{CompletionOutcome, CompletionSettings, Config, Order, run_to_completion};
use tulle_traffic::collectives::{Allreduce, Group, allreduce};
use tulle_traffic::{Program, Workload};

const BYTES: u64 = 256;
const ROUTERS: [&str; 3] = ["diameter-two", "virtual-cut-through:vcs=3", "input-queued:vcs=3"];

fn with(software: u32, gap: u32) -> CompletionSettings {
    CompletionSettings { software, gap, ..CompletionSettings::default() }
}

fn send(fabric: &Fabric, workload: &Workload, router: &str, settings: &CompletionSettings) -> CompletionOutcome {
    let config = Config { router: router.to_owned(), link_latency: 4, endpoint_latency: 2, ..Config::default() };
    run(fabric, workload, &config, settings).unwrap()
}

fn run(
    fabric: &Fabric,
    workload: &Workload,
    config: &Config,
    settings: &CompletionSettings,
) -> Result<CompletionOutcome, tulle_flit::Error> {
    let routing = tulle_routing::build(fabric, "minimal", 1).unwrap();
    run_to_completion(fabric, &routing, workload, config, settings, &mut |_| ControlFlow::Continue(()))
}

fn messages(rows: &[(u32, u32, u64)]) -> Workload {
    let mut workload = Workload::default();
    rows.iter().for_each(|&(from, to, packets)| workload.push(from, to, packets * BYTES, 0));
    workload
}

fn last(outcome: &CompletionOutcome) -> u32 {
    assert!(outcome.complete, "{:?}", outcome.warnings);
    *outcome.arrival.iter().max().unwrap()
}

#[test]
fn a_message_takes_software_time_at_both_ends() {
    let fabric = fabric("mesh:shape=4");
    for router in ROUTERS {
        for packets in [1, 30] {
            let workload = messages(&[(0, 3, packets)]);
            let idle = last(&send(&fabric, &workload, router, &with(0, 0)));
            for (software, gap) in [(1, 0), (0, 9), (3, 0), (500, 0), (7, 100)] {
                let found = send(&fabric, &workload, router, &with(software, gap));
                assert_eq!((last(&found), found.start[0]), (idle + 2 * software, 0), "{router} {software} {gap}");
            }
        }
    }
}

/// Consecutive messages from one endpoint, or to one endpoint, are max(software, gap) cycles apart, or as many cycles as a message has
/// flits, whichever is more.
#[test]
fn messages_of_one_endpoint_take_turns() {
    let fabric = fabric("clique:degree=7,p=1");
    for router in ROUTERS {
        for packets in [1, 20] {
            let idle = last(&send(&fabric, &messages(&[(0, 1, packets)]), router, &with(0, 0)));
            for (software, gap) in [(0, 9), (6, 0), (6, 50), (30, 4), (1, 1)] {
                let out: Vec<_> = (1..8).map(|to| (0, to, packets)).collect();
                let expected = idle + 2 * software + 6 * software.max(gap).max(packets as u32);
                let settings = CompletionSettings { order: Order::InOrder, ..with(software, gap) };
                assert_eq!(
                    last(&send(&fabric, &messages(&out), router, &settings)),
                    expected,
                    "{router} {software} {gap}"
                );
            }
            let into: Vec<_> = (1..8).map(|from| (from, 0, packets)).collect();
            // The first message arrives in the same cycle as it would without the others. The receiver handles the others one after
            // another.
            let expected = idle + 2 * 400 + 6 * 400;
            if packets == 1 {
                assert_eq!(last(&send(&fabric, &messages(&into), router, &with(400, 0))), expected, "{router}");
                assert_eq!(last(&send(&fabric, &messages(&into), router, &with(0, 400))), idle + 6 * 400, "{router}");
            }
        }
    }
}

/// An endpoint has one processor: a message that arrives while the endpoint handles messages to send waits for them.
#[test]
fn sending_and_receiving_share_a_processor() {
    let fabric = fabric("clique:degree=3,p=1");
    for router in ROUTERS {
        let idle = last(&send(&fabric, &messages(&[(0, 1, 1)]), router, &with(0, 0)));
        let workload = messages(&[(0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 0, 1)]);
        let found = send(&fabric, &workload, router, &with(100, 0));
        assert_eq!(found.arrival, [idle + 200, idle + 300, idle + 400, 300 + 100 - 1], "{router}");
    }
}

/// Every step of a ring allreduce takes 2·software cycles, plus the latency of a message, plus one cycle until the next message can start.
#[test]
fn steps_of_a_ring_allreduce_take_software_time_twice() {
    let fabric = fabric("clique:degree=7,p=1");
    let mut program = Program::default();
    allreduce(&mut program, &mut Group::new((0..8).collect()), Allreduce::Ring, 64);
    let workload = program.finish();
    for router in ROUTERS {
        let idle = last(&send(&fabric, &messages(&[(0, 1, 1)]), router, &with(0, 0)));
        for (software, gap) in [(1, 0), (2, 0), (35, 20)] {
            let found = send(&fabric, &workload, router, &with(software, gap));
            assert_eq!(last(&found) + 1, 14 * (2 * software + idle + 1), "{router} {software} {gap}");
        }
    }
}

#[test]
fn outcomes_do_not_depend_on_threads() {
    let fabric = fabric("slimfly:q=5");
    let workload = tulle_traffic::build(&fabric, "stencil:bytes=2KiB,iterations=3,barrier=dissemination", 1).unwrap();
    for (software, gap) in [(0, 3), (2, 0), (40, 60)] {
        let found = |threads| {
            let router = "input-queued:vcs=4".to_owned();
            let config =
                Config { router, selector: "valiant".to_owned(), threads, link_latency: 4, ..Config::default() };
            let outcome = run(&fabric, &workload, &config, &with(software, gap)).unwrap();
            assert!(outcome.complete);
            format!("{outcome:?}")
        };
        let one = found(1);
        assert!([2, 3].into_iter().all(|threads| one == found(threads)), "{software} {gap}");
    }
}

/// A message counts as missing if it has arrived but its receiver has not handled it before the limit.
#[test]
fn unhandled_messages_are_missing() {
    let fabric = fabric("mesh:shape=4");
    let settings = CompletionSettings { limit: 500, ..with(400, 0) };
    let found = send(&fabric, &messages(&[(0, 3, 1)]), "diameter-two", &settings);
    let line = "1 of 1 messages have not arrived in 500 cycles; the first is message 0, from endpoint 0 to 3";
    assert_eq!((found.warnings.last().unwrap().as_str(), found.arrival[0], found.complete), (line, u32::MAX, false));
    let last = last(&send(&fabric, &messages(&[(0, 3, 1)]), "diameter-two", &with(400, 0)));
    for (limit, complete) in [(last, false), (last + 1, true)] {
        let settings = CompletionSettings { limit, ..with(400, 0) };
        assert_eq!(send(&fabric, &messages(&[(0, 3, 1)]), "diameter-two", &settings).complete, complete);
    }
}

#[test]
fn times_out_of_range_are_refused() {
    let fabric = fabric("mesh:shape=4");
    let error =
        |settings| run(&fabric, &messages(&[(0, 3, 1)]), &Config::default(), &settings).unwrap_err().to_string();
    assert_eq!(error(with(1_000_001, 0)), "software=1000001 is out of range; legal: 0 to 1000000 cycles");
    assert_eq!(error(with(0, u32::MAX)), "gap=4294967295 is out of range; legal: 0 to 1000000 cycles");
}
