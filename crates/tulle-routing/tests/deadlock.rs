//! Every deadlock scheme on every family and routing, judged by a graph built here from nothing but paths and plan.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use tulle_fabric::Fabric;
use tulle_routing::deadlock::{self, VcPlan, deadlock_free, schemes};
use tulle_routing::{Error, Routes, Routing, SourcePaths};

/// The example fabrics of the registry that are connected and small.
fn fabrics(most: usize) -> Vec<Fabric> {
    let specs = tulle_fabric::families().iter().flat_map(|family| family.info.examples);
    let built = specs.filter_map(|spec| tulle_fabric::build(spec, 3).ok());
    let fabrics: Vec<Fabric> =
        built.filter(|fabric| fabric.num_switches() <= most && fabric.num_cables() > 0).collect();
    assert!(fabrics.len() > 20);
    fabrics
}

/// The example routings of the registry that can route `fabric`.
fn routings(fabric: &Fabric) -> Vec<Routing> {
    let specs = tulle_routing::schemes().iter().flat_map(|scheme| scheme.info.examples);
    specs.filter_map(|spec| tulle_routing::build(fabric, spec, 1).ok()).collect()
}

fn senders(fabric: &Fabric) -> Vec<u32> {
    let edge = fabric.endpoint_switches();
    if edge.is_empty() { (0..fabric.num_switches() as u32).collect() } else { edge }
}

/// All paths of `layer` (or path number) that its groups leave open, as channels; none where there are more than a few.
fn all_paths(fabric: &Fabric, routing: &Routing, layer: u32, source: u32, destination: u32) -> Vec<Vec<u32>> {
    let table = match routing.routes() {
        Routes::Paths(paths) => return vec![paths.channels(fabric, source, layer).collect()],
        Routes::Layers(layers) => &layers[layer as usize],
    };
    let mut open = vec![(source, Vec::new())];
    let mut done = Vec::new();
    while let Some((switch, path)) = open.pop() {
        if switch == destination {
            done.push(path);
            continue;
        }
        for &port in table.next(switch, destination) {
            let channel = fabric.offsets()[switch as usize] + u32::from(port);
            let mut longer: Vec<u32> = path.clone();
            longer.push(channel);
            open.push((fabric.targets()[channel as usize], longer));
        }
        assert!(open.len() < 100_000);
    }
    done
}

fn layers(routing: &Routing, source: u32, destination: u32) -> std::ops::Range<u32> {
    match routing.routes() {
        Routes::Layers(layers) => 0..layers.len() as u32,
        Routes::Paths(paths) => paths.between(source, destination),
    }
}

type Node = (u32, u8);

/// What every (channel, VC) waits for.
fn waits(fabric: &Fabric, routing: &Routing, plan: &VcPlan) -> HashMap<Node, HashSet<Node>> {
    let mut waits: HashMap<Node, HashSet<Node>> = HashMap::new();
    let (mut ends, mut starts) = (HashMap::new(), HashMap::new());
    let edge = senders(fabric);
    for phase in 0..plan.num_phases() {
        for &source in &edge {
            for &destination in edge.iter().filter(|&&destination| destination != source) {
                for layer in layers(routing, source, destination) {
                    for path in all_paths(fabric, routing, layer, source, destination) {
                        let nodes: Vec<Node> = path
                            .iter()
                            .enumerate()
                            .map(|(hop, &channel)| (channel, plan.vc_in_phase(phase, layer, source, destination, hop)))
                            .collect();
                        for &(channel, vc) in &nodes {
                            assert!(usize::from(vc) < plan.num_vcs(), "channel {channel} on VC {vc}");
                        }
                        for pair in nodes.windows(2) {
                            waits.entry(pair[0]).or_default().insert(pair[1]);
                        }
                        let start: &mut HashSet<Node> = starts.entry((phase, source)).or_default();
                        start.insert(nodes[0]);
                        let end: &mut HashSet<Node> = ends.entry((phase, destination)).or_default();
                        end.insert(*nodes.last().unwrap());
                    }
                }
            }
        }
    }
    // From where one phase ends, the next starts.
    for ((phase, switch), end) in &ends {
        for &last in end {
            if let Some(start) = starts.get(&(phase + 1, *switch)) {
                waits.entry(last).or_default().extend(start);
            }
        }
    }
    waits
}

