//! Tests of runs to completion: closed forms on idle paths and shared links, dependencies, conservation, threads,
//! errors.

use std::ops::ControlFlow;

use crate::support::fabric;
use tulle_fabric::Fabric;
use tulle_flit::{CompletionOutcome, CompletionSettings, Config, Error, Order, run_to_completion};
use tulle_traffic::{Program, Workload};

fn try_send(
    fabric: &Fabric,
    workload: &Workload,
    config: &Config,
    settings: &CompletionSettings,
) -> Result<CompletionOutcome, Error> {
    let routing = tulle_routing::build(fabric, "minimal", 1).unwrap();
    run_to_completion(fabric, &routing, workload, config, settings, &mut |_| ControlFlow::Continue(()))
}

fn send(fabric: &Fabric, workload: &Workload, config: &Config, settings: &CompletionSettings) -> CompletionOutcome {
    try_send(fabric, workload, config, settings).unwrap()
}

fn traffic(fabric: &Fabric, spec: &str) -> Workload {
    tulle_traffic::build(fabric, spec, 1).unwrap()
}

fn router(spec: &str) -> Config {
    Config { router: spec.to_owned(), ..Config::default() }
}

const BYTES: u64 = 256;

#[test]
fn one_message_meets_the_closed_form() {
    let fabric = fabric("mesh:shape=4");
    for (spec, latency, packet, packets) in [
        ("diameter-two", 2, 1, 1),
        ("diameter-two", 2, 1, 500),
        ("virtual-cut-through:vcs=3,buffer=64,output=64", 10, 8, 40),
        ("virtual-cut-through:vcs=3,buffer=64,output=64,delay=7", 1, 3, 2),
        ("input-queued:vcs=3", 10, 1, 1),
        ("input-queued:vcs=3", 10, 1, 300),
        ("input-queued:vcs=3,delay=4", 3, 5, 1),
    ] {
        let mut workload = Workload::default();
        // The last packet is only partly full.
        workload.push(0, 3, packets * packet * BYTES - 100, 0);
        let config = Config { link_latency: latency, packet: packet as u32, endpoint_latency: 2, ..router(spec) };
        let found = send(&fabric, &workload, &config, &CompletionSettings::default());
        let first = match spec {
            "diameter-two" => 2 * 2 + 4 * 5 + 3 * 2,
            "input-queued:vcs=3" => 1 + 2 * 2 + 4 * 2 + 3 * 10,
            "input-queued:vcs=3,delay=4" => 1 + 2 * 2 + 4 * 6 + 3 * 3,
            _ if spec.ends_with("delay=7") => 2 * 2 + 4 * 7 + 3,
            _ => 2 * 2 + 3 * 10,
        };
        let arrival = first + packets * packet - 1;
        assert!(found.complete && found.warnings.is_empty(), "{spec}: {:?}", found.warnings);
        assert_eq!((found.arrival[0], found.start[0]), (arrival as u32, 0), "{spec}");
        assert_eq!(found.cycles, arrival + 1);
        assert_eq!(found.network_latency, (first + packet - 1) as f64, "{spec}");
        let share = (packets * packet * BYTES - 100) as f64 / (found.cycles * BYTES) as f64;
        assert!((found.throughput - share).abs() < 1e-12);
        assert_eq!((found.sent, found.delivered, found.hops, found.minimal), (packets, packets, 3.0, 1.0));
    }
}

#[test]
fn a_shared_link_is_always_busy() {
    // The four endpoints of a switch send over one cable.
    let fabric = fabric("clique:degree=3,p=4");
    let workload = traffic(&fabric, "off-diagonal:offset=4,bytes=25600B");
    for spec in ["diameter-two", "virtual-cut-through", "input-queued:vcs=2"] {
        for order in [Order::InOrder, Order::RoundRobin, Order::Random] {
            let settings = CompletionSettings { order, ..CompletionSettings::default() };
            let found = send(&fabric, &workload, &router(spec), &settings);
            assert!(found.complete);
            assert!((400..400 + 30).contains(&found.cycles), "{spec}: {}", found.cycles);
            let busiest = found.channel_load.iter().copied().fold(0.0, f64::max);
            assert!((busiest - 400.0 / found.cycles as f64).abs() < 1e-12);
        }
    }
}

