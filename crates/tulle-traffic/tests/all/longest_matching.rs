//! Tests that no permutation has a larger total distance than a longest matching. Tests that the given fraction of endpoints sends, and
//! that the given fraction of messages is large. Tests the errors for fabrics that the pattern does not fit, and that arrivals
//! repeat the matching.

use tulle_fabric::distances::Distances;
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_topologies::build as fabric;
use tulle_traffic::{Workload, build};

fn load(fabric: &Fabric, spec: &str, seed: u64) -> Workload {
    build(fabric, spec, seed).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// Returns the total number of hops of all messages.
fn length(fabric: &Fabric, load: &Workload) -> u32 {
    let distances = Distances::of(fabric);
    let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
    let pairs = load.source.iter().zip(&load.destination);
    pairs.map(|(&from, &to)| u32::from(distances.row(switch(from))[switch(to) as usize])).sum()
}

/// Returns the maximal total distance over all permutations, by exhaustive search.
fn longest(distances: &Distances, source: u32, taken: &mut [bool]) -> u32 {
    if source as usize == taken.len() {
        return 0;
    }
    let mut best = 0;
    for destination in 0..taken.len() {
        if !taken[destination] {
            taken[destination] = true;
            let hops = u32::from(distances.row(source)[destination]);
            best = best.max(hops + longest(distances, source + 1, taken));
            taken[destination] = false;
        }
    }
    best
}

#[test]
fn no_permutation_is_longer() {
    for (spec, seed) in
        [("jellyfish:switches=8,degree=3,p=1", 3), ("torus:shape=7,p=1", 0), ("hypercube:dimensions=3,p=1", 0)]
    {
        let fabric = fabric(spec, seed).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let best = longest(&Distances::of(&fabric), 0, &mut vec![false; fabric.num_switches()]);
        for seed in 0..5 {
            let load = load(&fabric, "longest-matching", seed);
            assert_eq!((load.len(), length(&fabric, &load)), (fabric.num_endpoints(), best), "{spec}");
        }
    }
}

#[test]
fn every_pair_of_slim_fly_is_two_hops_apart() {
    let fabric = fabric("slimfly:q=5", 0).unwrap();
    for spec in ["longest-matching", "longest-matching:of=switches"] {
        let load = load(&fabric, spec, 1);
        assert_eq!((load.len(), length(&fabric, &load)), (200, 400));
        let mut received = [0; 200];
        load.destination.iter().for_each(|&endpoint| received[endpoint as usize] += 1);
        assert_eq!(received, [1; 200]);
        let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
        let same = (0..200).filter(|&at| switch(load.destination[at]) == switch(load.destination[at / 4 * 4])).count();
        assert_eq!(same == 200, spec.ends_with("switches"));
    }
}

#[test]
fn fractions_are_drawn_evenly() {
    let fabric = fabric("slimfly:q=5", 0).unwrap();
    let load = load(&fabric, "longest-matching:intensity=0.4,elephants=0.25,ratio=8,bytes=800B", 2);
    assert_eq!(load.len(), 80);
    let mut per_switch = [0; 50];
    load.source.iter().for_each(|&endpoint| per_switch[fabric.endpoint_switch()[endpoint as usize] as usize] += 1);
    assert!(per_switch.iter().all(|&senders| senders == 1 || senders == 2));
    assert_eq!(load.bytes.iter().filter(|&&bytes| bytes == 800).count(), 20);
    assert_eq!(load.bytes.iter().filter(|&&bytes| bytes == 100).count(), 60);
}

#[test]
fn misfits_are_one_line_errors() {
    let mut builder = FabricBuilder::new(4);
    builder.cable(0, 1);
    builder.cable(2, 3);
    builder.endpoints_each(1);
    let split = builder.finish("edges", Default::default()).unwrap();
    let error = build(&split, "longest-matching", 0).unwrap_err().to_string();
    assert!(error.contains("are not connected") && error.contains("legal: connected"), "{error}");
    let mut builder = FabricBuilder::new(2);
    builder.cable(0, 1);
    builder.endpoints(0, 3);
    let lonely = builder.finish("edges", Default::default()).unwrap();
    let error = build(&lonely, "longest-matching", 0).unwrap_err().to_string();
    assert!(error.contains("endpoints on one switch"), "{error}");
}

#[test]
fn arrivals_repeat_the_matching() {
    let fabric = fabric("clique:degree=9,p=2", 0).unwrap();
    let once = load(&fabric, "longest-matching:of=switches,bytes=1KiB", 1);
    let often = load(&fabric, "longest-matching:of=switches,bytes=1KiB,arrivals=1000000,duration=1ms", 1);
    // There are 20 endpoints with 1000 expected messages each. A Poisson count with mean 20,000 has a standard
    // deviation of 141.
    assert!(often.len().abs_diff(20_000) < 700, "{}", often.len());
    assert!(often.start.is_sorted() && *often.start.last().unwrap() < 1_000_000_000);
    assert!(often.bytes.iter().all(|&bytes| bytes == 1024));
    for (&source, &destination) in often.source.iter().zip(&often.destination) {
        let row = once.source.iter().position(|&other| other == source).unwrap();
        assert_eq!(once.destination[row], destination);
    }
}
