//! Tests that completion times equal formulas to the picosecond.

use crate::support::{flows, minimal, row, run};
use tulle_packet::Config;

const SELECTORS: [&str; 3] = ["ecmp", "spray", "flowlet"];
const LATENCY: u64 = 1_000_000;

/// Returns the transmission time of `bytes` at 10 Gb/s, in picoseconds.
fn wire(bytes: u64) -> u64 {
    bytes * 800
}

/// On an idle fabric, N packets with transmission time s arrive over H links of latency L after (N − 1)·s + H·(s + L) if the window
/// holds N packets. The acknowledgements, with transmission time a, take another H·(a + L).
#[test]
fn idle_fabrics_take_the_closed_form() {
    for links in 2..=6u64 {
        let switches = links as u32 - 1;
        let fabric = row(switches, 2);
        let routing = minimal(&fabric);
        let (source, destination) = (0, 2 * switches - 1);
        for selector in SELECTORS {
            for (transport, window) in [("purified:window=8", 8), ("ndp", 30)] {
                for packets in [1, 2, 3, window] {
                    let config =
                        Config { selector: selector.to_owned(), transport: transport.to_owned(), ..Config::default() };
                    let workload = flows(&[(source, destination, packets * (9000 - 64))]);
                    let outcome = run(&fabric, &routing, &workload, &config);
                    let s = wire(9000);
                    let arrived = (packets - 1) * s + links * (s + LATENCY);
                    assert_eq!(outcome.flows.delivered, [arrived], "{links} links, {packets} packets, {transport}");
                    assert_eq!(outcome.flows.finish, [arrived + links * (wire(64) + LATENCY)]);
                    assert_eq!(outcome.flows.hops, [links as f32]);
                    assert_eq!(outcome.end, outcome.flows.finish[0]);
                    assert!(outcome.complete);
                }
            }
        }
    }
}

/// The first of N packets reaches the second link after s + L. The link is then busy without a break for the time N·s. The last bit of each
/// packet arrives when the previous packet has been sent.
#[test]
fn samples_of_a_link_follow_a_flow() {
    let fabric = row(2, 1);
    let sample_links = vec!["0--1".to_owned(), "1--0".to_owned()];
    let config = Config { sample: Some(LATENCY), sample_links, ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, 1, 8 * 8936)]), &config);
    let (found, first) = (&outcome.link_samples, wire(9000) + LATENCY);
    let sent = |time: u64| time.clamp(first, first + 8 * wire(9000)) - first;
    let mut since = 0;
    for (row, &time) in found.time.iter().enumerate().filter(|&(row, _)| found.link[row] == 0) {
        assert_eq!(found.bytes[row], sent(time) / 800, "{time}");
        let arrived = if time < first { 0 } else { (1 + (time - first) / wire(9000)).min(8) * 9000 };
        assert_eq!(found.queue[row], arrived - found.bytes[row], "{time}");
        let used = (sent(time) - sent(since)) as f64 / (time - since) as f64;
        assert!((found.utilisation[row] - used).abs() < 1e-9, "{time}: {} is not {used}", found.utilisation[row]);
        since = time;
    }
    assert_eq!((since, found.time.len() as u64), (outcome.end, 2 * outcome.end.div_ceil(LATENCY)));
    assert_eq!(found.bytes[found.bytes.len() - 2..], outcome.links.bytes[..2]);
}

/// If an endpoint sends N packets back to back, packet i waits behind i packets at the endpoint. No packet waits at a switch. If two
/// endpoints send to one endpoint, packets of one sender wait at the switch.
#[test]
fn the_time_of_packets_has_a_closed_form() {
    let fabric = row(3, 2);
    let routing = minimal(&fabric);
    let (s, a, packets, links) = (u128::from(wire(9000)), u128::from(wire(64)), 5u128, 4u128);
    let config = Config { transport: "ndp".to_owned(), ..Config::default() };
    let outcome = run(&fabric, &routing, &flows(&[(0, 5, 5 * 8936)]), &config);
    let (time, control) = (outcome.spent, u128::from(outcome.counters.control_sent));
    assert_eq!(time.waiting_at_endpoints, s * packets * (packets - 1) / 2);
    assert_eq!((time.waiting_at_switches, time.handling), (0, 0));
    assert_eq!(time.sending, links * (packets * s + control * a));
    assert_eq!(time.travelling, (packets + control) * links * u128::from(LATENCY));
    let time = run(&fabric, &routing, &flows(&[(0, 5, 8936), (1, 5, 8936)]), &config).spent;
    assert_eq!((time.waiting_at_endpoints, time.waiting_at_switches), (0, s));
    let config = Config { transport: "tcp:software=3us,interrupt=0,handshake=no,window=20".to_owned(), ..config };
    let time = run(&fabric, &routing, &flows(&[(0, 5, 5 * 8936)]), &config).spent;
    assert_eq!(time.handling, 2 * packets * 3_000_000);
}

