//! Tests of rerouting after failures. Tables are complete and loop-free, few entries change, and the new plan is proved free of deadlock.

use tulle_deadlock::reroute::{Rerouted, reroute};
use tulle_deadlock::{InUse, RemovedChannels, acyclic, acyclic_together, assign_vcs};
use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing, verify};

fn build(fabric: &str, routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    (fabric, routing)
}

fn without(fabric: &Fabric, faults: &str, seed: u64) -> Fabric {
    fabric.without(&faults.parse().unwrap(), seed).unwrap()
}

fn connected(fabric: &Fabric) -> bool {
    tulle_fabric::distances::is_connected(fabric)
}

/// Returns a path of the damaged fabric with the channel numbers from before the failure.
fn before(damaged: &Fabric, path: &[u32]) -> Vec<u32> {
    path.iter().map(|&channel| damaged.origin().unwrap().channels[channel as usize]).collect()
}

#[test]
fn tables_stay_complete_and_touch_only_what_broke() {
    let mut counted = 0;
    for (fabric, routing) in [
        build("slimfly:q=5", "minimal"),
        build("slimfly:q=5", "random:layers=4,rho=0.6"),
        build("slimfly:q=7", "almost-minimal:layers=3"),
        build("dragonfly:p=2", "balanced"),
        build("torus:shape=4x4", "random:layers=3,rho=1"),
        build("jellyfish:switches=30,degree=4", "edst"),
        build("hyperx:shape=3x4,width=2x1", "minimal"),
    ] {
        for (seed, faults) in
            [(1, "links=1"), (2, "links=5"), (3, "links=10%"), (4, "switches=1"), (5, "links=2,switches=2")]
        {
            let damaged = without(&fabric, faults, seed);
            if !connected(&damaged) {
                continue;
            }
            let name = format!("{} {} {faults}", fabric.spec(), routing.spec());
            let rerouted = reroute(&fabric, &routing, None, &damaged).unwrap_or_else(|error| panic!("{name}: {error}"));
            let Rerouted { routing: new, entries, touched, broken, added, .. } = &rerouted;
            for table in new.layers() {
                verify(&damaged, table).unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
            }
            let switches = damaged.num_switches();
            assert_eq!((*entries, *added), (routing.num_layers() * switches * (switches - 1), 0), "{name}");
            assert!(broken <= touched && *touched * 2 < *entries, "{name}: {broken} {touched}");
            // Counts the entries that changed between surviving switches. This count uses only the tables, not the result of the rerouting
            // function.
            let origin = &damaged.origin().unwrap().switches;
            let mut differ = 0;
            for (old, table) in routing.layers().iter().zip(new.layers()) {
                for switch in 0..switches as u32 {
                    for destination in 0..switches as u32 {
                        let first = |fabric: &Fabric, ports: &[u16], switch: u32| -> Vec<u32> {
                            ports.iter().map(|&port| fabric.offsets()[switch as usize] + u32::from(port)).collect()
                        };
                        let (was, to) = (origin[switch as usize], origin[destination as usize]);
                        let now = first(&damaged, table.next(switch, destination), switch);
                        differ += usize::from(before(&damaged, &now) != first(&fabric, old.next(was, to), was));
                    }
                }
            }
            assert_eq!(differ, *touched, "{name}");
            counted += touched;
        }
    }
    assert!(counted > 100);
}

#[test]
fn one_link_of_a_slim_fly_touches_few_others() {
    let (fabric, routing) = build("slimfly:q=9", "random:layers=4,rho=0.7");
    let damaged = without(&fabric, "links=1", 3);
    let rerouted = reroute(&fabric, &routing, None, &damaged).unwrap();
    // In a dense fabric, there is a detour around every link. Entries of upstream switches change only if the detour is too long or carries
    // too many paths.
    assert!(rerouted.touched * 2 < rerouted.broken * 3, "{} {}", rerouted.touched, rerouted.broken);
    assert!((4..2000).contains(&rerouted.touched), "{}", rerouted.touched);
}

