//! Flow over any paths of a fabric: computes a lower bound on throughput from the flow per source and channel, and an upper bound from
//! channel lengths.

use std::sync::Arc;

use rayon::prelude::*;
use tulle_fabric::Fabric;

use super::Capacities;
use super::shortest::{NO_CHANNEL, Tree};
use crate::{Demands, Error};

/// A throughput problem: demands over a fabric, whose flow may use any path.
#[derive(Debug, Clone)]
pub struct EdgeFlow {
    fabric: Arc<Fabric>,
    demands: Arc<Demands>,
    capacities: Capacities,
}

/// Representative sources and orbits of channels, which make symmetric problems smaller. An orbit is a set of channels
/// (or sources) that symmetries of the problem map to each other. A source counts `weight` times, and loads are summed
/// per orbit of channels.
///
/// If every source and every channel is its own orbit, the problem is not reduced. With the orbits of a group of
/// automorphisms (symmetries), a flow stands for its average over the group. The average loads all channels of an orbit
/// equally.
#[derive(Debug, Clone, PartialEq)]
pub struct Orbits {
    /// The representative sources.
    pub sources: Vec<u32>,
    /// Per source: the number of switches that it represents.
    pub weight: Vec<f64>,
    /// Per channel: the number of its orbit (a set of channels that symmetries of the problem map to each other).
    pub orbit: Vec<u32>,
}

impl EdgeFlow {
    /// Creates the problem of sending `demands` over `fabric`.
    ///
    /// # Errors
    /// Fails if `demands` and `fabric` have different numbers of switches, or if no path of positive capacity connects a pair.
    pub fn new(fabric: Arc<Fabric>, demands: Arc<Demands>, capacities: Capacities) -> Result<Self, Error> {
        if demands.num_switches() != fabric.num_switches() {
            let problem = format!("the traffic is for {} switches", demands.num_switches());
            return Err(Error::input(problem, format!("{} switches, as {} has", fabric.num_switches(), fabric.spec())));
        }
        let flow = Self { fabric, demands, capacities };
        let lengths = vec![1.0; flow.fabric.num_channels()];
        // Cables work in both directions. So if all channels have capacity and the fabric is connected, every switch
        // reaches every other switch, and the check of each source can be skipped.
        let whole = flow.capacities.as_slice().iter().all(|&capacity| capacity > 0.0)
            && tulle_fabric::distances::is_connected(&*flow.fabric);
        for source in 0..if whole { 0 } else { flow.fabric.num_switches() as u32 } {
            let tree = flow.tree(&lengths, source);
            let lost = flow.demands.row(source).find(|&(to, _)| tree.entering[to as usize] == NO_CHANNEL);
            if let Some((destination, _)) = lost {
                let [from, to] = [source, destination].map(|switch| flow.fabric.called(switch));
                let problem = format!("{}: no path connects switches {from} and {to}", flow.fabric.spec());
                return Err(Error::input(problem, "a fabric that connects every pair of the traffic"));
            }
        }
        Ok(flow)
    }

    /// The capacities.
    pub fn capacities(&self) -> &Capacities {
        &self.capacities
    }

    /// The demands.
    pub fn demands(&self) -> &Demands {
        &self.demands
    }

    fn tree(&self, lengths: &[f64], source: u32) -> Tree {
        let mut tree = Tree::new(&self.fabric);
        tree.grow(&self.fabric, lengths, self.capacities.as_slice(), source, &[]);
        tree
    }

