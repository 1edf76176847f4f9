//! Checks plans independently of the product's code: builds a dependency graph from the paths and the plan only, then repeatedly removes
//! nodes that wait for nothing.

use std::collections::{HashMap, HashSet};

use tulle_deadlock::VcPlan;
use tulle_fabric::Fabric;
use tulle_routing::{Routes, Routing};

pub fn senders(fabric: &Fabric) -> Vec<u32> {
    let edge = fabric.endpoint_switches();
    if edge.is_empty() { (0..fabric.num_switches() as u32).collect() } else { edge }
}

/// Returns all paths from `source` to `destination` as lists of channels: in a layer, the paths over all next hops; in a path set, the path
/// with number `layer`. Panics if there are too many paths.
pub fn all_paths(fabric: &Fabric, routing: &Routing, layer: u32, source: u32, destination: u32) -> Vec<Vec<u32>> {
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

pub fn layers(routing: &Routing, source: u32, destination: u32) -> std::ops::Range<u32> {
    match routing.routes() {
        Routes::Layers(layers) => 0..layers.len() as u32,
        Routes::Paths(paths) => paths.between(source, destination),
    }
}

pub type Node = (u32, u8);

/// A path as a list of channels, with its source, its destination, and its layer or path number.
pub struct Route {
    pub layer: u32,
    pub source: u32,
    pub destination: u32,
    pub channels: Vec<u32>,
}

/// Returns the paths between all switches that send and receive.
pub fn routes(fabric: &Fabric, routing: &Routing) -> Vec<Route> {
    let edge = senders(fabric);
    let mut routes = Vec::new();
    for &source in &edge {
        for &destination in edge.iter().filter(|&&destination| destination != source) {
            for layer in layers(routing, source, destination) {
                let paths = all_paths(fabric, routing, layer, source, destination).into_iter();
                routes.extend(paths.map(|channels| Route { layer, source, destination, channels }));
            }
        }
    }
    routes
}

/// Returns all pairs of nodes in which the first node can wait for the second, without duplicates. A node is a channel on a virtual
/// channel.
pub fn waits(fabric: &Fabric, routes: &[Route], plan: &VcPlan) -> Vec<(Node, Node)> {
    let mut waits = Waits::new(fabric, plan.num_vcs());
    let (mut ends, mut starts) = (HashMap::new(), HashMap::new());
    for phase in 0..plan.num_phases() {
        for &Route { layer, source, destination, ref channels } in routes {
            let node = |(hop, &channel): (usize, &u32)| {
                let switch = fabric.sources()[channel as usize];
                (channel, plan.vc_in_phase(phase, layer, source, destination, hop, switch))
            };
            let mut nodes = channels.iter().enumerate().map(node);
            let first = nodes.next().expect("a path has a hop");
            let last = nodes.fold(first, |before, next| {
                waits.add(before, next);
                next
            });
            if plan.num_phases() > 1 {
                let start: &mut HashSet<Node> = starts.entry((phase, source)).or_default();
                start.insert(first);
                let end: &mut HashSet<Node> = ends.entry((phase, destination)).or_default();
                end.insert(last);
            }
        }
    }
    // In the next phase, a path starts at the switch where a path of the previous phase ends.
    for ((phase, switch), end) in &ends {
        for &start in starts.get(&(phase + 1, *switch)).into_iter().flatten() {
            end.iter().for_each(|&last| waits.add(last, start));
        }
    }
    waits.pairs
}

/// A list of pairs of nodes without duplicates. One bit per possible pair records whether the list contains the pair.
struct Waits {
    vcs: usize,
    nodes: usize,
    there: Vec<u64>,
    pairs: Vec<(Node, Node)>,
}

impl Waits {
    fn new(fabric: &Fabric, vcs: usize) -> Self {
        let nodes = fabric.num_channels() * vcs;
        Self { vcs, nodes, there: vec![0; (nodes * nodes).div_ceil(64)], pairs: Vec::new() }
    }

    fn add(&mut self, before: Node, next: Node) {
        let number = |(channel, vc): Node| {
            assert!(usize::from(vc) < self.vcs, "channel {channel} on VC {vc}");
            channel as usize * self.vcs + usize::from(vc)
        };
        let bit = number(before) * self.nodes + number(next);
        if self.there[bit / 64] >> (bit % 64) & 1 == 0 {
            self.there[bit / 64] |= 1 << (bit % 64);
            self.pairs.push((before, next));
        }
    }
}

/// Repeatedly removes nodes that wait for nothing. Returns whether all nodes could be removed, which means that there is no cycle.
pub fn acyclic(waits: &[(Node, Node)]) -> bool {
    let most = waits.iter().map(|&((before, _), (next, _))| before.max(next)).max().unwrap_or(0);
    let vcs = waits.iter().map(|&((_, before), (_, next))| before.max(next)).max().unwrap_or(0) as usize + 1;
    let number = |(channel, vc): Node| channel as usize * vcs + usize::from(vc);
    let nodes = (most as usize + 1) * vcs;
    let mut waiting_for = vec![0u32; nodes];
    let mut waited_on_by: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(before, next) in waits {
        waiting_for[number(before)] += 1;
        waited_on_by[number(next)].push(number(before));
    }
    let mut free: Vec<usize> = (0..nodes).filter(|&node| waiting_for[node] == 0).collect();
    let mut left = nodes;
    while let Some(node) = free.pop() {
        left -= 1;
        for &before in &waited_on_by[node] {
            waiting_for[before] -= 1;
            if waiting_for[before] == 0 {
                free.push(before);
            }
        }
    }
    left == 0
}