#[test]
fn a_cut_off_subtree_turns_as_few_switches_as_needed() {
    // On a ring of six switches, packets for switch 0 go in descending order from switches 1 to 3. Without the cable 0–1, these three
    // switches must change direction.
    let mut builder = tulle_fabric::FabricBuilder::new(6);
    (0..6).for_each(|switch| builder.cable(switch, (switch + 1) % 6));
    builder.endpoints_each(1);
    let ring = builder.finish("ring", Default::default()).unwrap();
    let mut table = tulle_routing::TableBuilder::new(&ring);
    for switch in 0..6u32 {
        for destination in (0..6u32).filter(|&destination| destination != switch) {
            let up = (destination + 6 - switch) % 6 < 3;
            let next = if up { (switch + 1) % 6 } else { (switch + 5) % 6 };
            let port = ring.neighbours(switch).iter().position(|&neighbour| neighbour == next).unwrap();
            table.set(switch, destination, &[port as u16]);
        }
    }
    let routing = Routing::new("ring".to_owned(), tulle_routing::Routes::Layers(vec![table.finish()]));
    let damaged = without(&ring, "links=ids:0", 0);
    let rerouted = reroute(&ring, &routing, None, &damaged).unwrap();
    // Without the failed cable, the ring is a line, with exactly one path between any two switches.
    let next = |switch: u32, destination: u32| {
        let channel =
            damaged.offsets()[switch as usize] + u32::from(rerouted.routing.layers()[0].next(switch, destination)[0]);
        damaged.targets()[channel as usize]
    };
    for switch in 1..6 {
        assert_eq!(next(switch, 0), (switch + 1) % 6);
    }
    // Of 30 entries, 5 used the failed cable: the entries of switch 0 toward switches 1 and 2, and the entries of switch 1 toward switches
    // 0, 5 and 4. Some upstream entries of switches 5, 2 and 3 change too.
    assert_eq!((rerouted.entries, rerouted.broken, rerouted.touched), (30, 5, 9));
}

#[test]
fn plans_are_proved_again() {
    for (fabric, routing, scheme) in [
        ("slimfly:q=5", "random:layers=3", "dfsssp:vcs=12"),
        ("slimfly:q=7", "almost-minimal:layers=4", "colouring:vcs=6,sls=16"),
        ("slimfly:q=5", "minimal", "hops"),
        ("torus:shape=4x4", "balanced", "lash"),
        ("jellyfish:switches=24,degree=5", "edksp:k=3", "lash"),
    ] {
        let (fabric, routing) = build(fabric, routing);
        let (plan, repaired) = assign_vcs(&fabric, &routing, scheme).unwrap();
        let routing = repaired.unwrap_or(routing);
        let damaged = without(&fabric, "links=4", 2);
        let rerouted = reroute(&fabric, &routing, Some(&plan), &damaged).unwrap();
        let anew = rerouted.plan.expect("there was a plan");
        assert_eq!(anew.spec(), plan.spec());
        anew.certificate().check(&damaged, &rerouted.routing, &anew).unwrap();
        assert!(rerouted.touched > 0 && rerouted.touched < rerouted.entries / 3, "{scheme}");
    }
}

