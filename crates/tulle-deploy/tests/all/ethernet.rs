//! Compares prefix entries with the tables of the routing. Also checks the changes of a repair: switches make them in rounds, and the changes
//! of one round in any order.

use std::collections::{HashMap, HashSet};

use tulle_deadlock::reroute;
use tulle_deploy::ethernet::{Change, Entries, changes};
use tulle_fabric::Fabric;
use tulle_routing::Routing;

const CASES: [(&str, &str); 6] = [
    ("slimfly:q=5", "almost-minimal:layers=3"),
    ("jellyfish:switches=24,degree=4,p=1", "random:layers=3,rho=0.7"),
    ("jellyfish:switches=24,degree=4,p=1", "spread-groups:layers=2"),
    ("dragonfly:p=2", "random:layers=2,rho=0.7"),
    ("fattree:levels=3,radix=4", "minimal"),
    ("hyperx:shape=4x4,p=1", "minimal"),
];

fn routed(fabric: &str, routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    (fabric, routing)
}

fn without(fabric: &Fabric, faults: &str, seed: u64) -> Fabric {
    fabric.without(&faults.parse().unwrap(), seed).unwrap()
}

#[test]
fn entries_are_next_hops() {
    for (fabric, routing) in CASES {
        let (fabric, routing) = routed(fabric, routing);
        let entries = Entries::of(&fabric, &routing).unwrap();
        let edge = fabric.endpoint_switches();
        assert_eq!(entries.destinations(), edge);
        for switch in 0..fabric.num_switches() as u32 {
            let own = usize::from(edge.contains(&switch));
            assert_eq!(entries.count(switch), routing.num_layers() * (edge.len() - own));
            for (layer, table) in routing.layers().iter().enumerate() {
                for (place, &destination) in edge.iter().enumerate() {
                    let mut next: Vec<u32> = table
                        .next(switch, destination)
                        .iter()
                        .map(|&port| fabric.targets()[fabric.channels_of(switch).start + usize::from(port)])
                        .collect();
                    let mut has: Vec<u32> = entries.hops(switch, layer, place).iter().map(|hop| hop.next).collect();
                    next.sort_unstable();
                    has.sort_unstable();
                    assert_eq!(has, next);
                }
            }
        }
        entries.walk(&fabric).unwrap();
    }
}

#[test]
fn explicit_paths_and_fabrics_without_endpoints_are_refused() {
    let (fabric, routing) = routed("slimfly:q=5", "redksp:k=2");
    assert!(Entries::of(&fabric, &routing).unwrap_err().to_string().starts_with("redksp:k=2 has explicit paths"));
    let (fabric, routing) = routed("slimfly:q=5,p=0", "minimal");
    assert!(Entries::of(&fabric, &routing).unwrap_err().to_string().contains("has no endpoints"));
}

/// Returns the next hops of every switch. Switches have their ids from before the repair. `has_changed` tells whether a switch already has
/// its new entries.
fn successors(
    old: &Entries,
    new: &Entries,
    ids: &[u32],
    (layer, before, now): (usize, usize, usize),
    has_changed: impl Fn(u32) -> bool,
) -> HashMap<u32, Vec<u32>> {
    let row = |(at, &switch): (usize, &u32)| {
        let next: Vec<u32> = match has_changed(switch) {
            true => new.hops(at as u32, layer, now).iter().map(|hop| ids[hop.next as usize]).collect(),
            // Failed switches drop packets, so hops to them are removed.
            false => {
                let hops = old.hops(switch, layer, before).iter().map(|hop| hop.next);
                hops.filter(|next| ids.binary_search(next).is_ok()).collect()
            }
        };
        (switch, next)
    };
    ids.iter().enumerate().map(row).collect()
}

fn has_loop(next: &HashMap<u32, Vec<u32>>) -> bool {
    // The test repeatedly removes switches that have no next hop left, and removes them from the next hops of all other switches. If some
    // switches remain, they contain a loop.
    let mut left: HashMap<u32, usize> = next.iter().map(|(&switch, next)| (switch, next.len())).collect();
    let mut ready: Vec<u32> = left.iter().filter(|(_, count)| **count == 0).map(|(&switch, _)| switch).collect();
    let mut gone = 0;
    while let Some(end) = ready.pop() {
        gone += 1;
        for (switch, next) in next {
            let meets = next.iter().filter(|&&to| to == end).count();
            if meets > 0 {
                let count = left.get_mut(switch).unwrap();
                *count -= meets;
                if *count == 0 {
                    ready.push(*switch);
                }
            }
        }
    }
    gone < next.len()
}

