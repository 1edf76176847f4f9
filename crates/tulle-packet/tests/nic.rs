//! The endpoint's link: who goes next, and how much may wait.

mod support;

use std::fmt::Write;

use support::{minimal, row, run};
use tulle_packet::Config;
use tulle_traffic::Workload;

/// Three endpoints send eight flows each, from 3 to 400 KB, to three others across one cable, some at once and some later.
fn mixed() -> Workload {
    let mut workload = Workload::default();
    for flow in 0..24u32 {
        let bytes = [400_000, 3_000, 50_000, 150_000][flow as usize % 4] + 997 * u64::from(flow);
        workload.push(flow % 3, 3 + flow * 5 % 3, bytes, u64::from(flow / 6) * 40_000_000);
    }
    workload
}

/// Completion times and what was sent, with every transport: as before endpoints' links had a discipline.
#[test]
fn first_come_first_served_is_as_ever() {
    let fabric = row(2, 3);
    let mut table = String::new();
    for (transport, queue) in [
        ("purified", "trim"),
        ("ndp", "trim:packets=14"),
        ("tcp", "droptail"),
        ("dctcp:handshake=no,interrupt=0", "ecn"),
        ("mptcp:subflows=3", "ecn"),
        ("dcqcn", "pfc:threshold=testbed"),
    ] {
        let nic = "fifo".to_owned();
        let config = Config { transport: transport.to_owned(), queue: queue.to_owned(), nic, ..Config::default() };
        let outcome = run(&fabric, &minimal(&fabric), &mixed(), &config);
        assert!(outcome.complete);
        writeln!(table, "{transport} {queue} {} events", outcome.counters.events).unwrap();
        for (flow, finish) in outcome.flows.finish.iter().enumerate() {
            write!(table, " {finish}{}", if flow % 8 == 7 { "\n" } else { "" }).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

/// A flow of 10 KB beside one of 100 MB from the same endpoint, that has taken the link long ago: picoseconds that it takes.
fn beside_an_elephant(transport: &str, nic: &str) -> u64 {
    let fabric = row(1, 3);
    let mut workload = Workload::default();
    workload.push(0, 1, 20_000_000, 0);
    workload.push(0, 2, 10_000, 8_000_000_000);
    let config = Config { transport: transport.to_owned(), nic: nic.to_owned(), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    assert!(outcome.flows.finish[1] < outcome.flows.finish[0], "{transport} {nic}");
    outcome.flows.finish[1] - 8_000_000_000
}

#[test]
fn a_short_flow_does_not_wait_for_a_long_one() {
    for transport in ["tcp", "dctcp", "mptcp", "purified", "ndp"] {
        let time = beside_an_elephant(transport, "round-robin");
        assert!(time < 200_000_000, "{transport}: {time} ps");
    }
    // First come, first served, a window of the long one is before it.
    assert!(beside_an_elephant("tcp", "fifo") > 5_000_000_000);
}

/// Four flows of an endpoint begin at once. In turn, the shortest ends first, and each while the longer ones have as much behind
/// them as it had; every one is as fast as its share of the link.
#[test]
fn flows_of_an_endpoint_share_its_link() {
    let fabric = row(1, 5);
    let mut workload = Workload::default();
    (1..5).for_each(|flow| workload.push(0, flow, u64::from(flow) * 20 * 8936, 0));
    let config = Config { transport: "ndp:window=200".to_owned(), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    // While n flows are left each sends one packet of n. The first is alone when its first two go; of the last round of each
    // flow it has the first turn.
    let full = 9000 * 800;
    let sent = [4 * (20 - 1) - 2, 20 + 3 * 40 - 2, 20 + 40 + 2 * 60 - 1, 200];
    let links = 2 * 1_000_000 + full;
    assert_eq!(outcome.flows.delivered, sent.map(|packets| packets * full + links));
}

/// What waits at endpoints when a run is cut off is counted there.
#[test]
fn what_waits_for_its_turn_is_in_flight() {
    let fabric = row(1, 3);
    let mut workload = Workload::default();
    (1..3).for_each(|flow| workload.push(0, flow, 30 * 8936, 0));
    let config = Config { transport: "ndp".to_owned(), until: Some(1000), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    assert!(outcome.counters.balance(), "{:?}", outcome.counters);
    assert_eq!((outcome.counters.data_in_flight, outcome.spent.waiting_at_endpoints), (60, 59 * 1000));
}
