//! Tests the guarantees that each scheme with tables gives beyond complete and loop-free tables, on the example fabrics of all families.
//! Another test checks that tables are complete and loop-free.

use std::collections::{HashMap, HashSet};

use tulle_fabric::distances::Distances;
use tulle_fabric::{Amount, Fabric, Faults};
use tulle_routing::quality::{Quality, Sharing};
use tulle_routing::{Error, Routing, Table, path, verify};

/// Returns the example fabrics with 2 to `switches` switches. All examples are connected.
fn fabrics(switches: usize) -> Vec<Fabric> {
    // Some examples name files, which are in the test data of the crate tulle-topologies.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tulle-topologies/tests/data")).unwrap();
    let specs = tulle_topologies::families().iter().flat_map(|family| family.info.examples);
    let fabrics: Vec<Fabric> = specs
        .map(|spec| tulle_topologies::build(spec, 3).unwrap_or_else(|error| panic!("{spec}: {error}")))
        .filter(|fabric| (2..=switches).contains(&fabric.num_switches()))
        .collect();
    assert!(fabrics.len() > 20);
    fabrics
}

fn fabric(spec: &str) -> Fabric {
    tulle_topologies::build(spec, 3).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn route(fabric: &Fabric, spec: &str, seed: u64) -> Routing {
    tulle_routing::build(fabric, spec, seed).unwrap_or_else(|error| panic!("{} {spec}: {error}", fabric.spec()))
}

/// Returns the routing, or `None` if the scheme cannot route the fabric and its error contains `refusal`.
fn route_or(fabric: &Fabric, spec: &str, refusal: &str) -> Option<Routing> {
    match tulle_routing::build(fabric, spec, 1) {
        Err(Error::Fabric { problem, .. }) if problem.contains(refusal) => None,
        _ => Some(route(fabric, spec, 1)),
    }
}

/// Returns the ordered pairs of distinct switches.
fn pairs(fabric: &Fabric) -> impl Iterator<Item = (u32, u32)> {
    let switches = fabric.num_switches() as u32;
    (0..switches).flat_map(move |a| (0..switches).filter(move |&b| b != a).map(move |b| (a, b)))
}

fn hops(fabric: &Fabric, table: &Table, pair: (u32, u32)) -> usize {
    path(fabric, table, pair.0, pair.1).len()
}

/// Returns the channels of all entries of `table` that differ from the entries of `base`.
fn own_channels(fabric: &Fabric, table: &Table, base: &Table) -> HashSet<u32> {
    let differs =
        |&(switch, destination): &(u32, u32)| table.next(switch, destination) != base.next(switch, destination);
    let channel = |(switch, destination): (u32, u32)| {
        fabric.offsets()[switch as usize] + u32::from(table.next(switch, destination)[0])
    };
    pairs(fabric).filter(differs).map(channel).collect()
}

/// Returns whether no path over `channels` forms a loop.
fn acyclic(fabric: &Fabric, channels: &HashSet<u32>) -> bool {
    let mut incoming: HashMap<u32, usize> = HashMap::new();
    channels.iter().for_each(|&channel| *incoming.entry(fabric.targets()[channel as usize]).or_default() += 1);
    let mut left: HashSet<u32> = channels.clone();
    loop {
        let first = left.iter().copied().filter(|&c| !incoming.contains_key(&fabric.sources()[c as usize]));
        let removed: Vec<u32> = first.collect();
        if removed.is_empty() {
            return left.is_empty();
        }
        for channel in removed {
            left.remove(&channel);
            let target = fabric.targets()[channel as usize];
            let count = incoming.get_mut(&target).unwrap();
            *count -= 1;
            if *count == 0 {
                incoming.remove(&target);
            }
        }
    }
}

#[test]
fn balanced_paths_are_minimal_and_even() {
    for fabric in fabrics(150) {
        let routing = route(&fabric, "balanced:layers=2", 1);
        let distances = Distances::of(&fabric);
        for table in routing.layers() {
            for pair in pairs(&fabric) {
                assert_eq!(hops(&fabric, table, pair), usize::from(distances.row(pair.0)[pair.1 as usize]));
            }
        }
    }
    // If pairs have many shortest paths, `balanced` spreads them more evenly than random choices.
    for spec in ["hypercube:dimensions=6", "torus:shape=6x6", "mesh:shape=5x5"] {
        let fabric = fabric(spec);
        let deviation = |scheme: &str| {
            let deviations =
                (0..5).map(|seed| Quality::of(&fabric, &route(&fabric, scheme, seed), Sharing::Channel).load().1);
            deviations.sum::<f64>()
        };
        let (balanced, random) = (deviation("balanced"), deviation("random:layers=1"));
        assert!(balanced < 0.7 * random, "{spec}: {balanced} of {random}");
    }
}

#[test]
fn one_way_layers_are_acyclic_within_their_share() {
    for fabric in fabrics(150) {
        for spec in ["random:layers=3,rho=0.6,acyclic=true", "random:layers=3,rho=0.5,sampling=bernoulli,acyclic=true"]
        {
            let routing = route(&fabric, spec, 1);
            for table in &routing.layers()[1..] {
                let own = own_channels(&fabric, table, &routing.layers()[0]);
                assert!(acyclic(&fabric, &own), "{} {spec}", fabric.spec());
                let cables: HashSet<u32> = own.iter().map(|&c| c.min(fabric.reverse()[c as usize])).collect();
                assert_eq!(cables.len(), own.len(), "a layer uses each cable in one direction only");
                let exact = spec.contains("0.6");
                assert!(!exact || own.len() <= (0.6 * fabric.num_cables() as f64 + 1e-9) as usize);
            }
        }
        let Some(routing) = route_or(&fabric, "low-overlap:layers=3", "has no path of 3 to 3 hops") else { continue };
        for table in &routing.layers()[1..] {
            let own = own_channels(&fabric, table, &routing.layers()[0]);
            assert!(acyclic(&fabric, &own), "{} low-overlap", fabric.spec());
        }
    }
}

#[test]
fn bernoulli_layers_keep_about_their_share() {
    let clique = fabric("clique:degree=30");
    let routing = route(&clique, "random:layers=9,rho=0.5,sampling=bernoulli", 2);
    // In a clique, the path of a pair in a layer has one hop exactly if the layer contains the cable of this pair.
    let kept =
        routing.layers()[1..].iter().map(|table| pairs(&clique).filter(|&p| hops(&clique, table, p) == 1).count() / 2);
    let kept: Vec<usize> = kept.collect();
    let (cables, mean) = (clique.num_cables() as f64, kept.iter().sum::<usize>() as f64 / 8.0);
    // A layer contains a random number of the 465 cables. This number has a binomial distribution with a standard deviation of 10.8, so its
    // mean over eight layers has a standard deviation of 3.8.
    assert!((mean - cables / 2.0).abs() < 12.0, "{kept:?} of {cables}");
    assert!(kept.iter().any(|&number| number != kept[0]), "{kept:?} vary");
}

#[test]
fn almost_minimal_paths_are_as_long_as_promised() {
    for (lengths, longest) in [("3", 3), ("3x4", 4), ("4", 4), ("2x3", 3)] {
        for fabric in fabrics(150) {
            let spec = format!("almost-minimal:layers=4,lengths={lengths}");
            let Some(routing) = route_or(&fabric, &spec, "gets a non-minimal path of") else { continue };
            let distances = Distances::of(&fabric);
            let longest = longest.max(usize::from(distances.diameter()));
            let mut longer = 0;
            for (layer, table) in routing.layers().iter().enumerate() {
                for pair in pairs(&fabric) {
                    let minimal = usize::from(distances.row(pair.0)[pair.1 as usize]);
                    let hops = hops(&fabric, table, pair);
                    assert!(hops == minimal || (layer > 0 && hops <= longest), "{} {spec}", fabric.spec());
                    longer += usize::from(hops > minimal);
                }
            }
            assert!(longer > 0, "{} {spec}", fabric.spec());
        }
    }
    // If switches without a path used only minimal next hops, about 40 paths of this fabric would have four hops.
    let larger = fabric("slimfly:q=11");
    for seed in 0..3 {
        for table in route(&larger, "almost-minimal:layers=8", seed).layers() {
            assert_eq!(pairs(&larger).filter(|&pair| hops(&larger, table, pair) > 3).count(), 0);
        }
    }
}

#[test]
fn spanning_trees_share_no_cable() {
    for fabric in fabrics(150) {
        for spec in ["edst", "edst:seeded=bfs"] {
            let routing = route(&fabric, spec, 1);
            let mut used = HashSet::new();
            for table in routing.layers() {
                let channels = pairs(&fabric).flat_map(|(a, b)| path(&fabric, table, a, b));
                let cables: HashSet<u32> = channels.map(|c| c.min(fabric.reverse()[c as usize])).collect();
                assert_eq!(cables.len(), fabric.num_switches() - 1, "{} {spec}", fabric.spec());
                assert!(cables.into_iter().all(|cable| used.insert(cable)), "{} {spec}", fabric.spec());
            }
        }
    }
    let clique = fabric("clique:degree=6");
    let error = tulle_routing::build(&clique, "edst:trees=9", 0).unwrap_err().to_string();
    assert_eq!(error, "edst: clique:degree=6,p=6 has 3 edge-disjoint spanning trees, not 9; legal: trees=1 to 3");
}

#[test]
fn spanning_trees_of_flattened_clos_are_half_the_degree() {
    for (spec, trees) in [
        ("flattenedclos:switches=50,ports=27,layers=4", 9),
        ("flattenedclos:switches=100,ports=27,layers=4", 9),
        ("flattenedclos:switches=30,ports=12", 4),
    ] {
        assert_eq!(route(&fabric(spec), "edst", 1).num_layers(), trees, "{spec}");
    }
}

#[test]
fn past_trees_are_minimal_or_by_way_of_a_switch() {
    for fabric in fabrics(150) {
        let distances = Distances::of(&fabric);
        for trees in ["bfs", "random", "weighted", "valiant"] {
            let routing = route(&fabric, &format!("past:trees={trees}"), 1);
            for pair in pairs(&fabric) {
                let hops = hops(&fabric, &routing.layers()[0], pair);
                let minimal = usize::from(distances.row(pair.0)[pair.1 as usize]);
                let most = if trees == "valiant" { 2 * usize::from(distances.diameter()) } else { minimal };
                assert!((minimal..=most).contains(&hops), "{} {trees}", fabric.spec());
            }
        }
    }
}

#[test]
fn updown_goes_up_and_then_down() {
    let mut routed = 0;
    for fabric in fabrics(300) {
        let level = |switch: u32| fabric.levels()[switch as usize];
        let flat = fabric
            .cables()
            .any(|cable| level(fabric.sources()[cable as usize]) == level(fabric.targets()[cable as usize]));
        let all = match tulle_routing::build(&fabric, "updown:choice=all", 1) {
            Ok(routing) => routing,
            Err(error) => {
                let error = error.to_string();
                assert!(
                    if flat { error.contains("both on level") } else { error.contains("no up-down path") },
                    "{error}"
                );
                continue;
            }
        };
        assert!(!flat, "{}", fabric.spec());
        routed += 1;
        let ends: HashSet<u32> = fabric.endpoint_switches().into_iter().collect();
        for spec in ["updown", "updown:layers=3", "updown:choice=random,layers=2"] {
            for table in route(&fabric, spec, 1).layers() {
                verify(&fabric, table).unwrap();
                for pair in pairs(&fabric) {
                    assert!(all.layers()[0].next(pair.0, pair.1).contains(&table.next(pair.0, pair.1)[0]));
                    if ends.contains(&pair.0) && ends.contains(&pair.1) {
                        let channels = path(&fabric, table, pair.0, pair.1);
                        let up = |channel: &u32| {
                            level(fabric.targets()[*channel as usize]) > level(fabric.sources()[*channel as usize])
                        };
                        let turn = channels.iter().position(|channel| !up(channel)).unwrap_or(channels.len());
                        assert!(!channels[turn..].iter().any(up), "{} {spec} {pair:?}", fabric.spec());
                    }
                }
            }
        }
    }
    assert!(routed > 5, "{routed} fabrics with levels");
}

/// Returns all paths from `from` to `to` over the ports of `table`, as channels.
fn ways(fabric: &Fabric, table: &Table, from: u32, to: u32) -> Vec<Vec<u32>> {
    if from == to {
        return vec![Vec::new()];
    }
    let first = fabric.offsets()[from as usize];
    let channels = table.next(from, to).iter().map(|&port| first + u32::from(port));
    let onward = |channel: u32| {
        let rest = ways(fabric, table, fabric.targets()[channel as usize], to);
        rest.into_iter().map(move |rest| [vec![channel], rest].concat())
    };
    channels.flat_map(onward).collect()
}

#[test]
fn hierarchical_paths_cross_one_global_cable() {
    let is_global = |fabric: &Fabric, channel: u32| {
        fabric.class_names()[usize::from(fabric.classes()[channel as usize])] == "global"
    };
    let globals = |fabric: &Fabric, way: &[u32]| way.iter().filter(|&&channel| is_global(fabric, channel)).count();
    let mut saved = 0;
    for spec in [
        "dragonfly:p=2",
        "dragonfly:p=2,arrangement=palm-tree",
        "dragonfly:p=1,a=4,h=2,g=4",
        "megafly:leaves=3,spines=2,h=2,p=1",
    ] {
        let fabric = fabric(spec);
        let groups = fabric.groups().unwrap();
        let [hierarchical, minimal] = ["hierarchical", "minimal"].map(|scheme| route(&fabric, scheme, 1));
        let ends = fabric.endpoint_switches();
        for (from, to) in pairs(&fabric).filter(|(from, to)| ends.contains(from) && ends.contains(to)) {
            let one = usize::from(groups[from as usize] != groups[to as usize]);
            let found = ways(&fabric, &hierarchical.layers()[0], from, to);
            assert!(found.iter().all(|way| globals(&fabric, way) == one && way.len() <= 3), "{spec} {from} {to}");
            // Every shortest path with the minimum number of global cables must be in the table.
            let shortest = ways(&fabric, &minimal.layers()[0], from, to);
            for way in shortest {
                assert!(globals(&fabric, &way) > one || found.contains(&way), "{spec} {from} {to}: {way:?}");
                saved += usize::from(globals(&fabric, &way) > one);
            }
        }
    }
    assert!(saved > 0, "in the test fabric, some minimal paths must cross two global cables");
}

#[test]
fn hierarchical_paths_go_by_a_third_group_where_they_must() {
    let whole = fabric("dragonfly:p=2");
    let groups = whole.groups().unwrap();
    let group = |switch: u32| groups[switch as usize];
    let cable = whole
        .cables()
        .find(|&cable| group(whole.sources()[cable as usize]) == 0 && group(whole.targets()[cable as usize]) == 5)
        .unwrap();
    let cut = whole.without(&Faults { links: Some(Amount::Ids(vec![cable])), ..Faults::default() }, 0).unwrap();
    let table = &route(&cut, "hierarchical", 1).layers()[0].clone();
    verify(&cut, table).unwrap();
    for (from, to) in pairs(&cut) {
        let changes = |way: &Vec<u32>| {
            let ends =
                |channel: &&u32| group(cut.sources()[**channel as usize]) != group(cut.targets()[**channel as usize]);
            way.iter().filter(ends).count()
        };
        let apart = [group(from), group(to)];
        let expected = if apart == [0, 5] || apart == [5, 0] { 2 } else { usize::from(apart[0] != apart[1]) };
        assert!(ways(&cut, table, from, to).iter().all(|way| changes(way) == expected), "{from} {to}");
    }
}

#[test]
fn d_mod_k_balances_a_fat_tree() {
    // Each leaf has four endpoints, and there are four layers. With all-to-all traffic, all channels between the same two levels should
    // then carry equally many paths.
    let fabric = fabric("fattree:levels=3,radix=8");
    let quality = Quality::of(&fabric, &route(&fabric, "updown:layers=4", 0), Sharing::Channel);
    let mut kinds: HashMap<(u8, u8), HashSet<u64>> = HashMap::new();
    for (channel, &paths) in quality.paths_over.iter().enumerate() {
        let level = |switch: u32| fabric.levels()[switch as usize];
        let kind = (level(fabric.sources()[channel]), level(fabric.targets()[channel]));
        kinds.entry(kind).or_default().insert(paths);
    }
    let expected = [((0, 1), 31), ((1, 0), 31), ((1, 2), 28), ((2, 1), 28)];
    assert_eq!(kinds, expected.map(|(kind, paths)| (kind, HashSet::from([paths]))).into());
    assert_eq!(quality.share(&quality.exact, 4), 1.0, "the four paths of a pair share no link");
}

#[test]
fn spain_has_the_disjoint_paths_it_seeks_in_forests() {
    for (spec, scheme, paths) in [
        ("hypercube:dimensions=4", "spain", 3),
        ("hyperx:shape=4x4", "spain:paths=4", 4),
        ("fattree:levels=3,radix=4", "spain:paths=2", 2),
    ] {
        let fabric = fabric(spec);
        let routing = route(&fabric, scheme, 1);
        let quality = Quality::of(&fabric, &routing, Sharing::Cable);
        assert_eq!(quality.share(&quality.exact, paths), 1.0, "{spec}");
        for table in &routing.layers()[1..] {
            let own = own_channels(&fabric, table, &routing.layers()[0]);
            let cables: HashSet<u32> = own.iter().map(|&c| c.min(fabric.reverse()[c as usize])).collect();
            let mut part: Vec<u32> = (0..fabric.num_switches() as u32).collect();
            for cable in cables {
                let ends = [fabric.sources()[cable as usize], fabric.targets()[cable as usize]];
                let [a, b] = ends.map(|switch| part[switch as usize]);
                assert_ne!(a, b, "{spec}: a cycle");
                part.iter_mut().filter(|part| **part == a).for_each(|part| *part = b);
            }
        }
        assert_eq!(route(&fabric, &format!("{scheme},layers=3").replace("spain,", "spain:"), 1).num_layers(), 3);
    }
}

#[test]
fn schemes_say_where_they_make_no_sense() {
    for (spec, scheme, expected) in [
        (
            "fattree:levels=2,radix=8",
            "almost-minimal",
            "p=4, no pair of switches gets a non-minimal path of 3 hops within the limit of 3 hops; legal: other lengths, or layers=1 for \
             minimal paths alone",
        ),
        (
            "fattree:levels=2,radix=8",
            "low-overlap",
            "has no path of 3 to 3 hops that ascends in one of the 8 random orders of the switches; legal:",
        ),
        ("fattree:levels=2,radix=8", "low-overlap:acyclic=false", "has no path of 3 to 3 hops; legal:"),
        (
            "slimfly:q=5",
            "hierarchical",
            "has no groups that are connected by cables of class global; legal: dragonfly, dragonfly-map, megafly",
        ),
        (
            "clique:degree=4",
            "updown",
            "has a cable between switches 0 and 1, both on level 0; legal: trees, Clos networks",
        ),
    ] {
        let error = tulle_routing::build(&fabric(spec), scheme, 0).unwrap_err().to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    // A chain of three leaves and two spines: the leaves 0 and 2 have no common spine.
    let mut builder = tulle_fabric::FabricBuilder::new(5);
    for (a, b) in [(0, 3), (1, 3), (1, 4), (2, 4)] {
        builder.cable(a, b);
    }
    (3..5).for_each(|spine| builder.level(spine, 1));
    (0..3).for_each(|leaf| builder.endpoints(leaf, 1));
    let chain = builder.finish("edges", Default::default()).unwrap();
    let error = tulle_routing::build(&chain, "updown", 0).unwrap_err().to_string();
    assert!(error.contains("has no up-down path from switch 2 to 0; legal:"), "{error}");
}
