//! Lossless switches, exact to the picosecond and the byte: when a pause takes effect, how much headroom is enough, and which packets count
//! toward thresholds.

use crate::lossless_star::{Flow, Found, HEADER, Rules};
use crate::support::{minimal, run};
use tulle_base::random::mix;
use tulle_packet::{Config, Outcome};
use tulle_traffic::Workload;

const MTU: u64 = 1500;

/// Simulates `flows` around one switch with the engine. `headroom` is the headroom per link in bytes; `None` uses the default.
fn engine(rules: Rules, endpoints: usize, flows: &[Flow], headroom: Option<u64>, until: Option<u64>) -> Outcome {
    let fabric = tulle_topologies::build(&format!("star:endpoints={endpoints}"), 0).unwrap();
    let mut workload = Workload::default();
    for flow in flows {
        workload.push(flow.source as u32, flow.destination as u32, flow.packets * (MTU - HEADER), flow.start);
    }
    let Rules { rate, latency, xoff, xon, control_is_data } = rules;
    let control = if control_is_data { "data" } else { "first" };
    let headroom = headroom.map_or_else(String::new, |bytes| format!(",headroom={bytes}B"));
    let config = Config {
        rate,
        link_latency: latency,
        mtu: MTU as u32,
        queue: format!("pfc:xoff={xoff}B,xon={xon}B,control={control},mark=no{headroom}"),
        transport: "dcqcn:control=no,timeout=1s".to_owned(),
        selector: "ecmp".to_owned(),
        until,
        ..Config::default()
    };
    run(&fabric, &minimal(&fabric), &workload, &config)
}

/// Returns random link and PFC parameters, a number of endpoints, and random flows, at most one from each endpoint.
fn case(number: u64) -> (Rules, usize, Vec<Flow>) {
    let draw = |what: u64, below: u64| mix(mix(number) ^ what) % below;
    let endpoints = 3 + draw(1, 4) as usize;
    let senders = 2 + draw(2, endpoints as u64 - 1) as usize;
    // There are only one or two receivers, so that packets queue at their ports.
    let receivers = 1 + draw(3, 2) as usize;
    let flow = |source: usize| {
        let to = draw(10 + source as u64, receivers as u64) as usize;
        let destination = if to == source { (source + 1) % endpoints } else { to };
        let (packets, start) = (10 + draw(30 + source as u64, 50), draw(50 + source as u64, 20_000_000));
        Flow { source, destination, packets, start }
    };
    // In every third case, thresholds are multiples of the packet size, so that the waiting bytes can equal a threshold exactly.
    let unit = if number.is_multiple_of(3) { MTU } else { 1 };
    let xoff = (1000 + draw(4, 9000)).next_multiple_of(unit);
    let rules = Rules {
        rate: [1_000_000_000, 7_000_000_000, 10_000_000_000, 100_000_000_000][draw(5, 4) as usize],
        latency: [0, 1, 333_333, 1_000_001][draw(6, 4) as usize],
        xoff,
        xon: (draw(7, xoff + 1) / unit * unit).max(1),
        control_is_data: number.is_multiple_of(2),
    };
    (rules, endpoints, (0..senders).map(flow).collect())
}

/// The engine agrees with an independent simulator on the end of every flow and on the number of pauses. The headroom that the independent
/// simulator measures is exactly enough: with one byte less, a packet is lost.
#[test]
fn an_independent_simulator_agrees_on_times_pauses_and_headroom() {
    let (mut paused, mut needed) = ([0, 0], 0);
    for number in 0..120 {
        let (rules, endpoints, flows) = case(number);
        let expected = crate::lossless_star::simulate(rules, MTU, endpoints, &flows);
        let found = |outcome: &Outcome| Found {
            finish: outcome.flows.finish.clone(),
            pauses: outcome.counters.pauses,
            headroom: expected.headroom,
        };
        let usual = engine(rules, endpoints, &flows, None, None);
        assert_eq!(found(&usual), expected, "{number}: {rules:?} {flows:?}");
        assert_eq!(usual.counters.data_dropped + usual.counters.control_dropped, 0, "{number}: {rules:?}");
        paused[usize::from(rules.control_is_data)] += expected.pauses;
        if expected.headroom == 0 {
            continue;
        }
        let enough = engine(rules, endpoints, &flows, Some(expected.headroom), None);
        assert_eq!(found(&enough), expected, "{number}: {rules:?} {flows:?}");
        let lacking = engine(rules, endpoints, &flows, Some(expected.headroom - 1), None);
        assert!(lacking.counters.data_dropped + lacking.counters.control_dropped > 0, "{number}: {rules:?}");
        needed += 1;
    }
    assert!(paused.iter().all(|&pauses| pauses > 500) && needed > 60, "{paused:?} {needed}");
}

