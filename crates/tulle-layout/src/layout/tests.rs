//! Compares lengths, media and positions of small layouts with values computed by hand.

use tulle_fabric::FabricBuilder;

use super::*;

/// Returns a layout with racks 0 and 1 of one group in one column, and rack 2 of another group in the next column.
fn three_racks(floor: &str) -> Layout {
    let rack = |name: &str, place, group| Rack { name: name.to_owned(), place, group };
    Layout {
        floor: Floor::read(floor).unwrap(),
        structure: "runs",
        racks: vec![rack("a", [0, 0], 0), rack("b", [0, 1], 0), rack("c", [1, 0], 1)],
        switches: Vec::new(),
        endpoints: Vec::new(),
        devices: Vec::new(),
    }
}

fn at(rack: u32, unit: u16) -> Position {
    Position { rack, unit, slot: 0 }
}

#[test]
fn lengths_are_within_a_rack_and_between_racks() {
    let layout = three_racks("");
    let length = |a, b| [layout.length(a, b), layout.length(b, a)];
    // Within a rack: 41 U of 44.45 mm, plus 1 m. Between racks: 600 mm along the column, 2100 mm to the next column, plus 2 m for vertical
    // parts and slack.
    assert_eq!(length(at(0, 42), at(0, 1)), [2822; 2]);
    assert_eq!(length(at(0, 42), at(1, 1)), [2600; 2]);
    assert_eq!(length(at(0, 42), at(2, 1)), [4100; 2]);
    assert_eq!(length(at(1, 42), at(2, 1)), [4700; 2]);
}

#[test]
fn copper_is_near_and_no_longer_than_its_reach() {
    use Medium::{Copper, Fibre};
    let media = |floor: &str| {
        let layout = three_racks(floor);
        [at(0, 1), at(1, 1), at(2, 1)].map(|to| layout.cable(at(0, 42), to).1)
    };
    assert_eq!(media("copper=rack"), [Copper, Fibre, Fibre]);
    assert_eq!(media("copper=group"), [Copper, Copper, Fibre]);
    assert_eq!(media("copper=all"), [Copper; 3]);
    // The cables are 2822, 2600 and 4100 mm.
    assert_eq!(media("copper=all,reach=4100mm"), [Copper; 3]);
    assert_eq!(media("copper=all,reach=4099mm"), [Copper, Copper, Fibre]);
    assert_eq!(media("copper=all,reach=2600mm"), [Fibre, Copper, Fibre]);
    assert_eq!(media("copper=group,reach=2599mm"), [Fibre; 3]);
    // The medium depends on the length of the cable, which the caller passes.
    let layout = three_racks("reach=3m");
    assert_eq!([3000, 3001].map(|length| layout.medium(at(0, 1), at(1, 1), length)), [Copper, Fibre]);
}

#[test]
fn known_lengths_and_media_win_over_estimates() {
    let mut builder = FabricBuilder::new(2);
    builder.cable(0, 1);
    builder.cable(0, 1);
    builder.endpoints(0, 1);
    builder.endpoints(1, 1);
    let link = |length, medium: Option<&str>| Link { length, medium: medium.map(Arc::from), ..Link::UNKNOWN };
    let known = link(Some(30_000), Some("smf-os2"));
    builder.link(0, [known.clone(), known]);
    builder.endpoint_link(1, link(None, Some("aoc")));
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let layout = Layout::of(&fabric, Floor::read("").unwrap(), None, 0).unwrap();
    let cables: Vec<u32> = fabric.cables().collect();
    let estimate = layout.cable(layout.switches[0], layout.switches[1]);
    assert_eq!(estimate.1, Medium::Copper);
    assert_eq!(
        cables.iter().map(|&at| layout.cable_of(&fabric, at)).collect::<Vec<_>>(),
        [(30_000, Medium::Fibre), estimate]
    );
    let of_endpoint = layout.cable(layout.switches[1], layout.endpoints[1]);
    assert_eq!(layout.endpoint_cable(&fabric, 1), (of_endpoint.0, Medium::Fibre));
    assert_eq!(layout.items(&fabric).fibre.get(&30_000), Some(&1));
    let linked = layout.linked(&fabric, None, None);
    let (length, medium) = (linked.link(cables[0]).length, linked.link(cables[0]).medium.as_deref());
    assert_eq!((length, medium), (Some(30_000), Some("smf-os2")));
    assert_eq!(linked.link(cables[1]).medium.as_deref(), Some("copper"));
    // If only the length is known, the reach of copper decides the medium.
    let long = fabric.relinked(&vec![link(Some(9_000), None); 4], &[Link::UNKNOWN, Link::UNKNOWN]);
    assert_eq!(layout.cable_of(&long, cables[0]), (9_000, Medium::Fibre));
}