#[test]
fn path_sets_keep_what_is_left() {
    let (fabric, routing) = build("jellyfish:switches=24,degree=5", "ksp:k=3");
    let damaged = without(&fabric, "links=3,switches=1", 5);
    assert!(connected(&damaged));
    let rerouted = reroute(&fabric, &routing, None, &damaged).unwrap();
    let origin = damaged.origin().unwrap();
    let gone = |channel: &u32| !origin.channels.contains(channel);
    let (mut kept, mut broken, mut added) = (0, 0, 0);
    for source in 0..damaged.num_switches() as u32 {
        for destination in (0..damaged.num_switches() as u32).filter(|&destination| destination != source) {
            let old = routing.paths(&fabric, origin.switches[source as usize], origin.switches[destination as usize]);
            let new = rerouted.routing.paths(&damaged, source, destination);
            let left: Vec<&Vec<u32>> = old.iter().filter(|path| !path.iter().any(gone)).collect();
            broken += old.len() - left.len();
            kept += left.len();
            if left.is_empty() {
                added += new.len();
                assert_eq!(new.len(), 1);
                let distance = tulle_fabric::distances::Distances::of(&damaged).row(source)[destination as usize];
                assert_eq!(
                    new[0].len(),
                    usize::from(distance),
                    "without a channel order, a new path is a shortest path"
                );
            } else {
                assert!(new.iter().map(|path| before(&damaged, path)).eq(left.into_iter().cloned()));
            }
        }
    }
    assert_eq!(
        (rerouted.entries, rerouted.touched, rerouted.broken, rerouted.added),
        (kept + broken, broken, broken, added)
    );
    assert!(broken > 0);
}

#[test]
fn flattened_clos_changes_under_traffic() {
    // Flattened Clos (NSDI23) §7.2: old and new paths together are free of deadlock as long as the virtual layers stay the same.
    let mut changed = 0;
    for seed in 0..6 {
        let fabric = tulle_topologies::build("flattenedclos:switches=30,ports=12", seed).unwrap();
        let routing = tulle_routing::build(&fabric, "virtual-updown", 0).unwrap();
        let (plan, _) = assign_vcs(&fabric, &routing, "one-vc").unwrap();
        let damaged = without(&fabric, "links=4%", seed);
        if !connected(&damaged) {
            continue;
        }
        let old = InUse { fabric: &fabric, routing: &routing, plan: None };
        // Routing the damaged fabric from scratch also gives virtual up-down paths.
        if let Ok(anew) = tulle_routing::build(&damaged, "virtual-updown", 0) {
            let new = InUse { fabric: &damaged, routing: &anew, plan: None };
            assert!(acyclic_together(old, new, RemovedChannels::Carrying).unwrap().is_ok(), "seed {seed}");
        }
        let rerouted = reroute(&fabric, &routing, Some(&plan), &damaged).unwrap();
        let new = InUse { fabric: &damaged, routing: &rerouted.routing, plan: rerouted.plan.as_ref() };
        assert!(acyclic_together(old, new, RemovedChannels::Carrying).unwrap().is_ok(), "seed {seed}");
        changed += rerouted.touched;
    }
    assert!(changed > 100);
    // Shortest paths, in contrast, have dependency cycles if all packets use one virtual channel.
    let (fabric, routing) = build("slimfly:q=5", "minimal");
    let used = InUse { fabric: &fabric, routing: &routing, plan: None };
    assert_eq!(
        acyclic_together(used, used, RemovedChannels::Carrying).unwrap().err(),
        acyclic(&fabric, &routing).unwrap().err()
    );
}

