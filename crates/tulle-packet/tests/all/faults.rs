//! Faults during a run: lost packets are counted, flows move to live paths if they can and wait otherwise, and permanently
//! disconnected flows are reported.

use std::ops::ControlFlow;

use crate::support::{flows, layers, minimal, row, run};
use proptest::prelude::*;
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_packet::{Config, NEVER, Outcome, faults, resolve, simulate};
use tulle_routing::Routing;
use tulle_traffic::Workload;

const MICROSECOND: u64 = 1_000_000;

fn with(faults: &[&str]) -> Config {
    Config { faults: faults.iter().map(|&fault| fault.to_owned()).collect(), ..Config::default() }
}

/// Checks the invariants of the results of a run with faults.
fn check(outcome: &Outcome) {
    let counters = &outcome.counters;
    assert!(counters.balance(), "{counters:?}");
    let sum = |of: fn(&tulle_packet::FaultReport) -> u64| outcome.faults.iter().map(of).sum::<u64>();
    assert_eq!(counters.data_lost, sum(|fault| fault.data_lost));
    assert_eq!(counters.control_lost, sum(|fault| fault.control_lost));
    assert!(outcome.stalls.is_sorted_by_key(|stall| stall.since));
    for stall in &outcome.stalls {
        let fault = &outcome.faults[stall.fault as usize];
        assert!(stall.lost > 0 && stall.since > fault.at && stall.since < stall.until, "{stall:?}");
        let finished = outcome.flows.finish[stall.flow as usize] != NEVER;
        assert!(!finished || stall.until != NEVER, "{stall:?}");
    }
    for &flow in &outcome.cut_off {
        assert_eq!(outcome.flows.finish[flow as usize], NEVER);
    }
}

#[test]
fn a_flow_on_the_only_path_stalls_and_recovers() {
    let fabric = row(2, 1);
    let workload = flows(&[(0, 1, 4_000_000)]);
    let (at, until) = (300 * MICROSECOND, 5000 * MICROSECOND);
    let config =
        Config { transport: "purified:timeout=100us".to_owned(), ..with(&["down:links=ids:0,at=300us,until=5ms"]) };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    check(&outcome);
    assert!(outcome.complete && outcome.cut_off.is_empty());
    let fault = &outcome.faults[0];
    assert_eq!(fault.spec, "down:links=ids:0,at=300us,until=5ms,detect=100us");
    assert_eq!((fault.at, fault.until, fault.links, fault.stalled), (at, until, 2, 1));
    assert!(fault.data_lost >= 8, "{fault:?}");
    let [stall] = outcome.stalls[..] else { panic!("{:?}", outcome.stalls) };
    assert!(stall.since > at && stall.since < at + 20 * MICROSECOND, "{stall:?}");
    // The timeout doubles while the link is down, so after the repair the flow waits at most as long as the link was down.
    assert!(stall.until > until && stall.until < until + (until - at), "{stall:?}");
    assert_eq!(fault.time_to_recover(), Some(stall.until - at));
    // Without the fault, the flow finishes earlier. The difference is the duration of the stall.
    let whole = run(&fabric, &minimal(&fabric), &workload, &Config { faults: vec![], ..config });
    let delay = outcome.end - whole.end;
    assert!(delay.abs_diff(stall.until - stall.since) < 100 * MICROSECOND, "{delay}");
    assert_eq!((whole.faults.len(), whole.stalls.len(), whole.counters.data_lost), (0, 0, 0));
}

/// Returns a fabric with two paths between switches 0 and 3: over switch 1 in the first layer, and over switch 2 in the second.
fn two_ways() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        builder.cable(a, b);
    }
    builder.endpoints_each(1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let over = |middle: u32| [[0, 1, 2, middle], [0, 1, 0, 3], [0, 3, 2, 3], [middle, 1, 2, 3]];
    let tables = [1, 2].map(over);
    let rows: Vec<Vec<&[u32]>> = tables.iter().map(|rows| rows.iter().map(|row| &row[..]).collect()).collect();
    let slices: Vec<&[&[u32]]> = rows.iter().map(|rows| &rows[..]).collect();
    let routing = layers(&fabric, &slices);
    (fabric, routing)
}

