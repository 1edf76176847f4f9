//! Links with different rates and latencies: times match formulas to the picosecond, and results do not depend on the number of
//! threads.

use std::ops::ControlFlow;

use crate::support::{flows, minimal, run};
use proptest::prelude::*;
use tulle_base::random::mix;
use tulle_fabric::{Fabric, FabricBuilder, Link, LinkRule};
use tulle_packet::{Config, Outcome, ideal_fct, simulate};
use tulle_spec::Parameters;

const HEADER: u64 = 64;
const MTU: u64 = 9000;
const PAYLOAD: u64 = MTU - HEADER;
const RATES: [u64; 7] = [1, 10, 25, 40, 100, 400, 800];

/// Returns a link with random rate and latency. In some links, the rate or the latency is unset, so that the configuration's value applies.
fn link(random: &mut impl FnMut(u64) -> u64) -> Link {
    let rate = (random(8) > 0).then(|| RATES[random(7) as usize] * 1_000_000_000);
    let latency = (random(8) > 0).then(|| random(3_000_000));
    Link { rate, latency, ..Link::default() }
}

/// Returns a row of switches with an endpoint at each end. Both directions of every link have random rates and latencies.
fn row(switches: u32, mut random: impl FnMut(u64) -> u64) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 1..switches {
        builder.cable(switch - 1, switch);
        let links = [link(&mut random), link(&mut random)];
        builder.link(switch as usize - 1, links);
    }
    for (endpoint, switch) in [(0, 0), (1, switches - 1)] {
        builder.endpoints(switch, 1);
        builder.endpoint_link(endpoint, link(&mut random));
    }
    builder.finish("edges", Parameters::new()).unwrap()
}

/// Returns the paths from endpoint 0 to endpoint 1 of a row and back, as rates and latencies of their links.
fn ways(fabric: &Fabric, config: &Config) -> [Vec<(u64, u64)>; 2] {
    let there: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    let back: Vec<u32> = there.iter().rev().copied().collect();
    [way(fabric, config, 0, &there, 1), way(fabric, config, 1, &back, 0)]
}

/// Returns the path between two endpoints over `switches`, as rates and latencies of its links.
fn way(fabric: &Fabric, config: &Config, from: u32, switches: &[u32], to: u32) -> Vec<(u64, u64)> {
    let known =
        |rate: Option<u64>, latency: Option<u64>| (rate.unwrap_or(config.rate), latency.unwrap_or(config.link_latency));
    let endpoint = |at| known(fabric.endpoint_rate(at), fabric.endpoint_latency(at));
    let hops = switches.windows(2).map(|hop| {
        let channel = fabric.channel_between(hop[0], hop[1]).unwrap();
        known(fabric.link_rate(channel), fabric.link_latency(channel))
    });
    [endpoint(from)].into_iter().chain(hops).chain([endpoint(to)]).collect()
}

fn wire(bytes: u64, rate: u64) -> u64 {
    (bytes * 8_000_000_000_000).div_ceil(rate)
}

/// Returns the arrival times of `packets` after the links of `way`. Each packet has a size and a send time.
///
/// A link starts to send a packet when the packet has arrived completely and the previous packet has left.
fn arrivals(packets: impl IntoIterator<Item = (u64, u64)>, way: &[(u64, u64)]) -> Vec<u64> {
    let mut free = vec![0; way.len()];
    let over = |(size, mut here): (u64, u64)| {
        for (&(rate, latency), free) in way.iter().zip(&mut free) {
            *free = here.max(*free) + wire(size, rate);
            here = *free + latency;
        }
        here
    };
    packets.into_iter().map(over).collect()
}

