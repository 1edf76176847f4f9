//! Invariants of every fabric.

use tulle_fabric::{Fabric, NO_VIRTUAL_LAYER, distances};
use tulle_topologies::{Diameter, Expect, Hops};

/// Checks the closed forms of sizes, and all guarantees of [`Fabric`]. With `connected`, also checks that the fabric is connected, and the
/// closed forms of its diameter and hops.
pub fn check(fabric: &Fabric, expect: &Expect, connected: bool) {
    let spec = fabric.spec();
    for (what, built, closed) in [
        ("switches", fabric.num_switches(), expect.switches),
        ("endpoints", fabric.num_endpoints(), expect.endpoints),
        ("cables", fabric.num_cables(), expect.cables),
        ("network radix", fabric.network_radix(), expect.network_radix),
        ("concentration", fabric.concentration(), expect.concentration),
    ] {
        assert!(built as u64 == closed, "{spec}: {what} {built} of the built fabric, closed form {closed}");
    }
    assert!(
        fabric.radix() as u64 <= expect.radix,
        "{spec}: radix {} of the built fabric, closed form at most {}",
        fabric.radix(),
        expect.radix
    );
    // In a Clos network, the number of ports per switch is a parameter, and some ports may stay unused.
    let given = fabric.family() == "clos";
    assert!(
        given || fabric.radix() as u64 == expect.radix,
        "{spec}: radix {} of the built fabric, closed form {}",
        fabric.radix(),
        expect.radix
    );
    check_channels(fabric);
    check_endpoints(fabric);
    check_names(fabric);
    if connected {
        assert!(distances::is_connected(fabric), "{spec}: not connected");
        let histogram = distances::histogram(fabric);
        let diameter = histogram.diameter().expect("a connected fabric has one");
        let hops = histogram.pairs.iter().zip(0..).map(|(&pairs, hops)| u128::from(pairs) * hops).sum::<u128>();
        match expect.hops {
            Hops::Exactly(closed) => {
                assert!(hops == closed, "{spec}: {hops} hops of the built fabric, closed form {closed}")
            }
            Hops::AtMost(closed) => assert!(hops <= closed, "{spec}: {hops} hops in total, expected at most {closed}"),
            Hops::AtLeast(closed) => {
                assert!(hops >= closed, "{spec}: {hops} hops in total, expected at least {closed}")
            }
            Hops::Unknown => {}
        }
        match expect.diameter {
            Diameter::Exactly(closed) => {
                assert!(diameter == closed, "{spec}: diameter {diameter} of the built fabric, closed form {closed}")
            }
            Diameter::AtMost(hops) => assert!(diameter <= hops, "{spec}: diameter {diameter}, expected at most {hops}"),
            Diameter::Unknown => {}
        }
    }
}

fn check_channels(fabric: &Fabric) {
    let (spec, channels) = (fabric.spec(), fabric.num_channels());
    assert_eq!(fabric.offsets().len(), fabric.num_switches() + 1);
    for switch in 0..fabric.num_switches() as u32 {
        assert!(
            fabric.neighbours(switch).is_sorted(),
            "{spec}: the neighbours of switch {switch} are not in ascending order"
        );
        assert!(fabric.channels_of(switch).all(|channel| fabric.sources()[channel] == switch), "{spec}: sources");
    }
    for (channel, &back) in fabric.reverse().iter().enumerate() {
        assert_eq!(
            fabric.reverse()[back as usize] as usize,
            channel,
            "{spec}: the reverse of the reverse of channel {channel} is another channel"
        );
        assert_eq!(
            fabric.sources()[channel],
            fabric.targets()[back as usize],
            "{spec}: channel {channel} does not start where its reverse ends"
        );
        assert_ne!(
            fabric.sources()[channel],
            fabric.targets()[channel],
            "{spec}: channel {channel} starts and ends at the same switch"
        );
        assert!(usize::from(fabric.classes()[channel]) < fabric.class_names().len(), "{spec}: class of {channel}");
    }
    assert!(
        [0, channels].contains(&fabric.virtual_layers().len()),
        "{spec}: some channels have virtual layers, but not all"
    );
    for (channel, &[near, far]) in fabric.virtual_layers().iter().enumerate() {
        assert_eq!(fabric.virtual_layers()[fabric.reverse()[channel] as usize], [far, near], "{spec}: layers");
        assert!(
            near != NO_VIRTUAL_LAYER && near.abs_diff(far) == 1,
            "{spec}: channel {channel} connects virtual layers {near} and {far}"
        );
    }
    assert_eq!(fabric.cables().count() * 2, channels);
    assert_eq!((fabric.sources().len(), fabric.classes().len()), (channels, channels));
}

fn check_endpoints(fabric: &Fabric) {
    let spec = fabric.spec();
    let mut seen = 0;
    for switch in 0..fabric.num_switches() as u32 {
        let endpoints = fabric.endpoints_of(switch);
        assert!(
            endpoints.is_sorted_by(|a, b| a < b),
            "{spec}: the endpoints of switch {switch} are not in ascending order"
        );
        assert!(endpoints.iter().all(|&endpoint| fabric.endpoint_switch()[endpoint as usize] == switch), "{spec}");
        seen += endpoints.len();
    }
    assert_eq!(seen, fabric.num_endpoints(), "{spec}: some endpoint belongs to no switch");
}

fn check_names(fabric: &Fabric) {
    let (spec, switches) = (fabric.spec(), fabric.num_switches());
    let mut labels: Vec<String> = (0..switches as u32).map(|switch| fabric.label(switch)).collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), switches, "{spec}: labels differ");
    assert_eq!(fabric.levels().len(), switches);
    let coordinates = fabric.coordinates();
    assert_eq!(coordinates.values.len(), coordinates.names.len() * switches, "{spec}: coordinates");
}
