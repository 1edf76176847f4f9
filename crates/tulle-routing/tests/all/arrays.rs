//! Tests conversions between routings and arrays of channels, and the count of paths per channel.

use tulle_fabric::Fabric;
use tulle_routing::quality::{Quality, Sharing, paths_over};
use tulle_routing::{Error, NextHops, Routing, Table};

fn build(fabric: &str, routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build(fabric, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    (fabric, routing)
}

/// Returns the routing with these next hops and equal shares.
fn made(fabric: &Fabric, channels: &[i64], widest: usize) -> Result<Routing, Error> {
    Routing::from_next_hop(fabric, &NextHops { channels, widest, port_shares: None, layer_shares: None })
}

/// Returns the next hops of tables with one port per entry, in the array form that the function `from_next_hop` expects.
fn next_hop(fabric: &Fabric, routing: &Routing) -> Vec<i64> {
    let switches = 0..fabric.num_switches() as u32;
    let cells = |table| {
        let pairs = switches.clone().flat_map(|switch| switches.clone().map(move |to| (switch, to)));
        pairs.map(move |(switch, to)| {
            let port: Option<&u16> = tulle_routing::Table::next(table, switch, to).first();
            port.map_or(-1, |&port| i64::from(fabric.offsets()[switch as usize]) + i64::from(port))
        })
    };
    routing.layers().iter().flat_map(cells).collect()
}

#[test]
fn arrays_make_the_routing_that_they_are_of() {
    for (fabric, routing) in [
        build("slimfly:q=5", "random:layers=3,rho=0.6"),
        build("torus:shape=4x4", "balanced"),
        build("jellyfish:switches=20,degree=4", "past:trees=valiant,layers=2"),
        build("hyperx:shape=3x3,width=2x1", "balanced:layers=2"),
    ] {
        let again = made(&fabric, &next_hop(&fabric, &routing), 1).unwrap();
        assert_eq!(again.layers(), routing.layers(), "{}", fabric.spec());
    }
    for (fabric, routing) in [
        build("slimfly:q=5", "ksp:k=4"),
        build("flattenedclos:switches=30,ports=12", "virtual-updown"),
        build("hyperx:shape=3x3,width=2x1", "edksp:k=9"),
    ] {
        let columns = routing.path_columns(&fabric);
        assert_eq!(columns.source.len(), routing.path_set().unwrap().num_paths());
        let numbers = |values: &[u64]| values.iter().map(|&value| value as i64).collect::<Vec<_>>();
        let channels: Vec<i64> = columns.channels.iter().map(|&channel| i64::from(channel)).collect();
        let again = Routing::from_paths(&fabric, &numbers(&columns.offsets), &channels).unwrap();
        assert_eq!(again.path_set(), routing.path_set(), "{}", fabric.spec());
    }
}

#[test]
fn groups_make_the_routing_that_they_are_of() {
    for (fabric, routing) in [
        build("slimfly:q=5", "spread-groups:layers=3"),
        build("fattree:levels=3,radix=4", "minimal"),
        build("hyperx:shape=3x3,width=2x1", "minimal"),
    ] {
        let widest = routing.layers().iter().map(Table::widest).max().unwrap();
        let switches = 0..fabric.num_switches() as u32;
        let mut cells: Vec<i64> = Vec::new();
        for table in routing.layers() {
            for (switch, to) in switches.clone().flat_map(|switch| switches.clone().map(move |to| (switch, to))) {
                let first = i64::from(fabric.offsets()[switch as usize]);
                let end = cells.len() + widest;
                // `from_next_hop` accepts ports in any order, and unused entries (−1) before them.
                let ports = table.next(switch, to);
                cells.resize(end - ports.len(), -1);
                cells.extend(ports.iter().rev().map(|&port| first + i64::from(port)));
            }
        }
        let again = made(&fabric, &cells, widest).unwrap();
        assert_eq!(again.layers(), routing.layers(), "{}", fabric.spec());
        let message = |at: usize, channel: i64| {
            let mut cells = cells.clone();
            cells[at..at + widest].fill(channel);
            made(&fabric, &cells, widest).unwrap_err().to_string()
        };
        let legal = format!("legal: 0 to {}, the channels of the switch", fabric.degree(0) - 1);
        assert_eq!(message(widest, -1), format!("next_hop[0, 0, 1]: -1; {legal}"));
        assert_eq!(message(widest, 0), "next_hop[0, 0, 1]: channel 0 is listed twice; legal: each channel once");
        assert_eq!(message(0, 0), "next_hop[0, 0, 0]: 0; legal: -1, because a switch has no next hop to itself");
    }
}

#[test]
fn columns_hold_every_path_of_layers() {
    let (fabric, routing) = build("dragonfly:p=2", "random:layers=2,rho=0.8");
    let columns = routing.path_columns(&fabric);
    for (at, (&source, &destination)) in columns.source.iter().zip(&columns.destination).enumerate() {
        let path = &columns.channels[columns.offsets[at] as usize..columns.offsets[at + 1] as usize];
        let layer = &routing.layers()[at % 2];
        assert_eq!(path, tulle_routing::path(&fabric, layer, source, destination));
    }
    assert_eq!(columns.source.len(), 2 * fabric.num_switches() * (fabric.num_switches() - 1));
}

/// Returns the error message of a conversion that must fail.
fn message(made: Result<Routing, Error>) -> String {
    let error = made.unwrap_err();
    assert!(matches!(error, Error::Array { .. }));
    error.to_string()
}

#[test]
fn invalid_arrays_are_one_line() {
    let (fabric, routing) = build("slimfly:q=5", "balanced");
    let good = next_hop(&fabric, &routing);
    let changed = |at: usize, channel: i64| {
        let mut cells = good.clone();
        cells[at] = channel;
        message(made(&fabric, &cells, 1))
    };
    let next_hop = |cells: &[i64]| message(made(&fabric, cells, 1));
    let paths = |offsets: &[i64], channels: &[i64]| message(Routing::from_paths(&fabric, offsets, channels));
    for (error, fragment) in [
        (next_hop(&good[1..]), "next_hop: 2499 entries; legal: layers · 50 · 50"),
        (next_hop(&[]), "next_hop: 0 entries"),
        (changed(1, 7), "next_hop[0, 0, 1]: 7; legal: 0 to 6, the channels of the switch"),
        (changed(1, i64::MIN), "next_hop[0, 0, 1]: -9223372036854775808; legal: 0 to 6"),
        (changed(0, 0), "next_hop[0, 0, 0]: 0; legal: -1"),
        (paths(&[], &[]), "offsets: first entry missing, last entry missing; legal: first entry 0, last entry 0"),
        (paths(&[0, 1, -1, 2], &[0, 0]), "offsets: 1 is followed by -1; legal: ascending"),
        (paths(&[0, 1], &[350]), "path 0: channel 350; legal: 0 to 349"),
        (paths(&[0, 0], &[]), "path 0: 0 hops; legal: 1 to 49"),
        (paths(&[0, 100], &[0; 100]), "path 0: 100 hops; legal: 1 to 49"),
    ] {
        assert!(error.contains(fragment) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn paths_per_channel_are_those_of_the_walks() {
    for (fabric, routing) in [
        build("slimfly:q=5", "random:layers=3,rho=0.6"),
        build("fattree:levels=3,radix=4", "updown"),
        build("jellyfish:switches=20,degree=4", "redksp:k=3"),
        build("hypercube:dimensions=4,p=0", "balanced:layers=2"),
    ] {
        let walked = Quality::of(&fabric, &routing, Sharing::Cable).paths_over;
        let quick = paths_over(&fabric, &routing);
        assert!(walked.iter().zip(&quick).all(|(&walked, &quick)| walked as f64 == quick), "{}", fabric.spec());
    }
    // Paths split evenly over the ports of a group. On a torus with equal sides, minimal routing therefore loads all channels equally.
    let (torus, minimal) = build("torus:shape=4x4", "minimal");
    let over = paths_over(&torus, &minimal);
    let hops = tulle_routing::hop_counts(&torus, &minimal.layers()[0]);
    let mean = hops.mean() * 240.0 / over.len() as f64;
    assert!(over.iter().all(|&paths| (paths - mean).abs() < 1e-3), "{over:?}, {mean}");
}

#[test]
fn samples_are_of_the_pairs_asked_for() {
    let (fabric, routing) = build("slimfly:q=9", "random:layers=3");
    let all = Quality::of(&fabric, &routing, Sharing::Cable);
    assert_eq!(Quality::sampled(&fabric, &routing, Sharing::Cable, all.pairs, 1), all);
    let some = Quality::sampled(&fabric, &routing, Sharing::Cable, 5000, 1);
    assert!((4700..5300).contains(&some.pairs), "{}", some.pairs);
    assert!((some.share(&some.exact, 3) - all.share(&all.exact, 3)).abs() < 0.03);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| Quality::sampled(&fabric, &routing, Sharing::Cable, 5000, 1)), some);
    assert_ne!(Quality::sampled(&fabric, &routing, Sharing::Cable, 5000, 2), some);
}