/// On random rows of switches, the completion time of a flow matches the formula.
///
/// For receiver-driven transports and flows of several packets, only the delivery time is compared. These transports send pulls in addition
/// to acknowledgements, and on a slow reverse path the pulls can delay the last acknowledgement. For TCP and DCTCP, the time of the last
/// acknowledgement is also compared.
#[test]
fn a_flow_over_different_links_takes_the_closed_form() {
    for case in 0..200u64 {
        let mut drawn = 0;
        let mut random = |below: u64| {
            drawn += 1;
            mix(case << 32 | drawn) % below
        };
        let (switches, packets, short) = (1 + random(6) as u32, 1 + random(8), random(PAYLOAD));
        let base = Config {
            rate: RATES[random(7) as usize] * 1_000_000_000,
            link_latency: random(2_000_000),
            ..Config::default()
        };
        let fabric = row(switches, &mut random);
        let [there, back] = ways(&fabric, &base);
        let mut sizes = vec![MTU; packets as usize];
        sizes[packets as usize - 1] = MTU - short;
        let arrived = arrivals(sizes.iter().map(|&size| (size, 0)), &there);
        let delivered = arrived[arrived.len() - 1];
        let acknowledged = arrivals(arrived.iter().map(|&time| (HEADER, time)), &back)[arrived.len() - 1];
        for (transport, queue) in [
            ("tcp:window=20,interrupt=0,jitter=0,handshake=no,rto_min=100ms", "droptail:packets=30"),
            ("dctcp:window=20,interrupt=0,jitter=0,handshake=no,rto_min=100ms", "ecn:packets=30,mark=30"),
            ("purified:window=8,timeout=1s", "trim:packets=20"),
            ("ndp:timeout=1s", "trim:packets=20"),
        ] {
            let config = Config { transport: transport.to_owned(), queue: queue.to_owned(), ..base.clone() };
            let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, 1, packets * PAYLOAD - short)]), &config);
            assert_eq!(outcome.flows.delivered, [delivered], "case {case}, {transport}");
            if transport.starts_with("tcp") || transport.starts_with("dctcp") || packets == 1 {
                assert_eq!(outcome.flows.finish, [acknowledged], "case {case}, {transport}");
            }
            assert_eq!(ideal_fct(&fabric, &outcome.flows, &config).unwrap(), [acknowledged], "case {case}");
            if packets == 1 {
                let latencies = there.iter().chain(&back).map(|&(_, latency)| u128::from(latency)).sum::<u128>();
                assert_eq!(outcome.spent.travelling, latencies, "case {case}");
            }
        }
    }
}

/// Returns a random path from switch `from` with at most five hops and without repeated switches.
fn walk(fabric: &Fabric, from: u32, random: &mut impl FnMut(u64) -> u64) -> Vec<u32> {
    let mut path = vec![from];
    for _ in 0..1 + random(5) {
        let neighbours = fabric.neighbours(path[path.len() - 1]);
        let next: Vec<u32> = neighbours.iter().copied().filter(|switch| !path.contains(switch)).collect();
        if next.is_empty() {
            break;
        }
        path.push(next[random(next.len() as u64) as usize]);
    }
    path
}

