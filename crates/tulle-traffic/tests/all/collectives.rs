//! Tests of collectives and of proxy applications (the traffic of training jobs): the sent bytes match formulas, and the dependencies are
//! right.

use proptest::prelude::*;
use tulle_traffic::collectives::{
    Allgather, Allreduce, Group, ReduceScatter, all_to_all, allgather, allreduce, broadcast, dissemination,
    reduce_scatter,
};
use tulle_traffic::{Program, Workload};

fn run(ranks: u32, build: impl FnOnce(&mut Program, &mut Group)) -> Workload {
    let mut program = Program::default();
    build(&mut program, &mut Group::new((0..ranks).collect()));
    program.finish()
}

fn sent(load: &Workload, rank: u32) -> u64 {
    (0..load.len()).filter(|&row| load.source[row] == rank).map(|row| load.bytes[row]).sum()
}

/// Returns the number of messages in the longest chain of dependent messages.
fn depth(load: &Workload) -> usize {
    let mut depth = vec![0; load.num_steps()];
    // Messages are added after their dependencies. Without computations, row numbers ascend along every chain.
    for row in 0..load.len() {
        depth[row] = 1 + load.dependencies.of(row).iter().map(|&on| depth[on as usize]).max().unwrap_or(0);
    }
    depth.into_iter().max().unwrap_or(0)
}

