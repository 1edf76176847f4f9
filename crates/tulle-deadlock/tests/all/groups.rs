//! Tests deadlock schemes and rerouting on layers with several weighted next hops per entry.

use tulle_deadlock::assign_vcs;
use tulle_deadlock::reroute::reroute;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table, build, verify};

fn pairs(fabric: &Fabric) -> impl Iterator<Item = (u32, u32)> + use<> {
    let switches = 0..fabric.num_switches() as u32;
    switches.clone().flat_map(move |from| switches.clone().map(move |to| (from, to))).filter(|(from, to)| from != to)
}

fn routed(fabric: &str, spec: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = build(&fabric, spec, 1).unwrap();
    (fabric, routing)
}

#[test]
fn hops_takes_a_channel_per_hop_and_dfsssp_more_than_hardware_has() {
    let (fabric, routing) = routed("slimfly:q=5", "spread-groups");
    assert_eq!(assign_vcs(&fabric, &routing, "hops").unwrap().0.num_vcs(), 5);
    // The scheme puts all paths of a pair in a layer on one virtual channel. With several next hops per entry, a pair can have thousands of
    // paths, so many virtual channels are needed.
    assert!(assign_vcs(&fabric, &routing, "dfsssp").unwrap().0.needed_vcs() > 15);
}

#[test]
fn failures_leave_the_proportions_of_what_is_left() {
    let (fabric, routing) = routed("slimfly:q=5", "spread-groups:layers=2,shares=64");
    let damaged = fabric.without(&"links=5%".parse().unwrap(), 3).unwrap();
    let after = reroute(&fabric, &routing, None, &damaged).unwrap().routing;
    assert!(after.layers().iter().any(Table::is_weighted));
    let (mut smaller, mut anew) = (0, 0);
    for (old, new) in routing.layers().iter().zip(after.layers()) {
        verify(&damaged, new).unwrap();
        for (from, to) in pairs(&fabric) {
            assert_eq!(new.layer_share(from, to), old.layer_share(from, to));
            // Only links have failed, so the switches keep their numbers.
            let by_target = |fabric: &Fabric, table: &Table| -> Vec<(u32, u16)> {
                let targets = table.next(from, to).iter().map(|&port| fabric.neighbours(from)[usize::from(port)]);
                targets.zip(table.port_shares(from, to)).collect()
            };
            let (before, left) = (by_target(&fabric, old), by_target(&damaged, new));
            // If none of a switch's next hops still reaches the destination, the switch gets new next hops. All other switches keep their
            // surviving next hops.
            let is_new = left.iter().any(|(target, _)| before.iter().all(|(was, _)| was != target));
            anew += u32::from(is_new);
            if left.len() < 2 || is_new {
                continue;
            }
            smaller += u32::from(left.len() < before.len());
            let share = |target: u32| f64::from(before.iter().find(|(was, _)| *was == target).unwrap().1);
            let ratio = f64::from(left[0].1) / share(left[0].0);
            assert!(left.iter().all(|&(target, now)| (f64::from(now) / share(target) - ratio).abs() < 1e-9));
        }
    }
    assert!(smaller > 10 && smaller > 2 * anew, "{smaller} smaller, {anew} anew");
}

#[test]
fn deadlock_schemes_take_weighted_layers() {
    for (fabric, spec, scheme) in [
        ("slimfly:q=5", "spread-groups:layers=2,shares=64", "hops"),
        ("slimfly:q=5", "spread:layers=4", "lash"),
        ("slimfly:q=5", "spread:layers=4", "dfsssp"),
    ] {
        let (fabric, routing) = routed(fabric, spec);
        let weighted = routing.weighted(&fabric, 64).unwrap();
        let needs = |routing| assign_vcs(&fabric, routing, scheme).unwrap().0.num_vcs();
        // The weight 0 removes a next hop, and no weight adds one. So a weighted layer never needs more virtual channels than the layer
        // without weights.
        assert!(needs(&weighted) <= needs(&routing), "{spec} {scheme}");
    }
    // If the scheme `colouring` shortens paths of a table, the table keeps its traffic shares.
    let (fabric, routing) = routed("slimfly:q=5", "spread:layers=4");
    let weighted = routing.weighted(&fabric, 64).unwrap();
    let shorter = assign_vcs(&fabric, &weighted, "colouring").unwrap().1.unwrap();
    for ((from, to), layer) in pairs(&fabric).flat_map(|pair| (0..4).map(move |layer| (pair, layer))) {
        let share = |routing: &Routing| routing.layers()[layer].layer_share(from, to);
        assert_eq!(share(&shorter), share(&weighted));
    }
}
