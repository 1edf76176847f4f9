//! Collects the channel dependencies of forwarding tables with single next hops, if the switch and the service level determine the virtual
//! channel.
//!
//! The entries toward one destination form a tree. A packet's service level, its switch, and whether it comes from an endpoint determine its
//! virtual channel. So it suffices to know, for each switch of a tree, the set of service levels that arrive there. The sets are passed from
//! the leaves toward the root, and each switch is visited once per tree instead of once per route.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Flaw, NO_GROUP, Routes, Routing, Table};

use crate::assignment::{Assignment, Rule};
use crate::dependencies::Dependencies;
use crate::routes::senders;
use crate::turns::Turns;

/// A set of service levels, with one bit per level.
type Levels = u64;

/// The number of destinations whose table entries are copied together. Tables are stored by switch, so copying the entries of a single
/// destination would load a whole cache line per switch.
const BLOCK: usize = 32;

/// Returns the channel dependencies of all routes. Returns `None` for routings that this module does not cover: entries with several next
/// hops, virtual channels that depend on the hop number, or more than 64 service levels.
///
/// # Errors
/// Fails if a route does not lead to its destination.
pub(super) fn dependencies<'a>(
    fabric: &Fabric,
    turns: &'a Turns,
    routing: &Routing,
    assignment: &Assignment,
) -> Option<Result<Dependencies<'a>, Flaw>> {
    let Routes::Layers(layers) = routing.routes() else { return None };
    let is_by_switch = matches!(assignment.rule(), Rule::Constant | Rule::Rows { .. });
    let has_few = u32::from(assignment.num_sls()) <= Levels::BITS;
    let is_simple = assignment.phases() == 1 && layers.iter().all(|table| table.widest() <= 1);
    if !(is_by_switch && has_few && is_simple) {
        return None;
    }
    let edge = senders(fabric);
    let mut is_sender = vec![false; fabric.num_switches()];
    edge.iter().for_each(|&switch| is_sender[switch as usize] = true);
    let blocks: Vec<(u32, &[u32])> =
        (0..layers.len() as u32).flat_map(|layer| edge.chunks(BLOCK).map(move |some| (layer, some))).collect();
    let start = || (Dependencies::new(turns, assignment.vcs_per_phase()), None);
    let parts = blocks.par_iter().fold(start, |(mut all, mut flaw), &(layer, destinations)| {
        task::check();
        let mut trees = Trees { fabric, assignment, is_sender: &is_sender, ports: Vec::new(), levels: Vec::new() };
        trees.copy(&layers[layer as usize], layer, destinations);
        for (at, &destination) in destinations.iter().enumerate() {
            flaw = flaw.or(trees.collect(at, destination, &mut all).err());
        }
        (all, flaw)
    });
    let (all, flaw) = parts.reduce(start, |(mut all, flaw), (other, theirs)| {
        all.join(&other);
        (all, flaw.or(theirs))
    });
    Some(flaw.map_or(Ok(all), Err))
}

/// The trees of a block of destinations in one layer.
struct Trees<'a> {
    fabric: &'a Fabric,
    assignment: &'a Assignment,
    is_sender: &'a [bool],
    /// For each destination, the port of every switch; [`NO_GROUP`] if the switch has no entry.
    ports: Vec<Vec<u16>>,
    /// For each destination, the service level of the packets from every switch.
    levels: Vec<Vec<u8>>,
}