#[test]
fn a_host_stands_at_one_place() {
    let mut builder = FabricBuilder::new(2);
    builder.cable(0, 1);
    for (endpoint, (switch, name, port)) in
        [(0, "server1:eth0", "eth0"), (1, "server1:eth1", "eth1"), (1, "server2", "eth0")].into_iter().enumerate()
    {
        builder.endpoints(switch, 1);
        builder.endpoint_name(endpoint as u32, name);
        builder.host_port(endpoint as u32, port);
    }
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let layout = Layout::of(&fabric, Floor::read("").unwrap(), None, 0).unwrap();
    assert_eq!(layout.endpoints[0], layout.endpoints[1]);
    assert_ne!(layout.endpoints[0], layout.endpoints[2]);
}

#[test]
fn devices_fill_racks_from_the_top() {
    let fabric = tulle_topologies::build("mesh:shape=2", 0).unwrap();
    let layout = Layout::of(&fabric, Floor::read("units=10,devices=3,spines=4").unwrap(), None, 5).unwrap();
    let at: Vec<(u32, u16, u16)> = layout.devices.iter().map(|at| (at.rack, at.unit, at.slot)).collect();
    assert_eq!(at, [(1, 10, 0), (1, 9, 0), (1, 8, 0), (2, 10, 0), (2, 9, 0)]);
    let racks: Vec<(&str, Place, u32)> =
        layout.racks.iter().map(|rack| (&*rack.name, rack.place, rack.group)).collect();
    // Column 0 belongs to the devices; the only rack of switches is in the column to its right.
    assert_eq!(racks, [("rack", [1, 0], 0), ("devices0", [0, 0], 1), ("devices1", [0, 1], 2)]);
}

/// Returns the rack positions of five switches, one per rack.
fn five(floor: &str, devices: u32) -> Vec<Place> {
    let fabric = tulle_topologies::build("clique:degree=4,p=1", 0).unwrap();
    let floor = Floor::read(&format!("units=2,density=1,spines=1,devices=1,{floor}")).unwrap();
    let layout = Layout::of(&fabric, floor, None, devices).unwrap();
    assert_eq!(layout.racks.len(), 5 + devices as usize);
    layout.racks.iter().map(|rack| rack.place).collect()
}

#[test]
fn racks_in_line_go_up_one_column_and_down_the_next() {
    assert_eq!(five("rows=2", 0), [[0, 0], [0, 1], [1, 1], [1, 0], [2, 0]]);
    assert_eq!(five("rows=3", 0), [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1]]);
    // With equal pitches of 1.2 m, five racks fill columns of ⌈√5⌉ = 3 rows.
    assert_eq!(five("column=120cm,row=120cm", 0), [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1]]);
}

#[test]
fn racks_stand_on_both_sides_of_devices() {
    // Devices are in column 0. So the switches' columns 0, 0, −1, −1, 1 become 1, 1, −1, −1, 2. Then all columns move one to the right.
    let devices = [[1, 0], [1, 1]];
    let expected = [[2, 0], [2, 1], [0, 0], [0, 1], [3, 0], devices[0], devices[1]];
    assert_eq!(five("rows=2", 2), expected);
}

