//! Paths of bounded length, as a flow through copies of the switches: one copy per hop.
//!
//! Copy k of a switch stands for the switch k hops after the source A. A channel is an arc from every copy of its source to the next copy
//! of its target, with capacity 1. A path may enter the destination B after any hop, once over every cable into B. Sets of disjoint paths
//! are flows, so the maximum flow is an upper bound of their number. The flow may be larger, because it may cross a cable at several hops:
//! then [`super::bounded`] removes a crossing and searches again. The cables of the flow's minimum cut are a cut of the fabric: without
//! them no path of that length exists.

use tulle_fabric::Fabric;

use super::ball::Ball;
use super::flow::{NONE, Network};

const SOURCE: u32 = 0;
const SINK: u32 = 1;

/// One hop of a path: the flow's arc and the channel.
pub(super) type Step = (u32, u32);

/// The flow for one pair of sets; its memory is reused for further pairs.
#[derive(Debug)]
pub(super) struct Timed<'a> {
    fabric: &'a Fabric,
    network: Network,
    capacities: Vec<u16>,
    /// The channel of each pair of arcs, or `NONE` for an arc into the sink.
    channels: Vec<u32>,
    round: u32,
    /// Per switch, the last round in which it belonged to A.
    inside: Vec<u32>,
    /// Per switch, the round and hop of its last copy, and this copy.
    copies: Vec<(u32, u32, u32)>,
    /// Per switch, the round, and the node from which B is entered.
    exits: Vec<(u32, u32)>,
    level: Vec<(u32, u32)>,
    next: Vec<(u32, u32)>,
    /// The cables from A to B, each of which is a path of one hop.
    direct: u32,
}

impl<'a> Timed<'a> {
    pub fn new(fabric: &'a Fabric) -> Self {
        let switches = fabric.num_switches();
        Self {
            fabric,
            network: Network::default(),
            capacities: Vec::new(),
            channels: Vec::new(),
            round: 0,
            inside: vec![0; switches],
            copies: vec![(0, 0, 0); switches],
            exits: vec![(0, 0); switches],
            level: Vec::new(),
            next: Vec::new(),
            direct: 0,
        }
    }

    /// Builds the network from `from` to the switches in `ball`, which was grown by at least half of `hops`.
    pub fn build(&mut self, from: &[u32], ball: &Ball, hops: u32) {
        let fabric = self.fabric;
        self.round += 1;
        self.network.clear(2);
        self.channels.clear();
        self.level.clear();
        self.direct = 0;
        from.iter().for_each(|&switch| self.inside[switch as usize] = self.round);
        for channel in from.iter().flat_map(|&switch| fabric.channels_of(switch)) {
            let switch = fabric.targets()[channel];
            if ball.at_least(switch) == 0 {
                self.direct += 1;
            } else {
                self.step(SOURCE, channel, 1, ball, hops);
            }
        }
        for hop in 1..hops {
            std::mem::swap(&mut self.level, &mut self.next);
            self.level.clear();
            for at in 0..self.next.len() {
                let (switch, node) = self.next[at];
                if ball.at_least(switch) == 1 {
                    let exit = self.exit(switch, ball);
                    // No limit of the number of paths is needed at this node, because the cables into the set limit it.
                    self.arc(node, exit, u16::MAX >> 1, NONE);
                }
                if hop + 1 < hops {
                    for channel in fabric.channels_of(switch) {
                        if ball.at_least(fabric.targets()[channel]) > 0 {
                            self.step(node, channel, hop + 1, ball, hops);
                        }
                    }
                }
            }
        }
        self.capacities.clear();
        self.capacities.extend_from_slice(self.network.capacities());
    }

    /// Cables from A to B.
    pub fn direct(&self) -> u32 {
        self.direct
    }

    /// Returns the maximum flow without the arcs in `closed`; direct cables are not counted.
    pub fn solve(&mut self, closed: &[u32]) -> u32 {
        self.network.restore(&self.capacities);
        closed.iter().for_each(|&arc| self.network.close(arc));
        self.network.solve(SOURCE, SINK, u32::MAX)
    }