/// Takes away what waits for nothing until nothing is left.
fn acyclic(mut waits: HashMap<Node, HashSet<Node>>) -> bool {
    loop {
        let before = waits.len();
        let waiting: HashSet<Node> = waits.keys().copied().collect();
        waits.retain(|_, for_these| for_these.iter().any(|node| waiting.contains(node)));
        if waits.is_empty() {
            return true;
        }
        if waits.len() == before {
            return false;
        }
    }
}

/// Whether a scheme may refuse a routing with this error.
fn legal_refusal(scheme: &str, error: &Error) -> bool {
    let text = error.to_string();
    assert!(
        !text.contains('\n') && text.starts_with(scheme.split(':').next().unwrap()) || text.starts_with("single"),
        "{text}"
    );
    let name = scheme.split(':').next().unwrap();
    let room = scheme.contains("vls=") && text.contains("virtual lanes, vls=")
        || scheme.contains("sls=") && text.contains("service levels, sls=");
    room || match name {
        "single" | "phases" => text.contains("can deadlock"),
        "colouring" => text.contains("a choice of next switches") || text.contains("the shortest path from switch"),
        _ => false,
    }
}

#[test]
fn every_scheme_leaves_no_cycle() {
    let mut proved: HashMap<&str, usize> = HashMap::new();
    for fabric in fabrics(30) {
        for routing in routings(&fabric) {
            for scheme in schemes() {
                for spec in scheme.info.examples {
                    let name = format!("{} {} {spec}", fabric.spec(), routing.spec());
                    let (plan, repaired) = match deadlock_free(&fabric, &routing, spec) {
                        Ok(plan) => plan,
                        Err(error) => {
                            assert!(legal_refusal(spec, &error), "{name}: {error}");
                            continue;
                        }
                    };
                    let used = repaired.as_ref().unwrap_or(&routing);
                    assert!(acyclic(waits(&fabric, used, &plan)), "{name}");
                    plan.certificate().check(&fabric, used, &plan).unwrap_or_else(|breach| panic!("{name}: {breach}"));
                    assert!(plan.needed_vcs() <= plan.num_vcs() && plan.num_sls() >= 1, "{name}");
                    *proved.entry(scheme.info.name).or_default() += 1;
                }
            }
        }
    }
    for scheme in schemes() {
        assert!(proved.get(scheme.info.name).is_some_and(|&count| count > 40), "{}: {proved:?}", scheme.info.name);
    }
}

fn plan(fabric: &Fabric, routing: &Routing, spec: &str) -> VcPlan {
    deadlock_free(fabric, routing, spec).unwrap_or_else(|error| panic!("{spec}: {error}")).0
}

fn build(fabric: &str, routing: &str) -> (Fabric, Routing) {
    let fabric = tulle_fabric::build(fabric, 1).unwrap();
    let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
    (fabric, routing)
}

#[test]
fn one_virtual_channel_is_enough_where_the_papers_say_so() {
    // Diameter-two §3.4: OFT and MLFM under minimal routing; Flattened Clos §3.2.2 and §2.2 (EDST); trees.
    for (fabric, routing) in [
        ("oft:k=4", "minimal"),
        ("oft:k=6", "minimal"),
        ("mlfm:h=3", "minimal"),
        ("mlfm:h=4,l=2,p=3", "minimal"),
        ("fattree:levels=3,radix=4", "minimal"),
        ("jellyfish:switches=20,degree=4", "edst:trees=1"),
        ("flattenedclos:switches=30,ports=8", "virtual-updown"),
    ] {
        let (fabric, routing) = build(fabric, routing);
        let plan = plan(&fabric, &routing, "single");
        assert_eq!((plan.num_vcs(), plan.needed_vcs(), plan.num_sls(), plan.sls()), (1, 1, 1, &[][..]));
    }
}

