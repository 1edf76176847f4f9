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
fn unknown_classes_are_errors_that_list_the_legal_ones() {
    let fabric = build("dragonfly:p=2", 0).unwrap();
    let error = |text: &str| fabric.with_links(&[rule(text)]).unwrap_err().to_string();
    assert_eq!(error("xyz:rate=1Gbps"), "unknown link class 'xyz'; legal: local, global, endpoint, all");
    assert_eq!(
        error("globl:rate=1Gbps"),
        "unknown link class 'globl'; did you mean global? legal: local, global, endpoint, all"
    );
}
