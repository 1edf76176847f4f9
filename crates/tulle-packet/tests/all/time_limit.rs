//! Runs that end at a time limit: the bytes of each flow that have arrived, and the bytes that links have carried.

use crate::support::{check, flows, minimal, row, run};
use proptest::prelude::*;
use tulle_packet::{Config, NEVER, Outcome};

/// In a flow over four links, the n-th packet arrives at 4(s + L) + (n − 1)s, where s is the transmission time of a packet and L is the
/// link latency. Links count the bytes that have left by the time limit, including the sent part of a packet.
#[test]
fn delivered_bytes_are_exact_at_the_time_limit() {
    let fabric = row(3, 1);
    let (full, latency, last) = (1_200_000, 1_000_000, 200 + 64);
    let workload = flows(&[(0, 2, 1436 * 9 + 200)]);
    let cut = |transport: &str, until: u64| -> Outcome {
        let config = Config {
            mtu: 1500,
            transport: transport.to_owned(),
            selector: "ecmp".to_owned(),
            until: Some(until),
            ..Config::default()
        };
        run(&fabric, &minimal(&fabric), &workload, &config)
    };
    for transport in
        ["purified:window=20", "ndp", "tcp:handshake=no,window=20,interrupt=0,jitter=0", "dcqcn:control=no"]
    {
        for packets in 1..=9 {
            let arrival = 4 * (full + latency) + (packets - 1) * full;
            let arrived = [arrival - 1, arrival].map(|until| cut(transport, until).flows.bytes_delivered[0]);
            assert_eq!(arrived, [1436 * (packets - 1), 1436 * packets], "{transport}");
        }
        let arrival = 4 * (full + latency) + 8 * full + last * 800;
        let outcome = cut(transport, arrival);
        assert_eq!((outcome.flows.bytes_delivered[0], outcome.flows.delivered[0]), (1436 * 9 + 200, arrival));
        assert_eq!(outcome.flows.finish[0], NEVER);
        // After the transmission time of 2.5 packets, the endpoint's link has carried 2.5 packets.
        let up = fabric.num_channels();
        let outcome = cut(transport, 3_000_000);
        assert_eq!((outcome.links.bytes[up], outcome.links.end, outcome.end), (3750, 3_000_000, 3_000_000));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// At any time limit, no link carries more than its rate allows. With later limits, the delivered bytes never decrease.
    #[test]
    fn links_carry_at_most_their_rate(
        queue in prop::sample::select(&["trim", "droptail:packets=4", "ecn", "pfc:threshold=testbed,control=data"][..]),
        transport in prop::sample::select(&["purified", "tcp:rto_initial=1ms", "mptcp", "dcqcn:timeout=200us"][..]),
        bytes in 1u64..200_000,
        untils in prop::collection::vec(1u64..2_000_000_000, 1..4),
    ) {
        let fabric = row(2, 4);
        let workload = flows(&[(0, 4, bytes), (1, 4, bytes), (2, 4, 2 * bytes), (5, 1, bytes), (6, 1, 9)]);
        let mut untils = untils.into_iter().map(Some).collect::<Vec<_>>();
        untils.sort_unstable();
        untils.push(None);
        let mut before = vec![0; workload.len()];
        for until in untils {
            let config = Config {
                mtu: 1500,
                queue: queue.to_owned(),
                transport: transport.to_owned(),
                selector: "ecmp".to_owned(),
                until,
                ..Config::default()
            };
            let outcome = run(&fabric, &minimal(&fabric), &workload, &config);
            let capacity = u128::from(outcome.links.end) * u128::from(config.rate);
            for &bytes in &outcome.links.bytes {
                prop_assert!(u128::from(bytes) * 8_000_000_000_000 <= capacity, "{} in {}", bytes, outcome.links.end);
            }
            let arrived = &outcome.flows.bytes_delivered;
            prop_assert!(before.iter().zip(arrived).all(|(before, now)| before <= now));
            if until.is_none() {
                check(&outcome, &workload, 1436);
                prop_assert_eq!(arrived, &workload.bytes);
            }
            before.clone_from(arrived);
        }
    }
}