#[test]
fn virtual_updown_pairs_get_their_paths_back() {
    let fabric = tulle_topologies::build("flattenedclos:switches=60,ports=24,layers=4", 1).unwrap();
    let routing = tulle_routing::build(&fabric, "virtual-updown", 0).unwrap();
    let (plan, _) = assign_vcs(&fabric, &routing, "one-vc").unwrap();
    for share in [15, 30] {
        let damaged = without(&fabric, &format!("links={share}%"), 1);
        let rerouted = reroute(&fabric, &routing, Some(&plan), &damaged).unwrap();
        let old = InUse { fabric: &fabric, routing: &routing, plan: None };
        let new = InUse { fabric: &damaged, routing: &rerouted.routing, plan: rerouted.plan.as_ref() };
        assert!(acyclic_together(old, new, RemovedChannels::Carrying).unwrap().is_ok(), "{share}%");
        // After the larger failure, some pairs have no virtual up-down path left, so they get other paths.
        let anew = tulle_routing::build(&damaged, "virtual-updown:min_paths=0", 0).unwrap();
        let (mut counted, mut most, mut without_any) = (0, 0, 0);
        for source in 0..60 {
            for destination in (0..60).filter(|&destination| destination != source) {
                let had = routing.paths(&fabric, source, destination).len();
                let paths = rerouted.routing.paths(&damaged, source, destination);
                let best = anew.paths(&damaged, source, destination).len();
                assert!(
                    (1..=had).contains(&paths.len()),
                    "{share}% of cables failed: {source} to {destination} has {} paths",
                    paths.len()
                );
                let mut channels = paths.concat();
                channels.sort_unstable();
                assert!(
                    channels.is_sorted_by(|a, b| a < b),
                    "{share}% of cables failed: paths from {source} to {destination} share a channel"
                );
                counted += paths.len();
                most += best.min(had);
                without_any += usize::from(best == 0);
            }
        }
        assert!(counted * 100 >= most * 95, "{share}%: {counted} of {most}");
        assert!(share == 15 || without_any > 0);
        assert!(rerouted.left_out.is_empty());
    }
}

#[test]
fn a_pair_whose_every_path_closes_a_cycle_is_left_out_or_gets_a_vc() {
    // The fabric is a ring of four switches with an additional cable (a chord) between switches 1 and 3. In each direction around the ring,
    // paths of two hops use three of the four possible turns. After the chord has failed, each path from switch 3 to switch 1 uses a fourth
    // turn and so closes a cycle.
    let mut builder = tulle_fabric::FabricBuilder::new(4);
    (0..4).for_each(|switch| builder.cable(switch, (switch + 1) % 4));
    builder.cable(1, 3);
    builder.endpoints_each(1);
    let fabric = builder.finish("chord", Default::default()).unwrap();
    let ways = [[0, 1, 2], [0, 3, 2], [1, 2, 3], [1, 0, 3], [2, 3, 0], [2, 1, 0]];
    let sources = (0..4u32).map(|source| {
        let port =
            |from: u32, to: u32| fabric.neighbours(from).iter().position(|&next| next == to).map(|port| port as u16);
        let mut paths = tulle_routing::SourcePaths::default();
        for destination in 0..4u32 {
            let mut found: Vec<Vec<u16>> = ways
                .iter()
                .filter(|way| way[0] == source && way[2] == destination)
                .map(|way| way.windows(2).map(|hop| port(hop[0], hop[1]).unwrap()).collect())
                .collect();
            let direct = port(source, destination).filter(|_| (source, destination) != (1, 3));
            found.extend(direct.map(|port| vec![port]));
            paths.destination(found.iter().map(|path| &path[..]));
        }
        paths
    });
    let set = tulle_routing::SourcePaths::join(sources.collect());
    let routing = Routing::new("chord".to_owned(), tulle_routing::Routes::Paths(set));
    let chord = (0..fabric.num_channels()).find(|&at| (fabric.sources()[at], fabric.targets()[at]) == (1, 3)).unwrap();
    let chord = (chord as u32).min(fabric.reverse()[chord]);
    let damaged = without(&fabric, &format!("links=ids:{chord}"), 0);
    assert_eq!(damaged.num_channels(), 8);

    let (plan, _) = assign_vcs(&fabric, &routing, "one-vc").unwrap();
    let rerouted = reroute(&fabric, &routing, Some(&plan), &damaged).unwrap();
    assert_eq!(rerouted.left_out, [[3, 1]]);
    assert!(rerouted.routing.paths(&damaged, 3, 1).is_empty());
    assert_eq!((rerouted.entries, rerouted.touched, rerouted.broken, rerouted.added), (15, 1, 1, 0));
    // With a second virtual channel, or without a plan, the pair gets a path.
    let (plan, _) = assign_vcs(&fabric, &routing, "lash:vcs=2").unwrap();
    for plan in [Some(&plan), None] {
        let rerouted = reroute(&fabric, &routing, plan, &damaged).unwrap();
        assert_eq!((rerouted.left_out.len(), rerouted.added), (0, 1));
        assert_eq!(rerouted.routing.paths(&damaged, 3, 1)[0].len(), 2);
    }
}

