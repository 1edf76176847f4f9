//! Tests which of several equal-cost ports a LID uses.

use tulle_routing::{Routes, TableBuilder};

use super::*;

fn tables(fabric: &Fabric, routing: &Routing, lmc: u8, before: Option<Before<'_>>) -> Tables {
    let subnet = Subnet::of(fabric);
    let lids = Lids::new(fabric, &subnet, lmc).unwrap();
    Tables::of(fabric, &subnet, routing, &lids, before).unwrap()
}

#[test]
fn destinations_take_turns_at_the_leaves_and_pairs_of_them_above() {
    // In this fat tree of four pods, leaves and aggregation switches have two uplinks each.
    let fabric = tulle_topologies::build("fattree:levels=3,radix=4", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let subnet = Subnet::of(&fabric);
    let lids = Lids::new(&fabric, &subnet, 0).unwrap();
    let tables = tables(&fabric, &routing, 0, None);
    let mut choices = [0; 3];
    for switch in 0..fabric.num_switches() as u32 {
        let level = usize::from(fabric.levels()[switch as usize]);
        for (endpoint, &destination) in fabric.endpoint_switch().iter().enumerate() {
            let next = routing.layers()[0].next(switch, destination);
            if destination == switch || next.len() == 1 {
                continue;
            }
            choices[level] += 1;
            let turn = endpoint / [1, 2, 4][level] % 2;
            let channel = fabric.channels_of(switch).start + usize::from(next[turn]);
            let port = tables.row(switch)[usize::from(lids.endpoints()[endpoint])];
            assert_eq!(
                u32::from(port),
                subnet.ports[channel],
                "the port of switch {switch} toward endpoint {endpoint} differs"
            );
        }
    }
    // Each of 8 leaf switches chooses uplinks toward the 14 endpoints of other leaf switches. Each of 8 aggregation switches chooses
    // uplinks toward the 12 endpoints of other pods. There is only one downward path.
    assert_eq!(choices, [8 * 14, 8 * 12, 0]);
}

/// Returns a triangle of switches with an endpoint each, and `count` equal layers. Toward each destination d, switch d + 2 (modulo 3) has
/// two next hops: d itself and switch d + 1.
fn either(count: usize) -> (Fabric, Routing) {
    let fabric = tulle_topologies::build("clique:degree=2,p=1", 0).unwrap();
    let table = || {
        let mut table = TableBuilder::new(&fabric);
        for destination in 0..3 {
            let [one, two] = [1, 2].map(|after| (destination + after) % 3);
            let straight = fabric.neighbours(one).iter().position(|&to| to == destination).unwrap();
            table.set(one, destination, &[straight as u16]);
            table.set(two, destination, &[0, 1]);
        }
        table.finish()
    };
    let layers = (0..count).map(|_| table()).collect();
    let routing = Routing::new("by hand".to_owned(), Routes::Layers(layers));
    (fabric, routing)
}

#[test]
fn lids_above_the_layers_take_the_next_port() {
    // Ports have four LIDs, and there are two layers. Endpoint 0 has LIDs 4 to 7, and endpoint 1 has LIDs 8 to 11.
    let (fabric, routing) = either(2);
    let tables = tables(&fabric, &routing, 2, None);
    assert_eq!(tables.row(2)[4..8], [1, 1, 2, 2]);
    assert_eq!(tables.row(0)[8..12], [2, 2, 1, 1]);
    // No port has LID 0; LIDs 1 to 3 belong to switches, and a switch's own LID is its port 0.
    assert_eq!(tables.row(2)[..4], [NO_PORT, 1, 2, 0]);
}

#[test]
fn ports_that_were_loaded_stay_where_there_is_a_choice() {
    let (fabric, routing) = either(1);
    let fresh = tables(&fabric, &routing, 0, None);
    // Endpoints have LIDs 4 to 6. Switch 2 reaches endpoint 0 with port 1, and switch 0 reaches endpoint 1 with port 2.
    assert_eq!((fresh.row(2)[4], fresh.row(0)[5]), (1, 2));
    let mut ports = fresh.ports().to_vec();
    (ports[2 * 7 + 4], ports[5]) = (2, 1);
    // From switch 1 to switch 0 only one port is possible, so the old port cannot be used any more.
    assert_eq!(std::mem::replace(&mut ports[7 + 4], 2), 1);
    let old = Tables::from_ports(7, ports);
    let kept = tables(&fabric, &routing, 0, Some(Before { tables: &old, switches: &[0, 1, 2] }));
    assert_eq!((kept.row(2)[4], kept.row(0)[5], kept.row(1)[4]), (2, 1, 1));
    // An old port that is not in the group is not used any more.
    let old = Tables::from_ports(7, vec![9; 21]);
    assert_eq!(tables(&fabric, &routing, 0, Some(Before { tables: &old, switches: &[0, 1, 2] })), fresh);
}

#[test]
fn layers_need_as_many_lids() {
    let error = |layers, lmc| fits(&either(layers).1, lmc).map_err(|error| error.to_string());
    assert_eq!((error(2, 1), error(1, 0), error(128, 7)), (Ok(()), Ok(()), Ok(())));
    let expected =
        "by hand has 3 layers, but lmc=1 gives an adapter port only 2 LIDs; legal: lmc=2 to 7, or fewer layers";
    assert_eq!(error(3, 1).unwrap_err(), expected);
    let expected = "by hand has 129 layers, but lmc=7 gives an adapter port only 128 LIDs; legal: 128 layers or fewer";
    assert_eq!(error(129, 7).unwrap_err(), expected);
}