#[test]
fn slim_fly_needs_two_virtual_channels_and_names_a_cycle_with_one() {
    let (fabric, routing) = build("slimfly:q=5", "minimal");
    let error = deadlock_free(&fabric, &routing, "single").unwrap_err().to_string();
    assert_eq!(
        error,
        "single: minimal on slimfly:q=5,p=4 can deadlock: (0,0,0)→(0,0,1)→(0,0,2)→(0,0,3)→(0,0,4)→(0,0,0); \
         legal: acyclic routings, as up-down; or a scheme of more virtual lanes, as dfsssp"
    );
    // Slim Fly (SC14) §IV-D: 2 for minimal paths, 4 for indirect ones; OpenSM's dfsssp needs 2 on q=5.
    for (spec, vcs) in [("hops", 2), ("dfsssp", 2), ("lash", 2), ("colouring", 2), ("phases:inner=hops", 4)] {
        assert_eq!(plan(&fabric, &routing, spec).num_vcs(), vcs, "{spec}");
    }
    let (fabric, routing) = build("oft:k=4", "minimal");
    assert_eq!(plan(&fabric, &routing, "phases").num_vcs(), 2);
}

#[test]
fn the_cycle_named_is_one() {
    for spec in ["slimfly:q=5", "torus:shape=4x4", "hyperx:shape=3x3", "hypercube:dimensions=3,p=0"] {
        let (fabric, routing) = build(spec, "random:layers=3,rho=1");
        let Err(cycle) = deadlock::acyclic(&fabric, &routing).unwrap() else { panic!("{spec} has none") };
        let used: HashSet<(u32, u32)> = waits(&fabric, &routing, &plan(&fabric, &routing, "hops"))
            .iter()
            .flat_map(|(&(before, _), after)| after.iter().map(move |&(channel, _)| (before, channel)))
            .collect();
        let onward = cycle.channels.iter().cycle().skip(1);
        for (&(before, vc), &(channel, _)) in cycle.channels.iter().zip(onward) {
            assert!(vc == 0 && used.contains(&(before, channel)), "{spec}: {before} does not wait for {channel}");
        }
        assert!(cycle.name(&fabric).contains(&fabric.label(fabric.sources()[cycle.channels[0].0 as usize])));
    }
}

#[test]
fn hardware_without_room_is_one_line() {
    let (fabric, routing) = build("slimfly:q=5", "almost-minimal:layers=4");
    for (spec, fragment) in [
        ("hops:vls=2", "slimfly:q=5,p=4 needs 3 virtual lanes, vls=2; legal: vls=3 to 255"),
        ("dfsssp:vls=3", "needs 4 virtual lanes, vls=3; legal: vls=4 to 255"),
        ("lash:sls=3", "needs 4 service levels, sls=3; legal: sls=4 to 255"),
        ("colouring:vls=2", "needs 3 virtual lanes, vls=2"),
        ("colouring:sls=1", "service levels, sls=1"),
        ("phases:inner=hops,vls=5", "needs 6 virtual lanes, vls=5"),
        ("single", "can deadlock"),
        ("dfssp", "unknown deadlock scheme 'dfssp'; did you mean dfsssp?"),
        ("", "it does not start with a name"),
    ] {
        let error = deadlock_free(&fabric, &routing, spec).unwrap_err().to_string();
        assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
    }
    for scheme in schemes() {
        for (spec, fragment) in scheme.info.rejects {
            let error = deadlock_free(&fabric, &routing, spec).unwrap_err().to_string();
            assert!(error.contains(fragment) && !error.contains('\n'), "{spec}: {error}");
        }
    }
    let other = tulle_fabric::build("slimfly:q=4", 0).unwrap();
    let error = deadlock_free(&other, &routing, "hops").unwrap_err().to_string();
    assert_eq!(error, "hops: the routing has 50 switches, the fabric 32; legal: the fabric that was routed");
}

