//! Tests that worst-case patterns load links as the papers say.

use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_topologies::build as fabric;
use tulle_traffic::{Workload, build};

/// Returns the number of bytes on the most loaded channel. Every message takes one minimal path.
fn most(fabric: &Fabric, routing: &Routing, load: &Workload) -> u64 {
    let mut loads = vec![0; fabric.num_channels()];
    for message in 0..load.len() {
        let [from, to] =
            [load.source[message], load.destination[message]].map(|e| fabric.endpoint_switch()[e as usize]);
        for &channel in &routing.paths(fabric, from, to)[0] {
            loads[channel as usize] += load.bytes[message];
        }
    }
    loads.into_iter().max().unwrap()
}

/// Kathareios et al. (SC15) §4.2: in the worst case, minimal routing achieves a throughput of 1/(2p) on a Slim Fly, 1/h
/// on an MLFM and 1/k on an OFT.
#[test]
fn worst_cases_load_links_as_the_papers_say() {
    for (spec, load) in [
        ("slimfly:q=5", 2 * 4),
        ("slimfly:q=7,p=3", 2 * 3),
        ("slimfly:q=8", 2 * 6),
        ("slimfly:q=13,p=9", 2 * 9),
        ("mlfm:h=4", 4),
        ("mlfm:h=9", 9),
        ("oft:k=4", 4),
        ("oft:k=8", 8),
    ] {
        let fabric = fabric(spec, 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let worst = build(&fabric, "worst-case:bytes=1B", 3).unwrap();
        assert_eq!(most(&fabric, &routing, &worst), load, "{spec}");
        // Endpoints are not the bottleneck: almost every endpoint sends one message and receives one message.
        let mut received = vec![0; fabric.num_endpoints()];
        worst.destination.iter().for_each(|&to| received[to as usize] += 1);
        assert!(received.iter().all(|&count| count <= 1));
        assert!(worst.len() >= fabric.num_endpoints() - fabric.concentration(), "{spec}: {}", worst.len());
    }
}

/// In a Slim Fly, all switches except at most six belong to communicating pairs whose paths share a channel.
#[test]
fn overlapping_pairs_fill_the_slim_fly() {
    for q in [5u32, 9, 13] {
        let fabric = fabric(&format!("slimfly:q={q},p=1"), 0).unwrap();
        let worst = build(&fabric, "worst-case:bytes=1B", 1).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let mut loads = vec![0; fabric.num_channels()];
        for message in 0..worst.len() {
            for &channel in &routing.paths(&fabric, worst.source[message], worst.destination[message])[0] {
                loads[channel as usize] += 1;
            }
        }
        // A path A–B–C–D has one channel in each direction that carries two messages.
        let doubled = loads.iter().filter(|&&load| load >= 2).count();
        assert!(doubled * 2 + 6 >= fabric.num_switches(), "q={q}: {doubled} of {}", fabric.num_switches());
    }
}

#[test]
fn other_fabrics_have_no_worst_case() {
    let error = build(&fabric("polarfly:q=5", 0).unwrap(), "worst-case", 0).unwrap_err().to_string();
    assert_eq!(
        error,
        "worst-case: no paper defines the worst case for polarfly; legal: a topology whose paper defines a worst case, for example slimfly; longest-matching fits any fabric"
    );
}
