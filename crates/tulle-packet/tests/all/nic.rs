//! The link of an endpoint: which flow sends next, and how much data of a flow can wait.

use std::fmt::Write;

use crate::support::{minimal, row, run};
use tulle_packet::Config;
use tulle_traffic::Workload;

/// Returns a workload in which three endpoints send eight flows each to three other endpoints over one cable. The flows have 4 to 420 KB
/// and start at four different times.
fn mixed() -> Workload {
    let mut workload = Workload::default();
    for flow in 0..24u32 {
        let bytes = [400_000, 3_000, 50_000, 150_000][flow as usize % 4] + 997 * u64::from(flow);
        workload.push(flow % 3, 3 + flow * 5 % 3, bytes, u64::from(flow / 6) * 40_000_000);
    }
    workload
}

/// This test disables turns between flows, limits of waiting data, and jitter. The completion times of every transport must then equal
/// those of an earlier version, which had none of these options. No packet is lost and no timer expires.
#[test]
fn first_come_first_served_is_as_ever() {
    let fabric = row(2, 3);
    let mut table = String::new();
    for (transport, more, queue) in [
        ("purified", "", "trim"),
        ("ndp", "", "trim:packets=14"),
        ("tcp:rto_min=20ms", ",unsent=none,jitter=0", "droptail:packets=1000"),
        ("dctcp:handshake=no,interrupt=0,rto_min=20ms", ",unsent=none,jitter=0", "ecn:packets=1000"),
        ("mptcp:subflows=3,rto_min=20ms,ecn=no", ",unsent=none,jitter=0", "droptail:packets=1000"),
        ("dcqcn", "", "pfc:threshold=testbed"),
    ] {
        let nic = "fifo".to_owned();
        let config =
            Config { transport: format!("{transport}{more}"), queue: queue.to_owned(), nic, ..Config::default() };
        let outcome = run(&fabric, &minimal(&fabric), &mixed(), &config);
        assert!(outcome.complete);
        writeln!(table, "{transport} {queue} {} events", outcome.counters.events).unwrap();
        for (flow, finish) in outcome.flows.finish.iter().enumerate() {
            write!(table, " {finish}{}", if flow % 8 == 7 { "\n" } else { "" }).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

/// Returns the completion time of a flow of 10 KB, in picoseconds. A flow of 20 MB from the same endpoint has started 8 ms earlier.
fn time_beside_a_long_flow(transport: &str, nic: &str) -> u64 {
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
        let time = time_beside_a_long_flow(transport, "round-robin");
        assert!(time < 200_000_000, "{transport}: {time} ps");
    }
    // With fifo, the short flow waits for all data that the long flow has queued: a full window, or, if unsent data is limited, only the
    // data within the limit.
    assert!(time_beside_a_long_flow("tcp:unsent=none", "fifo") > 5_000_000_000);
    assert!(time_beside_a_long_flow("tcp", "fifo") < 300_000_000);
}

/// Four flows of an endpoint start at the same time and take turns. Every flow gets an equal share of the link, so the flows finish in
/// the order of their sizes.
#[test]
fn flows_of_an_endpoint_share_its_link() {
    let fabric = row(1, 5);
    let mut workload = Workload::default();
    (1..5).for_each(|flow| workload.push(0, flow, u64::from(flow) * 20 * 8936, 0));
    let config = Config { transport: "ndp:window=200".to_owned(), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    // Flow 1 sends one packet alone. Then, in every round, each unfinished flow sends one packet, in the order 1, 2, 3, 4. When a flow
    // sends its last packet, the shorter flows have finished. Each longer flow has sent one packet fewer than this flow, but two packets
    // fewer than flow 1.
    let full = 9000 * 800;
    let sent = [4 * (20 - 1) - 2, 20 + 3 * 40 - 2, 20 + 40 + 2 * 60 - 1, 200];
    let links = 2 * 1_000_000 + full;
    assert_eq!(outcome.flows.delivered, sent.map(|packets| packets * full + links));
}

/// Packets that wait at endpoints when a run ends early count as in flight, and their waiting time is counted.
#[test]
fn waiting_packets_at_endpoints_are_in_flight() {
    let fabric = row(1, 3);
    let mut workload = Workload::default();
    (1..3).for_each(|flow| workload.push(0, flow, 30 * 8936, 0));
    let config = Config { transport: "ndp".to_owned(), until: Some(1000), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    assert!(outcome.counters.balance(), "{:?}", outcome.counters);
    assert_eq!((outcome.counters.data_in_flight, outcome.spent.waiting_at_endpoints), (60, 59 * 1000));
}

/// Simulates `flows` long flows to one endpoint, each from a different endpoint.
///
/// Returns Jain's fairness index of the rates of the flows (1 if all rates are equal), and the total time relative to the transmission time
/// of all packets on the receiver's link.
fn share(flows: u32, bytes: u64, transport: &str, seed: u64) -> (f64, f64) {
    let fabric = row(2, flows as usize);
    let mut workload = Workload::default();
    (0..flows).for_each(|flow| workload.push(flow, flows, bytes, 0));
    let queue = tulle_packet::default_queue(transport).unwrap().to_owned();
    let config =
        Config { transport: transport.to_owned(), queue, selector: "ecmp".to_owned(), seed, ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    let rates: Vec<f64> = outcome.flows.finish.iter().map(|&finish| bytes as f64 / finish as f64).collect();
    let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|rate| rate * rate).sum::<f64>());
    let ideal = u64::from(flows) * bytes.div_ceil(8936) * 9000 * 800;
    (sum * sum / (f64::from(flows) * squares), outcome.end as f64 / ideal as f64)
}

/// Equal flows share a port fairly and use it fully. Earlier versions had three problems: phase effects (Floyd and Jacobson, 1992) favoured
/// one of two flows, timers with exponential back-off left the port idle, and duplicates from MPTCP filled the port.
#[test]
fn equal_flows_share_a_port() {
    for transport in ["tcp", "dctcp", "mptcp"] {
        for flows in [2, 8, 32] {
            let (jain, makespan) = share(flows, 40_000_000, transport, 0);
            assert!(jain >= 0.95 && makespan <= 1.05, "{flows} {transport}: {jain:.3} {makespan:.3}");
        }
    }
    let (jain, makespan) = share(2, 40_000_000, "tcp:jitter=0", 0);
    assert!(jain < 0.9 && makespan > 1.1, "without jitter: {jain:.3} {makespan:.3}");
    let (_, makespan) = share(32, 40_000_000, "mptcp:stale=1", 0);
    assert!(makespan > 1.2, "{makespan:.3}");
}

/// A flow that fills its link must not keep a queue exactly full, which would lock out another flow. Without random gaps, this happens
/// because the clocks of endpoint and switch are identical.
#[test]
fn a_flow_that_fills_its_link_leaves_room_for_others() {
    for seed in 0..10 {
        let (jain, makespan) = share(2, 400_000_000, "tcp", seed);
        assert!(jain >= 0.95 && makespan <= 1.05, "seed {seed}: {jain:.3} {makespan:.3}");
    }
}

/// The waiting data of a window-based flow at its endpoint is limited for every window size, and the limit never leaves the link idle.
#[test]
fn unsent_data_is_bounded() {
    let fabric = row(1, 2);
    let mut workload = Workload::default();
    workload.push(0, 1, 200 * 8936, 0);
    let backlog = |transport: &str| {
        let config = Config {
            transport: format!("{transport},window=200,handshake=no,interrupt=0,jitter=0"),
            ..Config::default()
        };
        let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
        (outcome.links.peak.iter().max().copied().unwrap() / (9000 * 800), outcome.flows.delivered[0])
    };
    let (all, time) = backlog("tcp:unsent=none");
    assert_eq!((all, time), (200, (200 + 1) * 9000 * 800 + 2 * 1_000_000));
    // The backlog is the packet that is being sent plus the packets within the limit.
    assert_eq!(backlog("tcp:unsent=1B"), (2, time));
    assert_eq!(backlog("dctcp:unsent=27000B"), (4, time));
    assert_eq!(backlog("mptcp:subflows=1"), (1 + (128 << 10) / 9000, time));
}
