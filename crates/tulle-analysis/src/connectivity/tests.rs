//! Tests flow trees with values computed by hand.

use tulle_fabric::FabricBuilder;

use super::*;

/// Two triangles 0, 1, 2 and 3, 4, 5 joined by a cable between 2 and 3, with a second cable between 0 and 1.
fn two_triangles() -> Fabric {
    let mut builder = FabricBuilder::new(6);
    for (a, b) in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (0, 1)] {
        builder.cable(a, b);
    }
    builder.finish("edges", Default::default()).unwrap()
}

#[test]
fn the_smallest_cut_between_two_switches() {
    let fabric = two_triangles();
    let connectivity = |a, b| edge_connectivity(&fabric, &[(a, b)]).unwrap()[0];
    assert_eq!((connectivity(0, 1), connectivity(0, 2), connectivity(1, 4), connectivity(5, 3)), (3, 2, 1, 2));
    // One call computes several maximum flows on the same network. A flow must not change the result of the next one.
    assert_eq!(edge_connectivity(&fabric, &[(0, 4), (0, 1), (0, 4), (1, 0)]).unwrap(), [1, 3, 1, 3]);
    assert!(edge_connectivity(&fabric, &[(0, 6)]).is_err() && edge_connectivity(&fabric, &[(1, 1)]).is_err());
}

#[test]
fn the_flow_tree_has_the_cuts_of_all_pairs() {
    let tree = FlowTree::of(&two_triangles()).unwrap();
    const SELF: u32 = u32::MAX;
    let rows = [
        [SELF, 3, 2, 1, 1, 1],
        [3, SELF, 2, 1, 1, 1],
        [2, 2, SELF, 1, 1, 1],
        [1, 1, 1, SELF, 2, 2],
        [1, 1, 1, 2, SELF, 2],
        [1, 1, 1, 2, 2, SELF],
    ];
    for (switch, row) in (0..).zip(rows) {
        assert_eq!(tree.row(switch), row);
    }
    assert_eq!(tree.smallest(), Some(1));
    let edges: Vec<_> = tree.edges().collect();
    assert_eq!(edges.len(), 5);
    for (number, (switch, above, flow)) in (1..).zip(edges) {
        assert_eq!((switch, flow), (number, rows[switch as usize][above as usize]));
    }
}

#[test]
fn one_switch_has_no_pair() {
    let fabric = FabricBuilder::new(1).finish("edges", Default::default()).unwrap();
    let tree = FlowTree::of(&fabric).unwrap();
    assert_eq!((tree.smallest(), tree.row(0), tree.edges().count()), (None, vec![u32::MAX], 0));
    let parted = FabricBuilder::new(2).finish("edges", Default::default()).unwrap();
    assert!(FlowTree::of(&parted).is_err() && edge_connectivity(&parted, &[(0, 1)]).is_err());
}