#[test]
fn the_same_plan_whatever_the_threads() {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    for (fabric, routing) in [
        build("slimfly:q=5", "random:layers=4,rho=0.7"),
        build("dragonfly:p=2", "minimal"),
        build("jellyfish:switches=30,degree=5", "ksp:k=4"),
    ] {
        for scheme in schemes() {
            for spec in scheme.info.examples {
                let make = || deadlock_free(&fabric, &routing, spec).map_err(|error| error.to_string());
                assert_eq!(one.install(make), three.install(make), "{spec}");
            }
        }
    }
}

#[test]
fn paths_are_spread_over_spare_lanes() {
    for (fabric, routing) in [
        build("slimfly:q=5", "almost-minimal:layers=4"),
        build("slimfly:q=7", "balanced"),
        build("slimfly:q=5", "edksp:k=3"),
    ] {
        for spec in ["hops:vls=8", "dfsssp:vls=12", "lash:vls=12", "colouring:vls=8,sls=16", "phases:inner=lash,vls=16"]
        {
            let (plan, repaired) = deadlock_free(&fabric, &routing, spec).unwrap();
            let used = repaired.as_ref().unwrap_or(&routing);
            let mut hops = vec![0u64; plan.num_vcs()];
            for source in senders(&fabric) {
                for destination in senders(&fabric).into_iter().filter(|&destination| destination != source) {
                    for layer in layers(used, source, destination) {
                        for path in all_paths(&fabric, used, layer, source, destination) {
                            (0..path.len())
                                .for_each(|hop| hops[usize::from(plan.vc(layer, source, destination, hop))] += 1);
                        }
                    }
                }
            }
            let hops = &hops[..plan.num_vcs() / usize::from(plan.num_phases())];
            let vls: usize = spec.split("vls=").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
            assert_eq!(plan.num_vcs(), vls, "{spec}");
            // Few paths have a third or fourth hop; no lane has more than twice its part.
            let (most, all) = (hops.iter().max().unwrap(), hops.iter().sum::<u64>());
            assert!(most * hops.len() as u64 <= 2 * all, "{} {spec}: {hops:?}", routing.spec());
        }
    }
}

#[test]
fn sl_to_vl_tables_lead_along_the_plan() {
    let (fabric, routing) = build("slimfly:q=5", "almost-minimal:layers=4");
    for spec in ["colouring", "colouring:vls=8,sls=16", "dfsssp:vls=8", "lash"] {
        let plan = plan(&fabric, &routing, spec);
        let (mut hops, mut told) = (0, 0);
        for source in senders(&fabric) {
            for destination in senders(&fabric).into_iter().filter(|&destination| destination != source) {
                for layer in 0..4 {
                    let sl = plan.sl(layer, source, destination);
                    assert!(usize::from(sl) < plan.num_sls());
                    let path = tulle_routing::path(&fabric, &routing.layers()[layer as usize], source, destination);
                    for (hop, &channel) in path.iter().enumerate() {
                        let vl = plan.sl_to_vl(fabric.sources()[channel as usize], hop == 0, sl);
                        assert_eq!(vl, Some(plan.vc(layer, source, destination, hop)), "{spec}");
                        (hops, told) = (hops + 1, told + usize::from(vl > Some(0)));
                    }
                }
            }
        }
        assert!(told > hops / 4, "{spec}: only {told} of {hops} hops are off lane 0");
    }
    assert_eq!(plan(&fabric, &routing, "hops").sl_to_vl(0, false, 0), None);
}

