//! Tests properties that the layouts of all fabrics must have.

use std::collections::HashSet;

use proptest::prelude::*;
use tulle_fabric::Fabric;
use tulle_layout::{Floor, Layout, Medium};
use tulle_spec::{Info, Kind};
use tulle_topologies::families;

/// Returns the examples of all families, except those that read files.
fn specs() -> Vec<&'static str> {
    let reads_files = |info: &Info| info.parameters.iter().any(|parameter| matches!(parameter.kind, Kind::Path(_)));
    let all = families::families().iter().filter(|entry| !reads_files(entry.info));
    all.flat_map(|entry| entry.info.examples.iter().copied()).collect()
}

fn check(fabric: &Fabric, layout: &Layout) {
    let spec = fabric.spec();
    let floor = layout.floor;
    assert_eq!(layout.switches.len(), fabric.num_switches(), "{spec}");
    assert_eq!(layout.endpoints.len(), fabric.num_endpoints(), "{spec}");
    let places: HashSet<_> = layout.racks.iter().map(|rack| rack.place).collect();
    assert_eq!(places.len(), layout.racks.len(), "{spec}: two racks at a place");
    assert!(places.iter().flatten().all(|&at| at >= 0), "{spec}");
    let names: HashSet<_> = layout.racks.iter().map(|rack| &rack.name).collect();
    assert_eq!(names.len(), layout.racks.len(), "{spec}: two racks of a name");

    let all = layout.switches.iter().chain(&layout.endpoints).chain(&layout.devices);
    let taken: HashSet<_> = all.clone().collect();
    assert_eq!(taken.len(), all.clone().count(), "{spec}: two devices have the same position");
    for position in all {
        assert!((position.rack as usize) < layout.racks.len(), "{spec}: {position:?}");
        assert!((1..=floor.units).contains(&position.unit.into()), "{spec}: {position:?}");
    }
    assert!(layout.endpoints.iter().all(|position| u32::from(position.slot) < floor.density), "{spec}");
    // A rack unit contains at most one switch or device.
    let units: HashSet<_> = layout.switches.iter().chain(&layout.devices).map(|at| (at.rack, at.unit)).collect();
    assert_eq!(units.len(), layout.switches.len() + layout.devices.len(), "{spec}");
    assert!(!layout.endpoints.iter().any(|at| units.contains(&(at.rack, at.unit))), "{spec}");
    let holding: HashSet<_> =
        layout.switches.iter().chain(&layout.endpoints).chain(&layout.devices).map(|at| at.rack).collect();
    assert_eq!(holding.len(), layout.racks.len(), "{spec}: an empty rack");

    for channel in 0..fabric.num_channels() as u32 {
        let back = fabric.reverse()[channel as usize];
        assert_eq!(layout.cable_of(fabric, channel), layout.cable_of(fabric, back), "{spec}");
    }
    let items = layout.items(fabric);
    assert_eq!(items.switches.values().sum::<u64>(), fabric.num_switches() as u64, "{spec}");
    if layout.devices.is_empty() {
        assert_eq!(items.cables(), (fabric.num_cables() + fabric.num_endpoints()) as u64, "{spec}");
    } else {
        assert_eq!(items.cables(), (fabric.num_channels() + fabric.num_endpoints()) as u64, "{spec}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn every_device_has_a_place_of_its_own(
        units in 1u32..60,
        density in 1u32..5,
        rows in prop::option::of(1u32..9),
        slack in 0u64..3000,
        through in any::<bool>(),
    ) {
        let rows = rows.map_or("auto".to_owned(), |rows| rows.to_string());
        let few = units.min(24);
        let text = format!(
            "units={units},density={density},rows={rows},slack={slack}mm,spines={few},devices={}", units.min(4)
        );
        let floor = Floor::read(&text).unwrap();
        for spec in specs() {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            let most = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0) as u32;
            let devices = if through { most } else { 0 };
            check(&fabric, &Layout::of(&fabric, floor, None, devices).unwrap());
            let parts: Vec<u32> = (0..fabric.num_switches() as u32).map(|switch| switch % 3).collect();
            check(&fabric, &Layout::of(&fabric, floor, Some(&parts), devices).unwrap());
        }
    }
}

