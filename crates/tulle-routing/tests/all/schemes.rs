//! Tests every registered scheme on every registered family. Routings must be complete, loop-free and deterministic, and must have the
//! guarantees that the scheme documents.

use std::collections::VecDeque;

use tulle_fabric::Fabric;
use tulle_routing::{Error, PathSet, Routing, hop_counts, path, verify, verify_paths};

/// Returns the example fabrics of all families that are small enough for exhaustive tests. All examples are connected.
fn fabrics() -> Vec<Fabric> {
    // Some examples name files, which are in the test data of the crate tulle-topologies.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tulle-topologies/tests/data")).unwrap();
    let specs = tulle_topologies::families().iter().flat_map(|family| family.info.examples);
    let fabrics: Vec<Fabric> = specs
        .map(|spec| tulle_topologies::build(spec, 3).unwrap_or_else(|error| panic!("{spec}: {error}")))
        .filter(|fabric| fabric.num_switches() <= 300)
        .collect();
    assert!(!fabrics.is_empty());
    fabrics
}

/// Schemes that cannot route some fabrics, each with a part of the expected error message.
const REFUSALS: &[(&str, &str)] = &[
    // Sparse fabrics (trees, rings) become disconnected if a fraction of their cables is removed.
    ("random", "random selections connects"),
    ("random", "switches need at least"),
    // In some fabrics, for example trees, no path between switches with endpoints has an allowed number of hops.
    ("almost-minimal", "gets a non-minimal path of"),
    ("low-overlap", "has no path of"),
    // In flat fabrics, no cable leads up or down.
    ("updown", "both on level"),
    ("updown", "cannot get levels from"),
    ("updown", "no up-down path"),
    // The hop limit of these examples is less than the diameter of some fabrics.
    ("spread-groups", "is less than the diameter"),
    // Few fabrics have groups.
    ("hierarchical", "has no groups that are connected by cables of class global"),
    // If long paths are allowed, the proof of the maximum number of disjoint paths can need too many max-flow computations.
    ("disjoint", "do not prove"),
    // Only fabrics with virtual layers have virtual up-down paths.
    ("virtual-updown", "no virtual layers"),
];

fn route(fabric: &Fabric, spec: &str, seed: u64) -> Option<Routing> {
    match tulle_routing::build(fabric, spec, seed) {
        Ok(routing) => Some(routing),
        Err(Error::Fabric { scheme, problem, .. })
            if REFUSALS.iter().any(|&(refuses, of)| refuses == scheme && problem.contains(of)) =>
        {
            None
        }
        Err(error) => panic!("{} {spec}: {error}", fabric.spec()),
    }
}