/// On 200 random paths of one fabric, the completion time of a flow matches the formula. The reverse path visits the same switches, or is
/// the direct link if one exists.
#[test]
fn flows_on_random_paths_of_a_fabric_take_the_closed_form() {
    let mut drawn = 0;
    let mut random = |below: u64| {
        drawn += 1;
        mix(drawn) % below
    };
    let plain = tulle_topologies::build("jellyfish:switches=20,degree=5,p=1", 1).unwrap();
    let mut builder = FabricBuilder::new(20);
    // The rates and latencies come from short lists, because a fabric can have only a limited number of kinds of links.
    let mut link = || Link {
        rate: (random(8) > 0).then(|| RATES[random(7) as usize] * 1_000_000_000),
        latency: (random(8) > 0).then(|| random(9) * 123_457),
        ..Link::default()
    };
    for (cable, channel) in plain.cables().enumerate() {
        let from = plain.targets()[plain.reverse()[channel as usize] as usize];
        builder.cable(from, plain.targets()[channel as usize]);
        builder.link(cable, [link(), link()]);
    }
    builder.endpoints_each(1);
    (0..20).for_each(|endpoint| builder.endpoint_link(endpoint, link()));
    let fabric = builder.finish("edges", Parameters::new()).unwrap();
    for case in 0..200 {
        let there = walk(&fabric, random(20) as u32, &mut random);
        let (from, to) = (there[0], there[there.len() - 1]);
        let mut back: Vec<u32> = there.iter().rev().copied().collect();
        if fabric.channel_between(to, from).is_ok() && random(2) > 0 {
            back = vec![to, from];
        }
        let (packets, short) = (1 + random(8), random(PAYLOAD));
        let config =
            Config { transport: "ndp:timeout=1s".to_owned(), queue: "trim:packets=20".to_owned(), ..Config::default() };
        let mut sizes = vec![MTU; packets as usize];
        sizes[packets as usize - 1] = MTU - short;
        let arrived = arrivals(sizes.iter().map(|&size| (size, 0)), &way(&fabric, &config, from, &there, to));
        let acknowledgements = arrived.iter().map(|&time| (HEADER, time));
        let acknowledged = arrivals(acknowledgements, &way(&fabric, &config, to, &back, from));
        let tcp = Config {
            transport: "tcp:window=20,interrupt=0,jitter=0,handshake=no,rto_min=100ms".to_owned(),
            queue: "droptail:packets=30".to_owned(),
            ..Config::default()
        };
        let routing = crate::support::paths(&fabric, &[&there, &back]);
        let workload = flows(&[(from, to, packets * PAYLOAD - short)]);
        for config in [config, tcp] {
            let outcome = run(&fabric, &routing, &workload, &config);
            assert_eq!(outcome.flows.delivered, arrived[arrived.len() - 1..], "case {case}, {there:?}, {back:?}");
            if config.transport.starts_with("tcp") {
                assert_eq!(outcome.flows.finish, acknowledged[arrived.len() - 1..], "case {case}, {there:?}, {back:?}");
            }
        }
    }
}

/// In a tree with host links of 400 Gb/s and uplinks of 800 Gb/s, one flow fills its host link, and two hosts of a leaf fill an uplink.
#[test]
fn ndp_fills_hosts_of_400g_under_uplinks_of_800g() {
    let fabric = tulle_topologies::build("fattree:levels=2,leaves=2,cores=1,p=2", 0).unwrap();
    let rules = ["all:rate=800Gbps,latency=500ns", "endpoint:rate=400Gbps,latency=100ns"];
    let fabric = fabric.with_links(&rules.map(|rule| rule.parse::<LinkRule>().unwrap())).unwrap();
    let config = Config { transport: "ndp:window=60".to_owned(), ..Config::default() };
    let packets = 2000;
    let outcome =
        run(&fabric, &minimal(&fabric), &flows(&[(0, 2, packets * PAYLOAD), (1, 3, packets * PAYLOAD)]), &config);
    let alone = ideal_fct(&fabric, &outcome.flows, &config).unwrap();
    let host = packets * wire(MTU, 400_000_000_000);
    for (&finish, &alone) in outcome.flows.finish.iter().zip(&alone) {
        assert!(alone > host && alone < host + 5_000_000, "{alone} beside {host}");
        // Receivers pull at 99% of their link rate.
        assert!(finish >= alone && finish < alone * 102 / 100, "{finish} beside {alone}");
    }
    // No packet is trimmed, because the uplink is as fast as the two host links together.
    assert_eq!(outcome.counters.data_trimmed, 0);
}

