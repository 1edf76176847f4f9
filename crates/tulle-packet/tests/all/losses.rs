//! Lost headers, lost packets, and changes of layer.

use crate::support::{flows, layers, minimal, row, run};
use tulle_fabric::FabricBuilder;
use tulle_packet::Config;

/// If a port has space for only one packet and one header, an incast loses headers. A receiver never learns about a packet whose header is
/// lost. So only the source can detect the loss: from answers to later packets, or by its timer.
#[test]
fn the_timer_recovers_lost_headers() {
    let fabric = tulle_topologies::build("star:endpoints=33", 0).unwrap();
    let rows: Vec<_> = (1..33).map(|source| (source, 0, 60_000)).collect();
    let workload = flows(&rows);
    let routing = minimal(&fabric);
    for transport in ["purified:timeout=100us", "ndp:timeout=100us"] {
        let config = Config {
            queue: "trim:packets=1,headers=1".to_owned(),
            transport: transport.to_owned(),
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete);
        assert!(outcome.counters.control_dropped > 0 && outcome.counters.timeouts > 0, "{:?}", outcome.counters);
        // With the default space for headers, no header is lost and no timer fires.
        let config = Config { queue: "trim:packets=1".to_owned(), ..config };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete && outcome.counters.data_trimmed > 0);
        assert_eq!((outcome.counters.control_dropped, outcome.counters.timeouts), (0, 0));
    }
}

/// There are two paths from switch 0 to switch 3: over switch 1 in layer 0, and over switch 2 in layer 1. Two flows in layer 0 overload the
/// link from switch 0 to switch 1. If flows can change layers, one of the two flows moves to layer 1.
#[test]
fn trimming_makes_flows_change_layers() {
    let mut builder = FabricBuilder::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        builder.cable(a, b);
    }
    builder.endpoints(0, 2);
    builder.endpoints(3, 2);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let over_1: [&[u32]; 4] = [&[0, 1, 2, 1], &[0, 1, 0, 3], &[0, 0, 2, 3], &[1, 1, 2, 3]];
    let over_2: [&[u32]; 4] = [&[0, 1, 2, 2], &[0, 1, 0, 3], &[0, 0, 2, 3], &[2, 1, 2, 3]];
    let routing = layers(&fabric, &[&over_1, &over_2]);
    let workload = flows(&[(0, 2, 4_000_000), (1, 3, 4_000_000)]);
    let mean = |change: &str| {
        let config = Config {
            transport: format!("purified:window=16,change={change}"),
            selector: "flowlet:first=minimal".to_owned(),
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete && outcome.counters.data_trimmed > 0);
        assert_eq!(outcome.flows.hops, [4.0, 4.0]);
        let changes: u32 = outcome.flows.layer_changes.iter().sum();
        assert_eq!(changes > 0, change == "yes", "{changes} changes");
        outcome.flows.completion_times().sum::<u64>() as f64 / 2.0
    };
    let (with, without) = (mean("yes"), mean("no"));
    assert!(with < 0.85 * without, "with {with}, without {without}");
}

/// A pause of at least the flowlet gap starts a new flowlet. With a gap of 0, every packet is a flowlet.
#[test]
fn pauses_start_flowlets() {
    let fabric = tulle_topologies::build("clique:degree=6,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=4,rho=0.5", 1).unwrap();
    let workload = flows(&[(0, 13, 2_000_000)]);
    let changes = |selector: &str| {
        let config = Config { selector: selector.to_owned(), ..Config::default() };
        run(&fabric, &routing, &workload, &config).flows.layer_changes[0]
    };
    assert_eq!(changes("flowlet"), 0);
    assert_eq!(changes("ecmp"), 0);
    // The flow has 224 packets. With four layers, three of four packets take another layer than the previous packet.
    let packets = changes("flowlet:gap=0");
    assert!((140..=200).contains(&packets), "{packets}");
}

/// Four long flows keep the queue of a link full, so many packets of one-packet flows over this link are trimmed. With priority,
/// retransmissions do not wait in this queue and are not trimmed again.
#[test]
fn priority_speeds_up_retransmissions() {
    let fabric = row(2, 8);
    let routing = minimal(&fabric);
    let mut workload = flows(&[(0, 8, 9_000_000), (1, 9, 9_000_000), (2, 10, 9_000_000), (3, 11, 9_000_000)]);
    for flow in 0..200 {
        workload.push(4 + flow % 4, 12 + flow % 4, 8000, 1_000_000_000 + u64::from(flow) * 50_000_000);
    }
    let mean_of_short = |priority: &str| {
        let config = Config { transport: format!("purified:priority={priority}"), ..Config::default() };
        let outcome = run(&fabric, &routing, &workload, &config);
        let again: Vec<usize> = (4..204).filter(|&flow| outcome.flows.retransmits[flow] > 0).collect();
        assert!(outcome.complete && again.len() > 50, "{} trimmed", again.len());
        let time = |&flow: &usize| outcome.flows.finish[flow] - outcome.flows.start[flow];
        again.iter().map(time).sum::<u64>() / again.len() as u64
    };
    let (with, without) = (mean_of_short("yes"), mean_of_short("no"));
    assert!(with < without * 9 / 10, "with {with}, without {without}");
}

