//! Adds dependency cycles to path sets on purpose. The verification must find each cycle, and must report no cycle in path sets without
//! one.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use tulle_deadlock::assign_vcs;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing, SourcePaths};

use crate::deadlock::verify::{Node, acyclic, routes, waits};
use crate::deadlock::{build, plan};

/// Returns a path set with one path per walk. A walk is a list of channels.
fn path_set(fabric: &Fabric, walks: &[Vec<u32>]) -> Routing {
    let switches = 0..fabric.num_switches() as u32;
    let sources = switches.clone().map(|source| {
        let mut paths = SourcePaths::default();
        for destination in switches.clone() {
            let mine = walks.iter().filter(|walk| {
                let (first, last) = (walk[0] as usize, walk[walk.len() - 1] as usize);
                fabric.sources()[first] == source && fabric.targets()[last] == destination
            });
            let ports: Vec<Vec<u16>> = mine
                .map(|walk| {
                    let port = |&channel: &u32| channel - fabric.offsets()[fabric.sources()[channel as usize] as usize];
                    walk.iter().map(|channel| port(channel) as u16).collect()
                })
                .collect();
            paths.destination(ports.iter().map(|path| &path[..]));
        }
        paths
    });
    Routing::new("walks".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

/// Returns a random walk of up to `hops` channels. The walk never goes back over the cable by which it arrived. With `simple`, it visits no
/// switch twice.
fn walk(fabric: &Fabric, start: u32, hops: usize, simple: bool, mut seed: u64) -> Vec<u32> {
    let (mut walk, mut met): (Vec<u32>, Vec<u32>) = (Vec::new(), vec![start]);
    for _ in 0..hops {
        let mut row: Vec<usize> = fabric.channels_of(met[met.len() - 1]).collect();
        row.retain(|&channel| match simple {
            true => !met.contains(&fabric.targets()[channel]),
            false => walk.last().is_none_or(|&last| channel as u32 != fabric.reverse()[last as usize]),
        });
        let Some(&channel) = row.get(seed as usize % row.len().max(1)) else { break };
        seed = tulle_base::random::mix(seed);
        walk.push(channel as u32);
        met.push(fabric.targets()[channel]);
    }
    walk
}

#[test]
fn a_path_that_waits_for_itself_is_named() {
    let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let channel =
        |a: u32, b: u32| fabric.channels_of(a).find(|&channel| fabric.targets()[channel] == b).unwrap() as u32;
    let around = vec![channel(0, 1), channel(1, 2), channel(2, 0), channel(0, 1), channel(1, 3)];
    let routing = path_set(&fabric, &[around]);
    for spec in ["dfsssp", "lash"] {
        let error = assign_vcs(&fabric, &routing, spec).unwrap_err().to_string();
        let rest = "a path of walks from switch 0 to 3 crosses a channel twice and so waits for itself; legal: paths that visit no switch \
            twice";
        assert_eq!(error, format!("{spec}: {rest}"));
    }
    assert_eq!(plan(&fabric, &routing, "hops").num_vcs(), 5);
}

#[test]
fn a_certificate_of_another_routing_does_not_hold() {
    let (fabric, routing) = build("slimfly:q=5", "random:layers=3");
    let other = tulle_routing::build(&fabric, "random:layers=3", 2).unwrap();
    let plan = plan(&fabric, &routing, "lash");
    plan.certificate().check(&fabric, &routing, &plan).unwrap();
    let violation = plan.certificate().check(&fabric, &other, &plan).unwrap_err();
    let tulle_deadlock::Violation::Rank { layer, source_switch, destination, hop, before, channel } = violation else {
        panic!("{violation}")
    };
    let path = tulle_routing::path(&fabric, &other.layers()[layer as usize], source_switch, destination);
    assert_eq!((path[hop - 1], path[hop]), (before, channel));
    let vc = plan.vc(layer, source_switch, destination, 0, source_switch);
    assert!(plan.certificate().rank(before, vc) >= plan.certificate().rank(channel, vc));
    let fewer = tulle_routing::build(&fabric, "random:layers=2", 2).unwrap();
    assert!(matches!(plan.certificate().check(&fabric, &fewer, &plan), Err(tulle_deadlock::Violation::Size { .. })));
    let hops = self::plan(&fabric, &tulle_routing::build(&fabric, "minimal", 0).unwrap(), "hops");
    let long = tulle_routing::build(&fabric, "random:layers=1,rho=1", 0).unwrap();
    hops.certificate().check(&fabric, &long, &hops).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_planted_cycle_is_found_and_broken(
        at in 0usize..5, start in 0u32..16, seed: u64, others in prop::collection::vec((0u32..16, 1usize..5, any::<u64>()), 0..30)
    ) {
        let spec = ["torus:shape=4x4,p=1", "slimfly:q=4", "hypercube:dimensions=4,p=0", "clique:degree=15", "polarfly:q=4,p=1"][at];
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        // The walk is so long that it uses some channel twice. The channels between its first and its second use form a cycle.
        let long = walk(&fabric, start, 4 * fabric.num_channels(), false, seed);
        let mut met = HashMap::new();
        let around = long.iter().enumerate().find_map(|(at, channel)| met.insert(channel, at).map(|from| &long[from..at])).unwrap();
        let mut walks: Vec<Vec<u32>> = (0..around.len()).map(|at| vec![around[at], around[(at + 1) % around.len()]]).collect();
        // Each planted path takes two consecutive channels of the cycle. If such a path ends at its first switch, it is not a path between
        // two switches. The test skips cycles with such a path.
        let ends = |walk: &[u32]| (fabric.sources()[walk[0] as usize], fabric.targets()[walk[walk.len() - 1] as usize]);
        prop_assume!(walks.iter().all(|walk| ends(walk).0 != ends(walk).1));
        for (start, hops, seed) in others {
            let other = walk(&fabric, start, hops, true, seed);
            walks.push(other);
        }
        let routing = path_set(&fabric, &walks);
        let cycle = tulle_deadlock::acyclic(&fabric, &routing).unwrap();
        let Err(cycle) = cycle else { panic!("the cycle was not found") };
        for (at, &(channel, _)) in cycle.channels.iter().enumerate() {
            let next = cycle.channels[(at + 1) % cycle.channels.len()].0;
            prop_assert!(walks.iter().any(|walk| walk.windows(2).any(|pair| pair == [channel, next])));
        }
        for scheme in ["hops", "dfsssp", "lash"] {
            let plan = plan(&fabric, &routing, scheme);
            prop_assert!(plan.num_vcs() > 1 && acyclic(&waits(&fabric, &routes(&fabric, &routing), &plan)));
        }
    }

    #[test]
    fn cycles_are_found_exactly_where_there_are_any(walks in prop::collection::vec((0u32..9, 2usize..4, any::<u64>()), 1..25)) {
        let fabric = tulle_topologies::build("hyperx:shape=3x3", 0).unwrap();
        let walks: Vec<Vec<u32>> =
            walks.into_iter().map(|(start, hops, seed)| walk(&fabric, start, hops, true, seed)).collect();
        let routing = path_set(&fabric, &walks);
        let pairs: HashSet<(Node, Node)> =
            walks.iter().flat_map(|walk| walk.windows(2)).map(|pair| ((pair[0], 0), (pair[1], 0))).collect();
        let waits: Vec<(Node, Node)> = pairs.into_iter().collect();
        prop_assert_eq!(tulle_deadlock::acyclic(&fabric, &routing).unwrap().is_ok(), acyclic(&waits));
    }
}