    /// Returns the different cables of a minimum cut after [`Timed::solve`]; direct cables are not counted.
    pub fn cut(&self) -> u32 {
        let reverse = self.fabric.reverse();
        let crosses = |&arc: &u32| {
            self.network.is_before_cut(self.network.head(arc ^ 1))
                && !self.network.is_before_cut(self.network.head(arc))
        };
        let arcs = (0..self.channels.len() as u32 * 2).step_by(2).filter(crosses);
        let mut cables: Vec<u32> = arcs
            .map(|arc| self.channels[arc as usize / 2])
            .map(|channel| channel.min(reverse[channel as usize]))
            .collect();
        cables.sort_unstable();
        cables.dedup();
        cables.len() as u32
    }

    /// Returns all arcs of every cable over which flow passes at several hops, after [`Timed::solve`].
    pub fn crossings(&self) -> Vec<Vec<u32>> {
        let reverse = self.fabric.reverse();
        let mut arcs: Vec<(u32, u32)> = (0..self.channels.len() as u32)
            .filter(|&at| self.channels[at as usize] != NONE)
            .map(|at| (self.channels[at as usize], 2 * at))
            .map(|(channel, arc)| (channel.min(reverse[channel as usize]), arc))
            .collect();
        arcs.sort_unstable();
        let several = arcs
            .chunk_by(|one, other| one.0 == other.0)
            .filter(|arcs| arcs.iter().filter(|(_, arc)| self.network.left(arc ^ 1) > 0).count() > 1);
        several.map(|arcs| arcs.iter().map(|&(_, arc)| arc).collect()).collect()
    }

    /// Decomposes the flow into paths without loops.
    pub fn paths(&mut self) -> Vec<Vec<Step>> {
        let mut paths = Vec::new();
        while let Some(path) = self.path() {
            paths.push(simple(self.fabric, path));
        }
        paths
    }

    fn path(&mut self) -> Option<Vec<Step>> {
        let (mut node, mut path) = (SOURCE, Vec::new());
        while node != SINK {
            // Forward arcs have even numbers. Their flow is the capacity of the backward arc.
            let arc = self.network.arcs(node).find(|&arc| arc % 2 == 0 && self.network.left(arc ^ 1) > 0)?;
            self.network.take(arc);
            node = self.network.head(arc);
            let channel = self.channels[arc as usize / 2];
            if channel != NONE {
                path.push((arc, channel));
            }
        }
        Some(path)
    }

    /// Adds an arc for `channel` from `tail` to copy `hop` of its target, if a path over this arc may reach B within the hop limit.
    fn step(&mut self, tail: u32, channel: usize, hop: u32, ball: &Ball, hops: u32) {
        let switch = self.fabric.targets()[channel];
        if self.inside[switch as usize] == self.round || hop + ball.at_least(switch) > hops {
            return;
        }
        let (round, when, mut node) = self.copies[switch as usize];
        if (round, when) != (self.round, hop) {
            node = self.network.node();
            self.copies[switch as usize] = (self.round, hop, node);
            self.level.push((switch, node));
        }
        self.arc(tail, node, 1, channel as u32);
    }

    /// Returns the node from which `switch` enters B.
    fn exit(&mut self, switch: u32, ball: &Ball) -> u32 {
        let (round, node) = self.exits[switch as usize];
        if round == self.round {
            return node;
        }
        let node = self.network.node();
        self.exits[switch as usize] = (self.round, node);
        for channel in self.fabric.channels_of(switch) {
            if ball.at_least(self.fabric.targets()[channel]) == 0 {
                self.arc(node, SINK, 1, channel as u32);
            }
        }
        node
    }

    fn arc(&mut self, tail: u32, head: u32, capacity: u16, channel: u32) {
        self.network.arc(tail, head, capacity, 0);
        self.channels.push(channel);
    }
}

/// `path` without its loops.
pub(super) fn simple(fabric: &Fabric, path: Vec<Step>) -> Vec<Step> {
    let mut kept: Vec<Step> = Vec::with_capacity(path.len());
    for (arc, channel) in path {
        kept.push((arc, channel));
        let here = fabric.targets()[channel as usize];
        if let Some(at) = kept.iter().position(|&(_, earlier)| fabric.sources()[earlier as usize] == here) {
            kept.truncate(at);
        }
    }
    kept
}
