//! Tests the guarantees of `spread-groups`: few tables give every pair several disjoint paths, and no path is longer than the limit.

use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table, build, verify};

fn routed(fabric: &str, spec: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = build(&fabric, spec, 1).unwrap();
    (fabric, routing)
}

/// Returns the number of hops of the longest path of `table`. The search follows every port of every group.
fn longest(fabric: &Fabric, table: &Table) -> usize {
    fn hops(fabric: &Fabric, table: &Table, switch: u32, to: u32, known: &mut [Option<usize>]) -> usize {
        if let Some(hops) = known[switch as usize] {
            return hops;
        }
        let ports = table.next(switch, to).iter();
        let next = ports.map(|&port| fabric.neighbours(switch)[usize::from(port)]);
        let longest = next.map(|next| 1 + hops(fabric, table, next, to, known)).max().unwrap();
        known[switch as usize] = Some(longest);
        longest
    }
    let switches = 0..fabric.num_switches() as u32;
    let toward = |to: u32| {
        let mut known = vec![None; fabric.num_switches()];
        known[to as usize] = Some(0);
        switches.clone().map(|switch| hops(fabric, table, switch, to, &mut known)).max().unwrap()
    };
    switches.clone().map(toward).max().unwrap()
}

/// Counts disjoint paths from `source` to `to` greedily, the shortest paths first. Each path stays in one layer, and disjoint paths share
/// no channel.
fn disjoint(fabric: &Fabric, routing: &Routing, source: u32, to: u32) -> usize {
    fn paths(fabric: &Fabric, table: &Table, switch: u32, to: u32, behind: &mut Vec<u32>, all: &mut Vec<Vec<u32>>) {
        if switch == to {
            all.push(behind.clone());
            return;
        }
        for &port in table.next(switch, to) {
            let channel = fabric.offsets()[switch as usize] + u32::from(port);
            behind.push(channel);
            paths(fabric, table, fabric.targets()[channel as usize], to, behind, all);
            behind.pop();
        }
    }
    let mut all = Vec::new();
    routing.layers().iter().for_each(|table| paths(fabric, table, source, to, &mut Vec::new(), &mut all));
    all.sort_by_key(Vec::len);
    let mut used = vec![false; fabric.num_channels()];
    let mut count = 0;
    for path in all {
        if path.iter().all(|&channel| !used[channel as usize]) {
            path.iter().for_each(|&channel| used[channel as usize] = true);
            count += 1;
        }
    }
    count
}

#[test]
fn no_path_is_longer_than_the_limit() {
    for (fabric, spec, limit) in [
        ("slimfly:q=5", "spread-groups", 5),
        ("slimfly:q=5", "spread-groups:limit=4", 4),
        ("slimfly:q=5", "spread-groups:limit=3,share=1", 3),
        ("slimfly:q=5", "spread-groups:limit=2", 2),
        ("slimfly:q=7", "spread-groups:limit=8,share=1", 8),
        ("dragonfly:p=2", "spread-groups:layers=8", 7),
        ("hyperx:shape=3x3,width=2x1", "spread-groups", 5),
        ("torus:shape=4x4", "spread-groups:layers=2", 9),
    ] {
        let (fabric, routing) = routed(fabric, spec);
        for table in routing.layers() {
            verify(&fabric, table).unwrap();
            assert!(longest(&fabric, table) <= limit, "{} {spec}: {}", fabric.spec(), longest(&fabric, table));
        }
    }
}

#[test]
fn neighbours_have_disjoint_paths_in_four_tables() {
    // The graph has girth 5. Between two neighbours, there are six disjoint paths of four hops and, except for their cable, no shorter
    // path.
    let (fabric, routing) = routed("slimfly:q=5", "spread-groups:share=0.7");
    for (source, to) in (0..50).flat_map(|source| fabric.neighbours(source).iter().map(move |&to| (source, to))) {
        assert!(disjoint(&fabric, &routing, source, to) >= 4, "{source} to {to}");
    }
    let (fabric, minimal) = routed("slimfly:q=5", "minimal");
    assert_eq!(disjoint(&fabric, &minimal, 0, fabric.neighbours(0)[0]), 1);
}

#[test]
fn rounds_give_the_weakest_pair_more_paths() {
    let weakest = |spec: &str| {
        let (fabric, routing) = routed("slimfly:q=5", spec);
        let pairs = (0..50).flat_map(|source| (0..50).map(move |to| (source, to))).filter(|(source, to)| source != to);
        pairs.map(|(source, to)| disjoint(&fabric, &routing, source, to)).min().unwrap()
    };
    assert_eq!(weakest("spread-groups:effort=0"), 1);
    assert!(weakest("spread-groups") >= 3);
}

#[test]
fn a_limit_below_the_diameter_is_refused() {
    let fabric = tulle_topologies::build("slimfly:q=5", 1).unwrap();
    let error = build(&fabric, "spread-groups:limit=1", 1).unwrap_err().to_string();
    assert_eq!(error, "spread-groups: limit=1 is less than the diameter of slimfly:q=5,p=4; legal: limit=2 or more");
}
