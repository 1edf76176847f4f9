//! Finds a maximum number of edge-disjoint spanning trees of a fabric.
//!
//! The union of k edge-disjoint forests is an independent set of a matroid: the k-fold union of the graph's cycle matroid. A greedy
//! algorithm therefore finds k forests with the maximum number of cables: it adds one cable after another. If a cable fits into no forest,
//! a shortest chain of exchanges makes room for it. If there is no such chain, the cable never fits (Edmonds; in the form of Roskind and
//! Tarjan: A note on finding minimum-cost edge-disjoint spanning trees, Mathematics of Operations Research 10(4), 1985). If the forests
//! have k·(S−1) cables in total, where S is the number of switches, they are k spanning trees.

mod packing;

use std::collections::VecDeque;
use tulle_spec::words;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use tulle_base::random::stream;
use tulle_fabric::Fabric;

use packing::Packing;

words! {
    /// The initial content of the forests, before cables are added by exchanges.
    pub(crate) enum Seeds {
        /// Empty forests. The code then adds cables in random order, so paths in the trees are long.
        None = "none",
        /// Breadth-first trees over the cables that earlier trees do not use. Paths in the trees are shorter than with empty forests.
        Bfs = "bfs",
    }
}

/// Returns a maximum number of edge-disjoint spanning trees of the connected `fabric`, but at most `most` trees. Each tree is a list of
/// cables.
///
/// The order of cables and the choice among equally good roots are random; they use a stream of `seed`. `seeds` affects only the shape of
/// the trees, not their number.
pub(crate) fn spanning_trees(fabric: &Fabric, most: usize, seeds: Seeds, seed: u64) -> Vec<Vec<u32>> {
    let links = fabric.num_switches().saturating_sub(1);
    let degree = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).min().unwrap_or(0);
    let Some(bound) = fabric.num_cables().checked_div(links) else {
        // A fabric with one switch has one spanning tree, which has no cables.
        return vec![Vec::new(); most.min(1)];
    };
    // In nearly all fabrics, the number of trees reaches the upper bound. Otherwise, a binary search between 1 and the bound finds the
    // number.
    let (mut fewest, mut bound) = (1, bound.min(degree).min(most));
    let mut trial = bound;
    let mut found = Vec::new();
    while fewest <= bound {
        match pack(fabric, trial, seeds, seed) {
            Some(trees) => {
                fewest = trial + 1;
                found = trees;
            }
            None => bound = trial - 1,
        }
        trial = fewest.midpoint(bound);
    }
    found
}

/// Returns `count` edge-disjoint spanning trees; `None` if the fabric has fewer.
fn pack(fabric: &Fabric, count: usize, seeds: Seeds, seed: u64) -> Option<Vec<Vec<u32>>> {
    let mut rng = stream(seed, "routing/spanning-trees", count as u64);
    let mut packing = Packing::new(fabric, count);
    if seeds == Seeds::Bfs {
        for forest in 0..count {
            seed_forest(fabric, &mut packing, forest, &mut rng);
        }
    }
    let mut cables: Vec<u32> = fabric.cables().collect();
    cables.shuffle(&mut rng);
    cables.retain(|&cable| packing.is_free(cable) && !packing.place(cable));
    packing.root_all();
    for &cable in &cables {
        if packing.is_full() {
            break;
        }
        packing.augment(cable);
    }
    packing.is_full().then(|| packing.trees())
}

/// Adds a breadth-first tree over free cables (cables in no forest) to the empty `forest`. The root is a switch with the most free cables,
/// and neighbours are visited in random order. If the free cables do not connect the fabric, the tree spans only a part of the fabric.
fn seed_forest(fabric: &Fabric, packing: &mut Packing, forest: usize, rng: &mut impl Rng) {
    let free = |packing: &Packing, switch: u32| {
        fabric.channels_of(switch).filter(|&channel| packing.is_free(cable(fabric, channel as u32))).count()
    };
    let (mut root, mut most, mut ties) = (0, 0, 0u32);
    for switch in 0..fabric.num_switches() as u32 {
        let free = free(packing, switch);
        ties = if free > most { 1 } else { ties + u32::from(free == most) };
        if free > most || (free == most && rng.random_range(0..ties.max(1)) == 0) {
            (root, most) = (switch, free);
        }
    }
    let mut seen = vec![false; fabric.num_switches()];
    seen[root as usize] = true;
    let mut queue = VecDeque::from([root]);
    while let Some(switch) = queue.pop_front() {
        let mut channels: Vec<usize> = fabric.channels_of(switch).collect();
        channels.shuffle(rng);
        for channel in channels {
            let next = fabric.targets()[channel];
            let cable = cable(fabric, channel as u32);
            if !seen[next as usize] && packing.is_free(cable) {
                seen[next as usize] = true;
                packing.put(cable, forest);
                queue.push_back(next);
            }
        }
    }
}

