//! Tests the check of entries: longest paths of groups, and errors for paths that loop or end too early.

use tulle_routing::{Routes, Routing, TableBuilder};

use super::*;

/// Returns a triangle of switches with one endpoint each, and a layer with the given entries (switch, destination, next switches).
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

/// A layer in which, for each destination, one switch has two next hops: the destination and the third switch.
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
    // Switch 1 forwards to switch 0 through switch 2, which may forward through switch 1.
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