#[test]
fn colouring_shortens_long_paths_or_names_the_pair() {
    // Layers of few links have long paths.
    for (fabric, routing) in [build("slimfly:q=5", "random:layers=4,rho=0.4"), build("slimfly:q=5", "ksp:k=12")] {
        let (plan, repaired) = deadlock_free(&fabric, &routing, "colouring").unwrap();
        let repaired = repaired.expect("paths were too long");
        assert_eq!((plan.num_vcs(), repaired.num_switches()), (3, 50));
        repaired.layers().iter().for_each(|table| tulle_routing::verify(&fabric, table).unwrap());
        let mut kept = 0;
        for source in 0..50 {
            for destination in (0..50).filter(|&destination| destination != source) {
                let (before, after) =
                    (routing.paths(&fabric, source, destination), repaired.paths(&fabric, source, destination));
                assert!(!after.is_empty() && after.iter().all(|path| path.len() <= 3));
                for (at, path) in before.iter().enumerate().filter(|(_, path)| path.len() <= 3) {
                    kept += usize::from(if routing.path_set().is_some() {
                        after.contains(path)
                    } else {
                        after[at] == *path
                    });
                }
            }
        }
        assert!(kept > 5000, "{}: {kept} paths stay", routing.spec());
    }
    let (fabric, routing) = build("torus:shape=4x4", "balanced");
    let error = deadlock_free(&fabric, &routing, "colouring").unwrap_err().to_string();
    assert_eq!(
        error,
        "colouring: the shortest path from switch (2,2) to (0,0) has 4 hops; legal: pairs of switches with endpoints at \
         most 3 hops apart"
    );
    let (fabric, routing) = build("torus:shape=4x4", "minimal");
    let error = deadlock_free(&fabric, &routing, "colouring").unwrap_err().to_string();
    assert!(error.contains("layer 0 of minimal leaves switch (0,0) a choice of next switches toward (0,2)"), "{error}");
}

#[test]
fn a_routing_that_leads_nowhere_is_refused() {
    let fabric = tulle_fabric::build("clique:degree=3", 0).unwrap();
    let mut builder = tulle_routing::TableBuilder::new(&fabric);
    for switch in 0..4u32 {
        for destination in (0..4u32).filter(|&destination| destination != switch) {
            // Toward switch 3, switches 0 and 1 send to each other.
            let via = if destination == 3 && switch < 2 { 1 - switch } else { destination };
            let port = fabric.neighbours(switch).iter().position(|&next| next == via).unwrap();
            builder.set(switch, destination, &[port as u16]);
        }
    }
    let looped = Routing::new("file".to_owned(), Routes::Layers(vec![builder.finish()]));
    let missing =
        Routing::new("file".to_owned(), Routes::Layers(vec![tulle_routing::TableBuilder::new(&fabric).finish()]));
    for scheme in schemes() {
        let error = deadlock_free(&fabric, &looped, scheme.info.name).unwrap_err().to_string();
        assert!(error.contains("can loop through switch") || error.contains("can deadlock: 0→1→0"), "{error}");
        let error = deadlock_free(&fabric, &missing, scheme.info.name).unwrap_err().to_string();
        assert!(error.contains("no next hop toward"), "{error}");
    }
}

/// A path set of the given walks, each a list of channels, and nothing else.
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

/// A walk of up to `hops` channels by the choices of `seed` that never turns back; where `simple`, it meets no switch twice.
fn walk(fabric: &Fabric, start: u32, hops: usize, simple: bool, mut seed: u64) -> Vec<u32> {
    let (mut walk, mut met): (Vec<u32>, Vec<u32>) = (Vec::new(), vec![start]);
    for _ in 0..hops {
        let mut row: Vec<usize> = fabric.channels_of(met[met.len() - 1]).collect();
        row.retain(|&channel| match simple {
            true => !met.contains(&fabric.targets()[channel]),
            false => walk.last().is_none_or(|&last| channel as u32 != fabric.reverse()[last as usize]),
        });
        let Some(&channel) = row.get(seed as usize % row.len().max(1)) else { break };
        seed = tulle_fabric::random::mix(seed);
        walk.push(channel as u32);
        met.push(fabric.targets()[channel]);
    }
    walk
}

