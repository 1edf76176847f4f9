//! Tests link rules for the link classes of topology families.

use tulle_fabric::{Link, LinkRule};
use tulle_topologies::build;

fn rule(text: &str) -> LinkRule {
    text.parse().unwrap()
}

#[test]
fn a_fabric_of_which_nothing_is_known_holds_nothing() {
    let fabric = build("clique:degree=3", 0).unwrap();
    assert_eq!((fabric.links(), fabric.link_rate(0), fabric.endpoint_latency(3)), (None, None, None));
}

#[test]
fn a_class_is_one_direction_and_its_cable_both() {
    let fabric = build("fattree:levels=2,leaves=2,cores=1,p=1", 0).unwrap();
    let fabric = fabric.with_links(&[rule("up:rate=1Gbps,length=5m"), rule("endpoint:latency=1us")]).unwrap();
    for channel in 0..fabric.num_channels() as u32 {
        let up = fabric.class_names()[fabric.classes()[channel as usize] as usize] == "up";
        assert_eq!(fabric.link_rate(channel), up.then_some(1_000_000_000));
        assert_eq!(fabric.link(channel).length, Some(5000));
    }
    assert_eq!((fabric.endpoint_rate(0), fabric.endpoint_latency(0)), (None, Some(1_000_000)));
    assert_eq!(fabric.link_rules(), ["up:rate=1Gbps,length=5m", "endpoint:latency=1us"]);
}

#[test]
fn costs_are_of_cables_in_one_direction() {
    let fabric = build("fattree:levels=2,leaves=2,cores=1,p=1", 0).unwrap();
    let fabric = fabric.with_links(&[rule("all:cost=4294967295"), rule("up:cost=3")]).unwrap();
    for channel in 0..fabric.num_channels() as u32 {
        let up = fabric.class_names()[fabric.classes()[channel as usize] as usize] == "up";
        assert_eq!(fabric.link_cost(channel), Some(if up { 3 } else { u32::MAX }));
    }
    assert_eq!(*fabric.endpoint_link(0), Link::UNKNOWN);
}

#[test]
fn the_last_word_holds() {
    let fabric = build("clique:degree=2,p=1", 0).unwrap();
    let rules = [rule("all:rate=1Gbps,latency=1us"), rule("link:rate=2Gbps"), rule("endpoint:latency=0")];
    let fabric = fabric.with_links(&rules).unwrap();
    assert_eq!((fabric.link_rate(0), fabric.link_latency(0)), (Some(2_000_000_000), Some(1_000_000)));
    assert_eq!((fabric.endpoint_rate(0), fabric.endpoint_latency(0)), (Some(1_000_000_000), Some(0)));
    assert_eq!(fabric.links().unwrap().kinds().len(), 2);
}

#[test]
fn the_name_of_a_cable_is_both_directions_of_this_cable() {
    let fabric = build("clique:degree=3,p=1", 0).unwrap();
    for (name, ends) in [("1--3", [1, 3]), ("3--1", [1, 3]), ("2/0", [0, 2]), ("0/2--3/0", [0, 3])] {
        let slow = fabric.with_links(&[rule("all:rate=4Gbps"), rule(&format!("{name}:rate=1Gbps,length=3m"))]).unwrap();
        for channel in 0..slow.num_channels() as u32 {
            let at = [slow.sources(), slow.targets()].map(|side| side[channel as usize]);
            let is_named = at == ends || at == [ends[1], ends[0]];
            assert_eq!(slow.link_rate(channel), Some(if is_named { 1_000_000_000 } else { 4_000_000_000 }), "{name}");
            assert_eq!(slow.link(channel).length, is_named.then_some(3000));
        }
        assert_eq!((slow.endpoint_rate(0), slow.link_rules().len()), (Some(4_000_000_000), 2));
    }
    let error = |text: &str| fabric.with_links(&[rule(text)]).unwrap_err().to_string();
    assert_eq!(error("0--7:cost=2"), fabric.cable_named("0--7").unwrap_err().to_string());
}

#[test]
fn unknown_classes_are_errors_that_list_the_legal_ones() {
    let fabric = build("dragonfly:p=2", 0).unwrap();
    let error = |text: &str| fabric.with_links(&[rule(text)]).unwrap_err().to_string();
    assert_eq!(
        error("xyz:rate=1Gbps"),
        "unknown link class 'xyz'; legal: local, global, endpoint, all, or a cable such as (0,0)--(0,1)"
    );
    assert_eq!(
        error("globl:rate=1Gbps"),
        "unknown link class 'globl'; did you mean global? legal: local, global, endpoint, all, or a cable such as (0,0)--(0,1)"
    );
}
