//! Compares edge connectivity from flows, from the equivalent-flow tree and from ranks with each other, with exhaustive
//! search and with closed forms.

use proptest::prelude::*;
use tulle_analysis::{Disjoint, FlowTree, Mode, disjoint_paths, edge_connectivity, rank_connectivity, sample};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_topologies::build;

/// Returns a binary tree of switches with the additional `cables`.
fn graph(switches: u32, cables: &[(u32, u32)]) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    for switch in 1..switches {
        builder.cable(switch / 2, switch);
    }
    for &(a, b) in cables.iter().filter(|(a, b)| a != b) {
        builder.cable(a, b);
    }
    builder.finish("graph", Default::default()).unwrap()
}

/// Returns the minimum cut between two switches, in cables, over all partitions of the switches into two sides.
fn smallest_split(fabric: &Fabric, a: u32, b: u32) -> u32 {
    (0u32..1 << fabric.num_switches())
        .filter(|side| side >> a & 1 == 1 && side >> b & 1 == 0)
        .map(|side| {
            let crosses = |cable: &u32| {
                let ends = [fabric.sources()[*cable as usize], fabric.targets()[*cable as usize]];
                side >> ends[0] & 1 != side >> ends[1] & 1
            };
            fabric.cables().filter(crosses).count() as u32
        })
        .min()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn all_methods_agree(cables in proptest::collection::vec((0u32..8, 0u32..8), 0..16), seed in 0u64..1000) {
        let fabric = graph(8, &cables);
        let pairs = sample::all_pairs(&fabric).unwrap();
        let flows = edge_connectivity(&fabric, &pairs).unwrap();
        let tree = FlowTree::of(&fabric).unwrap();
        let ranks = rank_connectivity(&fabric, &pairs, None, Disjoint::Edges, seed).unwrap();
        for ((&(a, b), &flow), &rank) in pairs.iter().zip(&flows).zip(&ranks) {
            prop_assert_eq!(flow, smallest_split(&fabric, a, b));
            prop_assert_eq!(tree.row(a)[b as usize], flow);
            prop_assert_eq!(tree.row(b)[a as usize], flow);
            prop_assert_eq!(rank, flow);
        }
        prop_assert_eq!(tree.smallest(), flows.iter().min().copied());
        for hops in 1..6 {
            let exact = disjoint_paths(&fabric, &pairs, hops, Mode::Exact).unwrap();
            let ranks = rank_connectivity(&fabric, &pairs, Some(hops), Disjoint::Edges, seed).unwrap();
            for (exact, rank) in exact.iter().zip(ranks) {
                prop_assert!(rank >= exact.paths);
                if hops <= 3 {
                    prop_assert_eq!(rank, exact.paths);
                }
            }
        }
    }
}

#[test]
fn closed_forms() {
    // The edge connectivity of a Slim Fly, a hypercube and a clique equals the number of cables of a switch.
    for (spec, degree) in [("slimfly:q=5", 7), ("hypercube:dimensions=5", 5), ("clique:degree=9", 9)] {
        let fabric = build(spec, 0).unwrap();
        let tree = FlowTree::of(&fabric).unwrap();
        assert!(tree.edges().all(|(_, _, flow)| flow == degree), "{spec}");
        let pairs = sample::pairs(&fabric, 20, 3).unwrap();
        assert!(edge_connectivity(&fabric, &pairs).unwrap().iter().all(|&flow| flow == degree));
    }
    // In a graph without cycles, one path connects two switches, so all edge connectivities are 1.
    let tree = graph(6, &[]);
    assert!(FlowTree::of(&tree).unwrap().edges().all(|(_, _, flow)| flow == 1));
}

#[test]
fn vertices_and_edges_differ_at_a_switch_all_paths_cross() {
    // Two triangles that share switch 2: between 0 and 4 there are two edge-disjoint paths and one vertex-disjoint path.
    let mut builder = FabricBuilder::new(5);
    for (a, b) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)] {
        builder.cable(a, b);
    }
    let fabric = builder.finish("bow tie", Default::default()).unwrap();
    let rank = |pair, hops, kind| rank_connectivity(&fabric, &[pair], hops, kind, 7).unwrap()[0];
    assert_eq!((rank((0, 4), None, Disjoint::Edges), rank((0, 4), None, Disjoint::Vertices)), (2, 1));
    // Walks of up to five hops can cross switch 2 after one or after two hops. The rank counts switch 2 once for each of these hop numbers.
    assert_eq!((rank((0, 4), Some(2), Disjoint::Vertices), rank((0, 4), Some(5), Disjoint::Vertices)), (1, 2));
    assert_eq!((rank((0, 4), Some(2), Disjoint::Edges), rank((0, 4), Some(1), Disjoint::Edges)), (1, 0));
    assert_eq!((rank((0, 1), Some(1), Disjoint::Vertices), rank((0, 1), Some(2), Disjoint::Vertices)), (1, 2));
    // On a Slim Fly, the number of vertex-disjoint paths equals the number of cables at a switch.
    let slimfly = build("slimfly:q=5", 0).unwrap();
    let pairs = sample::pairs(&slimfly, 10, 0).unwrap();
    let ranks = rank_connectivity(&slimfly, &pairs, None, Disjoint::Vertices, 0).unwrap();
    assert!(ranks.iter().all(|&rank| rank == 7), "{ranks:?}");
}
