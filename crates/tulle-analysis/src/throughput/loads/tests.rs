//! Tests of channel loads and flow rates in small fabrics, computed by hand.

use tulle_fabric::FabricBuilder;
use tulle_routing::{SourcePaths, TableBuilder};

use super::*;

/// Returns a triangle and its routing. Each layer is a list of entries (switch, destination, next switches). Channels 0 and 1 leave switch
/// 0 toward 1 and 2; channels 2 and 3 leave switch 1 toward 0 and 2; channels 4 and 5 leave switch 2 toward 0 and 1.
fn triangle(layers: &[&[(u32, u32, &[u32])]]) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build("clique:degree=2,p=2", 0).unwrap();
    let tables = layers.iter().map(|entries| {
        let mut table = TableBuilder::new(&fabric);
        for &(switch, destination, next) in *entries {
            let neighbours = fabric.neighbours(switch);
            let ports = next.iter().map(|next| neighbours.iter().position(|to| to == next).unwrap() as u16);
            table.set(switch, destination, &ports.collect::<Vec<_>>());
        }
        table.finish()
    });
    let routes = Routes::Layers(tables.collect());
    (fabric, Routing::new("by hand".to_owned(), routes))
}

const STRAIGHT: [(u32, u32, &[u32]); 6] =
    [(0, 1, &[1]), (0, 2, &[2]), (1, 0, &[0]), (1, 2, &[2]), (2, 0, &[0]), (2, 1, &[1])];

/// A layer in which one switch per destination has two next hops: the destination, and the third switch.
const EITHER: [(u32, u32, &[u32]); 6] =
    [(0, 1, &[1, 2]), (0, 2, &[2]), (1, 0, &[0]), (1, 2, &[0, 2]), (2, 0, &[0, 1]), (2, 1, &[1])];

fn demands(switches: usize, pairs: &[(u32, u32, f64)]) -> Demands {
    Demands::from_pairs(switches, "by hand".to_owned(), pairs.iter().copied()).unwrap()
}

#[test]
fn traffic_splits_evenly_over_the_ports_of_a_group() {
    let (fabric, routing) = triangle(&[&EITHER]);
    let load = split_loads(&fabric, &routing, &demands(3, &[(2, 0, 1.0)])).unwrap();
    assert_eq!(load, [0.0, 0.0, 0.5, 0.0, 0.5, 0.5]);
    // The traffic that starts at the intermediate switch adds to the traffic that passes it.
    let load = split_loads(&fabric, &routing, &demands(3, &[(2, 0, 1.0), (1, 0, 0.25), (0, 1, 3.0)])).unwrap();
    assert_eq!(load, [1.5, 1.5, 0.75, 0.0, 0.5, 2.0]);
}

#[test]
fn traffic_splits_evenly_over_layers() {
    let (fabric, routing) = triangle(&[&STRAIGHT, &EITHER]);
    let load = split_loads(&fabric, &routing, &demands(3, &[(2, 0, 1.0)])).unwrap();
    assert_eq!(load, [0.0, 0.0, 0.25, 0.0, 0.75, 0.25]);
}

#[test]
fn traffic_splits_by_the_shares_of_layers_and_ports() {
    let (fabric, routing) = triangle(&[&STRAIGHT, &EITHER]);
    let weighted = routing.weighted(&fabric, 16).unwrap();
    let [straight, either] = weighted.layers() else { unreachable!("two layers") };
    assert!(straight.is_weighted() || either.is_weighted());
    for (source, between, destination) in [(2, 1, 0), (0, 2, 1), (1, 0, 2)] {
        let load = split_loads(&fabric, &weighted, &demands(3, &[(source, destination, 1.0)])).unwrap();
        let [one, other] = [straight, either].map(|table| f64::from(table.layer_share(source, destination)));
        let parts: Vec<f64> = either.port_shares(source, destination).map(f64::from).collect();
        // Ports are ordered by the switches that they lead to.
        let around = other / (one + other) * parts[usize::from(between > destination)] / (parts[0] + parts[1]);
        let channel =
            |from: u32, to: u32| fabric.channels_of(from).find(|&channel| fabric.targets()[channel] == to).unwrap();
        let mut expected = [0.0; 6];
        expected[channel(source, destination)] = 1.0 - around;
        expected[channel(source, between)] = around;
        expected[channel(between, destination)] = around;
        assert!(load.iter().zip(expected).all(|(load, expected)| (load - expected).abs() < 1e-12), "{load:?}");
    }
}

#[test]
fn traffic_splits_evenly_over_paths() {
    let (fabric, _) = triangle(&[&STRAIGHT]);
    let routing = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
    let load = split_loads(&fabric, &routing, &demands(3, &[(2, 0, 1.0)])).unwrap();
    assert_eq!(load, [0.0, 0.0, 0.5, 0.0, 0.5, 0.5]);
}

