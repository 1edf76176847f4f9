//! Throughput over the paths of a routing: the layered linear program of FatPaths (eqs. 5 to 9), and the linear program
//! over path sets.
//!
//! In a layer, every pair has one path, or a few paths if next hops have equal cost. So a flow is given by its amount
//! per path.

use tulle_fabric::Fabric;
use tulle_routing::{NO_GROUP, Routes, Routing, Table};

use super::Capacities;
use crate::{Demands, Error};

/// Maximum sum of the hops of all paths of a problem.
const MAX_HOPS: usize = 1 << 28;

/// Commodities (pairs of switches with demand), the paths that each commodity may use, and the capacities of channels.
#[derive(Debug, Clone, PartialEq)]
pub struct PathFlow {
    demand: Vec<f64>,
    /// Position of the first path of each commodity, and the number of all paths as last entry.
    first_path: Vec<u32>,
    /// Position of the first hop of each path, and the number of all hops as last entry.
    first_hop: Vec<u32>,
    /// The channel of each hop.
    channels: Vec<u32>,
    capacities: Capacities,
}

impl PathFlow {
    /// Collects the paths of `routing` for the pairs of `demands` over all layers. A path that several layers have in common counts once.
    ///
    /// # Errors
    /// Fails if `routing` or `demands` are for another number of switches, if a pair has no path, or if there are too many paths.
    pub fn new(fabric: &Fabric, routing: &Routing, demands: &Demands, capacities: Capacities) -> Result<Self, Error> {
        for (what, switches) in [("the routing", routing.num_switches()), ("the traffic", demands.num_switches())] {
            if switches != fabric.num_switches() {
                let problem = format!("{what} is for {switches} switches");
                return Err(Error::input(
                    problem,
                    format!("{} switches, as {} has", fabric.num_switches(), fabric.spec()),
                ));
            }
        }
        let mut flow =
            Self { demand: Vec::new(), first_path: vec![0], first_hop: vec![0], channels: Vec::new(), capacities };
        let mut paths = Vec::new();
        for (source, destination, amount) in demands.iter() {
            paths.clear();
            match routing.routes() {
                Routes::Layers(tables) => {
                    for table in tables {
                        extend(fabric, table, source, destination, &mut Vec::new(), &mut paths, MAX_HOPS)?;
                    }
                }
                Routes::Paths(set) => {
                    paths.extend(
                        set.between(source, destination).map(|path| set.channels(fabric, source, path).collect()),
                    );
                }
            }
            if paths.is_empty() {
                let [from, to] = [source, destination].map(|switch| fabric.called(switch));
                let problem = format!("{} has no path from switch {from} to {to}", routing.spec());
                return Err(Error::input(problem, "a routing with a path for every pair of the traffic"));
            }
            paths.sort_unstable();
            paths.dedup();
            for path in &paths {
                flow.channels.extend_from_slice(path);
                flow.first_hop.push(flow.channels.len() as u32);
            }
            if flow.channels.len() > MAX_HOPS {
                return Err(too_many());
            }
            flow.demand.push(amount);
            flow.first_path.push(flow.first_hop.len() as u32 - 1);
        }
        Ok(flow)
    }

    /// Creates commodities (pairs of switches with demand) that have no paths yet.
    pub(crate) fn without_paths(demand: Vec<f64>, capacities: Capacities) -> Self {
        Self { demand, first_path: vec![0], first_hop: vec![0], channels: Vec::new(), capacities }
    }

    /// Sets the paths of all commodities. `paths` has the number of paths per commodity, `hops` the number of hops per
    /// path, and `channels` the channels of all paths.
    pub(crate) fn set_paths(
        &mut self,
        paths: impl Iterator<Item = u32>,
        hops: impl Iterator<Item = u32>,
        channels: impl Iterator<Item = u32>,
    ) {
        let sums = |counts: &mut dyn Iterator<Item = u32>, into: &mut Vec<u32>| {
            into.clear();
            into.push(0);
            let mut sum = 0;
            into.extend(counts.map(|count| {
                sum += count;
                sum
            }));
        };
        let (mut paths, mut hops) = (paths, hops);
        sums(&mut paths, &mut self.first_path);
        sums(&mut hops, &mut self.first_hop);
        self.channels.clear();
        self.channels.extend(channels);
    }

    /// Returns the demand of each commodity. Commodities are ordered by source switch, then by destination.
    pub fn demand(&self) -> &[f64] {
        &self.demand
    }