#[test]
fn flows_move_to_other_layers_after_notification() {
    let (fabric, routing) = two_ways();
    let workload = flows(&[(0, 3, 4_000_000)]);
    for selector in [
        "flowlet",
        "flowlet:first=minimal",
        "random",
        "round-robin",
        "ksp-adaptive",
        "reps",
        "ugal",
        "spritz",
        "recycle",
    ] {
        for fault in ["down:links=ids:0,at=300us,detect=50us", "down:switches=ids:1,at=300us,detect=50us"] {
            let config = Config {
                selector: selector.to_owned(),
                transport: "purified:timeout=100us".to_owned(),
                ..with(&[fault])
            };
            let outcome = run(&fabric, &routing, &workload, &config);
            check(&outcome);
            assert!(outcome.complete, "{selector}: {:?}", outcome.counters);
            // The fault is permanent. The flow continues on the other layer as soon as its endpoint is notified.
            let recovered = outcome.faults[0].time_to_recover().unwrap();
            assert!(recovered < 400 * MICROSECOND, "{selector}: {recovered}");
        }
    }
    // A selector that uses only layer 0 has no other path.
    let config = Config { selector: "ecmp".to_owned(), ..with(&["down:links=ids:0,at=300us"]) };
    let outcome = run(&fabric, &routing, &workload, &config);
    check(&outcome);
    assert_eq!((outcome.complete, &outcome.cut_off[..]), (false, &[0][..]));
    assert_eq!(outcome.faults[0].time_to_recover(), None);
}

#[test]
fn flowlets_leave_paths_with_silent_drops() {
    let (fabric, routing) = two_ways();
    let workload = flows(&[(0, 3, 400_000)]);
    // The failed channel leads to switch 2. Acknowledgements do not use this path.
    let channel = fabric.channels_of(0).last().unwrap();
    let config = Config {
        transport: "purified:timeout=100us".to_owned(),
        until: Some(100_000 * MICROSECOND),
        ..with(&[&format!("drop:links=ids:{channel},at=0")])
    };
    for seed in 0..4 {
        let outcome = run(&fabric, &routing, &workload, &Config { seed, ..config.clone() });
        check(&outcome);
        assert!(outcome.complete, "{:?}", outcome.counters);
    }
    let config = with(&["drop:links=100%,loss=2%"]);
    let outcome = run(&fabric, &routing, &flows(&[(0, 3, 9_000_000)]), &config);
    check(&outcome);
    let share = outcome.counters.data_lost as f64 / outcome.counters.data_sent as f64;
    // A path has two links between switches, each with 2% loss, so about 4% of the packets are lost.
    assert!(outcome.complete && (0.02..0.06).contains(&share), "{share}");
}

#[test]
fn disconnected_flows_are_reported() {
    let fabric = row(3, 2);
    // Switch 2 fails. Flows to it, from it and within it are disconnected; other flows are not affected.
    let workload = flows(&[(0, 5, 900_000), (4, 1, 900_000), (4, 5, 900_000), (0, 2, 900_000), (0, 1, 900_000)]);
    for transport in ["purified", "tcp", "dctcp", "mptcp", "dcqcn"] {
        for selector in ["ecmp", "spray", "flowlet", "letflow", "random", "ksp-adaptive"] {
            let queue = if transport == "purified" { "trim" } else { "ecn" };
            let config = Config {
                transport: transport.to_owned(),
                selector: selector.to_owned(),
                queue: queue.to_owned(),
                ..with(&["down:switches=ids:2,at=100us"])
            };
            let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
            check(&outcome);
            let unfinished: Vec<u32> =
                (0..5).filter(|&flow: &u32| outcome.flows.finish[flow as usize] == NEVER).collect();
            assert_eq!((&unfinished[..], &outcome.cut_off), (&[0, 1, 2][..], &unfinished), "{transport} {selector}");
        }
    }
}