fn cable(fabric: &Fabric, channel: u32) -> u32 {
    channel.min(fabric.reverse()[channel as usize])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use tulle_fabric::FabricBuilder;

    /// Checks that every tree spans the fabric, and that no cable is in two trees.
    fn check(fabric: &Fabric, trees: &[Vec<u32>]) {
        let mut used = HashSet::new();
        for tree in trees {
            assert_eq!(tree.len(), fabric.num_switches() - 1);
            let mut reached = HashSet::from([0]);
            while let Some(next) = tree.iter().find_map(|&cable| {
                let ends = [fabric.sources()[cable as usize], fabric.targets()[cable as usize]];
                let one = reached.contains(&ends[0]) != reached.contains(&ends[1]);
                one.then(|| if reached.contains(&ends[0]) { ends[1] } else { ends[0] })
            }) {
                reached.insert(next);
            }
            assert_eq!(reached.len(), fabric.num_switches());
            assert!(tree.iter().all(|&cable| used.insert(cable)), "a cable is in two trees");
        }
    }

    fn fabric_of(switches: u32, edges: &[(u32, u32)]) -> Fabric {
        let mut builder = FabricBuilder::new(switches);
        edges.iter().for_each(|&(a, b)| builder.cable(a, b));
        builder.finish("edges", Default::default()).unwrap()
    }

    /// Returns the maximum number of edge-disjoint spanning trees, by the theorem of Tutte and Nash-Williams. For every partition of the
    /// switches into r > 1 parts, the function divides the number of cables between parts by r − 1, and rounds down. The result is the
    /// minimum over all partitions.
    fn most_by_partitions(fabric: &Fabric) -> usize {
        fn partitions(parts: &mut Vec<u32>, switches: usize, visit: &mut impl FnMut(&[u32], u32)) {
            let used = parts.iter().max().map_or(0, |&most| most + 1);
            if parts.len() == switches {
                return visit(parts, used);
            }
            for part in 0..=used {
                parts.push(part);
                partitions(parts, switches, visit);
                parts.pop();
            }
        }
        let mut most = usize::MAX;
        partitions(&mut Vec::new(), fabric.num_switches(), &mut |parts, used| {
            if used > 1 {
                let between = fabric.cables().filter(|&cable| {
                    let part = |switch: u32| parts[switch as usize];
                    part(fabric.sources()[cable as usize]) != part(fabric.targets()[cable as usize])
                });
                most = most.min(between.count() / (used as usize - 1));
            }
        });
        most
    }

    #[test]
    fn as_many_as_the_theorem_says() {
        let mut rng = stream(7, "test", 0);
        let mut below_degree = 0;
        for round in 0..300 {
            let switches = rng.random_range(2..8u32);
            let mut edges: Vec<(u32, u32)> = (1..switches).map(|a| (a, rng.random_range(0..a))).collect();
            for _ in 0..rng.random_range(0..16) {
                let (a, b) = (rng.random_range(0..switches), rng.random_range(0..switches));
                edges.extend((a != b).then_some((a, b)));
            }
            let fabric = fabric_of(switches, &edges);
            let most = most_by_partitions(&fabric);
            let degree = (0..switches).map(|switch| fabric.degree(switch)).min().unwrap();
            below_degree += usize::from(most < degree.min(fabric.num_cables() / (switches as usize - 1)));
            for seeds in [Seeds::None, Seeds::Bfs] {
                let trees = spanning_trees(&fabric, usize::MAX, seeds, round);
                assert_eq!(trees.len(), most, "{edges:?}");
                check(&fabric, &trees);
            }
        }
        assert!(
            below_degree > 0,
            "the test needs a graph that has fewer trees than its degree and its number of cables allow"
        );
    }

    #[test]
    fn regular_graphs_have_half_their_degree() {
        for spec in ["clique:degree=9", "slimfly:q=5", "hypercube:dimensions=6"] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            for seeds in [Seeds::None, Seeds::Bfs] {
                let trees = spanning_trees(&fabric, usize::MAX, seeds, 1);
                let most = fabric.num_cables() / (fabric.num_switches() - 1);
                assert_eq!((trees.len(), most), (fabric.network_radix().div_ceil(2).min(most), most), "{spec}");
                check(&fabric, &trees);
                assert_eq!(spanning_trees(&fabric, 2, seeds, 1).len(), 2);
            }
        }
    }

    #[test]
    fn one_switch_has_an_empty_tree() {
        assert_eq!(spanning_trees(&fabric_of(1, &[]), usize::MAX, Seeds::None, 0), [[0u32; 0]]);
    }
}
