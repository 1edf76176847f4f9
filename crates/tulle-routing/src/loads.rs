//! Counts the routes over each channel, and builds shortest-path trees that balance these numbers.

use rand::{Rng, RngExt};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use crate::columns::{NO_PORT, beyond, channel};

/// The number of routes between endpoints that cross each channel. Blach et al. (NSDI24) §4.3 and DFSSSP use these numbers as weights W.
#[derive(Debug, Clone)]
pub(crate) struct Loads {
    /// The weight of every switch as source or destination: its number of endpoints, or 1 if the fabric has no endpoints.
    pub endpoints: Vec<u64>,
    /// Per channel, the number of routes over it.
    pub routes: Vec<u64>,
}

impl Loads {
    /// Returns loads without any routes.
    pub fn new(fabric: &Fabric) -> Self {
        let attached = |switch| if fabric.num_endpoints() == 0 { 1 } else { fabric.endpoints_of(switch).len() as u64 };
        Self {
            endpoints: (0..fabric.num_switches() as u32).map(attached).collect(),
            routes: vec![0; fabric.num_channels()],
        }
    }

    /// Returns the switches that count as sources and destinations of routes.
    pub fn edge(&self) -> Vec<u32> {
        (0..self.endpoints.len() as u32).filter(|&switch| self.endpoints[switch as usize] > 0).collect()
    }

    /// Counts the routes from all switches over the tree `column` toward `destination`. The number of routes between two switches is the
    /// product of their weights (their numbers of endpoints). `order` must list every switch after all switches that are nearer to the
    /// destination.
    pub fn count_tree(
        &mut self,
        fabric: &Fabric,
        destination: u32,
        column: &[u16],
        order: &[u32],
        through: &mut [u64],
    ) {
        through.copy_from_slice(&self.endpoints);
        for &switch in order.iter().rev() {
            let port = column[switch as usize];
            if port == NO_PORT {
                continue;
            }
            let routes = through[switch as usize];
            self.routes[channel(fabric, switch, port) as usize] += routes * self.endpoints[destination as usize];
            through[beyond(fabric, switch, port) as usize] += routes;
        }
    }
}

/// A builder of shortest-path trees, one destination after the other, that avoids loaded channels.
///
/// The builder implements single-source shortest-path routing (Hoefler, Schneider, Lumsdaine: Optimized routing for large-scale InfiniBand
/// networks, HotI 2009), which DFSSSP uses. For each destination, it builds a shortest-path tree under channel weights, and then adds the
/// routes of the tree to the weights. The number of hops has priority: weights decide only among paths with equally many hops.
#[derive(Debug)]
pub(crate) struct BalancedTrees {
    order: Vec<u32>,
    cost: Vec<u64>,
    through: Vec<u64>,
}

impl BalancedTrees {
    /// Returns a builder for trees over `switches` switches.
    pub fn new(switches: usize) -> Self {
        Self { order: Vec::new(), cost: vec![0; switches], through: vec![0; switches] }
    }

    /// Writes to `column` the shortest-path tree toward `destination` in which each path has the least sum of loads, and counts its routes.
    /// Ties are broken at random with `rng`.
    pub fn add(
        &mut self,
        fabric: &Fabric,
        distances: &Distances,
        destination: u32,
        loads: &mut Loads,
        column: &mut [u16],
        rng: &mut impl Rng,
    ) {
        let row = distances.row(destination);
        by_distance(row, &mut self.order);
        self.cost[destination as usize] = 0;
        for &switch in &self.order[1..] {
            let nearer = row[switch as usize] - 1;
            let mut best = Least::new();
            for (port, at) in fabric.channels_of(switch).enumerate() {
                let next = fabric.targets()[at] as usize;
                if row[next] == nearer {
                    best.offer(self.cost[next] + loads.routes[at], port as u16, rng);
                }
            }
            self.cost[switch as usize] = best.cost;
            column[switch as usize] = best.port;
        }
        loads.count_tree(fabric, destination, column, &self.order, &mut self.through);
    }
}

/// Writes to `order` all switches by ascending distance, and switches at the same distance by id, with a counting sort.
pub(crate) fn by_distance(row: &[u8], order: &mut Vec<u32>) {
    let mut start = [0u32; 257];
    for &hops in row {
        start[usize::from(hops) + 1] += 1;
    }
    for hops in 0..256 {
        start[hops + 1] += start[hops];
    }
    order.clear();
    order.resize(row.len(), 0);
    for (switch, &hops) in row.iter().enumerate() {
        let at = &mut start[usize::from(hops)];
        order[*at as usize] = switch as u32;
        *at += 1;
    }
}

/// The port of least cost among the ports offered so far. Ties are broken uniformly at random. [`Least::takes`] also
/// compares items that are not ports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Least {
    /// The least cost so far; `u64::MAX` before the first offer.
    pub cost: u64,
    /// The port of least cost; [`NO_PORT`] before the first offer.
    pub port: u16,
    ties: u32,
}

impl Least {
    /// Returns a state before any offer.
    pub fn new() -> Self {
        Self { cost: u64::MAX, port: NO_PORT, ties: 0 }
    }

    /// Returns whether the caller must replace its best item so far by a new item of this cost. The k-th item of equal cost replaces the
    /// old one with probability 1/k, so all items are equally likely.
    pub fn takes(&mut self, cost: u64, rng: &mut impl Rng) -> bool {
        if cost > self.cost || cost == u64::MAX {
            return false;
        }
        self.ties = if cost < self.cost { 1 } else { self.ties + 1 };
        self.cost = cost;
        self.ties == 1 || rng.random_range(0..self.ties) == 0
    }

    /// Replaces the current port by `port` if `cost` is lower, or if the costs are equal and a random choice selects `port`.
    pub fn offer(&mut self, cost: u64, port: u16, rng: &mut impl Rng) {
        if self.takes(cost, rng) {
            self.port = port;
        }
    }
}
