//! Longest paths of groups with paths of different lengths, and paths with a loop or an early end.

use tulle_routing::{Routes, Routing, TableBuilder};

use super::*;

/// Entries (switch, destination, next switches) of one layer of a triangle of switches with an endpoint each.
fn triangle(entries: &[(u32, u32, &[u32])]) -> (Fabric, Entries) {
    let fabric = tulle_topologies::build("clique:degree=2,p=1", 0).unwrap();
    let mut table = TableBuilder::new(&fabric);
    for &(switch, destination, next) in entries {
        let neighbours = fabric.neighbours(switch);
        let ports = next.iter().map(|next| neighbours.iter().position(|to| to == next).unwrap() as u16);
        table.set(switch, destination, &ports.collect::<Vec<_>>());
    }
    let routing = Routing::new("by hand".to_owned(), Routes::Layers(vec![table.finish()]));
    let entries = Entries::of(&fabric, &routing).unwrap();
    (fabric, entries)
}

/// From two switches away, a path goes directly or through the switch between.
const EITHER: [(u32, u32, &[u32]); 6] =
    [(2, 0, &[0, 1]), (1, 0, &[0]), (0, 1, &[1, 2]), (2, 1, &[1]), (1, 2, &[0, 2]), (0, 2, &[2])];

#[test]
fn the_longest_way_of_a_group_counts() {
    let (fabric, entries) = triangle(&EITHER);
    assert_eq!(entries.walk(&fabric).unwrap(), Walked { hops: vec![vec![0, 3, 3]] });
}

#[test]
fn a_way_that_leads_around_is_refused() {
    let mut entries = EITHER;
    // 1 sends to 0 by 2, which may send by 1.
    entries[1] = (1, 0, &[2]);
    let (fabric, entries) = triangle(&entries);
    let error = entries.walk(&fabric).unwrap_err().to_string();
    assert_eq!(error, "layer 0 toward switch 0: from switch 2 a path has a loop");
}

#[test]
fn a_switch_without_a_way_on_is_refused() {
    let (fabric, entries) = triangle(&EITHER[..5]);
    let error = entries.walk(&fabric).unwrap_err().to_string();
    assert_eq!(error, "layer 0 toward switch 2: from switch 0 there is no next hop");
}