#[test]
fn no_order_that_rounds_allow_has_a_loop() {
    let (mut states, mut deepest, mut reversed) = (0, 0, 0);
    for (spec, scheme) in CASES {
        let (fabric, routing) = routed(spec, scheme);
        let old = Entries::of(&fabric, &routing).unwrap();
        for seed in 0..12 {
            let damaged = without(&fabric, if seed % 3 == 2 { "links=3" } else { "links=1" }, seed);
            let Ok(after) = reroute::reroute(&fabric, &routing, None, &damaged) else { continue };
            let new = Entries::of(&damaged, &after.routing).unwrap();
            let ids: Vec<u32> = (0..damaged.num_switches() as u32).collect();
            let changes = changes(&old, &new, &ids);
            let mut columns: HashMap<(u32, u32), Vec<Change>> = HashMap::new();
            changes.iter().for_each(|one| columns.entry((one.layer, one.destination)).or_default().push(*one));
            for ((layer, destination), changes) in columns {
                let place = old.destinations().binary_search(&destination).unwrap();
                let at = (layer as usize, place, place);
                let round = |switch: u32| changes.iter().find(|one| one.switch == switch).map(|one| one.round);
                let last = changes.iter().map(|one| one.round).max().unwrap();
                deepest = deepest.max(last);
                for current in 0..=last {
                    let some: Vec<u32> =
                        changes.iter().filter(|one| one.round == current).map(|one| one.switch).collect();
                    // Small rounds are checked with all subsets of their switches, large rounds with only every 31st subset.
                    let width = some.len().min(16) as u32;
                    for bits in (0..1u32 << width).step_by(if width > 8 { 31 } else { 1 }) {
                        let chosen = |switch: u32| match some.iter().position(|&one| one == switch) {
                            Some(number) => bits >> (number as u32 % width) & 1 == 1,
                            None => round(switch).is_some_and(|round| round < current),
                        };
                        assert!(
                            !has_loop(&successors(&old, &new, &ids, at, chosen)),
                            "{spec} {scheme} seed {seed}: layer {layer} has a loop toward switch {destination}"
                        );
                        states += 1;
                    }
                }
                let backwards = |switch| round(switch) == Some(last);
                reversed += usize::from(has_loop(&successors(&old, &new, &ids, at, backwards)));
            }
        }
    }
    assert!(states > 1_000 && deepest > 1, "{states} {deepest}");
    // If the last round is loaded first, there are loops.
    assert!(reversed > 0);
}

#[test]
fn changes_are_what_differs() {
    let (fabric, routing) = routed("slimfly:q=5", "almost-minimal:layers=3");
    let old = Entries::of(&fabric, &routing).unwrap();
    let damaged = without(&fabric, "links=ids:20,switches=ids:7", 0);
    let after = reroute::reroute(&fabric, &routing, None, &damaged).unwrap();
    let new = Entries::of(&damaged, &after.routing).unwrap();
    let ids: Vec<u32> = (0..50).filter(|&switch| switch != 7).collect();
    let found = changes(&old, &new, &ids);
    let mut expected = Vec::new();
    for (now, &switch) in (0..).zip(&ids) {
        for layer in 0..3 {
            for (place, &destination) in old.destinations().iter().enumerate() {
                let ports = |entries: &Entries, switch, place| {
                    entries.hops(switch, layer, place).iter().map(|hop| (hop.port, hop.weight)).collect::<Vec<_>>()
                };
                let before = ports(&old, switch, place);
                let after = ids.binary_search(&destination).map_or(Vec::new(), |place| ports(&new, now, place));
                if before != after {
                    expected.push((switch, layer as u32, destination, after.is_empty()));
                }
            }
        }
    }
    let has: Vec<_> = found.iter().map(|one| (one.switch, one.layer, one.destination, one.gone)).collect();
    assert_eq!(has, expected);
    // There are no changes between equal entries.
    let all: Vec<u32> = (0..50).collect();
    assert_eq!(changes(&old, &old, &all), []);
}

