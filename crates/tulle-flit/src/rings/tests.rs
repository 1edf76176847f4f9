//! Compares request groups and the deadlock test with a direct computation over all pairs of switches of small tori.

use std::collections::{BTreeMap, BTreeSet};

use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};

use super::Rings;
use crate::policy::PolicyContext;
use crate::vc_levels::VcLevels;

const SHAPES: [&str; 10] = ["3", "4", "5", "6", "9", "3x3", "5x4", "2x5", "6x3x2", "3x3x5"];

fn torus(shape: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(&format!("torus:shape={shape}"), 0).unwrap();
    let table = crate::selector::read("dimension-order").unwrap().table(&fabric).unwrap().unwrap();
    let routing = Routing::new("dimension-order".to_owned(), Routes::Layers(vec![table]));
    (fabric, routing)
}

/// Returns the channels of the path from `from` to `to`.
fn path(fabric: &Fabric, routing: &Routing, from: u32, to: u32) -> Vec<u32> {
    let (mut switch, mut channels) = (from, Vec::new());
    while switch != to {
        let [port] = routing.layers()[0].next(switch, to) else { panic!("one port per destination") };
        channels.push(fabric.offsets()[switch as usize] + u32::from(*port));
        switch = fabric.neighbours(switch)[usize::from(*port)];
    }
    channels
}

/// Returns the request group of every channel of a path, by the definition of datelines: the path is cut into its straight parts. A part
/// crosses the dateline if two of its neighbouring switches differ by more than one in their coordinate.
fn by_definition(fabric: &Fabric, channels: &[u32], whole: bool) -> Vec<u8> {
    let ends = |channel: u32| {
        let [a, b] = [fabric.sources()[channel as usize], fabric.targets()[channel as usize]];
        let [a, b] = [a, b].map(|switch| fabric.coordinates().of(switch));
        let dimension = (0..a.len()).find(|&dimension| a[dimension] != b[dimension]).unwrap();
        (dimension, a[dimension].abs_diff(b[dimension]) > 1)
    };
    let mut groups = Vec::new();
    for part in channels.chunk_by(|&a, &b| ends(a).0 == ends(b).0) {
        let dateline = part.iter().position(|&channel| ends(channel).1);
        groups.extend((0..part.len()).map(|at| u8::from(dateline.is_some_and(|dateline| whole || at >= dateline))));
    }
    groups
}

/// Returns the request group of every channel of a path to `to`, according to `rings`.
fn by_levels(rings: &Rings, channels: &[u32], to: u32) -> Vec<u8> {
    let mut level = 0;
    let mut next = |&channel: &u32| {
        let group = rings.group(level, channel, to);
        level = rings.after(level, channel);
        group
    };
    channels.iter().map(&mut next).collect()
}

/// For each pair of channel and request group that a packet holds: the pairs for which such packets wait.
type Waits = BTreeMap<(u32, u8), BTreeSet<(u32, u8)>>;

/// Returns the dependencies of all paths, with the request groups of `groups`.
fn waits(fabric: &Fabric, routing: &Routing, groups: impl Fn(&[u32], u32) -> Vec<u8>) -> Waits {
    let mut waits = Waits::new();
    let switches = fabric.num_switches() as u32;
    for (from, to) in (0..switches).flat_map(|from| (0..switches).map(move |to| (from, to))) {
        let channels = path(fabric, routing, from, to);
        let held: Vec<(u32, u8)> = channels.iter().copied().zip(groups(&channels, to)).collect();
        held.windows(2).for_each(|two| {
            waits.entry(two[0]).or_default().insert(two[1]);
        });
    }
    waits
}

/// Returns whether the dependencies have a cycle. Removes channels that wait for nothing, until no such channel is left.
fn can_deadlock(mut waits: Waits) -> bool {
    loop {
        let before = waits.len();
        let left: BTreeSet<(u32, u8)> = waits.keys().copied().collect();
        waits.values_mut().for_each(|onward| onward.retain(|next| left.contains(next)));
        waits.retain(|_, onward| !onward.is_empty());
        if waits.len() == before {
            return before > 0;
        }
    }
}

/// Returns whether the deadlock test before a run finds a cycle.
fn finds_cycle(fabric: &Fabric, routing: &Routing, rings: &Rings) -> bool {
    let context = PolicyContext {
        fabric,
        routing,
        phases: 1,
        hops: 20,
        groups: None,
        diverts: None,
        changes_layer: false,
        vcs: 2,
    };
    let levels = VcLevels::Datelines(rings.clone());
    let found = context.walk(&levels, 0).walk().unwrap();
    assert!(found.groups <= 2);
    found.cycle().is_some()
}

#[test]
fn request_groups_follow_the_definition_and_cannot_deadlock() {
    for (shape, whole) in SHAPES.iter().flat_map(|shape| [(shape, false), (shape, true)]) {
        let (fabric, routing) = torus(shape);
        let rings = Rings::of(&fabric, whole).unwrap();
        let waits = waits(&fabric, &routing, |channels, to| {
            let groups = by_levels(&rings, channels, to);
            assert_eq!(groups, by_definition(&fabric, channels, whole), "{shape} {whole} {channels:?}");
            groups
        });
        assert!(!can_deadlock(waits), "{shape} {whole}");
        assert!(!finds_cycle(&fabric, &routing, &rings), "{shape} {whole}");
    }
}

#[test]
fn without_datelines_both_tests_find_a_cycle() {
    for shape in SHAPES {
        let (fabric, routing) = torus(shape);
        let rings = Rings::of(&fabric, false).unwrap().without_datelines();
        let waits = waits(&fabric, &routing, |channels, to| by_levels(&rings, channels, to));
        // Rings of up to four switches have no cycle. In a ring of three, routes have one hop. In a ring of four, only switches 0 and 3
        // send over two hops in the direction of rising coordinates, and only switches 1 and 2 in the other direction. Larger rings can
        // deadlock in both directions.
        let is_large = shape.split('x').any(|size| size.parse::<u32>().unwrap() > 4);
        assert_eq!(can_deadlock(waits), is_large, "{shape}");
        assert_eq!(finds_cycle(&fabric, &routing, &rings), is_large, "{shape}");
    }
}

#[test]
fn a_level_that_survives_a_turn_can_deadlock() {
    // If packets stay in group 1 after a turn, they use group 1 on the whole second ring, together with packets that have crossed its
    // dateline. Then these packets can wait for each other around the ring.
    let (fabric, routing) = torus("5x5");
    let kept = waits(&fabric, &routing, |channels, _| {
        let groups = by_definition(&fabric, channels, false).into_iter();
        let highest = |kept: &mut u8, group: u8| {
            *kept = group.max(*kept);
            Some(*kept)
        };
        groups.scan(0, highest).collect()
    });
    assert!(can_deadlock(kept));
}