/// A queue holds the same number of packets at any link rate, so an incast drops the same number of packets on slow and fast links.
#[test]
fn queue_capacity_does_not_depend_on_the_link_rate() {
    for queue in ["droptail:packets=10", "ecn:packets=10,mark=3"] {
        let dropped = |rate: &str| {
            let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
            let rules = [format!("endpoint:rate={rate},latency=0")].map(|rule| rule.parse::<LinkRule>().unwrap());
            let fabric = fabric.with_links(&rules).unwrap();
            let transport = "tcp:window=20,handshake=no,jitter=0,interrupt=0,rto_min=1ms,limit=20".to_owned();
            let config = Config { transport, queue: queue.to_owned(), until: Some(900_000_000), ..Config::default() };
            let outcome =
                run(&fabric, &minimal(&fabric), &flows(&[(0, 2, 15 * PAYLOAD), (1, 2, 15 * PAYLOAD)]), &config);
            (outcome.counters.data_dropped, outcome.counters.marked)
        };
        assert_eq!(dropped("10Gbps"), dropped("100Gbps"), "{queue}");
    }
}

/// Lossless queues lose no packet on links with different latencies, because the headroom of a port is computed for its own link.
#[test]
fn lossless_queues_have_the_headroom_of_their_own_link() {
    let fabric = tulle_topologies::build("fattree:levels=2,leaves=3,cores=1,p=4", 0).unwrap();
    let rules = ["up:rate=400Gbps,latency=20us", "down:rate=100Gbps,latency=3us", "endpoint:rate=25Gbps,latency=1us"];
    let fabric = fabric.with_links(&rules.map(|rule| rule.parse::<LinkRule>().unwrap())).unwrap();
    let pairs: Vec<(u32, u32, u64)> = (4..12).map(|source| (source, 0, 2_000_000)).collect();
    let config = |queue: &str| Config {
        transport: "dcqcn:control=no".to_owned(),
        queue: queue.to_owned(),
        rate: 1_000_000_000,
        link_latency: 0,
        ..Config::default()
    };
    let outcome = run(&fabric, &minimal(&fabric), &flows(&pairs), &config("pfc:xoff=50KB,xon=47KB"));
    assert_eq!((outcome.complete, outcome.counters.data_dropped), (true, 0));
    let outcome = run(&fabric, &minimal(&fabric), &flows(&pairs), &config("pfc:xoff=50KB,xon=47KB,headroom=27000B"));
    assert!(outcome.counters.data_dropped > 0, "the headroom of the configuration's link is not enough");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Results do not depend on the number of threads, even if links differ. The time window is the minimum time that a header takes over a
    /// link between two partitions.
    #[test]
    fn any_number_of_threads_gives_the_same(
        local in 0u64..2000, global in 100u64..5000, endpoint in 0u64..500,
        transport in prop::sample::select(&["purified", "ndp", "tcp", "dctcp:handshake=no", "dcqcn"][..]),
        queue in prop::sample::select(&["trim:packets=4", "droptail:packets=6", "ecn"][..]),
        selector in prop::sample::select(&["flowlet", "ksp-adaptive", "spray"][..]),
        threads in 2usize..4,
    ) {
        let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
        let rules = [
            format!("local:rate=40Gbps,latency={local}ns"),
            format!("global:rate=100Gbps,latency={global}ns"),
            format!("endpoint:latency={endpoint}ns"),
        ];
        let fabric = fabric.with_links(&rules.map(|rule| rule.parse::<LinkRule>().unwrap())).unwrap();
        let routing = tulle_routing::build(&fabric, "random:layers=2,rho=0.8", 3).unwrap();
        let workload = tulle_traffic::build(&fabric, "permutation:bytes=60KB", 3).unwrap();
        let outcome = |threads: usize| -> Outcome {
            let config = Config {
                transport: transport.to_owned(),
                queue: queue.to_owned(),
                selector: selector.to_owned(),
                mtu: 1500,
                threads: Some(threads),
                sample: Some(3_000_000),
                ..Config::default()
            };
            simulate(&fabric, &routing, &workload, &config, &mut |_| ControlFlow::Continue(())).unwrap()
        };
        let alone = outcome(1);
        prop_assert!(alone == outcome(threads));
        let ideal = ideal_fct(&fabric, &alone.flows, &Config { mtu: 1500, ..Config::default() }).unwrap();
        prop_assert!(ideal.iter().all(|&time| time > 0));
    }
}
