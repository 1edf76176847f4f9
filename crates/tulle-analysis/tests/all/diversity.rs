//! Disjoint paths and interference compared with brute force on small graphs, and with their definitions.

use std::collections::VecDeque;

use proptest::prelude::*;
use tulle_analysis::{
    Count, Limit, Mode, disjoint_paths, disjoint_paths_of_all, disjoint_paths_of_sets, disjoint_paths_within,
    interference, sample,
};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_topologies::build;

/// Returns a connected graph: a ring, and cables between the given pairs, including parallel ones.
fn graph(switches: u32, cables: &[(u32, u32)]) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 0..switches {
        builder.cable(switch, (switch + 1) % switches);
    }
    for &(a, b) in cables.iter().filter(|(a, b)| a % switches != b % switches) {
        builder.cable(a % switches, b % switches);
    }
    builder.finish("graph", Default::default()).unwrap()
}

fn cable(fabric: &Fabric, channel: usize) -> u64 {
    1 << fabric.cables().position(|cable| cable == (channel as u32).min(fabric.reverse()[channel])).unwrap()
}

/// Returns the cables of every path of at most `hops` hops, as bit sets.
fn paths(fabric: &Fabric, from: &[u32], to: &[u32], hops: u32) -> Vec<u64> {
    fn go(fabric: &Fabric, at: u32, seen: u64, cables: u64, to: &[u32], hops: u32, found: &mut Vec<u64>) {
        if to.contains(&at) {
            found.push(cables);
        } else if hops > 0 {
            for channel in fabric.channels_of(at) {
                let next = fabric.targets()[channel];
                if seen >> next & 1 == 0 {
                    go(fabric, next, seen | 1 << next, cables | cable(fabric, channel), to, hops - 1, found);
                }
            }
        }
    }
    let mut found = Vec::new();
    for &switch in from {
        go(fabric, switch, from.iter().fold(0, |seen, at| seen | 1 << at), 0, to, hops, &mut found);
    }
    // A path that contains all cables of another path never helps.
    let all = found.clone();
    found.retain(|path| !all.iter().any(|other| other != path && other & path == *other));
    found.sort_unstable();
    found.dedup();
    found
}

fn most_disjoint(paths: &[u64], used: u64) -> u32 {
    match paths {
        [] => 0,
        [path, rest @ ..] => {
            let without = most_disjoint(rest, used);
            if path & used == 0 { without.max(1 + most_disjoint(rest, used | path)) } else { without }
        }
    }
}

fn smallest_cut(paths: &[u64], cut: u64) -> u32 {
    match paths.iter().find(|&&path| path & cut == 0) {
        None => cut.count_ones(),
        Some(&path) => {
            let cables = (0..64).filter(|bit| path >> bit & 1 == 1);
            cables.map(|bit| smallest_cut(paths, cut | 1 << bit)).min().unwrap()
        }
    }
}

/// Returns the greedy count as it is defined: every path is found by a complete search.
fn plain_greedy(fabric: &Fabric, from: &[u32], to: &[u32], hops: u32) -> u32 {
    let mut deleted = vec![false; fabric.num_channels()];
    let mut count = 0;
    loop {
        let mut via: Vec<Option<usize>> = vec![None; fabric.num_switches()];
        let mut depth = vec![u32::MAX; fabric.num_switches()];
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        from.iter().for_each(|&switch| depth[switch as usize] = 0);
        let mut end = None;
        while let Some(switch) = queue.pop_front() {
            if to.contains(&switch) {
                end = Some(switch);
                break;
            }
            for channel in fabric.channels_of(switch).filter(|&channel| !deleted[channel]) {
                let next = fabric.targets()[channel];
                if depth[next as usize] == u32::MAX {
                    depth[next as usize] = depth[switch as usize] + 1;
                    via[next as usize] = Some(channel);
                    queue.push_back(next);
                }
            }
        }
        let Some(mut switch) = end.filter(|&end| depth[end as usize] <= hops) else { return count };
        while let Some(channel) = via[switch as usize] {
            deleted[channel] = true;
            deleted[fabric.reverse()[channel] as usize] = true;
            switch = fabric.sources()[channel];
        }
        count += 1;
    }
}