#[test]
fn a_path_that_waits_for_itself_is_named() {
    let fabric = tulle_fabric::build("clique:degree=3", 0).unwrap();
    let channel =
        |a: u32, b: u32| fabric.channels_of(a).find(|&channel| fabric.targets()[channel] == b).unwrap() as u32;
    let around = vec![channel(0, 1), channel(1, 2), channel(2, 0), channel(0, 1), channel(1, 3)];
    let routing = path_set(&fabric, &[around]);
    for spec in ["dfsssp", "lash"] {
        let error = deadlock_free(&fabric, &routing, spec).unwrap_err().to_string();
        let rest = "a path of walks from switch 0 to 3 waits for itself; legal: paths that meet no switch twice";
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
    let breach = plan.certificate().check(&fabric, &other, &plan).unwrap_err();
    let deadlock::Breach::Rank { layer, source_switch, destination, hop, before, channel } = breach else {
        panic!("{breach}")
    };
    let path = tulle_routing::path(&fabric, &other.layers()[layer as usize], source_switch, destination);
    assert_eq!((path[hop - 1], path[hop]), (before, channel));
    let vc = plan.vc(layer, source_switch, destination, 0);
    assert!(plan.certificate().rank(before, vc) >= plan.certificate().rank(channel, vc));
    let fewer = tulle_routing::build(&fabric, "random:layers=2", 2).unwrap();
    assert!(matches!(plan.certificate().check(&fabric, &fewer, &plan), Err(deadlock::Breach::Size { .. })));
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
        let fabric = tulle_fabric::build(spec, 0).unwrap();
        // Around: a walk that goes on until it meets one of its own channels again.
        let long = walk(&fabric, start, 4 * fabric.num_channels(), false, seed);
        let mut met = HashMap::new();
        let around = long.iter().enumerate().find_map(|(at, channel)| met.insert(channel, at).map(|from| &long[from..at])).unwrap();
        let mut walks: Vec<Vec<u32>> = (0..around.len()).map(|at| vec![around[at], around[(at + 1) % around.len()]]).collect();
        // A turn back to the same switch is no path between switches; leave such cycles out.
        let ends = |walk: &[u32]| (fabric.sources()[walk[0] as usize], fabric.targets()[walk[walk.len() - 1] as usize]);
        prop_assume!(walks.iter().all(|walk| ends(walk).0 != ends(walk).1));
        for (start, hops, seed) in others {
            let other = walk(&fabric, start, hops, true, seed);
            walks.push(other);
        }
        let routing = path_set(&fabric, &walks);
        let cycle = deadlock::acyclic(&fabric, &routing).unwrap();
        let Err(cycle) = cycle else { panic!("the cycle was not found") };
        for (at, &(channel, _)) in cycle.channels.iter().enumerate() {
            let next = cycle.channels[(at + 1) % cycle.channels.len()].0;
            prop_assert!(walks.iter().any(|walk| walk.windows(2).any(|pair| pair == [channel, next])));
        }
        for scheme in ["hops", "dfsssp", "lash"] {
            let plan = plan(&fabric, &routing, scheme);
            prop_assert!(plan.num_vcs() > 1 && acyclic(waits(&fabric, &routing, &plan)));
        }
    }

    #[test]
    fn cycles_are_found_exactly_where_there_are_any(walks in prop::collection::vec((0u32..9, 2usize..4, any::<u64>()), 1..25)) {
        let fabric = tulle_fabric::build("hyperx:shape=3x3", 0).unwrap();
        let walks: Vec<Vec<u32>> =
            walks.into_iter().map(|(start, hops, seed)| walk(&fabric, start, hops, true, seed)).collect();
        let routing = path_set(&fabric, &walks);
        let mut waits: HashMap<Node, HashSet<Node>> = HashMap::new();
        for walk in &walks {
            for pair in walk.windows(2) {
                waits.entry((pair[0], 0)).or_default().insert((pair[1], 0));
            }
        }
        prop_assert_eq!(deadlock::acyclic(&fabric, &routing).unwrap().is_ok(), acyclic(waits));
    }
}