#[test]
fn damaged_fabrics_keep_their_racks() {
    let whole = tulle_topologies::build("slimfly:q=5", 0).unwrap();
    let fabric = whole.without(&"switches=20%,links=5%".parse().unwrap(), 1).unwrap();
    let layout = Layout::of(&fabric, Floor::default(), None, 0).unwrap();
    check(&fabric, &layout);
    assert_eq!(layout.racks.len(), 5);
}

#[test]
fn the_slim_fly_of_the_deployment_is_five_racks() {
    let fabric = tulle_topologies::build("slimfly:q=5", 0).unwrap();
    let layout = Layout::of(&fabric, Floor::default(), None, 0).unwrap();
    assert_eq!(layout.racks.len(), 5);
    for rack in 0..5 {
        let subgraph = |switch: usize| fabric.coordinates().of(switch as u32)[0];
        let here: Vec<usize> = (0..50).filter(|&switch| layout.switches[switch].rack == rack).collect();
        assert_eq!(here.len(), 10);
        assert_eq!(layout.endpoints.iter().filter(|at| at.rack == rack).count(), 40);
        // In each rack, the switches of subgraph 0 and their endpoints are above those of subgraph 1.
        let endpoints = (0..200).filter(|&endpoint| layout.endpoints[endpoint].rack == rack);
        let endpoints: Vec<usize> = endpoints.collect();
        let half = |wanted: u32| -> Vec<u16> {
            let switches = here.iter().filter(|&&switch| subgraph(switch) == wanted);
            let on = |endpoint: usize| subgraph(fabric.endpoint_switch()[endpoint] as usize);
            let endpoints = endpoints.iter().filter(|&&endpoint| on(endpoint) == wanted);
            let units = endpoints.map(|&endpoint| layout.endpoints[endpoint].unit);
            switches.map(|&switch| layout.switches[switch].unit).chain(units).collect()
        };
        assert!(half(0).iter().min() > half(1).iter().max());
        assert_eq!((half(0).iter().max(), half(1).iter().min()), (Some(&42), Some(&1)));
    }
    // Copper cables stay within a rack: 50 of them join switches of the same subgraph, and 25 join switches of different subgraphs. The 100
    // cables between racks are fibre. Any two racks have ten cables.
    let (mut steps, mut between) = ([0; 3], [[0; 5]; 5]);
    for cable in fabric.cables() {
        let [a, b] = [fabric.sources(), fabric.targets()].map(|ends| ends[cable as usize]);
        let racks = [a, b].map(|switch| layout.switches[switch as usize].rack as usize);
        let (_, medium) = layout.cable_of(&fabric, cable);
        let same = fabric.coordinates().of(a)[0] == fabric.coordinates().of(b)[0];
        steps[if racks[0] != racks[1] { 2 } else { usize::from(!same) }] += 1;
        assert_eq!(medium == Medium::Copper, racks[0] == racks[1]);
        between[racks[0]][racks[1]] += 1;
        between[racks[1]][racks[0]] += 1;
    }
    assert_eq!(steps, [50, 25, 100]);
    for (a, row) in between.iter().enumerate() {
        assert!(row.iter().enumerate().all(|(b, &count)| a == b || count == 10));
    }
    let items = layout.items(&fabric);
    assert_eq!((items.copper.values().sum::<u64>(), items.fibre.values().sum::<u64>()), (75 + 200, 100));
}