/// A lost packet costs only the time to detect the loss, because its credit is returned. Otherwise, losses would permanently reduce the
/// window (8 packets with `purified`) to 1 packet. The flow sends 40 MB over two switches with links of 10 us, with losses in both
/// directions.
#[test]
fn lost_packets_do_not_cost_credit() {
    let fabric = row(2, 1);
    let routing = minimal(&fabric);
    let workload = flows(&[(0, 1, 40_000_000)]);
    let took = |transport: &str, loss: Option<&str>, seed: u64| {
        let config = Config {
            link_latency: 10_000_000,
            transport: transport.to_owned(),
            faults: loss.map(|loss| format!("drop:links=1,loss={loss}")).into_iter().collect(),
            seed,
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete);
        (outcome.end, outcome.counters)
    };
    for transport in ["purified", "ndp"] {
        let (ideal, counters) = took(transport, None, 0);
        assert_eq!(counters.retransmitted, 0);
        for seed in 0..4 {
            let (end, counters) = took(transport, Some("0.1%"), seed);
            assert!(counters.data_lost > 2 && counters.control_lost > 2, "{counters:?}");
            // Every lost packet is retransmitted once, unless it is lost again. Almost no other packet is retransmitted.
            assert!(counters.retransmitted <= counters.data_lost + counters.control_lost + 4, "{counters:?}");
            assert!(end < ideal * 11 / 10, "{transport}: {end} ps with losses, {ideal} without");
            let (end, _) = took(transport, Some("1%"), seed);
            assert!(end < ideal * 3 / 2, "{transport}: {end} ps with ten times the losses, {ideal} without");
        }
    }
}

/// Links fail during a permutation. The flows over them continue on other paths within a few round trips, and other flows are not
/// delayed.
#[test]
fn flows_survive_dead_links_at_full_speed() {
    let fabric = tulle_topologies::build("slimfly:q=5", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "redksp:k=4", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=1MB", 0).unwrap();
    let slowest = |transport: &str, faults: &[&str]| {
        let faults = faults.iter().map(|&fault| fault.to_owned()).collect();
        let (transport, selector) = (transport.to_owned(), "flowlet".to_owned());
        let config = Config { transport, selector, faults, ..Config::default() };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete);
        outcome.flows.completion_times().max().unwrap()
    };
    let dead = ["down:links=5%,at=200us"];
    let (without, with) = (slowest("purified", &[]), slowest("purified", &dead));
    assert!(with < 2 * without, "{with} ps with failed links, {without} without");
    assert!(with < slowest("tcp", &dead) * 11 / 10);
}

/// Without a handshake, a connection that loses its whole first window has not measured a round-trip time. Nevertheless, the loss costs
/// only a few milliseconds, not one second, the initial timeout of RFC 6298. With MPTCP, a subflow that loses its first window does not
/// delay other subflows.
#[test]
fn a_lost_first_window_does_not_cost_a_second() {
    let fabric = row(2, 1);
    let routing = minimal(&fabric);
    let workload = flows(&[(0, 1, 200_000)]);
    for transport in ["tcp:handshake=no", "dctcp:handshake=no", "mptcp:window=16,subflows=8,handshake=no"] {
        let config = Config {
            transport: transport.to_owned(),
            faults: vec!["drop:links=1,until=60us".to_owned()],
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        assert!(outcome.complete && outcome.counters.data_lost >= 2, "{:?}", outcome.counters);
        // The limit of 5 ms covers the initial timeout of 2 ms, a few minimum timeouts (200 us), and the time of the flow.
        assert!(outcome.end < 5_000_000_000, "{transport}: {} ps", outcome.end);
        // With a handshake, RFC 6298 requires an initial timeout of one second.
        let transport = transport.replace("handshake=no", "handshake=yes");
        let outcome = run(&fabric, &routing, &workload, &Config { transport, ..config });
        assert!(outcome.complete && outcome.end > 1_000_000_000_000);
    }
}
