//! Path sets: packets follow explicit paths, which replace layers.

use std::ops::ControlFlow;

use crate::support::{check, flows, paths, ring, run, workload};
use proptest::prelude::*;
use tulle_fabric::Fabric;
use tulle_packet::{Config, simulate};
use tulle_routing::{Routes, Routing, SourcePaths};

const SCHEMES: [(&str, &str); 9] = [
    ("flattenedclos:switches=20,ports=10,p=2", "virtual-updown"),
    ("flattenedclos:switches=20,ports=10,p=2", "edst-paths"),
    ("jellyfish:switches=12,degree=4,p=2", "ksp:k=4"),
    ("jellyfish:switches=12,degree=4,p=2", "rksp:k=4"),
    ("jellyfish:switches=12,degree=4,p=2", "edksp:k=4"),
    ("jellyfish:switches=12,degree=4,p=2", "redksp:k=4"),
    ("jellyfish:switches=12,degree=4,p=2", "llskr"),
    ("slimfly:q=3", "spain-paths"),
    ("clique:degree=5,p=3", "ksp:k=8"),
];
const SELECTORS: [&str; 17] = [
    "ecmp",
    "spray",
    "flowlet",
    "flowlet:gap=0",
    "flowlet:gap=2us,first=minimal",
    "random",
    "random:per=flow",
    "round-robin",
    "round-robin:per=flow",
    "ksp-adaptive",
    "size-aware:bytes=20KB,gap=3us",
    "reps",
    "reps:buffer=2,freeze=10us,explore=1",
    "ugal:candidates=2",
    "spritz",
    "spritz:variant=scout",
    "recycle",
];
const TRANSPORTS: [&str; 6] = [
    "purified",
    "ndp:window=4",
    "tcp:rto_initial=5ms",
    "dctcp:handshake=no,interrupt=1us,limit=5,rto_initial=1ms",
    "mptcp:subflows=8,handshake=no,rto_initial=1ms,interrupt=0",
    "dcqcn:timeout=500us",
];

/// The paths between switches 0 and 2 in a ring of six switches: two hops and four hops, in both directions.
const WAYS: [&[u32]; 4] = [&[0, 1, 2], &[0, 5, 4, 3, 2], &[2, 1, 0], &[2, 3, 4, 5, 0]];
const LATENCY: u64 = 1_000_000;
/// The transmission time of a full packet at 10 Gb/s, in picoseconds.
const FULL: u64 = 9000 * 800;
/// The transmission time of a header at 10 Gb/s, in picoseconds.
const HEADER: u64 = 64 * 800;

/// Returns the arrival time of `packets` full packets over a path of `hops` hops on an idle fabric, in picoseconds.
fn arrival(packets: u64, hops: u64) -> u64 {
    (packets - 1) * FULL + (hops + 2) * (FULL + LATENCY)
}

fn answer(hops: u64) -> u64 {
    (hops + 2) * (HEADER + LATENCY)
}

fn config(selector: &str) -> Config {
    Config { selector: selector.to_owned(), ..Config::default() }
}

/// N packets take (N − 1)·s + H·(s + L) over a path of H links. The last acknowledgement takes R·(a + L) over the reverse path of R links.
/// Here, s and a are the transmission times of a packet and of an acknowledgement, and L is the link latency.
#[test]
fn idle_paths_take_the_closed_form() {
    let fabric = ring(6, 1);
    for (there, hops) in [(WAYS[0], 2), (WAYS[1], 4)] {
        for (back, hops_back) in [(WAYS[2], 2), (WAYS[3], 4)] {
            let routing = paths(&fabric, &[there, back]);
            for selector in SELECTORS {
                for (transport, packets) in [("purified", 1), ("purified", 8), ("ndp", 30)] {
                    let config = Config { transport: transport.to_owned(), ..config(selector) };
                    let outcome = run(&fabric, &routing, &flows(&[(0, 2, packets * 8936)]), &config);
                    assert_eq!(outcome.flows.delivered, [arrival(packets, hops)], "{selector} {transport}");
                    assert_eq!(outcome.flows.finish, [arrival(packets, hops) + answer(hops_back)]);
                    assert_eq!(outcome.flows.hops, [(hops + 2) as f32]);
                }
            }
        }
    }
}

/// With two paths per switch pair, selectors choose the paths that their documentation describes.
#[test]
fn selectors_pick_paths() {
    let fabric = ring(6, 1);
    let routing = paths(&fabric, &WAYS);
    let hops = |selector: &str, transport: &str, flows: &[(u32, u32, u64)]| -> Vec<f32> {
        let config = Config { transport: transport.to_owned(), ..config(selector) };
        run(&fabric, &routing, &crate::support::flows(flows), &config).flows.hops
    };
    let (one, many) = ([(0, 2, 8 * 8936)], [(0, 2, 8936); 64]);
    // The following selectors choose the shortest path for short flows or in an idle network.
    assert_eq!(hops("size-aware", "purified", &one), [4.0]);
    assert_eq!(hops("flowlet:first=minimal", "purified", &one), [4.0]);
    assert_eq!(hops("ksp-adaptive", "purified", &[(0, 2, 8936)]), [4.0]);
    // The following selectors alternate between the two paths.
    for selector in ["spray", "round-robin"] {
        assert_eq!(hops(selector, "purified", &one), [5.0], "{selector}");
    }
    // The following selectors spread the flows over both paths. Each flow uses only one path.
    for selector in ["ecmp", "random:per=flow", "round-robin:per=flow", "flowlet"] {
        let hops = hops(selector, "ndp:window=1", &many);
        let longer = hops.iter().filter(|&&hops| hops == 6.0).count();
        assert!(hops.iter().all(|&hops| hops == 4.0 || hops == 6.0), "{selector}");
        assert!((16..=48).contains(&longer), "{selector}: {longer} of 64 take the longer path");
    }
    // With a single subflow, the selector chooses the path, here the shorter one. With two subflows, subflow s takes path s.
    assert_eq!(hops("ecmp", "mptcp:subflows=1", &one), [4.0]);
    let both = hops("ecmp", "mptcp:subflows=2", &one);
    assert!(both[0] > 4.0 && both[0] < 6.0, "{both:?}");
}