#[test]
fn texts_are_read_or_refused() {
    let fabric = tulle_topologies::build("clique:degree=5", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=3,rho=0.8", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=200KB", 0).unwrap();
    let error = |spec: &str| {
        let error = simulate(&fabric, &routing, &workload, &with(&[spec]), &mut |_| ControlFlow::Continue(()));
        let text = error.unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    for entry in faults() {
        for example in entry.examples {
            let resolved = resolve(&with(&[example])).unwrap();
            assert_eq!(resolve(&resolved).unwrap(), resolved);
            check(&run(&fabric, &routing, &workload, &with(&[example])));
        }
        for (spec, fragment) in entry.rejects {
            assert!(error(spec).contains(fragment), "{spec}: {}", error(spec));
        }
    }
    assert!(error("up:links=1").starts_with("unknown fault 'up'; "), "{}", error("up:links=1"));
    let sampled = Config { sample: Some(1), ..Config::default() };
    assert!(resolve(&sampled).unwrap_err().to_string().starts_with("sample=1 is out of range; legal: 1us to 1s"));
}

#[test]
fn links_and_samples_add_up() {
    let fabric = row(2, 2);
    let workload = flows(&[(0, 2, 893_600), (1, 3, 893_600)]);
    let names = ["0--1", "1", "to:2", "to:3"].map(str::to_owned).to_vec();
    let sample = Some(10 * MICROSECOND);
    let config = Config { queue: "droptail".to_owned(), sample, sample_links: names, ..with(&[]) };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    let (links, samples) = (&outcome.links, &outcome.samples);
    // The links are channels 0 > 1 and 1 > 0, four links to switches, and four links to endpoints. Both flows share channel 0 > 1.
    assert_eq!(links.bytes.len(), 10);
    assert_eq!(links.bytes[0], links.bytes[2] + links.bytes[3]);
    assert!(links.bytes[0] >= 200 * 9000);
    // Two windows of 8 packets arrive at the link of channel 0 > 1, and at least half of one window waits. A packet takes 7.2 us.
    assert!((4 * 7_200_000..=16 * 7_200_000).contains(&links.peak[0]), "{:?}", links.peak);
    assert!(samples.time.iter().zip(1..).all(|(&time, number)| time == number * 10 * MICROSECOND));
    assert_eq!(samples.time.len() as u64, outcome.end / (10 * MICROSECOND));
    assert!(samples.data_delivered.is_sorted() && *samples.data_delivered.last().unwrap() <= 200);
    let switches = [0, 1, 6, 7, 8, 9].map(|port| links.peak[port]);
    assert!(
        samples.longest.iter().max() <= switches.iter().max() && *samples.longest.iter().max().unwrap() > 7_200_000
    );
    assert!(samples.backlog.iter().zip(&samples.longest).all(|(sum, most)| sum >= most));
    // The last samples of links are at the end of the run. The time in which a link is busy is the time to send its bytes.
    let found = &outcome.link_samples;
    let ports = [0, 1, 8, 9];
    let rows = samples.time.len() + 1;
    assert_eq!(found.link, ports.repeat(rows));
    assert_eq!(found.time.iter().step_by(4).copied().collect::<Vec<u64>>(), [&samples.time[..], &[links.end]].concat());
    for (place, port) in ports.map(|port| port as usize).into_iter().enumerate() {
        let of = |column: &[u64]| column.iter().skip(place).step_by(4).copied().collect::<Vec<u64>>();
        let (times, bytes, queue) = (of(&found.time), of(&found.bytes), of(&found.queue));
        assert!(bytes.is_sorted() && bytes[rows - 1] == links.bytes[port]);
        let since = std::iter::once(0).chain(times.iter().copied());
        let used = found.utilisation.iter().skip(place).step_by(4);
        let busy: f64 =
            used.zip(times.iter().zip(since)).map(|(used, (time, since))| used * (time - since) as f64).sum();
        assert!(
            (busy - links.bytes[port] as f64 * 800.0).abs() < 1e-3,
            "{busy} ps to send {} bytes",
            links.bytes[port]
        );
        // Between half of one window and two windows of 8 packets wait at the port of channel 0 > 1 when its queue is longest. At other
        // ports, a packet is sent before the next one arrives.
        assert!(queue.iter().all(|&bytes| bytes * 800 <= links.peak[port]) && queue[rows - 1] == 0);
        let longest = queue.iter().max().copied().unwrap_or(0);
        assert!(if port == 0 { 36_000..=144_000 } else { 0..=9_000 }.contains(&longest), "{port}: {longest}");
    }
    // Sampling does not change the results.
    let unseen = run(&fabric, &minimal(&fabric), &workload, &Config { sample: None, sample_links: vec![], ..config });
    assert_eq!(
        (&unseen.flows, &unseen.counters, unseen.links),
        (&outcome.flows, &outcome.counters, outcome.links.clone())
    );
}

const TRANSPORTS: [&str; 7] = [
    "purified",
    "ndp:window=4,timeout=200us",
    "tcp:rto_initial=1ms",
    "dctcp:handshake=no,rto_initial=1ms",
    "mptcp:rto_initial=1ms",
    "mptcp:subflows=3,ecn=no,handshake=no,rto_initial=1ms,interrupt=0",
    "dcqcn:timeout=500us",
];

fn fault() -> impl Strategy<Value = String> {
    let what = prop::sample::select(&["links=1", "links=30%", "links=100%", "switches=1", "links=2,switches=1"][..]);
    let how = prop::sample::select(
        &["down:detect=0,", "down:", "down:detect=10us,", "drop:", "drop:loss=20%,", "drop:loss=3%,"][..],
    );
    let times = (0..300u64, 1..2000u64, any::<bool>());
    (what, how, times).prop_map(|(what, how, (at, length, ends))| {
        let until = if ends || how == "drop:" { format!(",until={}us", at + length) } else { String::new() };
        format!("{how}{what},at={at}us{until}")
    })
}

fn workload(fabric: &Fabric, rows: &[(u16, u16, u32, u32)]) -> Workload {
    let endpoints = fabric.num_endpoints() as u32;
    let mut workload = Workload::default();
    for &(source, offset, bytes, start) in rows {
        let source = u32::from(source) % endpoints;
        let destination = (source + 1 + u32::from(offset) % (endpoints - 1)) % endpoints;
        workload.push(source, destination, u64::from(bytes) + 1, start.into());
    }
    workload
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn packets_are_conserved_and_flows_finish_unless_cut_off(
        fabric in prop::sample::select(&["clique:degree=4,p=2", "slimfly:q=3", "fattree:levels=3,radix=4", "hyperx:shape=3x3,p=2"][..]),
        routing in prop::sample::select(&["minimal", "random:layers=3,rho=0.8", "ksp:k=3"][..]),
        selector in prop::sample::select(
            &["ecmp", "spray", "flowlet", "letflow:gap=5us", "random", "round-robin:per=flow", "ksp-adaptive", "size-aware",
            "reps:freeze=50us", "ugal", "spritz", "spritz:variant=scout", "recycle"][..]
        ),
        transport in prop::sample::select(&TRANSPORTS[..]),
        queue in prop::sample::select(&["trim", "droptail:packets=8", "ecn", "pfc:xoff=20KB,xon=10KB"][..]),
        faults in prop::collection::vec(fault(), 1..4),
        rows in prop::collection::vec((any::<u16>(), any::<u16>(), 0..150_000u32, 0..300_000_000u32), 1..20),
        seed in any::<u64>(),
    ) {
        let fabric = tulle_topologies::build(fabric, seed).unwrap();
        prop_assume!(!(routing.starts_with("ksp") && selector.starts_with("letflow")));
        let routing = tulle_routing::build(&fabric, routing, seed).unwrap();
        let workload = workload(&fabric, &rows);
        let config = Config {
            selector: selector.to_owned(),
            transport: transport.to_owned(),
            queue: queue.to_owned(),
            mtu: 1500,
            seed,
            faults,
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        check(&outcome);
        if outcome.deadlock.is_none() {
            for flow in 0..workload.len() {
                let is_cut_off = outcome.cut_off.contains(&(flow as u32));
                prop_assert_eq!(outcome.flows.finish[flow] == NEVER, is_cut_off, "flow {}", flow);
            }
        }
        prop_assert_eq!(&run(&fabric, &routing, &workload, &config), &outcome);
        let half = run(&fabric, &routing, &workload, &Config { until: Some(outcome.end / 2), ..config });
        check(&half);
        for (&whole, &half) in outcome.flows.finish.iter().zip(&half.flows.finish) {
            prop_assert_eq!(half, if whole <= outcome.end / 2 { whole } else { NEVER });
        }
    }
}
