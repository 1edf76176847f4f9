//! Tests which entries a repair changes, and in which round each entry changes.

use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing, TableBuilder};

use super::*;

fn hop(port: u32, weight: u16, next: u32) -> Hop {
    Hop { port, weight, next }
}

#[test]
fn entries_are_the_same_by_ports_and_weights() {
    let old = [hop(1, 2, 8), hop(4, 3, 9)];
    assert!(same(&old, &old));
    // Entries are also the same if only the ids of the neighbours differ.
    assert!(same(&old, &[hop(1, 2, 3), hop(4, 3, 4)]));
    assert!(!same(&old, &[hop(1, 2, 8), hop(4, 1, 9)]));
    assert!(!same(&old, &[hop(1, 2, 8), hop(5, 3, 9)]));
    assert!(!same(&old, &old[..1]));
    assert!(!same(&old[..1], &old));
    assert!(!same(&[], &old[..1]));
}

/// Returns the forwarding entries of a ring of four switches with one endpoint each. Paths are shortest paths, except for `detours`
/// (switch, destination, next switch).
fn ring(detours: &[(u32, u32, u32)]) -> Entries {
    let fabric: Fabric = tulle_topologies::build("torus:shape=4,p=1", 0).unwrap();
    let mut table = TableBuilder::new(&fabric);
    let mut set = |switch: u32, destination: u32, next: u32| {
        let port = fabric.neighbours(switch).iter().position(|&to| to == next).unwrap();
        table.set(switch, destination, &[port as u16]);
    };
    for switch in 0..4 {
        set(switch, (switch + 1) % 4, (switch + 1) % 4);
        set(switch, (switch + 3) % 4, (switch + 3) % 4);
        // To the opposite switch, traffic goes through the neighbour with the lower id.
        set(switch, (switch + 2) % 4, if switch % 2 == 0 { 1 } else { 0 });
    }
    detours.iter().for_each(|&(switch, destination, next)| set(switch, destination, next));
    Entries::of(&fabric, &Routing::new("by hand".to_owned(), Routes::Layers(vec![table.finish()]))).unwrap()
}

#[test]
fn switches_on_new_paths_change_first() {
    let old = ring(&[]);
    // For destination 0, switch 1 now forwards to switch 2, and switch 2 forwards to switch 3, whose entry does not change.
    let new = ring(&[(1, 0, 2), (2, 0, 3)]);
    let change = |switch, round| Change { switch, layer: 0, destination: 0, round, gone: false };
    assert_eq!(changes(&old, &new, &[0, 1, 2, 3]), [change(1, 1), change(2, 0)]);
    // In the reverse change, switch 2 must wait until switch 1 has changed.
    assert_eq!(changes(&new, &old, &[0, 1, 2, 3]), [change(1, 0), change(2, 1)]);
    // An entry can change in the first round if its new path continues over unchanged entries only.
    let one = ring(&[(2, 0, 3)]);
    assert_eq!(changes(&old, &one, &[0, 1, 2, 3]), [change(2, 0)]);
}
