//! Models paths of bounded length as a flow in a network that has one copy of every switch per hop.
//!
//! Let A be the source set and B the destination set. Copy k of a switch stands for the switch k hops after A. Each channel becomes arcs of
//! capacity 1, from every copy of its source to the next copy of its target. A path may enter B after any hop, and each cable into B
//! carries one path.
//!
//! Every set of disjoint paths is a flow, so the maximum flow is an upper bound of the number of disjoint paths. The maximum flow may be
//! larger than the number of disjoint paths, because it can cross one cable at several hops. In this case, [`super::bounded`] forbids a
//! crossing and computes the flow again.
//!
//! The cables of the flow's minimum cut are also a cut of the fabric: without these cables, no path of the bounded length exists.

use tulle_fabric::Fabric;

use super::ball::Ball;
use super::flow::{NONE, Network};

const SOURCE: u32 = 0;
const SINK: u32 = 1;

/// One step of a path: the arc in the network, and the channel in the fabric.
pub(super) type Step = (u32, u32);

/// The network and the flow between two sets of switches. The memory is reused for the next two sets.
#[derive(Debug)]
pub(super) struct Timed<'a> {
    fabric: &'a Fabric,
    network: Network,
    capacities: Vec<u16>,
    /// The channel of each pair of arcs, or `NONE` for an arc that belongs to no channel.
    channels: Vec<u32>,
    round: u32,
    /// Per switch, the number (`round`) of the last call of [`Self::build`] in which it belonged to A.
    inside: Vec<u32>,
    /// Per switch, its newest copy: the number of the call of [`Self::build`], the hop and the node.
    copies: Vec<(u32, u32, u32)>,
    /// Per switch: the number of the last call of [`Self::build`] in which paths could enter B from it, and the node through which they
    /// enter.
    exits: Vec<(u32, u32)>,
    level: Vec<(u32, u32)>,
    next: Vec<(u32, u32)>,
    /// The number of cables between A and B. Each of them is a path of one hop.
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

    /// Builds the network for paths of at most `hops` hops from the set `from` to the centre of `ball`. The radius of `ball` must be at
    /// least half of `hops`.
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
                    // This arc needs no capacity limit, because each cable into B carries only one path.
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

    /// Returns the number of cables between A and B.
    pub fn direct(&self) -> u32 {
        self.direct
    }

    /// Computes and returns the maximum flow, without the arcs in `closed`. Cables that join the source set A directly to the destination
    /// set B are not counted (see [`Self::direct`]).
    pub fn solve(&mut self, closed: &[u32]) -> u32 {
        self.network.restore(&self.capacities);
        closed.iter().for_each(|&arc| self.network.close(arc));
        self.network.solve(SOURCE, SINK, u32::MAX)
    }

    /// Returns the number of different cables in a minimum cut. [`Timed::solve`] must have run. Cables that join the source set A directly
    /// to the destination set B are not counted (see [`Self::direct`]).
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

    /// For every cable that the flow crosses at several hops, returns all arcs of this cable. [`Timed::solve`] must have run.
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

    /// Splits the flow into paths without loops.
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
            // Forward arcs have even numbers. The flow on a forward arc is the residual capacity of its reverse arc.
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

    /// Adds an arc for `channel` from `tail` to copy `hop` of the channel's target. The arc is left out if no path over it can reach B
    /// within `hops` hops.
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

    /// Returns the node through which paths enter B from `switch`.
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

/// Returns `path` without its loops.
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
