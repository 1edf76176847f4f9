//! Edge connectivity of two switches: the minimum number of cables whose failure disconnects them. It equals the
//! maximum number of edge-disjoint paths of any length (Menger).

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::disjoint::Network;

use crate::Error;
use crate::error::{check_connected, check_pairs};

/// Returns the edge connectivity of ordered pairs of switches. Computes one maximum flow per pair.
///
/// # Errors
/// Fails if the fabric is not connected, or if a pair has an unknown switch or the same switch twice.
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

/// The equivalent-flow tree of a fabric. The edge connectivity of two switches is the smallest flow on the tree path
/// between them.
///
/// The computation of the tree takes S − 1 maximum flows on the fabric itself, for S switches (Gusfield: Very simple
/// methods for all pairs network flow analysis, SIAM Journal on Computing 19(1), 1990; FatPaths App. B-B). The tree
/// stores flows, not cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowTree {
    /// Parent of each switch; switch 0 is its own parent.
    above: Vec<u32>,
    /// Maximum flow between each switch and its parent. The entry of switch 0 has no meaning.
    flows: Vec<u32>,
}

impl FlowTree {
    /// Returns the tree of `fabric`.
    ///
    /// # Errors
    /// Fails if the fabric is not connected.
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

    /// Returns each switch, its parent, and the flow between them. Switch 0 is the root and is left out.
    pub fn edges(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (1..self.above.len()).map(|switch| (switch as u32, self.above[switch], self.flows[switch]))
    }

    /// Returns the edge connectivity between `switch` and every switch; `u32::MAX` for `switch` itself.
    pub fn row(&self, switch: u32) -> Vec<u32> {
        // This code first computes the smallest flow on the path up to each ancestor, then continues down from the ancestors. A parent has
        // a lower number than its children, so one pass is enough.
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

    /// Returns the smallest edge connectivity of all pairs of switches; `None` if there are fewer than two switches.
    pub fn smallest(&self) -> Option<u32> {
        self.flows.iter().skip(1).min().copied()
    }
}

/// The fabric as a flow network. Every cable has capacity 1 in both directions.
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
