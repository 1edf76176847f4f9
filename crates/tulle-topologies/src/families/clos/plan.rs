//! Computes the number of switches of folded Clos networks. Finds the network with the highest throughput for a given maximum number of
//! switches.

use std::ops::Range;

/// The most layers tried.
pub const MAX_LAYERS: u64 = 8;

/// The shape of a Clos network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Endpoints, H.
    pub hosts: u64,
    /// Ports of a switch.
    pub radix: u64,
    /// Layers of switches, L.
    pub layers: u64,
    /// Ports of a ToR switch for hosts, h.
    host_ports: u64,
}

/// The size of a Clos network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Switches of all layers.
    pub switches: u64,
    /// Cables between switches.
    pub cables: u64,
}

impl Plan {
    /// Returns the plan with at most `switches` switches and the smallest h, the number of host ports per ToR switch. The smallest h gives
    /// the highest throughput (radix − h)/h. If several plans have the same h, the result is the plan with the fewest layers (Flattened
    /// Clos (NSDI23) App. A.3).
    pub fn best(hosts: u64, switches: u64, radix: u64, layers: Option<u64>) -> Option<Self> {
        let smallest = |layers| Self::all(hosts, radix, layers).find(|plan| plan.fits(switches));
        if let Some(layers) = layers {
            return smallest(layers);
        }
        let mut best: Option<Self> = None;
        for layers in 2..=MAX_LAYERS {
            let plan = smallest(layers);
            match (best, plan) {
                (None, plan) => best = plan,
                // With a growing number of layers, the smallest h first falls and then rises. So the search ends when h rises for the first
                // time.
                (Some(known), Some(plan)) if plan.host_ports > known.host_ports => break,
                (Some(_), None) => break,
                (Some(known), Some(plan)) if plan.host_ports < known.host_ports => best = Some(plan),
                (Some(_), Some(_)) => {}
            }
        }
        best
    }

    /// Returns the minimum number of switches that can connect `hosts`, or `None` if no network can.
    pub fn fewest_switches(hosts: u64, radix: u64, layers: Option<u64>) -> Option<u64> {
        let layers = layers.map_or(2..=MAX_LAYERS, |layers| layers..=layers);
        let plans = layers.flat_map(|layers| Self::all(hosts, radix, layers));
        plans.filter(|plan| plan.fits(u64::MAX)).map(|plan| plan.size().switches).min()
    }

    /// Returns the maximum number of hosts that `layers` layers can connect. Each ToR switch then has one uplink.
    pub fn most_hosts(radix: u64, layers: u64) -> u64 {
        (radix - 1) * radix.saturating_mul((radix / 2).saturating_pow(layers as u32 - 2)).min(u64::MAX / radix)
    }

    fn all(hosts: u64, radix: u64, layers: u64) -> impl Iterator<Item = Self> {
        // A network has at least two ToR switches, each with at least one uplink.
        (1..radix.min(hosts)).map(move |host_ports| Self { hosts, radix, layers, host_ports })
    }

    /// ToR switches, T = ⌈H/h⌉.
    pub fn tors(&self) -> u64 {
        self.hosts.div_ceil(self.host_ports)
    }

    /// Uplinks of a ToR switch.
    pub fn uplinks(&self) -> u64 {
        self.radix - self.host_ports
    }

    /// Returns half of the radix. Every switch between ToR switches and spines has this number of ports downward, and the same number
    /// upward.
    pub fn half(&self) -> u64 {
        self.radix / 2
    }

    /// Returns the number of pods that a block of `count` switches forms.
    pub fn pods(&self, count: u64) -> u64 {
        count.div_ceil(self.half())
    }

    /// Divides `count` items evenly into `parts` parts, and returns the range of the items in part number `part`.
    pub fn share(&self, count: u64, parts: u64, part: u64) -> Range<u64> {
        count * part / parts..count * (part + 1) / parts
    }

    /// Returns the number of spines for a plane of `count` switches with `uplinks` cables each. With two layers, this follows eq. 5 of
    /// Flattened Clos. With more layers, every spine is connected to every switch of the plane, and the result is the minimum number of
    /// spines with enough ports.
    pub fn spines(&self, count: u64, uplinks: u64) -> u64 {
        if self.layers == 2 { uplinks } else { uplinks.div_ceil(self.radix / count) }
    }