    /// Returns the position of the first path of each commodity, and the number of all paths as last entry.
    pub fn first_path(&self) -> &[u32] {
        &self.first_path
    }

    /// Returns the position of the first hop of each path, and the number of all hops as last entry.
    pub fn first_hop(&self) -> &[u32] {
        &self.first_hop
    }

    /// Returns the channel of each hop of all paths, one path after the other.
    pub fn channels(&self) -> &[u32] {
        &self.channels
    }

    /// The capacities.
    pub fn capacities(&self) -> &Capacities {
        &self.capacities
    }

    /// The channels of a path.
    pub(crate) fn path(&self, path: usize) -> &[u32] {
        &self.channels[self.first_hop[path] as usize..self.first_hop[path + 1] as usize]
    }

    /// The paths of a commodity.
    pub(crate) fn paths(&self, commodity: usize) -> std::ops::Range<usize> {
        self.first_path[commodity] as usize..self.first_path[commodity + 1] as usize
    }

    /// Returns the throughput that a flow proves; `amount` has the flow on each path. It is the smallest delivered fraction of any demand,
    /// after all flows are scaled so that the most loaded channel is full. Negative amounts (a solver's tolerance) count as 0. The result
    /// is infinite if all demands are delivered without load.
    ///
    /// # Panics
    /// Panics if `amount` does not have one entry per path.
    pub fn lower(&self, amount: &[f64]) -> f64 {
        assert_eq!(amount.len() + 1, self.first_hop.len(), "one amount per path");
        let mut load = vec![0.0; self.capacities.as_slice().len()];
        let mut share = f64::INFINITY;
        for (commodity, demand) in self.demand.iter().enumerate() {
            let mut delivered = 0.0;
            for path in self.paths(commodity) {
                let amount = amount[path].max(0.0);
                delivered += amount;
                for &channel in self.path(path) {
                    load[channel as usize] += amount;
                }
            }
            share = share.min(delivered / demand);
        }
        if share > 0.0 { share * self.capacities.headroom(&load) } else { 0.0 }
    }

    /// Returns the upper bound of the throughput that channel lengths prove: Σ c·y / Σ d·(length of the commodity's
    /// shortest path), with capacities c, lengths y and demands d. Negative lengths (a solver's tolerance) count as 0.
    /// The result is infinite if the lengths prove no bound.
    ///
    /// # Panics
    /// Panics if `lengths` does not have one entry per channel.
    pub fn upper(&self, lengths: &[f64]) -> f64 {
        assert_eq!(lengths.len(), self.capacities.as_slice().len(), "one length per channel");
        let lengths: Vec<f64> = lengths.iter().map(|&length| length.max(0.0)).collect();
        let cost: f64 = self.demand.iter().enumerate().map(|(at, demand)| demand * self.shortest(at, &lengths).1).sum();
        if cost > 0.0 { self.capacities.volume(&lengths) / cost } else { f64::INFINITY }
    }

    /// Returns the shortest path of a commodity and its length. Of equally short paths, it returns the first.
    pub(crate) fn shortest(&self, commodity: usize, lengths: &[f64]) -> (usize, f64) {
        let length = |path| self.path(path).iter().map(|&channel| lengths[channel as usize]).sum::<f64>();
        let mut best = (usize::MAX, f64::INFINITY);
        for path in self.paths(commodity) {
            let length = length(path);
            if length < best.1 || best.0 == usize::MAX {
                best = (path, length);
            }
        }
        best
    }
}

/// Adds to `paths` every path of `table` to `destination` that starts with the channels `behind`, which lead to
/// `switch`.
fn extend(
    fabric: &Fabric,
    table: &Table,
    switch: u32,
    destination: u32,
    behind: &mut Vec<u32>,
    paths: &mut Vec<Vec<u32>>,
    most: usize,
) -> Result<(), Error> {
    if switch == destination {
        paths.push(behind.clone());
        // Each path has at least one hop, so too many paths also have too many hops.
        return if paths.len() > most { Err(too_many()) } else { Ok(()) };
    }
    debug_assert_ne!(table.group(switch, destination), NO_GROUP);
    for &port in table.next(switch, destination) {
        let channel = fabric.offsets()[switch as usize] + u32::from(port);
        behind.push(channel);
        extend(fabric, table, fabric.targets()[channel as usize], destination, behind, paths, most)?;
        behind.pop();
    }
    Ok(())
}

fn too_many() -> Error {
    Error::input(format!("the paths have more than {MAX_HOPS} hops in total"), "fewer equal-cost paths or pairs")
}