/// A profile counts every event, and recording it does not change the results.
#[test]
fn a_profile_accounts_for_all_events() {
    let fabric = tulle_topologies::build("fattree:levels=3,radix=4", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=1MB", 1).unwrap();
    let config = Config { threads: Some(2), ..Config::default() };
    let plain = run(&fabric, &minimal(&fabric), &workload, &config);
    let mut profiled = run(&fabric, &minimal(&fabric), &workload, &Config { profile: true, ..config });
    let profile = profiled.profile.take().unwrap();
    assert!(profiled == plain, "{:?} became {:?}", plain.counters, profiled.counters);
    assert_eq!(profile.threads, 2);
    assert_eq!(profile.events.iter().map(|&(_, events, _)| events).sum::<u64>(), plain.counters.events);
    let seconds: f64 = profile.events.iter().map(|&(.., seconds)| seconds).sum();
    assert!(seconds > 0.0 && profile.running > 0.0 && profile.setup > 0.0, "{profile:?}");
}

/// The formula for N packets over H idle links, (N − 1)·s + H·(s + L), holds with every queue. It holds for window-based transports within
/// the first window, and for DCQCN while its rate is not reduced. A handshake adds a round trip of headers.
#[test]
fn idle_fabrics_take_the_closed_form_with_every_transport() {
    let fabric = row(3, 2);
    let routing = minimal(&fabric);
    let (links, s, a) = (4, wire(9000), wire(64));
    for (transport, window, opening) in [
        ("tcp:window=20,interrupt=0,jitter=0,handshake=no", 20, 0),
        ("tcp:window=20,interrupt=0,jitter=0", 20, 1),
        ("dctcp:window=20,interrupt=0,jitter=0", 20, 1),
        ("mptcp:window=20,interrupt=0,jitter=0,subflows=1", 20, 1),
        ("dcqcn", 60, 0),
    ] {
        for queue in ["droptail", "ecn", "trim", "pfc"] {
            for packets in [1, 2, window] {
                let transport = transport.to_owned();
                let config =
                    Config { transport, queue: queue.to_owned(), selector: "ecmp".to_owned(), ..Config::default() };
                let outcome = run(&fabric, &routing, &flows(&[(0, 5, packets * 8936)]), &config);
                let opened = opening * 2 * links * (a + LATENCY);
                let arrived = opened + (packets - 1) * s + links * (s + LATENCY);
                assert_eq!(outcome.flows.delivered, [arrived], "{}, {queue}, {packets}", config.transport);
                assert_eq!(outcome.flows.finish, [arrived + links * (a + LATENCY)]);
                assert_eq!(outcome.flows.hops, [links as f32]);
            }
        }
    }
}

/// Jitter delays data that finds the link idle by at most the transmission time of a packet, depending on the seed. Data that follows
/// directly is delayed by at most 1/1024 of this time.
#[test]
fn jitter_delays_data_on_an_idle_link() {
    let fabric = row(3, 2);
    let (routing, links, s) = (minimal(&fabric), 4, wire(9000));
    let (mut delays, mut gaps) = (Vec::new(), Vec::new());
    for seed in 0..40 {
        let [first, last] = [1, 20].map(|packets| {
            let transport = "tcp:window=20,interrupt=0,handshake=no".to_owned();
            let config = Config { transport, seed, queue: "droptail".to_owned(), ..Config::default() };
            let outcome = run(&fabric, &routing, &flows(&[(0, 5, packets * 8936)]), &config);
            outcome.flows.delivered[0] - (packets - 1) * s - links * (s + LATENCY)
        });
        delays.push(first);
        gaps.push(last - first);
    }
    let mean = |times: &[u64]| times.iter().sum::<u64>() / times.len() as u64;
    assert!(delays.iter().all(|&delay| delay < s) && mean(&delays).abs_diff(s / 2) < s / 5, "{delays:?}");
    let most = 19 * s / 1024;
    assert!(gaps.iter().all(|&gap| gap < most) && mean(&gaps).abs_diff(most / 2) < most / 20, "{gaps:?}");
}

/// Slow start begins with two packets, and the windows are 2, 4, 8, … packets. Every window takes one round trip.
#[test]
fn slow_start_takes_its_rounds() {
    let fabric = row(1, 2);
    let config = Config {
        transport: "tcp:window=2,interrupt=0,jitter=0,handshake=no".to_owned(),
        queue: "droptail".to_owned(),
        selector: "ecmp".to_owned(),
        rate: 100_000_000_000,
        link_latency: 5_000_000,
        ..Config::default()
    };
    let (s, a) = (720_000, 5_120);
    // The time from the start of a packet to its acknowledgement.
    let trip = 2 * (s + 5_000_000) + 2 * (a + 5_000_000);
    for (packets, rounds, last) in [(2, 1, 2), (6, 2, 4), (14, 3, 8), (30, 4, 16)] {
        let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, 1, packets * 8936)]), &config);
        // In slow start, every acknowledgement releases two packets. They leave back to back, so the last packet of the last window
        // waits for the `last - 1` packets before it.
        assert_eq!(outcome.flows.finish, [rounds * trip + (last - 1) * s], "{packets} packets");
    }
}