    /// Returns the blocks of switches that each layer contains: the number of blocks, the switches per block, and the uplinks per switch.
    /// The layers run from the ToR switches (one block) to the layer below the spines. Very large numbers become the maximum of their type
    /// instead of overflowing; networks of such sizes are never built.
    fn blocks(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let first = (1u64, self.tors(), self.uplinks());
        std::iter::successors(Some(first), |&(blocks, count, uplinks)| {
            Some((blocks.saturating_mul(uplinks), self.pods(count), self.half()))
        })
        .take(self.layers as usize - 1)
    }

    /// Returns whether each spine has a port for every switch of its plane, and whether `switches` switches are enough for the network.
    fn fits(&self, switches: u64) -> bool {
        self.blocks().last().is_some_and(|(_, count, _)| count <= self.radix) && self.size().switches <= switches
    }

    /// Returns the size of the network. The result is valid only if the spines have enough ports.
    pub fn size(&self) -> Size {
        let mut size = Size { switches: self.tors(), cables: 0 };
        for (layer, (blocks, count, uplinks)) in (1..self.layers).zip(self.blocks()) {
            let last = layer + 1 == self.layers;
            let above = if last { self.spines(count, uplinks) } else { self.pods(count) * uplinks };
            size.switches = size.switches.saturating_add(blocks.saturating_mul(above));
            size.cables = size.cables.saturating_add(blocks.saturating_mul(count * uplinks));
        }
        size
    }

    /// Returns the sum of the hops between all ordered pairs of ToR switches. The path of a pair goes up to the first layer at which one
    /// pod contains both switches, and down again. Returns `None` if there are too many ToR switches to compute this.
    pub fn hops(&self) -> Option<u128> {
        let tors = self.tors();
        if tors > 1 << 20 {
            return None;
        }
        // The sizes of the current blocks of connected ToR switches. At first, each block is a single switch.
        let mut blocks: Vec<u128> = vec![1; tors as usize];
        let mut hops = 0;
        for layer in 1..self.layers {
            let count = blocks.len() as u64;
            let last = layer + 1 == self.layers;
            let pods = if last { 1 } else { self.pods(count) };
            let joined: Vec<u128> = (0..pods)
                .map(|pod| {
                    let own = self.share(count, pods, pod);
                    blocks[own.start as usize..own.end as usize].iter().sum()
                })
                .collect();
            let pairs = |blocks: &[u128]| blocks.iter().map(|block| block * block).sum::<u128>();
            hops += 2 * u128::from(layer) * (pairs(&joined) - pairs(&blocks));
            blocks = joined;
        }
        Some(hops)
    }

    /// Returns two values for each layer except the last: the number of upward channels of a pod, and the number of hosts of the pod with
    /// the most traffic to other pods. A pod of the first layer is one ToR switch. A pod of a higher layer consists of all ToR switches
    /// below one switch of this layer. With very many ToR switches, only the first layer is computed.
    pub fn pods_upwards(&self) -> impl Iterator<Item = (u64, u64)> {
        let tors = self.tors();
        let layers = if tors > 1 << 20 { 1 } else { self.layers as usize - 1 };
        // The index of the first ToR switch of every pod, and at the end the number of ToR switches.
        let mut starts: Vec<u64> = if layers > 1 { (0..=tors).collect() } else { Vec::new() };
        let mut layer = 0;
        self.blocks().take(layers).map(move |(blocks, count, uplinks)| {
            layer += 1;
            let first = |tor: u64| self.hosts * tor / tors;
            let own = if layer == 1 {
                self.hosts.div_ceil(tors)
            } else {
                let pods = self.pods(starts.len() as u64 - 1);
                let parts = (0..pods).map(|pod| self.share(starts.len() as u64 - 1, pods, pod).start);
                starts = parts.map(|at| starts[at as usize]).chain([tors]).collect();
                debug_assert_eq!(pods, count);
                let hosts = starts.windows(2).map(|pod| first(pod[1]) - first(pod[0]));
                hosts.max_by_key(|&own| own.min(self.hosts - own)).unwrap_or(0)
            };
            (blocks.saturating_mul(uplinks), own)
        })
    }

    /// Returns the number of hops between the farthest ToR switches. Their path goes up to the first layer at which one pod contains all
    /// ToR switches, and down again.
    pub fn diameter(&self) -> u32 {
        let (mut count, mut layer) = (self.tors(), 1);
        while u64::from(layer) + 1 < self.layers && self.pods(count) > 1 {
            count = self.pods(count);
            layer += 1;
        }
        2 * layer
    }
}
