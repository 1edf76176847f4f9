//! A simulation on several threads gives bit-identical results to a simulation on one thread.

use proptest::prelude::*;
use tulle_packet::{Config, Outcome};

/// Simulates `traffic` on `fabric` with `threads` threads.
fn outcome(fabric: &str, routing: &str, traffic: &str, config: &Config, threads: usize) -> Outcome {
    let fabric = tulle_topologies::build(fabric, 3).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 3).unwrap();
    let workload = tulle_traffic::build(&fabric, traffic, 3).unwrap();
    crate::support::run(&fabric, &routing, &workload, &Config { threads: Some(threads), ..config.clone() })
}

/// Fabrics, each with a routing: some with one layer, some with several layers, and some with explicit paths.
const FABRICS: [(&str, &str); 8] = [
    ("fattree:levels=3,radix=4", "minimal"),
    ("slimfly:q=5,p=2", "random:layers=3,rho=0.7"),
    ("slimfly:q=3,p=3", "ksp:k=3"),
    ("dragonfly:p=2", "random:layers=2,rho=0.8"),
    ("jellyfish:switches=12,degree=4,p=3", "redksp:k=4"),
    ("hyperx:shape=3x3,p=2", "minimal"),
    ("clique:degree=3", "minimal"),
    ("flattenedclos:switches=8,ports=8,layers=3,p=2", "virtual-updown"),
];
const TRAFFICS: [&str; 4] = [
    "permutation:bytes=40KB",
    "uniform:arrivals=20000,duration=100us,bytes=20KB",
    "incast:bytes=20KB",
    "all-to-all:bytes=2KB",
];
const QUEUES: [&str; 5] = ["trim:packets=4", "trim:packets=2", "droptail:packets=6", "ecn", "droptail"];
const TRANSPORTS: [&str; 6] = ["purified", "ndp:window=12", "tcp", "dctcp:handshake=no", "mptcp", "dcqcn"];
const SELECTORS: [&str; 12] = [
    "flowlet",
    "spray",
    "ecmp",
    "random",
    "round-robin",
    "ksp-adaptive",
    "size-aware",
    "reps:freeze=20us,explore=2",
    "ugal:candidates=2",
    "spritz",
    "spritz:variant=scout",
    "recycle",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_threads_gives_the_same(
        (fabric, routing) in prop::sample::select(&FABRICS[..]),
        traffic in prop::sample::select(&TRAFFICS[..]),
        queue in prop::sample::select(&QUEUES[..]),
        transport in prop::sample::select(&TRANSPORTS[..]),
        selector in prop::sample::select(&SELECTORS[..]),
        latency in prop::sample::select(&[300_000, 1_000_000, 2_000_000][..]),
        // Most cases end within 10 ms. TCP over queues that trim can take seconds, because the timers of all flows fire at the same time.
        until in prop::sample::select(&[Some(10_000_000_000), Some(40_000_000)][..]),
        threads in 2usize..4,
    ) {
        let config = Config {
            queue: queue.to_owned(),
            transport: transport.to_owned(),
            selector: selector.to_owned(),
            link_latency: latency,
            mtu: 1500,
            until,
            sample: Some(3_000_000),
            sample_links: ["0", "5", "to:0", "to:7"].map(str::to_owned).to_vec(),
            seed: 9,
            ..Config::default()
        };
        let alone = outcome(fabric, routing, traffic, &config, 1);
        let together = outcome(fabric, routing, traffic, &config, threads);
        prop_assert!(alone.samples.time.len() > 1);
        prop_assert!(alone.link_samples.time.len() >= 4 * alone.samples.time.len());
        prop_assert!(alone == together, "{:?} became {:?}", alone.counters, together.counters);
    }
}

/// If links have no latency, a packet still takes the transmission time of a header to reach another partition. The length of the time
/// window is this transmission time.
#[test]
fn links_without_latency_leave_a_window() {
    // Packets are only a little longer than headers, so that a time window contains some packets.
    let config = Config { link_latency: 0, mtu: 128, ..spraying() };
    let [alone, together] =
        [1, 2].map(|threads| outcome("hyperx:shape=3x3,p=2", "minimal", "permutation:bytes=2KB", &config, threads));
    assert!(alone == together && alone.complete);
}

fn spraying() -> Config {
    Config { transport: "ndp".to_owned(), selector: "spray".to_owned(), ..Config::default() }
}

/// If time windows contain almost no events, one thread is used regardless of the option, because two threads would only wait for each
/// other.
#[test]
fn windows_without_work_take_one_thread() {
    let threads = |latency: u64, mtu: u32| {
        let config = Config { link_latency: latency, mtu, profile: true, ..spraying() };
        let outcome = outcome("hyperx:shape=3x3,p=2", "minimal", "permutation:bytes=2KB", &config, 2);
        assert!(outcome.complete);
        outcome.profile.unwrap().threads
    };
    // The network has 72 ports, and a header takes 51.2 ns. In one time window of the four runs, all ports together send 0.5, 36, 5.5 and
    // 10.5 full packets.
    assert_eq!((threads(1, 9000), threads(1, 128)), (1, 2));
    assert_eq!((threads(500_000, 9000), threads(1_000_000, 9000)), (1, 2));
}

/// Lossless queues, faults and dependencies need a single thread. The results are the same if more threads are requested.
#[test]
fn single_threaded_cases_accept_any_number_of_threads() {
    let base = Config { mtu: 1500, seed: 4, until: Some(5_000_000_000), ..Config::default() };
    let lossless =
        Config { queue: "pfc".to_owned(), transport: "dcqcn".to_owned(), selector: "ecmp".to_owned(), ..base.clone() };
    let faults = Config { faults: vec!["down:links=2,at=20us,until=100us".to_owned()], ..base.clone() };
    for (traffic, config) in
        [("permutation:bytes=90KB", lossless), ("permutation:bytes=90KB", faults), ("allreduce:bytes=64KB", base)]
    {
        let [alone, together] = [1, 3].map(|threads| outcome("slimfly:q=3,p=2", "minimal", traffic, &config, threads));
        assert!(alone.counters.link_hops > 0);
        assert!(alone == together, "{traffic}: {:?} became {:?}", alone.counters, together.counters);
    }
}

#[test]
fn an_observer_stops_all_threads() {
    let fabric = tulle_topologies::build("slimfly:q=5,p=4", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=4MB", 1).unwrap();
    let config = Config { threads: Some(2), ..Config::default() };
    let mut seen = Vec::new();
    let outcome = tulle_packet::simulate(&fabric, &routing, &workload, &config, &mut |progress| {
        seen.push(*progress);
        if seen.len() < 40 { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
    });
    let outcome = outcome.unwrap();
    assert!(!outcome.complete && outcome.counters.balance(), "{:?}", outcome.counters);
    assert!(seen.windows(2).all(|two| two[0].now <= two[1].now && two[0].events <= two[1].events));
    assert_eq!(seen.len(), 40);
    assert!(outcome.end >= seen[39].now);
    let error = tulle_packet::check(&Config { threads: Some(0), ..Config::default() }).unwrap_err().to_string();
    assert_eq!(error, "threads=0 is out of range; legal: 1 to 64");
}