/// Returns a path set with the paths of the first layer of `routing`.
fn explicit(fabric: &Fabric, routing: &Routing) -> Routing {
    let switches = 0..fabric.num_switches() as u32;
    let sources = switches.clone().map(|source| {
        let mut of = SourcePaths::default();
        for destination in switches.clone() {
            let channels = tulle_routing::path(fabric, &routing.layers()[0], source, destination);
            let mut switch = source;
            let port = |channel: u32| {
                let port = channel - fabric.offsets()[switch as usize];
                switch = fabric.targets()[channel as usize];
                port as u16
            };
            let ports: Vec<u16> = channels.into_iter().map(port).collect();
            of.destination((source != destination).then_some(&ports[..]));
        }
        of
    });
    Routing::new("explicit".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

/// A forwarding table with one path per pair, and a path set with the same paths, define the same routing. The results agree in every count
/// and to the picosecond.
#[test]
fn explicit_paths_give_the_results_of_their_table() {
    for (fabric, transport) in
        [("slimfly:q=5", "purified"), ("jellyfish:switches=20,degree=4,p=3", "dctcp"), ("slimfly:q=3", "dcqcn")]
    {
        let fabric = tulle_topologies::build(fabric, 3).unwrap();
        let table = tulle_routing::build(&fabric, "balanced:layers=1", 3).unwrap();
        let set = explicit(&fabric, &table);
        let workload = tulle_traffic::build(&fabric, "permutation:bytes=300KB", 3).unwrap();
        for selector in SELECTORS {
            let config =
                Config { transport: transport.to_owned(), selector: selector.to_owned(), seed: 9, ..Config::default() };
            let outcome = run(&fabric, &table, &workload, &config);
            assert!(outcome.complete);
            assert_eq!(run(&fabric, &set, &workload, &config), outcome, "{transport}, {selector}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn every_flow_finishes_and_packets_are_conserved(
        scheme in prop::sample::select(&SCHEMES[..]),
        selector in prop::sample::select(&SELECTORS[..]),
        transport in prop::sample::select(&TRANSPORTS[..]),
        queue in prop::sample::select(&["trim:packets=3", "ecn:packets=10,mark=2", "pfc:xoff=20KB,xon=10KB"][..]),
        rows in prop::collection::vec((any::<u16>(), any::<u16>(), 0..60_000u32, 0..30_000_000u32), 1..40),
        seed in any::<u64>(),
    ) {
        let fabric = tulle_topologies::build(scheme.0, 0).unwrap();
        let routing = tulle_routing::build(&fabric, scheme.1, seed).unwrap();
        let workload = workload(&fabric, &rows);
        let config = Config {
            selector: selector.to_owned(),
            transport: transport.to_owned(),
            queue: queue.to_owned(),
            mtu: 1500,
            seed,
            ..Config::default()
        };
        let outcome = run(&fabric, &routing, &workload, &config);
        check(&outcome, &workload, 1436);
        if queue.starts_with("pfc") {
            prop_assert_eq!(outcome.complete, outcome.deadlock.is_none());
            // Virtual up-down paths and paths of spanning trees have no cyclic buffer dependency.
            prop_assert!(outcome.complete || !scheme.0.starts_with("flattenedclos"));
        } else {
            prop_assert!(outcome.complete);
        }
        prop_assert_eq!(&run(&fabric, &routing, &workload, &config), &outcome);
    }
}

#[test]
fn unusable_path_sets_are_refused() {
    let fabric = ring(6, 2);
    let error = |routing: &Routing, config: &Config, row: (u32, u32, u64)| {
        let error = simulate(&fabric, routing, &flows(&[row]), config, &mut |_| ControlFlow::Continue(())).unwrap_err();
        error.to_string()
    };
    let both = paths(&fabric, &WAYS);
    assert_eq!(
        error(&both, &config("letflow"), (0, 4, 1)),
        "selector=letflow picks ports in switches, but the routing is a set of explicit paths; \
         legal: any other selector, for example flowlet; or a routing of layers"
    );
    let missing = "flow 0: no path from switch 2 to switch 0; legal: a path set with a path for every flow";
    assert_eq!(error(&paths(&fabric, &WAYS[..2]), &Config::default(), (0, 4, 1)), missing);
    assert_eq!(error(&paths(&fabric, &WAYS[..2]), &Config::default(), (4, 0, 1)), missing);
    let copies = |count| [&vec![WAYS[0]; count][..], &[WAYS[2]]].concat();
    assert_eq!(
        error(&paths(&fabric, &copies(256)), &Config::default(), (0, 4, 1)),
        "flow 0: 256 paths from switch 0 to switch 2 are too many; legal: at most 255"
    );
    for selector in SELECTORS {
        assert!(run(&fabric, &paths(&fabric, &copies(255)), &flows(&[(0, 4, 500_000)]), &config(selector)).complete);
        // A flow between two endpoints of the same switch needs no path.
        assert!(run(&fabric, &both, &flows(&[(8, 9, 500_000)]), &config(selector)).complete);
    }
}