/// Returns whether the result of every rank contains the vectors of all ranks. A rank begins with its own vector. A message brings its
/// receiver all vectors that its sender has.
fn reaches_all(load: &Workload, ranks: u32) -> bool {
    let mut known: Vec<u128> = (0..ranks).map(|rank| 1 << rank).collect();
    for row in 0..load.len() {
        let from = known[load.source[row] as usize];
        known[load.destination[row] as usize] |= from;
    }
    known.into_iter().all(|set| set == (1 << ranks) - 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ring_allreduce_sends_2_n_minus_1_over_n(ranks in 2u32..40, bytes in 1u64..100_000) {
        let load = run(ranks, |program, group| allreduce(program, group, Allreduce::Ring, bytes));
        let n = u64::from(ranks);
        prop_assert_eq!(load.total_bytes(), 2 * (n - 1) * bytes);
        for rank in 0..ranks {
            // Parts differ by at most a byte.
            let exact = 2.0 * (n - 1) as f64 * bytes as f64 / n as f64;
            prop_assert!((sent(&load, rank) as f64 - exact).abs() <= 2.0);
        }
        if bytes >= n {
            prop_assert_eq!(depth(&load), 2 * (ranks as usize - 1));
        }
        prop_assert!(bytes < n || reaches_all(&load, ranks));
    }

    #[test]
    fn recursive_allreduces_fold_the_rest(ranks in 2u32..40, bytes in 64u64..100_000) {
        let (n, levels) = (u64::from(ranks), u64::from(ranks.ilog2()));
        let (core, rest) = (1u64 << levels, n - (1 << levels));
        let load = run(ranks, |program, group| allreduce(program, group, Allreduce::RecursiveDoubling, bytes));
        prop_assert_eq!(load.total_bytes(), (2 * rest + core * levels) * bytes);
        prop_assert_eq!(depth(&load), levels as usize + if rest > 0 { 2 } else { 0 });
        prop_assert!(reaches_all(&load, ranks));
        let load = run(ranks, |program, group| allreduce(program, group, Allreduce::Rabenseifner, bytes));
        prop_assert_eq!(load.total_bytes(), (2 * rest + 2 * (core - 1)) * bytes);
        prop_assert_eq!(depth(&load), 2 * levels as usize + if rest > 0 { 2 } else { 0 });
        prop_assert!(reaches_all(&load, ranks));
    }

    #[test]
    fn reduce_scatter_sends_all_but_its_own_part(ranks in 2u32..40, bytes in 1u64..100_000) {
        let n = u64::from(ranks);
        let load = run(ranks, |program, group| reduce_scatter(program, group, ReduceScatter::Ring, bytes));
        prop_assert_eq!(load.total_bytes(), (n - 1) * bytes);
        let power = 1 << ranks.ilog2();
        let load = run(power, |program, group| reduce_scatter(program, group, ReduceScatter::RecursiveHalving, bytes));
        prop_assert_eq!(load.total_bytes(), u64::from(power - 1) * bytes);
        prop_assert!(bytes < n || depth(&load) == ranks.ilog2() as usize);
    }

    #[test]
    fn allgather_brings_every_block(ranks in 2u32..40, bytes in 1u64..10_000, bruck: bool) {
        let algorithm = if bruck { Allgather::Bruck } else { Allgather::Ring };
        let load = run(ranks, |program, group| allgather(program, group, algorithm, bytes));
        for rank in 0..ranks {
            prop_assert_eq!(sent(&load, rank), u64::from(ranks - 1) * bytes);
        }
        let rounds = if bruck { ranks.next_power_of_two().ilog2() } else { ranks - 1 };
        prop_assert_eq!(depth(&load), rounds as usize);
        prop_assert!(reaches_all(&load, ranks));
    }

    #[test]
    fn broadcast_reaches_every_rank_once(ranks in 2u32..100, root in any::<prop::sample::Index>(), bytes in 1u64..10_000) {
        let root = root.index(ranks as usize);
        let load = run(ranks, |program, group| broadcast(program, group, root, bytes));
        prop_assert_eq!(load.total_bytes(), u64::from(ranks - 1) * bytes);
        let mut reached = load.destination.clone();
        reached.push(root as u32);
        reached.sort_unstable();
        prop_assert_eq!(reached, (0..ranks).collect::<Vec<_>>());
        prop_assert_eq!(depth(&load), ranks.next_power_of_two().ilog2() as usize);
        // A rank other than the root sends only after it has received data.
        for row in 0..load.len() {
            let from = load.source[row];
            let waits = load.dependencies.of(row);
            prop_assert_eq!(waits.is_empty(), from == root as u32 && row == 0);
            prop_assert!(waits.iter().all(|&on| [load.source[on as usize], load.destination[on as usize]].contains(&from)));
        }
    }

    #[test]
    fn barriers_wait_for_all(ranks in 2u32..100) {
        let load = run(ranks, dissemination);
        prop_assert_eq!(depth(&load), ranks.next_power_of_two().ilog2() as usize);
        prop_assert!(reaches_all(&load, ranks.min(128)));
    }
}

#[test]
fn all_to_all_is_posted_at_once() {
    let load = run(7, |program, group| all_to_all(program, group, 9, |_, _| true));
    assert_eq!((load.len(), load.dependencies.len()), (42, 0));
    let pairs: std::collections::HashSet<_> = load.source.iter().zip(&load.destination).collect();
    assert_eq!(pairs.len(), 42);
}

/// Checks the bytes that one iteration of each proxy application sends.
#[test]
fn proxies_send_their_gradients_and_activations() {
    let fabric = tulle_topologies::build("clique:degree=9,p=8", 0).unwrap();
    let total = |spec: &str| tulle_traffic::build(&fabric, spec, 0).unwrap().total_bytes();
    let ring = |ranks: u64, floats: u64| 2 * (ranks - 1) * 4 * floats;
    assert_eq!(total("resnet152:ranks=20"), ring(20, 60_192_808));
    assert_eq!(total("resnet152:ranks=20,iterations=3"), 3 * ring(20, 60_192_808));
    // CosmoFlow on 20 ranks has 5 groups of 4 ranks. A rank sends halos to two neighbours. In each allgather and each
    // reduce-scatter of its group, it sends three blocks.
    let halos = 20 * 2 * 4 * (2 * (2_097_152 + 1_048_576 + 524_288 + 262_144) - 2_097_152 + 131_072);
    let dense = 5 * 4 * 3 * 4 * 2 * (65_536 + 256 + 128);
    let gradients = 4 * ring(5, 1_050_737) + ring(20, 3_539_456 + 884_992 + 221_312 + 55_360 + 3488);
    assert_eq!(total("cosmoflow:ranks=20"), halos + dense + gradients);
    // GPT-3 has 2 replicas of 5 stages of 4 shards, and 3 micro-batches. There are two allreduces per stage and pass,
    // and messages between stages.
    let activation = 25_165_824;
    let passes = 2 * 3 * 2 * (5 * 2 * ring(4, activation) + 4 * 4 * 4 * activation);
    assert_eq!(total("gpt3:ranks=40,stages=5,batches=3"), passes + 20 * ring(2, 452_984_832));
    // The factors `size` and `time` scale sizes and computing times.
    let load = tulle_traffic::build(&fabric, "gpt3:ranks=40,size=0.5,time=0.001,batches=1", 0).unwrap();
    // With a single replica, gradients are not allreduced. With size=0.5, messages between stages carry half an
    // activation, and ring messages carry a quarter of this size.
    let half = 25_165_824 * 4 / 2;
    assert!(load.bytes.iter().all(|&bytes| bytes == half || bytes == half / 4));
    assert!(load.compute.contains(&15_915_000) && load.compute.contains(&31_830_000));
}