fn small_graph() -> impl Strategy<Value = Fabric> {
    (5u32..9).prop_flat_map(|switches| {
        proptest::collection::vec((0..switches, 0..switches), 2..9).prop_map(move |cables| graph(switches, &cables))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn counts_match_brute_force(fabric in small_graph(), hops in 1u32..6) {
        let last = fabric.num_switches() as u32 - 1;
        let sets = [(vec![0], vec![2]), (vec![0], vec![1]), (vec![last, 1], vec![3]), (vec![0, 2], vec![4, 1])];
        let exact = disjoint_paths_of_sets(&fabric, &sets, Limit::Hops(hops), Mode::Exact).unwrap();
        let greedy = disjoint_paths_of_sets(&fabric, &sets, Limit::Hops(hops), Mode::Greedy).unwrap();
        for (((from, to), exact), greedy) in sets.iter().zip(exact).zip(greedy) {
            let all = paths(&fabric, from, to, hops);
            let (most, cut) = (most_disjoint(&all, 0), smallest_cut(&all, 0));
            prop_assert_eq!((exact.paths, exact.most), (most, most), "{:?} {:?}", from, to);
            prop_assert!(most <= cut && cut <= exact.cut, "{} {} {}", most, cut, exact.cut);
            if hops <= 3 {
                prop_assert_eq!(exact.cut, most);
            }
            prop_assert_eq!(greedy.paths, plain_greedy(&fabric, from, to, hops));
            prop_assert!(greedy.paths <= most);
        }
    }

    #[test]
    fn longer_limits_find_no_fewer(fabric in small_graph()) {
        let pairs = sample::all_pairs(&fabric).unwrap();
        let mut before = vec![0; pairs.len()];
        for hops in 1..6 {
            let counts = disjoint_paths(&fabric, &pairs, hops, Mode::Exact).unwrap();
            for (((a, b), count), before) in pairs.iter().zip(counts).zip(&mut before) {
                prop_assert!(count.paths >= *before);
                prop_assert!(count.paths as usize <= fabric.degree(*a).min(fabric.degree(*b)));
                *before = count.paths;
            }
        }
    }
}

#[test]
fn all_pairs_agree_with_pair_by_pair() {
    for spec in
        ["slimfly:q=5", "dragonfly:p=2", "hyperx:shape=4x4", "jellyfish:switches=60,degree=7", "clique:degree=70,p=1"]
    {
        let fabric = build(spec, 2).unwrap();
        let pairs = sample::all_pairs(&fabric).unwrap();
        for hops in 1..=3 {
            let all = disjoint_paths_of_all(&fabric, Limit::Hops(hops), Mode::Exact).unwrap();
            let each: Vec<Count> = disjoint_paths(&fabric, &pairs, hops, Mode::Exact).unwrap();
            assert_eq!(all, each, "{spec} {hops}");
        }
    }
}

#[test]
fn closed_forms() {
    // In a clique, two switches are connected by their direct cable, and by one path of two hops over each other switch.
    let clique = build("clique:degree=20", 0).unwrap();
    for mode in [Mode::Greedy, Mode::Exact] {
        let counts = disjoint_paths_of_all(&clique, Limit::Hops(2), mode).unwrap();
        assert!(counts.iter().all(|count| count.paths == 20));
    }
    // In a clique, the interference at two hops is 2 for every quadruple (FatPaths Table IV: 2% of k' = 100).
    let quadruples = sample::all_quadruples(&build("clique:degree=5", 0).unwrap()).unwrap();
    assert_eq!(quadruples.len(), 6 * 5 * 4 * 3 / 4);
    for mode in [Mode::Greedy, Mode::Exact] {
        let values = interference(&clique, &quadruples, 2, mode).unwrap();
        assert!(values.iter().all(|&value| value == 2), "{values:?}");
    }
    // In a fat tree, two edge switches have one disjoint path per uplink, and there is no interference.
    let tree = build("fattree:levels=3,radix=8", 0).unwrap();
    let pairs = sample::all_pairs(&tree).unwrap();
    assert_eq!(pairs.len(), 32 * 31 / 2);
    assert!(
        disjoint_paths(&tree, &pairs, 4, Mode::Exact).unwrap().iter().all(|count| (count.paths, count.most) == (4, 4))
    );
    let quadruples = sample::quadruples(&tree, 200, 3).unwrap();
    assert!(interference(&tree, &quadruples, 4, Mode::Exact).unwrap().iter().all(|&value| value == 0));
    // In a HyperX, the number of disjoint shortest paths is the number of coordinates in which two switches differ.
    let hyperx = build("hyperx:shape=4x4x4", 0).unwrap();
    let pairs = sample::all_pairs(&hyperx).unwrap();
    let counts = disjoint_paths_within(&hyperx, &pairs, Limit::Shortest, Mode::Exact).unwrap();
    for (&(a, b), count) in pairs.iter().zip(&counts) {
        let (a, b) = (hyperx.coordinates().of(a), hyperx.coordinates().of(b));
        assert_eq!(count.paths as usize, a.iter().zip(b).filter(|(a, b)| a != b).count());
    }
    // The Hoffman–Singleton graph has girth 5, so adjacent switches have no other path of up to three hops. Other pairs have one path over
    // their common neighbour, and 6 disjoint paths of three hops.
    let slimfly = build("slimfly:q=5", 0).unwrap();
    let pairs = sample::all_pairs(&slimfly).unwrap();
    let counts = disjoint_paths_of_all(&slimfly, Limit::Hops(3), Mode::Exact).unwrap();
    for (&(a, b), count) in pairs.iter().zip(&counts) {
        assert_eq!(count.paths, if slimfly.neighbours(a).contains(&b) { 1 } else { 7 });
    }
}

#[test]
fn fatpaths_table_iv_is_reproduced() {
    // Over all pairs of a Slim Fly with q = 19, the mean count of disjoint paths is 91.1% of k', the number of cables of a switch. The 1%
    // tail (the count that 1% of the pairs do not exceed) is 10.3% of k'. The greedy count gives 89.3% and 10.3%.
    let fabric = build("slimfly:q=19,p=14", 0).unwrap();
    let counts = disjoint_paths_of_all(&fabric, Limit::Hops(3), Mode::Exact).unwrap();
    let mut paths: Vec<u32> = counts.iter().map(|count| count.paths).collect();
    paths.sort_unstable();
    let mean = f64::from(paths.iter().sum::<u32>()) / paths.len() as f64 / 29.0;
    assert!((mean - 0.911).abs() < 0.0005, "{mean}");
    assert_eq!(paths[paths.len() / 100], 3);
    let pairs = sample::pairs(&fabric, 4000, 1).unwrap();
    let greedy = disjoint_paths(&fabric, &pairs, 3, Mode::Greedy).unwrap();
    let mean = greedy.iter().map(|count| f64::from(count.paths)).sum::<f64>() / greedy.len() as f64 / 29.0;
    assert!((mean - 0.893).abs() < 0.01, "{mean}");
    let quadruples = sample::quadruples(&fabric, 3000, 1).unwrap();
    let values = interference(&fabric, &quadruples, 3, Mode::Greedy).unwrap();
    let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / values.len() as f64 / 29.0;
    assert!((mean - 0.268).abs() < 0.015, "{mean}");
}

#[test]
fn one_thread_or_many() {
    let fabric = build("jellyfish:switches=80,degree=6", 5).unwrap();
    let quadruples = sample::quadruples(&fabric, 300, 9).unwrap();
    let pairs = sample::pairs(&fabric, 300, 9).unwrap();
    let all = || {
        let greedy = interference(&fabric, &quadruples, 4, Mode::Greedy).unwrap();
        (greedy, disjoint_paths(&fabric, &pairs, 4, Mode::Exact).unwrap())
    };
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(all);
    let many = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap().install(all);
    assert_eq!(one, many);
}

#[test]
fn errors_are_one_line() {
    let fabric = build("clique:degree=4", 0).unwrap();
    let apart = {
        let mut builder = FabricBuilder::new(4);
        builder.cable(0, 1);
        builder.cable(2, 3);
        builder.finish("apart", Default::default()).unwrap()
    };
    let cases = [
        (
            disjoint_paths(&fabric, &[(0, 1)], 0, Mode::Greedy).unwrap_err(),
            "max_hops=0 is out of range; legal: 1 to 64",
        ),
        (disjoint_paths(&fabric, &[(2, 2)], 3, Mode::Exact).unwrap_err(), "switch=2 is on both sides"),
        (disjoint_paths(&fabric, &[(0, 5)], 3, Mode::Exact).unwrap_err(), "switch=5 is unknown; legal: 0 to 4"),
        (disjoint_paths(&apart, &[(0, 1)], 3, Mode::Exact).unwrap_err(), "it is not connected"),
        (interference(&fabric, &[[0, 1, 0, 2]], 3, Mode::Greedy).unwrap_err(), "switch=0 occurs twice"),
        (interference(&fabric, &[[0, 1, 2, 1]], 3, Mode::Greedy).unwrap_err(), "switch=1 occurs twice"),
    ];
    for (error, fragment) in cases {
        let message = error.to_string();
        assert!(message.contains(fragment) && !message.contains('\n'), "{message}");
    }
    let empty = [(vec![], vec![1])];
    assert!(disjoint_paths_of_sets(&fabric, &empty, Limit::Hops(2), Mode::Exact).is_err());
}