#[test]
fn every_packet_arrives_once() {
    let fabric = fabric("oft:k=3");
    let mut workload = traffic(&fabric, "all-to-all:bytes=1000B");
    (0..workload.len()).for_each(|at| workload.start[at] = at as u64 % 7 * 1_000_000);
    for (spec, policy) in [("diameter-two", "hops"), ("input-queued:vcs=4,buffer=4", "hops")] {
        let config = Config { policy: policy.to_owned(), packet: 2, ..router(spec) };
        let settings =
            CompletionSettings { order: Order::Random, cycle_ps: Some(20_480), ..CompletionSettings::default() };
        let found = send(&fabric, &workload, &config, &settings);
        // 1000 bytes take two packets of two 256-byte flits.
        assert!(found.complete);
        assert_eq!((found.sent, found.delivered), (2 * workload.len() as u64, 2 * workload.len() as u64));
        for at in 0..workload.len() {
            assert_eq!(u64::from(found.start[at]), workload.start[at].div_ceil(20_480));
            assert!(found.arrival[at] > found.start[at]);
        }
        assert_eq!(found.cycles, u64::from(*found.arrival.iter().max().unwrap()) + 1);
        // An endpoint accepts one flit per cycle.
        let most = fabric.num_endpoints() as u64 - 1;
        assert!(found.cycles >= 4 * most && found.throughput < 1.0);
    }
}

#[test]
fn dependent_messages_start_in_the_next_cycle() {
    let fabric = fabric("mesh:shape=4");
    // The workload has two messages back and forth, a computation of 100 cycles, a message that depends on the
    // computation, and a message without dependencies.
    for spec in ["diameter-two", "virtual-cut-through", "input-queued:vcs=3", "input-queued:vcs=3,speedup=1"] {
        for (endpoint_latency, packet) in [(0, 1), (1, 1), (3, 4)] {
            let mut program = Program::default();
            let bytes = u64::from(packet) * BYTES;
            let there = program.message(0, 3, bytes, &[]);
            let back = program.message(3, 0, bytes, &[there]);
            let thought = program.compute(99_500, &[back, there]);
            program.message(1, 2, bytes, &[thought]);
            program.message(2, 1, bytes, &[]);
            let workload = program.finish();
            let config = Config { link_latency: 6, endpoint_latency, packet, ..router(spec) };
            let settings = CompletionSettings { cycle_ps: Some(1000), ..CompletionSettings::default() };
            let found = send(&fabric, &workload, &config, &settings);
            let per_router = match spec {
                "diameter-two" => 5,
                "virtual-cut-through" => 0,
                "input-queued:vcs=3" => 2,
                _ => 3,
            };
            let ends = if spec.starts_with("input") { 1 } else { 0 } + 2 * endpoint_latency;
            let takes = |hops: u32| ends + per_router * (hops + 1) + 6 * hops + packet - 1;
            let expected = [0, takes(3) + 1, 2 * (takes(3) + 1) + 100, 0];
            assert_eq!(found.start, expected, "{spec} {endpoint_latency} {packet}");
            let arrivals: Vec<u32> =
                expected.iter().zip([3, 3, 1, 1]).map(|(start, hops)| start + takes(hops)).collect();
            assert_eq!(found.arrival, arrivals, "{spec} {endpoint_latency} {packet}");
        }
    }
}

#[test]
fn outcomes_do_not_depend_on_threads() {
    let fabric = fabric("slimfly:q=5");
    for (spec, traffic_spec, order, selector) in [
        ("input-queued:vcs=4", "stencil:bytes=2KiB,iterations=3,barrier=dissemination", Order::RoundRobin, "valiant"),
        ("diameter-two:vcs=4", "stencil:bytes=2KiB,iterations=3,compute=1us", Order::InOrder, "ugal:candidates=2"),
        ("virtual-cut-through:vcs=4", "all-to-all:bytes=300B", Order::Random, "valiant"),
        ("diameter-two:vcs=4", "allreduce:bytes=64KiB", Order::Random, "ugal-g:candidates=2"),
        ("diameter-two:vcs=4", "allreduce:bytes=64KiB", Order::Random, "recycle:bias=1"),
    ] {
        let workload = traffic(&fabric, traffic_spec);
        let settings = CompletionSettings { order, ..CompletionSettings::default() };
        let found = |threads, seed| {
            let config = Config { selector: selector.to_owned(), threads, seed, link_latency: 4, ..router(spec) };
            format!("{:?}", send(&fabric, &workload, &config, &settings))
        };
        let one = found(1, 0);
        assert!(one.contains("complete: true"), "{traffic_spec}");
        for threads in [2, 3, 7] {
            assert!(one == found(threads, 0), "{traffic_spec} on {threads} threads");
        }
        assert!(one != found(1, 1), "the seed matters");
    }
}

#[test]
fn missing_messages_are_reported() {
    let fabric = fabric("mesh:shape=4");
    let mut program = Program::default();
    let first = program.message(0, 1, 100, &[]);
    let long = program.message(0, 3, 100 * BYTES, &[first]);
    program.message(3, 2, 1, &[long]);
    let settings = CompletionSettings { limit: 90, ..CompletionSettings::default() };
    let found = send(&fabric, &program.finish(), &router("diameter-two"), &settings);
    assert!(!found.complete && found.network_latency.is_nan());
    let line = "2 of 3 messages have not arrived in 90 cycles; the first is message 1, from endpoint 0 to 3";
    assert_eq!(found.warnings.last().unwrap(), line);
    assert!(found.arrival[0] < 90 && found.arrival[1..] == [u32::MAX; 2], "{:?}", found.arrival);
    assert_eq!((found.start[1], found.start[2]), (found.arrival[0] + 1, u32::MAX));
    assert!(found.throughput.is_nan());
}