/// Interrupt coalescing and receiving software delay packets at both ends.
#[test]
fn interrupts_and_software_take_time() {
    let fabric = row(1, 2);
    let finish = |transport: &str, packets: u64| {
        let transport = transport.to_owned();
        let config =
            Config { transport, queue: "droptail".to_owned(), selector: "ecmp".to_owned(), ..Config::default() };
        run(&fabric, &minimal(&fabric), &flows(&[(0, 1, packets * 8936)]), &config).flows.finish[0]
    };
    let (s, a) = (wire(9000), wire(64));
    let idle = 2 * (s + LATENCY) + 2 * (a + LATENCY);
    assert_eq!(finish("tcp:handshake=no,jitter=0,interrupt=0,software=3us", 1), idle + 2 * 3_000_000);
    // The first packet raises an interrupt immediately.
    assert_eq!(finish("tcp:handshake=no,jitter=0,interrupt=100us", 1), idle);
    // The second packet comes 7.2 us later and waits for the next interrupt, 100 us after the first one. Its acknowledgement arrives
    // 100 us after the first one, so it does not wait.
    assert_eq!(finish("tcp:handshake=no,jitter=0,interrupt=100us", 2), idle + 100_000_000);
}

/// A last packet with one byte of payload has 65 bytes on the wire. At every switch, it waits behind the full packet before it.
#[test]
fn a_short_last_packet_takes_its_own_time() {
    let fabric = row(2, 1);
    let workload = flows(&[(0, 1, 9000 - 64 + 1)]);
    let outcome = run(&fabric, &minimal(&fabric), &workload, &Config::default());
    let full = 3 * (wire(9000) + LATENCY);
    assert_eq!(outcome.flows.delivered, [full + wire(65)]);
    assert_eq!(outcome.flows.finish, [full + wire(65) + 3 * (wire(64) + LATENCY)]);
}

/// On an idle network, a flow takes exactly its ideal completion time, regardless of the size of its last packet.
#[test]
fn flows_on_an_idle_network_take_the_ideal_time() {
    let fabric = row(4, 2);
    let config = Config { transport: "purified:window=40".to_owned(), ..Config::default() };
    for destination in [1, 3, 7] {
        for bytes in [1, 100, 8936, 8937, 10 * 8936, 30 * 8936 + 77] {
            let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, destination, bytes)]), &config);
            assert_eq!(tulle_packet::ideal_fct(&fabric, &outcome.flows, &config).unwrap(), outcome.flows.finish);
        }
    }
}

/// Packets between two endpoints of the same switch cross two links.
#[test]
fn neighbours_are_two_links_apart() {
    let fabric = row(3, 4);
    let outcome = run(&fabric, &minimal(&fabric), &flows(&[(5, 6, 100)]), &Config::default());
    assert_eq!(outcome.flows.delivered, [2 * (wire(164) + LATENCY)]);
    assert_eq!(outcome.counters.link_hops, 4);
}

/// Flows start at their start times, and links have the rate and latency of the configuration.
#[test]
fn starts_rates_and_latencies_are_honoured() {
    let fabric = row(1, 2);
    let mut workload = flows(&[]);
    for start in [70, 0, 1_000_000_000] {
        workload.push(0, 1, 1436, start);
    }
    let config = Config { rate: 20_000_000_000, link_latency: 500_000, mtu: 1500, ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    let s = 1500 * 400;
    // The flow that starts at 70 ps waits for the link; the other two flows do not wait.
    assert_eq!(outcome.flows.delivered, [s + 2 * (s + 500_000), 2 * (s + 500_000), 1_000_000_000 + 2 * (s + 500_000)]);
}

/// Beyond its first window, a flow sends at the rate of the pulls. The expected times are the output of csg-htsim (commit 841d9e7) for
/// single flows in a fat tree of 128 endpoints: 9000 bytes of payload per packet, and a window of 30 packets.
#[test]
fn single_flows_take_the_times_of_csg_htsim() {
    let fabric = tulle_topologies::build("fattree:levels=3,radix=8", 0).unwrap();
    let routing = minimal(&fabric);
    let config = Config {
        rate: 100_000_000_000,
        mtu: 9064,
        queue: "trim:packets=14".to_owned(),
        transport: "ndp:window=30".to_owned(),
        selector: "spray".to_owned(),
        ..Config::default()
    };
    for (destination, packets, finish) in [
        (127, 1, 16_381_440),
        (127, 30, 37_409_920),
        (127, 31, 38_135_040),
        (127, 56, 56_263_040),
        (127, 223, 177_358_080),
        (5, 223, 171_897_600),
        (1, 223, 166_437_120),
    ] {
        let outcome = run(&fabric, &routing, &flows(&[(0, destination, packets * 9000)]), &config);
        assert_eq!(outcome.flows.finish, [finish], "0 to {destination}, {packets} packets");
    }
}