impl Trees<'_> {
    fn copy(&mut self, table: &Table, layer: u32, destinations: &[u32]) {
        let size = self.fabric.num_switches();
        self.ports = vec![Vec::with_capacity(size); destinations.len()];
        self.levels = vec![Vec::with_capacity(size); destinations.len()];
        for switch in 0..size as u32 {
            let row = table.row(switch);
            for ((ports, levels), &destination) in self.ports.iter_mut().zip(&mut self.levels).zip(destinations) {
                ports.push(row[destination as usize]);
                levels.push(self.assignment.level(self.assignment.number(layer, switch, destination)));
            }
        }
    }

    /// Adds the dependencies of all packets to `destination`, which is number `at` of the block.
    fn collect(&self, at: usize, destination: u32, all: &mut Dependencies<'_>) -> Result<(), Flaw> {
        let size = self.fabric.num_switches();
        let ports = &self.ports[at];
        // The channel of every entry.
        let mut channels = vec![None; size];
        let mut waiting = vec![0u32; size];
        for switch in (0..size as u32).filter(|&switch| switch != destination) {
            let port = ports[switch as usize];
            let row = self.fabric.channels_of(switch);
            if usize::from(port) < row.len() {
                let channel = row.start + usize::from(port);
                channels[switch as usize] = Some(channel as u32);
                waiting[self.fabric.targets()[channel] as usize] += 1;
            }
        }
        // The service levels that arrive at every switch from other switches.
        let mut arriving: Vec<Levels> = vec![0; size];
        let mut ready: Vec<u32> = (0..size as u32).filter(|&switch| waiting[switch as usize] == 0).collect();
        let mut is_done = vec![false; size];
        while let Some(switch) = ready.pop() {
            is_done[switch as usize] = true;
            let own = if self.is_sender[switch as usize] && switch != destination {
                1 << self.levels[at][switch as usize]
            } else {
                0
            };
            let passing = arriving[switch as usize];
            let Some(channel) = channels[switch as usize] else {
                let port = ports[switch as usize];
                if switch == destination || own | passing == 0 {
                    continue;
                }
                return Err(match port {
                    NO_GROUP => Flaw::Missing { switch, destination },
                    port => Flaw::Port { switch, destination, port },
                });
            };
            let next = self.fabric.targets()[channel as usize];
            if let Some(onward) = channels[next as usize] {
                self.insert(all, channel, own, true, onward);
                self.insert(all, channel, passing, false, onward);
            }
            arriving[next as usize] |= own | passing;
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                ready.push(next);
            }
        }
        let loops = |&switch: &u32| {
            let at = switch as usize;
            !is_done[at] && (self.is_sender[at] || arriving[at] != 0)
        };
        (0..size as u32).find(loops).map_or(Ok(()), |switch| Err(Flaw::Loop { switch, destination }))
    }

    /// Adds the dependencies from `channel` to the next channel `onward`, for packets whose service level is in `levels`. `injected` says
    /// whether the packets came from endpoints to the switch that `channel` leaves.
    fn insert(&self, all: &mut Dependencies<'_>, channel: u32, levels: Levels, injected: bool, onward: u32) {
        let [here, next] = [channel, onward].map(|channel| self.fabric.sources()[channel as usize]);
        let mut left = levels;
        while left != 0 {
            let vcs = self.assignment.level_vcs(left.trailing_zeros() as u8);
            left &= left - 1;
            all.insert(channel, vcs.at(usize::from(!injected), here), onward, vcs.at(1, next));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign_vcs;
    use crate::collect::of_routes;
    use tulle_base::acyclic::Successors;

    /// The pairs of nodes that depend on each other.
    fn edges(graph: &Dependencies<'_>) -> Vec<(usize, usize)> {
        let mut edges = Vec::new();
        (0..graph.num_nodes()).for_each(|node| graph.successors(node, |next| edges.push((node, next))));
        edges
    }

    #[test]
    fn trees_have_the_dependencies_of_their_routes() {
        for (spec, layers, scheme) in [
            ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp"),
            ("slimfly:q=5", "random:layers=3", "dfsssp:first_vcs=1,vcs=7"),
            ("fattree:k=4", "spread:layers=2", "dfsssp"),
            ("jellyfish:switches=20,degree=4,p=2", "almost-minimal:layers=2", "lash"),
        ] {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            let given = tulle_routing::build(&fabric, layers, 1).unwrap();
            let (plan, repaired) = assign_vcs(&fabric, &given, scheme).unwrap();
            let routing = repaired.unwrap_or(given);
            let turns = Turns::of(&fabric);
            let found = dependencies(&fabric, &turns, &routing, &plan.assignment).expect(scheme).unwrap();
            let expected = of_routes(&fabric, &turns, &routing, &plan.assignment, |_| true).unwrap();
            assert!(edges(&found) == edges(&expected) && !edges(&found).is_empty(), "{spec} {layers} {scheme}");
        }
    }
}
