//! Every deadlock scheme on every family and routing, judged by a graph built here from nothing but paths and plan.

use std::collections::{HashMap, HashSet};

use tulle_fabric::Fabric;
use tulle_routing::deadlock::{VcPlan, deadlock_free, schemes};
use tulle_routing::{Error, Routes, Routing};

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