#[test]
fn a_clos_network_stands_as_in_the_paper() {
    // Expected values from the Flattened Clos paper, App. A.4.2, for 2,400 servers with 22 per ToR switch: the network has 7 pods with 10
    // aggregation switches each, and 40 spines.
    let fabric = tulle_topologies::build("clos:hosts=2400,switches=220,radix=32,layers=3", 0).unwrap();
    let layout = Layout::of(&fabric, Floor::read("copper=rack").unwrap(), None, 0).unwrap();
    check(&fabric, &layout);
    let rack =
        |name: &str| layout.racks.iter().find(|rack| rack.name == name).unwrap_or_else(|| panic!("{name}")).place;
    let middle = rack("spine0");
    let from_middle = |name: &str| [0, 1].map(|at| rack(name)[at] - middle[at]);
    assert_eq!(from_middle("pod0-aggregation"), [1, 0]);
    assert_eq!(from_middle("pod1-aggregation"), [-1, 0]);
    assert_eq!(from_middle("pod3-leaf3"), [-2, -2]);
    assert_eq!(from_middle("spine1"), [0, -1]);
}

#[test]
fn lengths_become_links() {
    let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
    let layout = Layout::of(&fabric, Floor::default(), None, 0).unwrap();
    let linked = layout.linked(&fabric, None, None);
    assert_eq!(linked.link_latency(0), None);
    let rule = "global:latency=300ns".parse().unwrap();
    let linked = layout.linked(&fabric.with_links(&[rule]).unwrap(), Some(100_000), None);
    for channel in 0..fabric.num_channels() as u32 {
        let (length, medium) = layout.cable_of(&fabric, channel);
        let link = linked.link(channel);
        let base = if fabric.classes()[channel as usize] == 1 { 300_000 } else { 100_000 };
        assert_eq!((link.length, link.medium.as_deref()), (Some(length), Some(medium.name())));
        assert_eq!(link.latency, Some(base + 5 * length));
    }
}

#[test]
fn two_seeds_have_the_same_cables_through_devices() {
    // All seeds have the same fibres; only the connections inside devices differ.
    let made = |seed: u64| {
        let fabric = tulle_topologies::build("flattenedclos:switches=60,ports=24,layers=3", seed).unwrap();
        let circuits = tulle_layout::through::optical(&fabric, 320).unwrap();
        let layout = Layout::of(&fabric, Floor::default(), None, circuits.count()).unwrap();
        (layout, circuits, fabric)
    };
    let ((one, a, fabric), (other, b, _)) = (made(1), made(2));
    assert_eq!(one, other);
    assert_ne!(a.maps, b.maps);
    let items = one.items(&fabric);
    assert_eq!(items.to_devices.values().sum::<u64>(), 60 * 16);
    assert_eq!(one.devices.len(), 16);
    let linked = one.linked(&fabric, Some(0), Some(&a.devices));
    for channel in 0..fabric.num_channels() as u32 {
        let ends = [fabric.sources(), fabric.targets()].map(|ends| one.switches[ends[channel as usize] as usize]);
        let device = one.devices[a.devices[channel as usize] as usize];
        let length = ends.map(|end| one.length(end, device)).iter().sum::<u64>();
        assert_eq!((linked.link(channel).length, linked.link_latency(channel)), (Some(length), Some(5 * length)));
    }
}

#[test]
fn a_spec_per_structure_has_its_racks() {
    for (spec, racks) in [
        // Each group has one rack per subgraph, because the two subgraphs together do not fit in one rack.
        ("slimfly:q=7", 14),
        ("slimfly:q=7,p=3", 7),
        ("dragonfly:p=2", 9),
        ("hyperx:shape=4x4", 1),
        ("hyperx:shape=10x10,p=4", 10),
        ("torus:shape=6x6x6,p=8", 36),
        // One rack holds the core switches, the other holds 8 leaves with 4 endpoints each.
        ("fattree:levels=2,radix=8", 2),
        ("jellyfish:switches=20,degree=4,p=4", 2),
    ] {
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        let layout = Layout::of(&fabric, Floor::default(), None, 0).unwrap();
        assert_eq!(layout.racks.len(), racks, "{spec}: {:?}", layout.racks);
    }
}
