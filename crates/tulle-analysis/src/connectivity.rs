//! Edge connectivity: how many cables must fail to part two switches, which is how many disjoint paths of any length there
//! are (Menger).

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::disjoint::Network;

use crate::Error;
use crate::error::{check_connected, check_pairs};

/// Returns the edge connectivity of ordered pairs of switches, by a maximum flow per pair.
///
/// # Errors
/// A fabric that is not connected, an unknown switch, or a pair of equal switches.
pub fn edge_connectivity(fabric: &Fabric, pairs: &[(u32, u32)]) -> Result<Vec<u32>, Error> {
    check_connected(fabric)?;
    check_pairs(fabric, pairs)?;
    task::begin(pairs.len());
    let flow = |cables: &mut Cables<'_>, &(a, b): &(u32, u32)| {
        task::step();
        cables.flow(a, b)
    };
    Ok(memory::gather("flows", pairs.par_iter().map_init(|| Cables::new(fabric), flow)))
}

/// Returns the equivalent-flow tree of a fabric: the edge connectivity of a pair is the smallest flow on the tree path between them.
///
/// Computes S − 1 maximum flows on the fabric itself (Gusfield: Very simple methods for all pairs network flow analysis, SIAM Journal on
/// Computing 19(1), 1990; FatPaths App. B-B). The tree stores flows, not cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowTree {
    /// Parent of each switch; switch 0 is its own parent.
    above: Vec<u32>,
    /// Flow between each switch and its parent; none for switch 0.
    flows: Vec<u32>,
}

impl FlowTree {
    /// The tree of `fabric`.
    ///
    /// # Errors
    /// A fabric that is not connected.
    pub fn of(fabric: &Fabric) -> Result<Self, Error> {
        check_connected(fabric)?;
        let switches = fabric.num_switches();
        let (mut above, mut flows) = (vec![0u32; switches], vec![u32::MAX; switches]);
        let mut cables = Cables::new(fabric);
        task::begin(switches);
        for switch in 1..switches {
            task::step();
            let other = above[switch];
            flows[switch] = cables.flow(switch as u32, other);
            for (later, above) in above.iter_mut().enumerate().skip(switch + 1) {
                if *above == other && cables.network.is_before_cut(later as u32) {
                    *above = switch as u32;
                }
            }
        }
        Ok(Self { above, flows })
    }

    /// Returns the parent of each switch and the flow to it; switch 0 is the root.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (1..self.above.len()).map(|switch| (switch as u32, self.above[switch], self.flows[switch]))
    }

    /// Returns the edge connectivity between `switch` and every other; `u32::MAX` to itself.
    pub fn row(&self, switch: u32) -> Vec<u32> {
        // The smallest flow on the path up to each ancestor, then down from there; ancestors precede their descendants.
        let mut row = vec![0; self.above.len()];
        row[switch as usize] = u32::MAX;
        let (mut at, mut smallest) = (switch as usize, u32::MAX);
        while at != 0 {
            smallest = smallest.min(self.flows[at]);
            at = self.above[at] as usize;
            row[at] = smallest;
        }
        for other in 1..row.len() {
            if row[other] == 0 {
                row[other] = row[self.above[other] as usize].min(self.flows[other]);
            }
        }
        row
    }

    /// Returns the smallest edge connectivity of all pairs; `None` if there is no pair.
    pub fn smallest(&self) -> Option<u32> {
        self.flows.iter().skip(1).min().copied()
    }
}

/// Returns the fabric as a flow network, in which every cable has capacity 1 in both directions.
struct Cables<'a> {
    fabric: &'a Fabric,
    network: Network,
    capacities: Vec<u16>,
}

impl<'a> Cables<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        let mut network = Network::default();
        network.clear(fabric.num_switches());
        for cable in fabric.cables() {
            network.arc(fabric.sources()[cable as usize], fabric.targets()[cable as usize], 1, 1);
        }
        Self { fabric, capacities: network.capacities().to_vec(), network }
    }

    fn flow(&mut self, from: u32, to: u32) -> u32 {
        debug_assert_ne!(from, to, "{}", self.fabric.spec());
        self.network.restore(&self.capacities);
        self.network.solve(from, to, u32::MAX)
    }
}

#[cfg(test)]
mod tests;