#[test]
fn cells_of_several_racks_follow_each_other_along_the_column() {
    // A line of three switches with an endpoint each needs 6 units, but a rack has 4. One rack gets one switch, and the next rack gets two.
    let fabric = tulle_topologies::build("mesh:shape=2x2x3,p=1", 0).unwrap();
    let floor = Floor::read("units=4,density=1,spines=1,devices=1").unwrap();
    let layout = Layout::of(&fabric, floor, None, 0).unwrap();
    let racks: Vec<(&str, Place, u32)> =
        layout.racks.iter().map(|rack| (&*rack.name, rack.place, rack.group)).collect();
    let expected = [
        ("rack0-0", [0, 0], 0),
        ("rack0-0.1", [0, 1], 0),
        ("rack0-1", [0, 2], 1),
        ("rack0-1.1", [0, 3], 1),
        ("rack1-0", [1, 0], 2),
        ("rack1-0.1", [1, 1], 2),
        ("rack1-1", [1, 2], 3),
        ("rack1-1.1", [1, 3], 3),
    ];
    assert_eq!(racks, expected);
    // With a device in the middle, the cells' columns 0 and 1 are to its right.
    let layout = Layout::of(&fabric, floor, None, 1).unwrap();
    let columns: Vec<i32> = layout.racks.iter().map(|rack| rack.place[0]).collect();
    assert_eq!(columns, [1, 1, 1, 1, 2, 2, 2, 2, 0]);
}

#[test]
fn columns_left_of_the_devices_stay() {
    assert_eq!([-2, -1, 0, 1].map(right_of_middle), [-2, -1, 1, 2]);
    let mut racks = three_racks("").racks;
    racks[0].place = [-1, 2];
    shift(&mut racks);
    assert_eq!(racks.iter().map(|rack| rack.place).collect::<Vec<_>>(), [[0, 2], [1, 1], [2, 0]]);
}

/// Returns two connected switches with an endpoint each in two racks of one group, and a device in a third rack.
fn by_a_device() -> (Fabric, Layout) {
    let mut builder = FabricBuilder::new(2);
    builder.cable(0, 1);
    builder.endpoints_each(1);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let layout = Layout {
        switches: vec![at(0, 40), at(1, 40)],
        endpoints: vec![at(0, 30), at(1, 20)],
        devices: vec![at(2, 42)],
        ..three_racks("")
    };
    (fabric, layout)
}

#[test]
fn cables_of_channels_and_endpoints_have_their_ends() {
    let (fabric, layout) = by_a_device();
    assert_eq!([0, 1].map(|channel| layout.cable_of(&fabric, channel)), [(2600, Medium::Copper); 2]);
    // 10 U are 444.5 mm, 20 U 889 mm.
    let endpoints = [0, 1].map(|endpoint| layout.endpoint_cable(&fabric, endpoint));
    assert_eq!(endpoints, [(1445, Medium::Copper), (1889, Medium::Copper)]);
    // The cables to and from the device are 4100 mm and 4700 mm long, and are never copper.
    assert_eq!(layout.by_device(&fabric, 0, 0), (8800, Medium::Fibre));
}

#[test]
fn links_have_lengths_media_and_5_ns_per_metre() {
    let (fabric, layout) = by_a_device();
    let read = |linked: &Fabric| {
        let links = [linked.link(0).clone(), linked.endpoint_link(1).clone()];
        links.map(|link| (link.length, link.medium.as_deref().map(str::to_owned), link.latency))
    };
    let (copper, fibre) = (Some("copper".to_owned()), Some("fibre".to_owned()));
    let known = |length, medium: &Option<String>, latency| (Some(length), medium.clone(), latency);
    let linked = layout.linked(&fabric, None, None);
    assert_eq!(read(&linked), [known(2600, &copper, None), known(1889, &copper, None)]);
    let linked = layout.linked(&fabric, Some(100_000), None);
    assert_eq!(read(&linked), [known(2600, &copper, Some(113_000)), known(1889, &copper, Some(109_445))]);
    let linked = layout.linked(&fabric, Some(7), Some(&[0, 0]));
    assert_eq!(read(&linked), [known(8800, &fibre, Some(44_007)), known(1889, &copper, Some(9_452))]);
}
