//! Compares the parts lists of small layouts with counts made by hand.

use tulle_fabric::FabricBuilder;

use super::*;
use crate::Floor;

/// Returns the items of three switches in a row with an endpoint each, in one rack. The first two switches state their number of ports. The
/// stated number of the second switch is too small.
fn row(devices: u32) -> Items {
    let mut builder = FabricBuilder::new(3);
    builder.cable(0, 1);
    builder.cable(1, 2);
    builder.endpoints_each(1);
    builder.switch_ports(0, 32);
    builder.switch_ports(1, 2);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let floor = Floor::read("units=20,spines=4,density=1,inside=1m").unwrap();
    Layout::of(&fabric, floor, None, devices).unwrap().items(&fabric)
}

#[test]
fn a_row_of_three_is_its_parts() {
    let items = row(0);
    // Switch 1 uses three ports, more than its stated number. Switch 2 uses two ports.
    assert_eq!(items.switches, BTreeMap::from([(2, 1), (3, 1), (32, 1)]));
    assert_eq!((items.endpoints, items.devices, items.racks), (3, 0, 1));
    assert_eq!((items.copper.clone(), items.fibre.clone()), (BTreeMap::from([(1000, 5)]), BTreeMap::new()));
    assert_eq!((items.to_devices.len(), items.cables()), (0, 5));
}

#[test]
fn with_devices_every_network_port_has_a_fibre_to_one() {
    let items = row(2);
    assert_eq!((items.endpoints, items.devices, items.racks), (3, 2, 2));
    // The switches have one, two and one cables to devices. The rack of the devices is one column away, so each cable has 2.1 m, plus 2 m
    // for its vertical parts and slack.
    let fibre = BTreeMap::from([(4100, 4)]);
    assert_eq!((&items.fibre, &items.to_devices), (&fibre, &fibre));
    assert_eq!((items.copper.clone(), items.cables()), (BTreeMap::from([(1000, 3)]), 7));
}
