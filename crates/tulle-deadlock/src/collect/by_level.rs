//! Collects the channel dependencies of forwarding tables with single next hops, if the switch and the service level determine the virtual
//! channel.
//!
//! The entries toward one destination form a tree. A packet's service level, its switch, and whether it comes from an endpoint determine its
//! virtual channel. So it suffices to know, for each switch of a tree, the set of service levels that arrive there. The sets are passed from
//! the leaves toward the root, and each switch is visited once per tree instead of once per route.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Flaw, NO_GROUP, Routes, Routing};

use crate::assignment::{Assignment, Lanes};
use crate::block::{BLOCK, Block};
use crate::dependencies::Dependencies;
use crate::routes::{NO_CHANNEL, senders};
use crate::turns::Turns;

/// A set of service levels, with one bit per level.
type Levels = u64;

/// Returns the channel dependencies of all routes. Returns `None` for routings that this module does not cover: path sets, entries with
/// several next hops, virtual channels that depend on the hop number, several phases, or more than 64 service levels.
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
    let lanes = assignment.lanes()?;
    let has_few = u32::from(assignment.num_sls()) <= Levels::BITS;
    let is_simple = assignment.phases() == 1 && layers.iter().all(|table| table.widest() <= 1);
    if !(has_few && is_simple) {
        return None;
    }
    let edge = senders(fabric);
    let mut is_sender = vec![false; fabric.num_switches()];
    edge.iter().for_each(|&switch| is_sender[switch as usize] = true);
    let blocks: Vec<(u32, &[u32])> =
        (0..layers.len() as u32).flat_map(|layer| edge.chunks(BLOCK).map(move |some| (layer, some))).collect();
    let start = || {
        let trees = Trees { fabric, lanes, is_sender: &is_sender, scratch: Scratch::default() };
        (Dependencies::new(turns, assignment.vcs_per_phase()), trees, None)
    };
    let parts = blocks.par_iter().fold(start, |(mut all, mut trees, mut flaw), &(layer, destinations)| {
        task::check();
        let block = Block::of(fabric, assignment, &layers[layer as usize], layer, destinations);
        for (at, &destination) in destinations.iter().enumerate() {
            flaw = flaw.or(trees.collect(block.ports(at), block.levels(at), destination, &mut all).err());
        }
        (all, trees, flaw)
    });
    let (all, _, flaw) = parts.reduce(start, |(mut all, trees, flaw), (other, _, theirs)| {
        all.join(&other);
        (all, trees, flaw.or(theirs))
    });
    Some(flaw.map_or(Ok(all), Err))
}

/// Collects the dependencies of one tree after the other.
struct Trees<'a> {
    fabric: &'a Fabric,
    lanes: Lanes<'a>,
    is_sender: &'a [bool],
    scratch: Scratch,
}

/// Memory that all trees use, one entry per switch.
#[derive(Default)]
struct Scratch {
    /// The channel of every entry; [`NO_CHANNEL`] if the switch has no entry.
    channels: Vec<u32>,
    /// The number of switches that forward to a switch and are not done yet.
    waiting: Vec<u32>,
    /// The service levels that arrive at every switch from other switches.
    arriving: Vec<Levels>,
    /// The switches to visit.
    ready: Vec<u32>,
}

impl Scratch {
    fn clear(&mut self, size: usize) {
        self.channels.clear();
        self.channels.resize(size, NO_CHANNEL);
        self.waiting.clear();
        self.waiting.resize(size, 0);
        self.arriving.clear();
        self.arriving.resize(size, 0);
    }
}

impl Trees<'_> {
    /// Adds the dependencies of all packets to `destination`. The slices have the port and the service level of every switch.
    fn collect(
        &mut self,
        ports: &[u16],
        levels: &[u8],
        destination: u32,
        all: &mut Dependencies<'_>,
    ) -> Result<(), Flaw> {
        let (fabric, lanes, is_sender) = (self.fabric, self.lanes, self.is_sender);
        let size = fabric.num_switches();
        self.scratch.clear(size);
        let Scratch { channels, waiting, arriving, ready } = &mut self.scratch;
        for switch in (0..size).filter(|&switch| switch != destination as usize) {
            let row = fabric.channels_of(switch as u32);
            if usize::from(ports[switch]) < row.len() {
                let channel = row.start + usize::from(ports[switch]);
                channels[switch] = channel as u32;
                waiting[fabric.targets()[channel] as usize] += 1;
            }
        }
        ready.extend((0..size as u32).filter(|&switch| waiting[switch as usize] == 0));
        while let Some(switch) = ready.pop() {
            let at = switch as usize;
            let own = if is_sender[at] && switch != destination { 1 << levels[at] } else { 0 };
            let (passing, channel) = (arriving[at], channels[at]);
            if channel == NO_CHANNEL {
                if switch == destination || own | passing == 0 {
                    continue;
                }
                ready.clear();
                return Err(match ports[at] {
                    NO_GROUP => Flaw::Missing { switch, destination },
                    port => Flaw::Port { switch, destination, port },
                });
            }
            let next = fabric.targets()[channel as usize];
            let onward = channels[next as usize];
            if onward != NO_CHANNEL {
                let turn = all.turns().turn(channel, onward);
                for (levels, injected) in [(own, true), (passing, false)] {
                    let mut left = levels;
                    while left != 0 {
                        let level = left.trailing_zeros() as u8;
                        left &= left - 1;
                        all.insert_turn(turn, lanes.vc(switch, injected, level), lanes.vc(next, false, level));
                    }
                }
            }
            arriving[next as usize] |= own | passing;
            waiting[next as usize] -= 1;
            if waiting[next as usize] == 0 {
                ready.push(next);
            }
        }
        // A switch on a loop still waits for the switch before it.
        let loops = |&switch: &u32| {
            let at = switch as usize;
            waiting[at] > 0 && (is_sender[at] || arriving[at] != 0)
        };
        (0..size as u32).find(loops).map_or(Ok(()), |switch| Err(Flaw::Loop { switch, destination }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign_vcs;
    use crate::collect::of_routes;
    use tulle_base::acyclic::Successors;

    /// Returns the dependencies as pairs of nodes.
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