#[test]
fn loads_of_far_destinations_add_up() {
    // In a row of forty switches, each partial sum covers three destinations.
    let fabric = tulle_topologies::build("mesh:shape=40", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let load = split_loads(&fabric, &routing, &demands(40, &[(0, 39, 1.0), (20, 22, 0.5), (3, 1, 2.0)])).unwrap();
    for (channel, load) in load.into_iter().enumerate() {
        let expected = match (fabric.sources()[channel], fabric.targets()[channel]) {
            (20, 21) | (21, 22) => 1.5,
            (3, 2) | (2, 1) => 2.0,
            (from, to) => f64::from(u8::from(to > from)),
        };
        assert_eq!(load, expected, "{channel}");
    }
}

/// Returns a row of three switches, and a path set with paths only between switches 0 and 1.
fn some_paths() -> (Fabric, Routing) {
    let mut builder = FabricBuilder::new(3);
    builder.cable(0, 1);
    builder.cable(1, 2);
    builder.endpoints_each(1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let sources = (0..3).map(|source| {
        let mut paths = SourcePaths::default();
        for destination in 0..3 {
            let there = source + destination == 1;
            paths.destination(there.then_some(&[0u16][..]));
        }
        paths
    });
    let set = SourcePaths::join(sources.collect());
    (fabric, Routing::new("some".to_owned(), Routes::Paths(set)))
}

#[test]
fn pairs_without_a_path_are_refused() {
    let (fabric, routing) = some_paths();
    assert_eq!(split_loads(&fabric, &routing, &demands(3, &[(1, 0, 0.5)])).unwrap(), [0.0, 0.5, 0.0, 0.0]);
    let expected = "some has no path from switch 0 to 2; legal: a routing with a path for every pair of the traffic";
    assert_eq!(split_loads(&fabric, &routing, &demands(3, &[(0, 2, 1.0)])).unwrap_err().to_string(), expected);
    assert_eq!(subflow_rates(&fabric, &routing, &workload(&[(1, 0)])).unwrap(), [1.0]);
    assert_eq!(subflow_rates(&fabric, &routing, &workload(&[(0, 2)])).unwrap_err().to_string(), expected);
}

#[test]
fn routings_and_demands_of_other_fabrics_are_refused() {
    let (fabric, routing) = triangle(&[&STRAIGHT]);
    let row = tulle_topologies::build("mesh:shape=4", 0).unwrap();
    let other = tulle_routing::build(&row, "minimal", 0).unwrap();
    let error = split_loads(&fabric, &other, &demands(3, &[(0, 1, 1.0)])).unwrap_err().to_string();
    assert_eq!(error, "the routing is for 4 switches; legal: 3 switches, as clique:degree=2,p=2 has");
    let error = split_loads(&fabric, &routing, &demands(4, &[(0, 1, 1.0)])).unwrap_err().to_string();
    assert_eq!(error, "the traffic is for 4 switches; legal: 3 switches, as clique:degree=2,p=2 has");
    let error = subflow_rates(&fabric, &other, &workload(&[(0, 2)])).unwrap_err().to_string();
    assert_eq!(error, "the routing is for 4 switches; legal: 3 switches, as clique:degree=2,p=2 has");
    let mut made = workload(&[(0, 2)]);
    made.endpoints = Some(7);
    let error = subflow_rates(&fabric, &routing, &made).unwrap_err().to_string();
    assert!(error.contains("is for 7 endpoints"), "{error}");
}

/// Returns a workload of messages (source, destination) of one byte each.
fn workload(messages: &[(u32, u32)]) -> Workload {
    let mut workload = Workload::default();
    messages.iter().for_each(|&(source, destination)| workload.push(source, destination, 1, 0));
    workload
}

#[test]
fn links_of_senders_receivers_and_cables_are_shared() {
    // Endpoints 0 and 1 are on switch 0, 2 and 3 on switch 1, 4 and 5 on switch 2.
    let (fabric, routing) = triangle(&[&STRAIGHT]);
    let rates = |messages: &[(u32, u32)]| subflow_rates(&fabric, &routing, &workload(messages)).unwrap();
    // Two messages from different switches go to one receiver; the third message shares no link.
    assert_eq!(rates(&[(0, 2), (4, 2), (1, 5)]), [0.5, 0.5, 1.0]);
    // One sender has two messages, to different switches; the message that it receives uses another link.
    assert_eq!(rates(&[(0, 2), (0, 4), (3, 0)]), [0.5, 0.5, 1.0]);
    // Two messages cross the same cable. Then two more messages go to the receiver of one of them.
    assert_eq!(rates(&[(0, 2), (1, 3)]), [0.5, 0.5]);
    assert_eq!(rates(&[(0, 2), (1, 3), (4, 3), (5, 3)])[..2], [0.5, 1.0 / 3.0]);
    // Messages within a switch use only the links of the endpoints.
    assert_eq!(rates(&[(0, 1), (5, 1), (2, 3)]), [0.5, 0.5, 1.0]);
    assert_eq!(rates(&[]), [0.0; 0]);
}

#[test]
fn a_message_has_the_sum_of_its_subflows() {
    let (fabric, _) = triangle(&[&STRAIGHT]);
    let routing = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
    let rates = |messages: &[(u32, u32)]| subflow_rates(&fabric, &routing, &workload(messages)).unwrap();
    // The two subflows of a message share the links of its endpoints.
    assert_eq!(rates(&[(0, 2)]), [1.0]);
    // Four subflows leave endpoint 0, two toward each receiver. So each message gets two quarters of the link's rate.
    assert_eq!(rates(&[(0, 2), (0, 4)]), [0.5, 0.5]);
}

#[test]
fn unknown_endpoints_are_refused() {
    let (fabric, routing) = triangle(&[&STRAIGHT]);
    let rates = |messages: &[(u32, u32)]| subflow_rates(&fabric, &routing, &workload(messages));
    assert_eq!(rates(&[(5, 0)]).unwrap(), [1.0]);
    let error = rates(&[(0, 2), (6, 1)]).unwrap_err().to_string();
    assert_eq!(error, "message 1 uses endpoint 6; legal: 0 to 5");
    assert_eq!(rates(&[(1, 6)]).unwrap_err().to_string(), "message 0 uses endpoint 6; legal: 0 to 5");
}
