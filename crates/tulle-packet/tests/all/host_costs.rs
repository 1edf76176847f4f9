//! Tests the times per message at endpoints (`software`) and the gaps between messages (`gap`): closed forms, and equal results for any
//! number of threads.

use crate::support::{flows, minimal, row, run};
use tulle_fabric::{FabricBuilder, Link};
use tulle_packet::{Config, NEVER, Outcome, default_selector, ideal_fct, transports};
use tulle_spec::Parameters;
use tulle_traffic::collectives::{Allreduce, Group, allreduce};
use tulle_traffic::{Program, Workload};

const LATENCY: u64 = 1_000_000;
const SOFTWARE: u64 = 700_000;

/// Returns the transmission time of `bytes` at 10 Gb/s, in picoseconds.
fn wire(bytes: u64) -> u64 {
    bytes * 800
}

/// Returns the time of a packet with `payload` bytes over two idle links, in picoseconds.
fn trip(payload: u64) -> u64 {
    2 * (wire(payload + 64) + LATENCY)
}

fn with(software: u64, gap: u64) -> Config {
    Config { software, gap, ..Config::default() }
}

fn last(outcome: &Outcome) -> u64 {
    assert!(outcome.complete && outcome.counters.balance());
    *outcome.flows.delivered.iter().max().unwrap()
}

/// With every transport, the sender handles the message before the transport starts, and the receiver handles it after the last byte has
/// arrived. The last acknowledgement does not wait until the receiver has handled the message.
#[test]
fn a_message_takes_software_time_at_both_ends_with_every_transport() {
    let fabric = row(3, 2);
    let routing = minimal(&fabric);
    for transport in transports().iter().flat_map(|info| info.examples) {
        for bytes in [1, 8936, 300_000] {
            for software in [1, SOFTWARE, 90 * LATENCY] {
                let of = |software| {
                    let (transport, queue) = ((*transport).to_owned(), tulle_packet::default_queue(transport).unwrap());
                    let selector = default_selector(&transport).unwrap().to_owned();
                    let config = Config { transport, selector, queue: queue.to_owned(), ..with(software, 5 * LATENCY) };
                    run(&fabric, &routing, &flows(&[(0, 5, bytes)]), &config).flows
                };
                let gap_alone = of(0);
                let (delivered, finish) = (gap_alone.delivered[0], gap_alone.finish[0]);
                let found = of(software);
                assert_eq!(found.delivered, [delivered + 2 * software], "{transport}, {bytes} bytes");
                assert_eq!(found.finish, [(finish + software).max(delivered + 2 * software)], "{transport}");
                assert_eq!((found.start[0], found.bytes_delivered[0]), (0, bytes));
            }
        }
    }
}

/// The messages of one endpoint leave max(software, gap) apart, or one transmission time apart if that is longer.
#[test]
fn messages_of_one_endpoint_leave_one_after_another() {
    for (software, gap, bytes) in
        [(0, 0, 436), (0, 300_000, 436), (0, 900_000, 436), (SOFTWARE, 0, 100), (SOFTWARE, 3 * SOFTWARE, 8936)]
    {
        for count in [1, 2, 7u32] {
            let fabric = row(1, 1 + count as usize);
            let workload = flows(&(1..=count).map(|to| (0, to, bytes)).collect::<Vec<_>>());
            let outcome = run(&fabric, &minimal(&fabric), &workload, &with(software, gap));
            let apart = software.max(gap).max(wire(bytes + 64));
            let expected = 2 * software + trip(bytes) + u64::from(count - 1) * apart;
            assert_eq!(last(&outcome), expected, "{count} messages of {bytes} bytes, software {software}, gap {gap}");
        }
    }
}

/// The messages to one endpoint arrive one transmission time apart. The endpoint finishes handling them max(software, gap) apart, or one
/// transmission time apart if that is longer.
#[test]
fn messages_to_one_endpoint_are_received_one_after_another() {
    for (software, gap, bytes) in [(0, 900_000, 436), (SOFTWARE, 0, 100), (SOFTWARE, 3 * SOFTWARE, 436), (1, 2, 8936)] {
        for count in [1, 2, 7u32] {
            let fabric = row(1, 1 + count as usize);
            let workload = flows(&(1..=count).map(|from| (from, 0, bytes)).collect::<Vec<_>>());
            let outcome = run(&fabric, &minimal(&fabric), &workload, &with(software, gap));
            let apart = software.max(gap).max(wire(bytes + 64));
            assert_eq!(last(&outcome), 2 * software + trip(bytes) + u64::from(count - 1) * apart);
        }
    }
}

/// An endpoint has one processor: a message that arrives while the endpoint handles messages to send waits for them.
#[test]
fn sending_and_receiving_share_a_processor() {
    let fabric = row(1, 4);
    let software = 40 * LATENCY;
    let workload = flows(&[(0, 1, 100), (0, 2, 100), (0, 3, 100), (1, 0, 100)]);
    let outcome = run(&fabric, &minimal(&fabric), &workload, &with(software, 0));
    let sent = |number: u64| number * software + trip(100);
    // Endpoint 1 handles its own message first, so it is free when the message of endpoint 0 arrives.
    assert_eq!(outcome.flows.delivered[..3], [1, 2, 3].map(|number| sent(number) + software));
    assert!(sent(1) < 3 * software);
    assert_eq!(outcome.flows.delivered[3], 3 * software + software);
    // A gap does not occupy the processor: the message is handled on arrival.
    let outcome = run(&fabric, &minimal(&fabric), &workload, &with(0, software));
    assert_eq!(outcome.flows.delivered, [trip(100), software + trip(100), 2 * software + trip(100), trip(100)]);
}

