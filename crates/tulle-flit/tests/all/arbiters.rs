//! Tests that the arbiters of both router models are fair, and how many packets each input and each output of a virtual cut-through switch
//! passes at the same time. The tests send messages through a single switch, so that every arrival is predictable.

use std::ops::ControlFlow;

use tulle_fabric::{Fabric, FabricBuilder};
use tulle_flit::{CompletionOutcome, CompletionSettings, Config, Order, run_to_completion};
use tulle_traffic::Workload;

fn one_switch(endpoints: usize) -> Fabric {
    let mut builder = FabricBuilder::new(1);
    builder.endpoints(0, endpoints);
    builder.finish("file", Default::default()).unwrap()
}

/// Sends one message of one packet for each (source, destination) pair in `ends`.
fn send(router: &str, endpoints: usize, packet: u32, limit: u32, seed: u64, ends: &[(u32, u32)]) -> CompletionOutcome {
    let fabric = one_switch(endpoints);
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let mut workload = Workload::default();
    ends.iter().for_each(|&(from, to)| workload.push(from, to, 1, 0));
    let config = Config { router: router.to_owned(), policy: "free".to_owned(), packet, seed, ..Config::default() };
    let settings = CompletionSettings { order: Order::InOrder, limit, ..CompletionSettings::default() };
    run_to_completion(&fabric, &routing, &workload, &config, &settings, &mut |_| ControlFlow::Continue(())).unwrap()
}

const PACKET: u32 = 5;

#[test]
fn an_input_sends_one_packet_at_a_time() {
    // Endpoint 0 first sends to endpoint 1, which other endpoints keep busy. Meanwhile the packets of endpoint 0 to
    // endpoints 2, 3 and 4 wait. After the packet to endpoint 1 has crossed, the waiting packets follow as fast as the
    // input can send: one packet every five cycles.
    for router in ["vcs=1", "vcs=1,crossbar=1", "vcs=1,crossbar=2"] {
        for seed in 0..4 {
            let spec = format!("virtual-cut-through:{router},buffer=40,output={PACKET}");
            let mut ends: Vec<(u32, u32)> = (0..20).flat_map(|_| [(5, 1), (6, 1), (7, 1)]).collect();
            let own = ends.len();
            ends.extend([(0, 1), (0, 1), (0, 1), (0, 2), (0, 3), (0, 4)]);
            let found = send(&spec, 8, PACKET, 100_000, seed, &ends);
            let last = &found.arrival[own + 3..];
            assert_eq!([last[1] - last[0], last[2] - last[1]], [PACKET; 2], "{spec} {seed}: {last:?}");
        }
    }
}

#[test]
fn an_output_accepts_one_packet_at_a_time() {
    // Endpoints 0 to 3 send to endpoint 4 at the same time. Each also sends a second packet to a destination of its
    // own; this packet crosses after the first. The waiting times of the second packets show how many packets an output
    // accepts at the same time.
    for (router, at_a_time) in [
        ("vcs=1", 1),
        ("vcs=1,crossbar=1", 1),
        ("vcs=1,crossbar=2", 1),
        ("vcs=1,crossbar=1,queues=voq", 1),
        ("vcs=2,crossbar=1", 1),
        ("vcs=2,crossbar=2", 2),
        ("vcs=2", 2),
        ("vcs=4,crossbar=3", 3),
    ] {
        for seed in 0..4 {
            let spec = format!("virtual-cut-through:{router},buffer=40,output=40");
            let ends = [(0, 4), (1, 4), (2, 4), (3, 4), (0, 5), (1, 6), (2, 7), (3, 8)];
            let found = send(&spec, 9, PACKET, 10_000, seed, &ends);
            let mut second = found.arrival[4..].to_vec();
            second.sort_unstable();
            let waits: Vec<u32> = second.iter().map(|arrival| arrival - second[0]).collect();
            if router.ends_with("voq") {
                // With virtual output queues no packet waits behind a packet for another output. But an input still
                // sends one packet at a time, so the order of the first crossings varies.
                assert!(waits.iter().all(|wait| wait % PACKET == 0 && *wait <= PACKET), "{spec} {seed}: {waits:?}");
                continue;
            }
            // `at_a_time` packets cross at the same time, unless two packets choose the same random VC. The next packets wait until one has
            // crossed.
            assert!(waits[at_a_time - 1] < PACKET, "{spec} {seed}: {waits:?}");
            assert!(waits.windows(at_a_time + 1).all(|of| of[at_a_time] >= of[0] + PACKET), "{spec} {seed}: {waits:?}");
            assert!(at_a_time > 1 || waits[3] == 3 * PACKET, "{spec} {seed}: {waits:?}");
        }
    }
}

#[test]
fn requests_get_equal_shares() {
    // Six endpoints send to one endpoint, which accepts one flit per cycle. Round robin serves all senders equally, except for one or two
    // packets in transit. With random choices the senders differ: a sender sends about 166 packets, with a standard deviation of 12.
    const EACH: usize = 400;
    for (router, packet, off) in [
        // With one VC, the VC allocation divides the output among the senders. With several VCs and long packets, the switch allocation
        // does.
        ("input-queued:vcs=1,buffer=8", 1, 3),
        ("input-queued:vcs=1,buffer=8,allocator=islip", 1, 3),
        ("input-queued:vcs=1,buffer=8,speedup=1", 3, 3),
        ("input-queued:vcs=8,buffer=8", 4, 8),
        ("input-queued:vcs=8,buffer=8,allocator=islip", 4, 8),
        ("input-queued:vcs=8,buffer=8,inject=random", 4, 20),
        ("virtual-cut-through:vcs=1", 1, 55),
        ("virtual-cut-through:vcs=3,inject=random", 2, 40),
        ("virtual-cut-through:vcs=1,crossbar=1", 1, 55),
        ("virtual-cut-through:vcs=2,crossbar=1,queues=voq", 1, 55),
    ] {
        let ends: Vec<(u32, u32)> = (0..6 * EACH).map(|at| (at as u32 % 6, 6)).collect();
        let found = send(router, 7, packet, 1000, 3, &ends);
        let mut arrived = [0usize; 6];
        for (at, _) in found.arrival.iter().enumerate().filter(|(_, arrival)| **arrival != u32::MAX) {
            arrived[at % 6] += 1;
        }
        let all: usize = arrived.iter().sum();
        assert!(all as u32 * packet > 700, "{router}: {arrived:?}");
        assert!(arrived.iter().all(|&count| count.abs_diff(all / 6) <= off), "{router}: {arrived:?}");
    }
}