/// A pause takes effect exactly when its frame has been sent and has crossed the link. If the latency is one picosecond longer, the
/// endpoint sends one more packet.
#[test]
fn a_pause_takes_effect_after_a_frame_time_and_the_latency() {
    // s and f are the transmission times of a packet and of a pause frame, and L is the latency. Packets of both senders arrive at
    // k·s + L. At 2s + L, the second packet of endpoint 1 exceeds the threshold, so endpoint 1 is paused from 2s + L + f + L on. It has
    // then sent packets at 0, s, 2s and 3s, and at 4s only if the pause takes effect later than 4s.
    let (rate, s, f) = (7_000_000_000, 1_714_286, 73_143);
    let latency = (2 * s - f - 1) / 2;
    assert_eq!((2 * latency + f + 1, 2 * (latency + 1) + f - 1), (2 * s, 2 * s));
    let sent = |latency: u64| {
        let rules = Rules { rate, latency, xoff: MTU, xon: 1, control_is_data: false };
        let flow = |source| Flow { source, destination: 2, packets: 20, start: 0 };
        engine(rules, 3, &[flow(0), flow(1)], None, Some(4 * s + s / 2)).counters.data_sent
    };
    // Endpoint 0 is paused one packet later than endpoint 1. It sends five packets, with both latencies.
    assert_eq!((sent(latency), sent(latency + 1)), (5 + 4, 5 + 5));
}

/// With `control=data`, acknowledgements wait behind data in switches, count toward thresholds, and are paused like data.
#[test]
fn control_packets_go_first_or_with_the_data() {
    // Endpoints 1 and 2 send to endpoint 0, and endpoints 0 and 3 send to endpoint 1. Acknowledgements and data share the link to
    // endpoint 1.
    let rows = [(1, 0, 40), (2, 0, 40), (0, 1, 120), (3, 1, 120)];
    let flows = rows.map(|(source, destination, packets)| Flow { source, destination, packets, start: 0 });
    let rules =
        |control_is_data| Rules { rate: 10_000_000_000, latency: 1_000_000, xoff: 4500, xon: 3000, control_is_data };
    let [first, data] = [false, true].map(|control_is_data| engine(rules(control_is_data), 4, &flows, None, None));
    assert!(first.complete && data.complete);
    assert_eq!(first.counters.data_dropped + data.counters.data_dropped, 0);
    // Waiting acknowledgements delay only the end of a flow at its source, because its last acknowledgement arrives later.
    let waited = |outcome: &Outcome, flow: usize| outcome.flows.finish[flow] - outcome.flows.delivered[flow];
    let alone = 2 * (51_200 + 1_000_000);
    assert!(waited(&first, 0) <= alone + 2 * 1_200_000, "{}", waited(&first, 0));
    assert!(waited(&data, 0) > alone + 2 * 1_200_000, "{}", waited(&data, 0));
}

/// If more than 255 control packets in a row overtake waiting data, the data still frees its memory when it leaves.
#[test]
fn data_behind_many_control_packets_frees_its_memory() {
    let fabric = tulle_topologies::build("star:endpoints=300", 0).unwrap();
    let mut workload = Workload::default();
    // Two flows fill the port to endpoint 0. Later, 290 flows open their connections at the same time.
    (1..3).for_each(|source| workload.push(source, 0, 300_000, 0));
    (3..293).for_each(|source| workload.push(source, 0, 100, 100_000_000));
    let config = Config {
        mtu: MTU as u32,
        queue: "pfc:xoff=1500B,xon=0,mark=no".to_owned(),
        transport: "tcp:window=40".to_owned(),
        selector: "ecmp".to_owned(),
        until: Some(1_000_000_000_000),
        ..Config::default()
    };
    let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
    assert!(outcome.complete && outcome.counters.pauses > 0, "{:?}", outcome.counters);
}
