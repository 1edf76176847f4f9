//! Tests the entries of three switches in a row, and tests that weights are divided by their greatest common divisor.

use super::*;

#[test]
fn a_row_of_three_has_an_entry_per_destination() {
    let fabric = tulle_topologies::build("mesh:shape=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let entries = Entries::of(&fabric, &routing).unwrap();
    // Network ports have the lowest numbers; the endpoint's port follows.
    assert_eq!((entries.ports(), entries.endpoint_ports()), (&[1, 1, 2, 1][..], &[2, 3, 2][..]));
    assert_eq!((entries.layers(), entries.destinations()), (1, &[0, 1, 2][..]));
    assert_eq!([0, 1, 2].map(|switch| entries.count(switch)), [2; 3]);
    let hop = |port, next| Hop { port, weight: 1, next };
    assert_eq!((entries.hops(1, 0, 0), entries.hops(1, 0, 1)), (&[hop(1, 0)][..], &[][..]));
    assert_eq!((entries.hops(1, 0, 2), entries.hops(2, 0, 0)), (&[hop(2, 2)][..], &[hop(1, 1)][..]));
    // A switch at an end of the row reaches both other switches with one group; the middle switch has two groups.
    let groups: Vec<&[u32]> = entries.rows().iter().map(|row| &row.group[..]).collect();
    assert_eq!(groups, [[Row::NONE, 0, 0], [0, Row::NONE, 1], [0, 0, Row::NONE]]);
}

#[test]
fn weights_are_in_lowest_terms() {
    let terms = |weights: &[u16]| {
        let mut hops: Vec<Hop> = weights.iter().map(|&weight| Hop { port: 1, weight, next: 0 }).collect();
        lowest_terms(&mut hops);
        hops.iter().map(|hop| hop.weight).collect::<Vec<_>>()
    };
    assert_eq!(terms(&[4, 6, 10]), [2, 3, 5]);
    assert_eq!(terms(&[7]), [1]);
    assert_eq!(terms(&[3, 2]), [3, 2]);
    assert_eq!(terms(&[12, 0, 18]), [2, 0, 3]);
    assert_eq!(terms(&[0, 0]), [0, 0]);
    assert_eq!([divisor(12, 18), divisor(18, 12), divisor(0, 5), divisor(5, 0), divisor(9, 4)], [6, 6, 5, 5, 1]);
}
