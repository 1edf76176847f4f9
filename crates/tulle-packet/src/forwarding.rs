//! Forwarding: which channel a packet leaves a switch by.

use tulle_fabric::Fabric;
use tulle_routing::{NO_GROUP, Table};

use crate::prefetch::prefetch;

/// Next-hop tables of all layers, walked packet by packet.
///
/// Among the g ports of a group a packet takes the ⌊e·g⌋-th, where e is its entropy read as a fraction in [0, 1); the
/// fractional part of e·g is the entropy at the next switch. So one fraction holds the choices of a whole path: splitting
/// [0, 1) into Π g equal parts gives every path one part, and hashes need no rehashing on the way. 32 bits last for six
/// choices among 32 ports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forwarding<'a> {
    layers: &'a [Table],
    offsets: &'a [u32],
    targets: &'a [u32],
}

impl<'a> Forwarding<'a> {
    pub(crate) fn new(fabric: &'a Fabric, layers: &'a [Table]) -> Self {
        Self { layers, offsets: fabric.offsets(), targets: fabric.targets() }
    }

    pub(crate) fn num_layers(&self) -> u32 {
        self.layers.len() as u32
    }

    /// The channel out of `switch` toward switch `destination`, another one; takes its choice from `entropy`.
    #[inline]
    pub(crate) fn next(&self, layer: u8, switch: u32, destination: u32, entropy: &mut u32) -> u32 {
        let table = &self.layers[layer as usize];
        let group = table.group(switch, destination);
        let first = self.offsets[switch as usize];
        // Groups below the degree are single ports.
        if u32::from(group) < self.offsets[switch as usize + 1] - first {
            return first + u32::from(group);
        }
        let ports = table.ports(switch, group);
        let product = u64::from(*entropy) * ports.len() as u64;
        *entropy = product as u32;
        first + u32::from(ports[(product >> 32) as usize])
    }

    /// Fetches the table entry of `switch` toward `destination`.
    #[inline]
    pub(crate) fn prefetch(&self, layer: u8, switch: u32, destination: u32) {
        prefetch(self.layers[layer as usize].row(switch), destination as usize);
    }

    /// The switch that `channel` leads out of.
    pub(crate) fn source(&self, channel: u32) -> u32 {
        self.offsets.partition_point(|&offset| offset <= channel) as u32 - 1
    }

    /// Hops from switch `from` to switch `to` in `layer` where switches take their choices from `entropy`.
    pub(crate) fn hops(&self, layer: u8, from: u32, to: u32, mut entropy: u32) -> u32 {
        let (mut switch, mut hops) = (from, 0);
        while switch != to {
            switch = self.targets[self.next(layer, switch, to, &mut entropy) as usize];
            hops += 1;
        }
        hops
    }

    /// The number of paths in `layer` from switch `from` to switch `to`: the product of the group sizes along the path of
    /// first ports, which is the number of shortest paths where all those have alike groups; capped at 2¹⁶.
    pub(crate) fn num_paths(&self, layer: u8, from: u32, to: u32) -> u32 {
        const MOST: usize = 1 << 16;
        let table = &self.layers[layer as usize];
        let (mut switch, mut paths) = (from, 1);
        while switch != to {
            let ports = table.next(switch, to);
            paths = (paths * ports.len()).min(MOST);
            switch = self.targets[self.offsets[switch as usize] as usize + ports[0] as usize];
        }
        paths as u32
    }

    /// The first layer in which some choice of ports does not lead from switch `from` to switch `to`; `None` where all do.
    pub(crate) fn unreachable(&self, holes: &Holes, from: u32, to: u32) -> Option<usize> {
        (0..self.layers.len()).find(|&layer| holes.any(layer, to) && !self.reaches(layer, from, to))
    }

    /// Whether every choice of ports leads from `from` to `to`.
    fn reaches(&self, layer: usize, from: u32, to: u32) -> bool {
        let mut seen = vec![false; self.offsets.len() - 1];
        let mut stack = vec![from];
        seen[from as usize] = true;
        while let Some(switch) = stack.pop() {
            let ports = self.layers[layer].next(switch, to);
            if switch != to && ports.is_empty() {
                return false;
            }
            for &port in ports {
                let next = self.targets[self.offsets[switch as usize] as usize + port as usize];
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push(next);
                }
            }
        }
        true
    }
}

/// Destinations toward which some switch has no entry. A fabric in one piece has none; a damaged one may.
#[derive(Debug)]
pub(crate) struct Holes {
    /// Per layer and destination.
    holes: Vec<Vec<bool>>,
}

impl Holes {
    pub(crate) fn new(layers: &[Table]) -> Self {
        let of = |table: &Table| {
            let switches = table.num_switches();
            let mut holes = vec![false; switches];
            for switch in 0..switches {
                let row = table.row(switch as u32);
                if row.iter().filter(|&&group| group == NO_GROUP).count() > 1 {
                    let entries = holes.iter_mut().zip(row).enumerate();
                    entries.for_each(|(to, (hole, &group))| *hole |= group == NO_GROUP && to != switch);
                }
            }
            holes
        };
        Self { holes: layers.iter().map(of).collect() }
    }

    fn any(&self, layer: usize, to: u32) -> bool {
        self.holes[layer][to as usize]
    }
}