/// Returns the distances from all switches to `destination`, by a breadth-first search that does not use the code under test.
fn distances(fabric: &Fabric, destination: u32) -> Vec<usize> {
    let mut distance = vec![usize::MAX; fabric.num_switches()];
    distance[destination as usize] = 0;
    let mut queue = VecDeque::from([destination]);
    while let Some(switch) = queue.pop_front() {
        for &next in fabric.neighbours(switch) {
            if distance[next as usize] == usize::MAX {
                distance[next as usize] = distance[switch as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    distance
}

/// Checks what path sets guarantee: paths are simple, lead from source to destination, are ordered by length and occur only once, and every
/// pair has a path.
fn verify_guarantees(fabric: &Fabric, spec: &str, paths: &PathSet) {
    verify_paths(fabric, paths).unwrap_or_else(|flaw| panic!("{} {spec}: {flaw}", fabric.spec()));
    let switches = 0..fabric.num_switches() as u32;
    for (source, destination) in switches.clone().flat_map(|source| switches.clone().map(move |to| (source, to))) {
        let between: Vec<&[u16]> = paths.between(source, destination).map(|path| paths.ports(path)).collect();
        assert!(between.is_sorted_by_key(|path| path.len()), "{} {spec}: {between:?}", fabric.spec());
        assert!((1..between.len()).all(|at| !between[..at].contains(&between[at])), "{} {spec}", fabric.spec());
        let may_lack = source == destination || spec.contains("min_paths=0");
        assert!(may_lack || !between.is_empty(), "{} {spec}: {source} to {destination}", fabric.spec());
    }
}

/// Routes every fabric with the examples of all schemes that compute path sets (or, if `path_sets` is false, layers), and checks the
/// result.
fn route_and_judge(path_sets: bool) {
    let fabrics = fabrics();
    let threads = |number| rayon::ThreadPoolBuilder::new().num_threads(number).build().unwrap();
    let (one, two) = (threads(1), threads(2));
    let numbered = tulle_routing::schemes().iter().flat_map(|scheme| scheme.info.examples.iter().enumerate());
    for (number, spec) in numbered {
        let mut routed = 0;
        for fabric in &fabrics {
            // The test runs the first example of every scheme on every fabric, and further examples only on smaller fabrics.
            if number > 0 && fabric.num_switches() > 40 {
                continue;
            }
            // Path sets of the few larger fabrics would take half of this test's time. Every family has a smaller fabric.
            if path_sets && fabric.num_switches() > 130 {
                continue;
            }
            // In larger fabrics, `spain` computes hundreds of VLANs, which would take too long.
            if spec.starts_with("spain") && fabric.num_switches() > 40 {
                continue;
            }
            // `spread` would take half of this test's time on the few fabrics that are larger.
            if spec.starts_with("spread") && fabric.num_switches() > 100 {
                continue;
            }
            let Some(routing) = two.install(|| route(fabric, spec, 1)) else { continue };
            if path_sets != routing.path_set().is_some() {
                routed += 1;
                break;
            }
            if let Some(paths) = routing.path_set() {
                verify_guarantees(fabric, spec, paths);
            }
            for (layer, table) in routing.layers().iter().enumerate() {
                verify(fabric, table).unwrap_or_else(|flaw| panic!("{} {spec} layer {layer}: {flaw}", fabric.spec()));
            }
            let again = one.install(|| route(fabric, spec, 1));
            assert_eq!(again, Some(routing), "the same seed must give the same routing with any number of threads");
            routed += 1;
        }
        assert!(routed > 0, "{spec} routes no fabric");
    }
}

// This test covers layers, and the next test covers path sets, so that both run in parallel.
#[test]
fn every_scheme_of_layers_routes_every_family() {
    route_and_judge(false);
}

#[test]
fn every_scheme_of_path_sets_routes_every_family() {
    route_and_judge(true);
}

#[test]
fn minimal_holds_exactly_the_shortest_next_hops() {
    for fabric in fabrics() {
        let routing = route(&fabric, "minimal", 0).unwrap();
        for destination in 0..fabric.num_switches() as u32 {
            let distance = distances(&fabric, destination);
            for switch in 0..fabric.num_switches() as u32 {
                let shortest: Vec<u16> = fabric
                    .neighbours(switch)
                    .iter()
                    .enumerate()
                    .filter(|&(_, &next)| distance[next as usize] + 1 == distance[switch as usize])
                    .map(|(port, _)| port as u16)
                    .collect();
                assert_eq!(routing.layers()[0].next(switch, destination), shortest);
            }
        }
    }
}

#[test]
fn random_layers_keep_their_share_of_cables_and_differ() {
    let fabric = tulle_topologies::build("clique:degree=12", 0).unwrap();
    let routing = route(&fabric, "random:layers=5,rho=0.5", 7).unwrap();
    for (layer, table) in routing.layers().iter().enumerate() {
        let mut used = vec![false; fabric.num_channels()];
        for source in 0..fabric.num_switches() as u32 {
            for destination in 0..fabric.num_switches() as u32 {
                for channel in path(&fabric, table, source, destination) {
                    used[channel.min(fabric.reverse()[channel as usize]) as usize] = true;
                }
            }
        }
        // In a clique, every cable of a layer is the only shortest path between its two switches. So the layer's next hops use exactly the
        // layer's cables.
        let kept = used.iter().filter(|&&used| used).count();
        assert_eq!(kept, if layer == 0 { fabric.num_cables() } else { fabric.num_cables() / 2 });
    }
    let again = route(&fabric, "random:layers=5,rho=0.5", 8).unwrap();
    assert_ne!(again.layers()[1], routing.layers()[1], "another seed must give another layer");
    assert_ne!(routing.layers()[1], routing.layers()[2]);
}

#[test]
fn next_hops_are_equally_likely() {
    // Between opposite corners of a ring of four switches, there are two shortest paths. Over many layers, the scheme should choose both
    // about equally often.
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let mut builder = tulle_fabric::FabricBuilder::new(4);
    for (a, b) in edges {
        builder.cable(a, b);
    }
    builder.endpoints_each(1);
    let ring = builder.finish("ring", Default::default()).unwrap();
    let routing = route(&ring, "random:layers=255,rho=1", 5).unwrap();
    let first = routing.layers().iter().filter(|table| table.next(0, 2) == [0]).count();
    assert!((90..=165).contains(&first), "{first} of 255 over the first port");
}

#[test]
fn hop_counts_match_walks() {
    for fabric in fabrics() {
        let Some(routing) = route(&fabric, "random:layers=2,rho=0.7", 2) else { continue };
        let edge = fabric.endpoint_switches();
        let mut pairs: Vec<u64> = Vec::new();
        for &source in &edge {
            for &destination in edge.iter().filter(|&&destination| destination != source) {
                let hops = path(&fabric, &routing.layers()[1], source, destination).len();
                pairs.resize(pairs.len().max(hops + 1), 0);
                pairs[hops] += 1;
            }
        }
        assert_eq!(hop_counts(&fabric, &routing.layers()[1]).pairs, pairs);
    }
}

#[test]
fn rejects_are_one_line_errors() {
    let fabric = tulle_topologies::build("clique:degree=6", 0).unwrap();
    for scheme in tulle_routing::schemes() {
        for (spec, fragment) in scheme.info.rejects {
            let error = tulle_routing::build(&fabric, spec, 0).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
        }
    }
    let error = tulle_routing::build(&fabric, "random:layers=2,rho=0.1", 0).unwrap_err().to_string();
    assert!(
        error.contains("rho=0.1 keeps 2 of 21 cables") && error.contains("a spanning tree alone needs 0.286"),
        "{error}"
    );
    let error = tulle_routing::build(&fabric, "randm", 0).unwrap_err().to_string();
    assert_eq!(error, "unknown routing 'randm'; did you mean random?");
}

#[test]
fn a_disconnected_fabric_is_refused() {
    let mut builder = tulle_fabric::FabricBuilder::new(3);
    builder.cable(0, 1);
    let fabric = builder.finish("pair", Default::default()).unwrap();
    for scheme in tulle_routing::schemes() {
        let error = tulle_routing::build(&fabric, scheme.info.name, 0).unwrap_err().to_string();
        assert!(error.contains("from switch 0 to 2") && !error.contains('\n'), "{error}");
    }
}