#[test]
fn a_deadlock_ends_the_run() {
    let fabric = fabric("torus:shape=4");
    let workload = traffic(&fabric, "off-diagonal:offset=2,bytes=100KiB");
    let config = Config { policy: "free".to_owned(), may_deadlock: true, ..router("input-queued:vcs=1,buffer=2") };
    let found = send(&fabric, &workload, &config, &CompletionSettings::default());
    assert!(!found.complete && found.deadlock.is_some());
    assert!(found.warnings.last().unwrap().contains("have not arrived"), "{:?}", found.warnings);
    let error = try_send(&fabric, &workload, &Config { may_deadlock: false, ..config }, &CompletionSettings::default());
    assert!(error.unwrap_err().to_string().contains("can deadlock"));
}

#[test]
fn errors_are_one_line() {
    let fabric = fabric("clique:degree=3,p=2");
    let one = |from, to, start| {
        let mut workload = Workload { spec: "messages".to_owned(), ..Workload::default() };
        workload.push(from, to, 1 << 60, start);
        workload
    };
    let error = |workload: &Workload, spec: &str, settings: CompletionSettings| {
        let line = try_send(&fabric, workload, &router(spec), &settings).unwrap_err().to_string();
        assert!(!line.contains('\n'), "{line}");
        line
    };
    let base = CompletionSettings::default();
    let fits = traffic(&fabric, "permutation");
    for (workload, spec, settings, expected) in [
        (&Workload::default(), "diameter-two", base.clone(), " has no messages; legal: at least one"),
        (
            &one(1, 8, 0),
            "diameter-two",
            base.clone(),
            "a message from endpoint 1 to 8; legal: below 8, the number of endpoints of",
        ),
        (&one(1, 2, 0), "diameter-two", base.clone(), "takes too many packets of 256 bytes; legal: below 2^32"),
        (
            &one(1, 2, 5),
            "input-queued",
            CompletionSettings { flit_bytes: Some(1 << 20), ..base.clone() },
            "too many packets",
        ),
        (
            &fits,
            "diameter-two",
            CompletionSettings { limit: 0, ..base.clone() },
            "limit=0 is out of range; legal: 1 to 2147483648",
        ),
        (
            &fits,
            "diameter-two",
            CompletionSettings { flit_bytes: Some(0), ..base.clone() },
            "flit_bytes=0 is out of range",
        ),
        (
            &fits,
            "diameter-two",
            CompletionSettings { cycle_ps: Some(0), ..base.clone() },
            "cycle_ps=0 is out of range; legal: 1 to",
        ),
        (
            &fits,
            "diameter-two",
            CompletionSettings { flit_bytes: Some(64), ..base.clone() },
            "flit_bytes=64 is not the flit size of router 'diameter-two', whose cycle is 20480 ps; legal: 256, or set cycle_ps",
        ),
    ] {
        let line = error(workload, spec, settings);
        assert!(line.contains(expected), "{line}");
    }
    let mut late = fits.clone();
    late.start[2] = 7;
    let line = error(&late, "input-queued", base.clone());
    assert!(
        line.contains(
            "has a start time or computation time of 7 ps, but the length of a cycle is unknown; legal: the length"
        ),
        "{line}"
    );
    let mut circle = fits.clone();
    circle.dependencies = tulle_traffic::Dependencies::from_pairs(8, &[(0, 1), (1, 0)]).unwrap();
    assert!(error(&circle, "diameter-two", base.clone()).contains("depends on itself through other steps"));
    circle.dependencies = tulle_traffic::Dependencies::from_pairs(3, &[(0, 1)]).unwrap();
    assert!(error(&circle, "diameter-two", base).contains("dependencies for 3 steps; legal: 8"));
}

#[test]
fn messages_to_oneself_take_no_link() {
    let fabric = fabric("mesh:shape=4");
    let mut program = Program::default();
    let own = program.message(1, 1, 100 * BYTES, &[]);
    program.message(1, 0, BYTES, &[own]);
    let found = send(&fabric, &program.finish(), &router("input-queued:vcs=3"), &CompletionSettings::default());
    // A message from an endpoint to itself arrives immediately, and its dependent message starts in the next cycle.
    assert!(found.complete && found.start == [0, 1] && found.arrival[0] == 0, "{found:?}");
    assert_eq!((found.sent, found.delivered), (1, 1));
}