#[test]
fn two_acyclic_routings_can_be_cyclic_together() {
    // In a ring of four switches, each of these two routings uses half of the turns of one direction. Each routing alone has no cycle, both
    // together have one.
    let mut builder = tulle_fabric::FabricBuilder::new(4);
    (0..4).for_each(|switch| builder.cable(switch, (switch + 1) % 4));
    let ring = builder.finish("ring", Default::default()).unwrap();
    let half = |first: u32| {
        let sources = (0..4u32).map(|source| {
            let mut paths = tulle_routing::SourcePaths::default();
            for destination in 0..4u32 {
                let port = |from: u32| {
                    let next = (from + 1) % 4;
                    ring.neighbours(from).iter().position(|&neighbour| neighbour == next).unwrap() as u16
                };
                let path = [port(source), port((source + 1) % 4)];
                let mine = source % 2 == first && destination == (source + 2) % 4;
                paths.destination(mine.then_some(&path[..]));
            }
            paths
        });
        let set = tulle_routing::SourcePaths::join(sources.collect());
        Routing::new("half".to_owned(), tulle_routing::Routes::Paths(set))
    };
    let (even, odd) = (half(0), half(1));
    let used = |routing| InUse { fabric: &ring, routing, plan: None };
    assert!(acyclic(&ring, &even).unwrap().is_ok() && acyclic(&ring, &odd).unwrap().is_ok());
    let cycle = acyclic_together(used(&even), used(&odd), RemovedChannels::Carrying).unwrap().unwrap_err();
    assert_eq!(cycle.channels.len(), 4);
    // If each routing uses its own virtual channel, their dependencies together have no cycle.
    let (plan, _) = assign_vcs(&ring, &odd, "hops").unwrap();
    assert!(
        acyclic_together(used(&even), InUse { plan: Some(&plan), ..used(&odd) }, RemovedChannels::Carrying)
            .unwrap()
            .is_ok()
    );
}

#[test]
fn an_impossible_reroute_is_one_line() {
    let (fabric, routing) = build("slimfly:q=5", "minimal");
    let other = tulle_topologies::build("slimfly:q=4", 0).unwrap();
    let split = without(&fabric, "links=97%", 0);
    let (path, _) = build("mesh:shape=5", "minimal");
    for (error, fragment) in [
        (reroute(&fabric, &routing, None, &other), "is not a part of slimfly:q=5"),
        (reroute(&fabric, &routing, None, &without(&other, "links=1", 0)), "is not a part of slimfly:q=5"),
        (reroute(&fabric, &routing, None, &split), "reroute: switch (0,0,1) has no path to (0,0,0) any more"),
        (reroute(&path, &routing, None, &path), "the routing has 50 switches, but the fabric has 5"),
    ] {
        let error: Error = error.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(fragment) && !text.contains('\n'), "{text}");
    }
    // If nothing has failed, nothing changes.
    let same = reroute(&fabric, &routing, None, &fabric).unwrap();
    assert_eq!((same.touched, same.broken, &same.routing), (0, 0, &routing));
}

#[test]
fn the_same_whatever_the_threads() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (fabric, routing) in [build("slimfly:q=5", "random:layers=4"), build("slimfly:q=4", "rksp:k=3")] {
        let damaged = without(&fabric, "links=10%", 1);
        let make = || reroute(&fabric, &routing, None, &damaged).unwrap();
        assert_eq!(one.install(make), make());
    }
}