    /// Returns the throughput that a flow proves. The flow should deliver `throughput` times the demands. `amount` has the flow per source
    /// of `orbits` and channel, source by source. A solver may leave a small part of the flow undelivered. This part is rerouted along
    /// shortest paths before the loads are summed, so the bound is valid for any flow.
    ///
    /// # Panics
    /// Panics if the number of entries in `amount` is not sources × channels, or if `orbits` belongs to another fabric.
    pub fn lower(&self, amount: &[f64], throughput: f64, orbits: &Orbits) -> f64 {
        let channels = self.fabric.num_channels();
        assert_eq!(amount.len(), orbits.sources.len() * channels, "one amount per source and channel");
        if !throughput.is_finite() || throughput <= 0.0 {
            return 0.0;
        }
        let unit = vec![1.0; channels];
        let loads: Vec<Vec<f64>> = amount
            .par_chunks(channels)
            .zip(&orbits.sources)
            .map(|(amount, &source)| self.repair(amount, throughput, source, &self.tree(&unit, source)))
            .collect();
        let mut load = vec![0.0; channels];
        let mut room = vec![0.0; channels];
        for (own, weight) in loads.iter().zip(&orbits.weight) {
            for (channel, amount) in own.iter().enumerate() {
                load[orbits.orbit[channel] as usize] += weight * amount;
            }
        }
        for (channel, capacity) in self.capacities.as_slice().iter().enumerate() {
            room[orbits.orbit[channel] as usize] += capacity;
        }
        let room = room.iter().zip(&load).filter(|&(_, &load)| load > 0.0).map(|(room, load)| room / load);
        throughput * room.fold(f64::INFINITY, f64::min)
    }

    /// Returns the channel loads of the flow from `source`, after rerouting the flow that is not delivered.
    fn repair(&self, amount: &[f64], throughput: f64, source: u32, tree: &Tree) -> Vec<f64> {
        let fabric = &*self.fabric;
        let mut load: Vec<f64> =
            amount.iter().map(|amount| if amount.is_finite() { amount.max(0.0) } else { 0.0 }).collect();
        let mut missing = vec![0.0; fabric.num_switches()];
        for (channel, amount) in load.iter().enumerate() {
            missing[fabric.sources()[channel] as usize] += amount;
            missing[fabric.targets()[channel] as usize] -= amount;
        }
        for (destination, demand) in self.demands.row(source) {
            missing[destination as usize] += throughput * demand;
        }
        for switch in (0..fabric.num_switches() as u32).filter(|&switch| switch != source) {
            let more = missing[switch as usize];
            let mut at = switch;
            while more > 0.0 && tree.entering[at as usize] != NO_CHANNEL {
                let channel = tree.entering[at as usize] as usize;
                load[channel] += more;
                at = fabric.sources()[channel];
            }
        }
        load
    }

    /// Returns an upper bound on the throughput, proved by the channel lengths: Σ c·y / Σ d·(length of the shortest path),
    /// with capacities c, channel lengths y (`lengths`) and demands d. Sources of `orbits` count by their weight. Lengths must be equal
    /// within an orbit. Negative lengths count as 0.
    ///
    /// # Panics
    /// Panics if `lengths` does not have one entry per channel.
    pub fn upper(&self, lengths: &[f64], orbits: &Orbits) -> f64 {
        assert_eq!(lengths.len(), self.fabric.num_channels(), "one length per channel");
        let lengths: Vec<f64> = lengths.iter().map(|&length| length.max(0.0)).collect();
        let costs: Vec<f64> = orbits
            .sources
            .par_iter()
            .map_init(
                || Tree::new(&self.fabric),
                |tree, &source| {
                    tree.grow(&self.fabric, &lengths, self.capacities.as_slice(), source, &[]);
                    let row = self.demands.row(source);
                    row.map(|(destination, demand)| demand * tree.distance[destination as usize]).sum()
                },
            )
            .collect();
        let cost: f64 = costs.iter().zip(&orbits.weight).map(|(cost, weight)| cost * weight).sum();
        if cost > 0.0 { self.capacities.volume(&lengths) / cost } else { f64::INFINITY }
    }
}

impl Orbits {
    /// Returns the orbits of a problem without symmetry: every source with demand has weight 1, and every channel is
    /// its own orbit.
    pub fn trivial(fabric: &Fabric, demands: &Demands) -> Self {
        let sources: Vec<u32> =
            (0..demands.num_switches() as u32).filter(|&source| demands.row(source).next().is_some()).collect();
        let weight = vec![1.0; sources.len()];
        Self { sources, weight, orbit: (0..fabric.num_channels() as u32).collect() }
    }

