//! Tests messages that depend on other messages: their start times, and the times of collectives on idle fabrics.

use crate::support::{flows, minimal, row, run};
use tulle_packet::{Config, NEVER};
use tulle_traffic::collectives::{Allreduce, Group, allreduce, broadcast, dissemination};
use tulle_traffic::{Dependencies, Program, Workload};

const LATENCY: u64 = 1_000_000;

/// Returns the transmission time of `bytes` at 10 Gb/s, in picoseconds.
fn wire(bytes: u64) -> u64 {
    bytes * 800
}

/// Returns the arrival time of one packet with `payload` bytes over `links` idle links, in picoseconds.
fn arrival(payload: u64, links: u64) -> u64 {
    links * (wire(payload + 64) + LATENCY)
}

/// Returns the arrival time of the last message of several rounds, whose messages take `times`, in picoseconds.
///
/// From the second round on, a message waits for a message of the previous round. It leaves after the acknowledgement of that message.
fn in_rounds(times: &[u64]) -> u64 {
    times.iter().sum::<u64>() + (times.len() as u64 - 1) * wire(64)
}

/// On a single switch, every message of a round uses its own two links. A ring allreduce of n ranks therefore takes 2(n − 1) times the time
/// of one message, plus the transmission time of an acknowledgement between two rounds.
#[test]
fn ring_allreduce_takes_its_rounds() {
    for ranks in 2..=9u64 {
        let fabric = row(1, ranks as usize);
        let mut program = Program::default();
        let mut group = Group::new((0..ranks as u32).collect());
        allreduce(&mut program, &mut group, Allreduce::Ring, 500 * ranks);
        let outcome = run(&fabric, &minimal(&fabric), &program.finish(), &Config::default());
        assert!(outcome.complete);
        let last = outcome.flows.delivered.iter().max().unwrap();
        assert_eq!(*last, in_rounds(&vec![arrival(500, 2); 2 * (ranks as usize - 1)]), "{ranks} ranks");
    }
}

#[test]
fn doubling_and_trees_take_the_logarithm() {
    for levels in 1..=4u64 {
        let ranks = 1u64 << levels;
        let fabric = row(1, ranks as usize);
        let last = |build: &dyn Fn(&mut Program, &mut Group)| {
            let mut program = Program::default();
            build(&mut program, &mut Group::new((0..ranks as u32).collect()));
            *run(&fabric, &minimal(&fabric), &program.finish(), &Config::default())
                .flows
                .delivered
                .iter()
                .max()
                .unwrap()
        };
        let doubling = last(&|program, group| allreduce(program, group, Allreduce::RecursiveDoubling, 1000));
        let alike = |bytes| in_rounds(&vec![arrival(bytes, 2); levels as usize]);
        assert_eq!(doubling, alike(1000));
        assert_eq!(last(&|program, group| broadcast(program, group, 1, 1000)), alike(1000));
        assert_eq!(last(&|program, group| dissemination(program, group)), alike(1));
        let halving = last(&|program, group| allreduce(program, group, Allreduce::Rabenseifner, 64));
        let halves: Vec<u64> = (1..=levels).map(|level| arrival(64 >> level, 2)).collect();
        assert_eq!(halving, in_rounds(&[&halves[..], &halves[..]].concat()));
    }
}

/// A message starts when all steps that it depends on have ended, but not before its earliest start.
#[test]
fn messages_start_after_their_dependencies() {
    let fabric = row(1, 4);
    let mut program = Program::default();
    let early = program.compute(3_000_000, &[]);
    let first = program.message(0, 1, 100, &[early]);
    let thought = program.compute(7_000_000, &[first]);
    let free = program.message(2, 3, 436, &[]);
    let both = program.compute(0, &[thought, free]);
    program.message(1, 0, 100, &[both]);
    program.message(3, 2, 100, &[free]);
    let mut workload = program.finish();
    workload.start[3] = 50_000_000;
    let outcome = run(&fabric, &minimal(&fabric), &workload, &Config::default());
    let first = 3_000_000 + arrival(100, 2);
    assert_eq!(outcome.flows.start, [3_000_000, 0, first + 7_000_000, 50_000_000]);
    assert_eq!(outcome.flows.delivered[2], first + 7_000_000 + arrival(100, 2));
    assert_eq!(outcome.flows.delivered[1], arrival(436, 2));
    // The completion time of a message counts from its actual start.
    assert_eq!(outcome.flows.completion_times().max().unwrap(), outcome.flows.finish[1]);
    // Another run with the same inputs gives the same results.
    assert_eq!(run(&fabric, &minimal(&fabric), &workload, &Config::default()), outcome);
}

/// No message after a barrier starts before all messages before the barrier have arrived.
#[test]
fn barriers_keep_their_order() {
    let fabric = tulle_topologies::build("clique:degree=4", 0).unwrap();
    let routing = minimal(&fabric);
    let spec = "stencil:ranks=20,dimensions=3,iterations=3,bytes=20KB,compute=2us,barrier=ideal,mapping=random";
    let workload = tulle_traffic::build(&fabric, spec, 3).unwrap();
    let outcome = run(&fabric, &routing, &workload, &Config::default());
    assert!(outcome.complete);
    let round = workload.len() / 3;
    for number in 1..3 {
        let before = outcome.flows.delivered[(number - 1) * round..number * round].iter().max().unwrap();
        let starts = &outcome.flows.start[number * round..(number + 1) * round];
        assert!(starts.iter().all(|start| *start == before + 2_000_000), "round {number}");
    }
    // Without a barrier, some rank starts its next iteration earlier.
    let free = tulle_traffic::build(&fabric, &spec.replace("barrier=ideal", "barrier=no"), 3).unwrap();
    let outcome = run(&fabric, &routing, &free, &Config::default());
    let before = outcome.flows.delivered[..round].iter().max().unwrap();
    assert!(outcome.flows.start[round..2 * round].iter().any(|start| start < before));
}

#[test]
fn messages_that_wait_at_the_time_limit_have_not_started() {
    let fabric = row(1, 2);
    let mut program = Program::default();
    let first = program.message(0, 1, 100, &[]);
    let thought = program.compute(1_000_000_000, &[first]);
    program.message(1, 0, 100, &[thought]);
    let config = Config { until: Some(500_000_000), ..Config::default() };
    let outcome = run(&fabric, &minimal(&fabric), &program.finish(), &config);
    assert_eq!((outcome.flows.start[0], outcome.flows.start[1], outcome.complete), (0, NEVER, false));
    assert_eq!(outcome.flows.finished(), 1);
}

#[test]
fn illegal_dependencies_are_refused() {
    let fabric = row(1, 2);
    let routing = minimal(&fabric);
    let refused = |workload: &Workload| {
        let observe = &mut |_: &_| std::ops::ControlFlow::Continue(());
        tulle_packet::simulate(&fabric, &routing, workload, &Config::default(), observe).unwrap_err().to_string()
    };
    let with = |steps, pairs: &[(u32, u32)], compute: Vec<u64>| Workload {
        dependencies: Dependencies::from_pairs(steps, pairs).unwrap(),
        compute,
        ..flows(&[(0, 1, 9), (1, 0, 9)])
    };
    assert!(refused(&with(2, &[(0, 1), (1, 0)], vec![])).contains("waits for itself through other steps; legal: "));
    assert_eq!(
        refused(&with(3, &[(0, 1)], vec![])),
        "dependencies for 3 steps; legal: 2, the number of messages and computations"
    );
    assert!(
        refused(&with(4, &[(0, 2)], vec![u64::MAX, 1]))
            .contains("computations take 18446744073709551616 ps in total; legal: ")
    );
}