/// Checks rounds that go back to a state with more switches: returning switches have all their entries before round 0.
#[test]
fn returning_switches_cause_no_loop_and_no_black_hole() {
    let (mut states, mut deepest) = (0, 0);
    for (spec, scheme) in CASES {
        let (fabric, routing) = routed(spec, scheme);
        let new = Entries::of(&fabric, &routing).unwrap();
        for seed in 0..6 {
            let damaged = without(&fabric, if seed % 2 == 0 { "switches=1" } else { "switches=2,links=1" }, seed);
            let Ok(before) = reroute::reroute(&fabric, &routing, None, &damaged) else { continue };
            let old = Entries::of(&damaged, &before.routing).unwrap();
            let known = damaged.num_switches() as u32;
            let kept = &damaged.origin().unwrap().switches;
            let mut others = known..;
            // The id of each switch in the old state. Returning switches have further ids.
            let ids: Vec<u32> = (0..fabric.num_switches() as u32)
                .map(|switch| kept.binary_search(&switch).map_or_else(|_| others.next().unwrap(), |now| now as u32))
                .collect();
            let mut columns: HashMap<(u32, u32), Vec<Change>> = HashMap::new();
            for one in changes(&old, &new, &ids) {
                assert!(one.switch < known && !one.gone);
                columns.entry((one.layer, one.destination)).or_default().push(one);
            }
            // Every destination that returns gets an entry at all other switches.
            let returning = new.destinations().iter().filter(|&&switch| ids[switch as usize] >= known).count();
            assert_eq!(
                columns.keys().filter(|(_, destination)| *destination >= known).count(),
                returning * routing.num_layers()
            );
            for ((layer, destination), changes) in columns {
                let at = ids.iter().position(|&id| id == destination).unwrap() as u32;
                let now = new.destinations().binary_search(&at).unwrap();
                let was = old.destinations().binary_search(&destination).ok();
                let last = changes.iter().map(|one| one.round).max().unwrap();
                deepest = deepest.max(last);
                let rounds: HashMap<u32, u32> = changes.iter().map(|one| (one.switch, one.round)).collect();
                for current in 0..=last {
                    let some: Vec<u32> =
                        changes.iter().filter(|one| one.round == current).map(|one| one.switch).collect();
                    let width = some.len().min(12);
                    for bits in (0..1u32 << width).step_by(if width > 6 { 13 } else { 1 }) {
                        let has_changed = |id: u32| match some.iter().position(|&one| one == id) {
                            Some(number) => bits >> (number % width) & 1 == 1,
                            None => rounds.get(&id).is_none_or(|&round| round < current),
                        };
                        let next: HashMap<u32, Vec<u32>> = (0..)
                            .zip(&ids)
                            .map(|(switch, &id)| {
                                let hops = match (has_changed(id), was) {
                                    (true, _) => new.hops(switch, layer as usize, now),
                                    (false, Some(place)) => old.hops(id, layer as usize, place),
                                    (false, None) => &[],
                                };
                                let of_new = has_changed(id);
                                let id_of = |next: u32| if of_new { ids[next as usize] } else { next };
                                (id, hops.iter().map(|hop| id_of(hop.next)).collect())
                            })
                            .collect();
                        assert!(!has_loop(&next), "{spec} {scheme} seed {seed}: layer {layer} loops");
                        let mut lost: HashSet<u32> = next
                            .iter()
                            .filter(|(id, hops)| **id != destination && hops.is_empty())
                            .map(|(id, _)| *id)
                            .collect();
                        // Old tables have no entries for a returning destination, so packets to it may be lost until the last round.
                        assert!(
                            was.is_none() || lost.is_empty(),
                            "{spec} {scheme} seed {seed}: {lost:?} have no entry"
                        );
                        while let Some((&id, _)) = next
                            .iter()
                            .find(|(id, hops)| !lost.contains(id) && hops.iter().any(|next| lost.contains(next)))
                        {
                            // Only returning switches may forward to a switch that loses packets, because they have their new entries from
                            // the beginning. Other switches change only when the switches on their new paths have entries.
                            assert!(id >= known, "{spec} {scheme} seed {seed}: packets of {id} are lost");
                            lost.insert(id);
                        }
                        states += 1;
                    }
                }
            }
        }
    }
    assert!(states > 1_000 && deepest > 1, "{states} {deepest}");
}