    /// Returns whether every source and every channel represents only itself.
    pub(crate) fn is_trivial(&self) -> bool {
        self.weight.iter().all(|&weight| weight == 1.0) && (0..).zip(&self.orbit).all(|(channel, &own)| channel == own)
    }

    /// Puts both directions of a cable into one orbit. Doubles the weight of every source, because only one direction
    /// of its traffic is listed.
    pub(crate) fn of_cables(self, fabric: &Fabric) -> Self {
        let mut cables = Union::new(fabric.num_channels());
        for (channel, &back) in (0..).zip(fabric.reverse()) {
            cables.join(channel, back);
        }
        let weight = self.weight.iter().map(|weight| 2.0 * weight).collect();
        Self { sources: self.sources, weight, orbit: cables.numbers() }
    }

    /// Returns the orbits of all-to-all traffic on `fabric` under a group of symmetries. `generators` are permutations of the switches that
    /// generate the group. Only switches with endpoints are sources.
    ///
    /// # Errors
    /// Fails if a generator is not an automorphism (not a permutation, or it changes the cables or the numbers of endpoints), or if the
    /// fabric has parallel cables.
    pub fn new(fabric: &Fabric, generators: &[Vec<u32>]) -> Result<Self, Error> {
        let switches = fabric.num_switches();
        let mut by_switch = Union::new(switches);
        let mut by_channel = Union::new(fabric.num_channels());
        for generator in generators {
            let wrong = || Error::input("a generator is not an automorphism of the fabric", "automorphisms");
            let mut seen = vec![false; switches];
            let whole = generator.len() == switches
                && generator
                    .iter()
                    .all(|&to| (to as usize) < switches && !std::mem::replace(&mut seen[to as usize], true));
            if !whole {
                return Err(wrong());
            }
            for switch in 0..switches as u32 {
                let image = generator[switch as usize];
                if fabric.endpoints_of(switch).len() != fabric.endpoints_of(image).len() {
                    return Err(wrong());
                }
                by_switch.join(switch, image);
                for channel in fabric.channels_of(switch) {
                    let target = generator[fabric.targets()[channel] as usize];
                    let at = fabric.neighbours(image).binary_search(&target).map_err(|_| wrong())?;
                    by_channel.join(channel as u32, (fabric.channels_of(image).start + at) as u32);
                }
            }
        }
        let simple =
            (0..switches as u32).all(|switch| fabric.neighbours(switch).windows(2).all(|pair| pair[0] < pair[1]));
        if !simple {
            return Err(Error::input(
                format!("{} has parallel cables", fabric.spec()),
                "one cable per pair of switches",
            ));
        }
        let (mut sources, mut weight) = (Vec::new(), Vec::new());
        let orbit = by_switch.numbers();
        let mut size = vec![0.0; switches];
        orbit.iter().for_each(|&orbit| size[orbit as usize] += 1.0);
        let mut seen = vec![false; switches];
        for switch in fabric.endpoint_switches() {
            let own = orbit[switch as usize] as usize;
            if !std::mem::replace(&mut seen[own], true) {
                sources.push(switch);
                weight.push(size[own]);
            }
        }
        Ok(Self { sources, weight, orbit: by_channel.numbers() })
    }
}

/// Disjoint sets. The lowest member represents its set.
struct Union(Vec<u32>);

impl Union {
    fn new(members: usize) -> Self {
        Self((0..members as u32).collect())
    }

    fn find(&mut self, member: u32) -> u32 {
        let mut at = member;
        while self.0[at as usize] != at {
            self.0[at as usize] = self.0[self.0[at as usize] as usize];
            at = self.0[at as usize];
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// Returns the number of each member's set. Sets are numbered from 0, by their lowest members.
    fn numbers(&mut self) -> Vec<u32> {
        let mut number = vec![u32::MAX; self.0.len()];
        let mut next = 0;
        for member in 0..self.0.len() as u32 {
            let root = self.find(member) as usize;
            if number[root] == u32::MAX {
                number[root] = next;
                next += 1;
            }
            number[member as usize] = number[root];
        }
        number
    }
}