/// With tiny messages, every step of a ring allreduce takes the software time of the sender, the network latency, and the software time of
/// the receiver: a rank starts a step only after it has received the message of the previous step.
#[test]
fn steps_of_a_ring_allreduce_take_software_time_twice() {
    for ranks in [2, 3, 8u64] {
        let fabric = row(1, ranks as usize);
        let mut program = Program::default();
        allreduce(&mut program, &mut Group::new((0..ranks as u32).collect()), Allreduce::Ring, 8 * ranks);
        let workload = program.finish();
        for (software, gap) in [(SOFTWARE, 0), (20 * LATENCY, 0), (SOFTWARE, SOFTWARE)] {
            let outcome = run(&fabric, &minimal(&fabric), &workload, &with(software, gap));
            assert_eq!(last(&outcome), 2 * (ranks - 1) * (2 * software + trip(8)), "{ranks} ranks");
        }
    }
}

/// On an idle network, a message takes exactly its ideal completion time, also if links differ.
#[test]
fn messages_on_an_idle_network_take_the_ideal_time() {
    let mut builder = FabricBuilder::new(4);
    (1..4).for_each(|switch| builder.cable(switch - 1, switch));
    builder.link(1, [(); 2].map(|()| Link { rate: Some(40_000_000_000), latency: Some(300_000), ..Link::default() }));
    builder.endpoints_each(2);
    let mixed = builder.finish("edges", Parameters::new()).unwrap();
    for fabric in [row(4, 2), mixed] {
        for software in [SOFTWARE, 90 * LATENCY] {
            let config = Config { transport: "purified:window=40".to_owned(), ..with(software, 0) };
            for bytes in [1, 8937, 30 * 8936 + 77] {
                let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, 7, bytes)]), &config);
                assert_eq!(ideal_fct(&fabric, &outcome.flows, &config).unwrap(), outcome.flows.finish);
            }
        }
    }
}

/// A run with a time limit reports a message as delivered only if its receiver has handled it.
#[test]
fn a_time_limit_cuts_software_time() {
    let fabric = row(1, 2);
    let arrived = SOFTWARE + trip(100);
    let until = |until| {
        let config = Config { until: Some(until), ..with(SOFTWARE, 0) };
        let outcome = run(&fabric, &minimal(&fabric), &flows(&[(0, 1, 100)]), &config);
        (outcome.flows.delivered[0], outcome.flows.bytes_delivered[0], outcome.complete)
    };
    assert_eq!(until(SOFTWARE - 1), (NEVER, 0, false));
    assert_eq!(until(arrived + SOFTWARE - 1), (NEVER, 100, false));
    assert!(trip(0) > SOFTWARE);
    assert_eq!(until(arrived + trip(0)), (arrived + SOFTWARE, 100, true));
}

/// The results are bit-identical for any number of threads, with every transport.
#[test]
fn any_number_of_threads_gives_the_same() {
    let fabric = tulle_topologies::build("slimfly:q=5,p=2", 3).unwrap();
    let routing = tulle_routing::build(&fabric, "random:layers=3,rho=0.7", 3).unwrap();
    let traffic = |spec: &str| -> Workload { tulle_traffic::build(&fabric, spec, 3).unwrap() };
    let workloads = [traffic("incast:bytes=20KB"), traffic("uniform:arrivals=20000,duration=100us,bytes=20KB")];
    for transport in transports().iter().map(|info| info.name) {
        let queue = tulle_packet::default_queue(transport).unwrap();
        // Lossless queues always use one thread.
        let queue = if queue == "pfc" { "ecn" } else { queue };
        for (workload, threads) in workloads.iter().zip([2, 3]) {
            for (software, gap) in [(SOFTWARE, 0), (0, 2 * LATENCY), (3 * LATENCY, LATENCY)] {
                let of = |threads| {
                    let config = Config {
                        transport: transport.to_owned(),
                        selector: default_selector(transport).unwrap().to_owned(),
                        queue: queue.to_owned(),
                        mtu: 1500,
                        sample: Some(3_000_000),
                        threads: Some(threads),
                        ..with(software, gap)
                    };
                    run(&fabric, &routing, workload, &config)
                };
                let alone = of(1);
                assert!(alone.complete && alone.samples.time.len() > 1);
                let finished = |time: u64| alone.flows.finish.iter().filter(|&&finish| finish <= time).count() as u64;
                assert!(alone.samples.time.iter().zip(&alone.samples.finished).all(|(&at, &of)| of == finished(at)));
                assert!(of(threads) == alone, "{transport}, {threads} threads");
            }
        }
    }
}

#[test]
fn times_beyond_a_millisecond_are_refused() {
    let error = |config| tulle_packet::check(&config).unwrap_err().to_string();
    assert_eq!(error(with(1_000_000_001, 0)), "software=1000000001 is out of range; legal: 0 to 1ms");
    assert!(error(with(0, u64::MAX)).starts_with("gap=18446744073709551615 is out of range; legal: "));
}
