//! The route choices that selectors see: available routes, the lengths of these routes, and the queues along them.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicUsize};

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::{PathSet, Table, total_share, turns};

use crate::bits::select;
use crate::flit::Generator;
use crate::policy::Policy;
use crate::route::Route;

/// All routes through a fabric, from which selectors choose.
#[derive(Debug)]
pub(crate) struct Choices<'a> {
    pub policy: Policy,
    pub tables: &'a [Table],
    /// Whether any layer or port has a weight.
    pub is_weighted: bool,
    /// Per layer, switch and destination switch: the next-hop ports as a bit mask. Empty if the masks would need too much memory.
    pub masks: Vec<u64>,
    /// Per switch, destination switch and layer: the next hop and the length. Empty if neither is known. Selectors compare the layers of one
    /// pair of switches, so these are next to each other, in little memory.
    pub cells: Vec<Cell>,
    /// Whether `cells` has lengths. It has them if the selector compares layers by length.
    pub has_lengths: bool,
    pub paths: Option<&'a PathSet>,
    /// The switches with endpoints, ascending.
    pub edge: Vec<u32>,
    pub distances: Option<Distances>,
    /// The group of every switch, if the selector needs groups. With `by_group`, indirect routes lead through an
    /// intermediate group: the first half of a route ends at any switch of this group.
    pub groups: Vec<u32>,
    pub by_group: bool,
    /// Whether at least three switches have endpoints (with `by_group`: in three groups). Then every pair of switches has an intermediate
    /// switch.
    pub has_vias: bool,
    pub fabric: &'a Fabric,
    /// The queue length of every channel, if the selector needs the queues of all switches. One copy holds the queue lengths at the end of
    /// the last block of cycles; routers write the other copy; `block` selects the copies. So no router reads what another router writes in
    /// the same block.
    pub queues: [Box<[AtomicU32]>; 2],
    pub block: AtomicUsize,
}

impl Choices<'_> {
    /// Returns a port that `route` allows at its first switch. If there are several, chooses one at random.
    pub fn draw_port(&self, route: &Route, from: u32, to: u32, generator: &mut Generator) -> u16 {
        match self.paths {
            Some(paths) => paths.ports(route.number)[0],
            None => self.draw(from, route.number, route.via.map_or(to, u32::from), generator),
        }
    }

    /// Returns all ports that `route` allows at its first switch, ascending.
    pub fn first_ports(&self, route: &Route, from: u32, to: u32) -> &[u16] {
        match self.paths {
            Some(paths) => &paths.ports(route.number)[..1],
            None => self.tables[route.number as usize].next(from, route.via.map_or(to, u32::from)),
        }
    }

    /// Returns the request group (the VCs that the packet may use) of the first hop of `route` through `port`. The packet has the VC class
    /// `level` and has crossed `hops` channels.
    pub fn first_group(&self, route: &Route, port: u16, from: u32, to: u32, hops: u8, level: u8) -> u8 {
        let is_diverted = hops > 0 && (route.via.is_some() || route.number > 0);
        let level = if is_diverted { self.policy.diverted(level) } else { level };
        let target = route.via.map_or(to, u32::from);
        let level = self.policy.level(level, route.number, from, target);
        let before = if is_diverted { hops } else { 0 };
        let channel = || self.fabric.offsets()[from as usize] + u32::from(port);
        self.policy.group((is_diverted.into(), || target), level, hops.into(), before.into(), channel)
    }

    /// Returns the layer numbers, or with path sets the numbers of the paths between two different switches. The range
    /// is not empty.
    #[inline]
    pub fn choices(&self, from: u32, to: u32) -> Range<u32> {
        match self.paths {
            Some(paths) => paths.between(from, to),
            None => 0..self.tables.len() as u32,
        }
    }

    /// Chooses a random path, each with the same probability, or a random layer in proportion to the layer weights. Returns the number of
    /// the path or layer.
    #[inline]
    pub fn draw_choice(&self, from: u32, to: u32, generator: &mut Generator) -> u32 {
        let choices = self.choices(from, to);
        if !self.is_weighted {
            return choices.start + generator.below(choices.len() as u32);
        }
        let mut left = generator.below(total_share(self.tables, from, to));
        let is_here = |table: &Table| {
            let share = u32::from(table.layer_share(from, to));
            let is_here = left < share;
            left = left.wrapping_sub(share);
            is_here
        };
        self.tables.iter().position(is_here).expect("the random number is below the sum of the weights") as u32
    }

    /// Returns the length of the round-robin cycle of a switch pair, and the path or layer at position `turn` of the cycle. The weight of a
    /// layer is the number of times that the layer occurs in the cycle.
    #[inline]
    pub fn turn(&self, from: u32, to: u32, turn: u8) -> (usize, u32) {
        if !self.is_weighted {
            let choices = self.choices(from, to);
            return (choices.len(), choices.start + u32::from(turn));
        }
        let turns = turns(self.tables, from, to);
        (turns.len(), turns[usize::from(turn)].into())
    }

    /// Returns the number of hops of a route. For a route over a layer, this is the maximum over the paths that start at the route's first
    /// port, and lengths must be known.
    #[inline]
    pub fn route_hops(&self, route: &Route, from: u32, to: u32) -> u32 {
        if let Some(paths) = self.paths {
            return paths.hops(route.number).len() as u32;
        }
        match route.port {
            Some(port) => {
                let next = self.fabric.neighbours(from)[usize::from(port)];
                1 + u32::from(self.cells[self.pair_at(next, route.number, to)].length)
            }
            None => self.cells[self.pair_at(from, route.number, to)].length.into(),
        }
    }

    /// Returns the route over the layer or path `number`.
    #[inline]
    pub fn route_by_number(&self, number: u32, from: u32, to: u32) -> Route {
        let is_minimal = match self.paths {
            Some(paths) => paths.hops(number).len() == paths.hops(paths.between(from, to).start).len(),
            None => number == 0,
        };
        Route { number, via: None, port: None, is_minimal }
    }

    /// Returns a route through a random switch with endpoints. If the random switch is the source or the destination, returns the minimal
    /// route.
    #[inline]
    pub fn via_any(&self, from: u32, to: u32, generator: &mut Generator) -> Route {
        let via = self.edge[generator.below(self.edge.len() as u32) as usize];
        if via == from || via == to {
            return Route::minimal();
        }
        Route { number: 0, via: Some(via as u16), port: None, is_minimal: false }
    }

    /// Returns a route through a random switch with endpoints other than source and destination. With `by_group`, the group of this switch
    /// differs from the groups of source and destination. Returns the minimal route if no such switch exists, or if `by_group` is set and
    /// source and destination are in the same group.
    #[inline]
    pub fn indirect(&self, from: u32, to: u32, generator: &mut Generator) -> Route {
        let place = |switch: u32| if self.by_group { self.groups[switch as usize] } else { switch };
        if !self.has_vias || place(from) == place(to) {
            return Route::minimal();
        }
        loop {
            let via = self.edge[generator.below(self.edge.len() as u32) as usize];
            if place(via) != place(from) && place(via) != place(to) {
                return Route { number: 0, via: Some(via as u16), port: None, is_minimal: false };
            }
        }
    }

    /// Returns the length in hops of a route through `via`; requires `distances`. With `by_group`, the second half
    /// starts at the switch where the route enters the group of `via`.
    pub fn indirect_length(&self, from: u32, via: u32, to: u32) -> u32 {
        if !self.by_group {
            return self.distance(from, via) + self.distance(via, to);
        }
        let (mut switch, mut hops) = (from, 0);
        while self.groups[switch as usize] != self.groups[via as usize] {
            let port = self.tables[0].next(switch, via)[0];
            switch = self.fabric.neighbours(switch)[usize::from(port)];
            hops += 1;
        }
        hops + self.distance(switch, to)
    }

    /// Returns the distance between two switches in hops; requires `distances`.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.distances.as_ref().map_or(0, |distances| distances.row(from)[to as usize].into())
    }

    /// Returns the sum of the queue lengths along `route`, without the queue at its first port. If the route has several paths, the sum is
    /// that of a random path.
    pub fn queues_along(&self, route: &Route, port: u16, from: u32, to: u32, generator: &mut Generator) -> u32 {
        let known = &self.queues[(self.block.load(Relaxed) & 1) ^ 1];
        let onward = |switch: u32, port: u16| (self.fabric.offsets()[switch as usize] + u32::from(port)) as usize;
        let mut switch = self.fabric.targets()[onward(from, port)];
        let mut sum = 0;
        for end in route.via.map(u32::from).into_iter().chain([to]) {
            while switch != end {
                let channel = onward(switch, self.draw(switch, route.number, end, generator));
                sum += known[channel].load(Relaxed);
                switch = self.fabric.targets()[channel];
            }
        }
        sum
    }

    /// Chooses at random one of the ports that `layer` allows at `switch` toward the switch `target`.
    #[inline]
    pub fn draw(&self, switch: u32, layer: u32, target: u32, generator: &mut Generator) -> u16 {
        if self.masks.is_empty() || self.is_weighted {
            let table = &self.tables[layer as usize];
            return match table.next(switch, target) {
                [port] => *port,
                _ if self.is_weighted => table.draw(switch, target, |total| generator.below(total)),
                ports => ports[generator.below(ports.len() as u32) as usize],
            };
        }
        // Layer 0 has most of the traffic, and its masks stay in the CPU cache.
        if layer > 0 {
            let Cell { port, .. } = self.cells[self.pair_at(switch, layer, target)];
            if port != SEVERAL {
                return port.into();
            }
        }
        let ports = self.masks[self.mask_at(switch, layer, target)];
        if ports & (ports - 1) == 0 {
            return ports.trailing_zeros() as u16;
        }
        select(ports, generator.below(ports.count_ones())) as u16
    }

    /// Returns the place of a layer of a pair of switches in `cells`.
    #[inline]
    pub fn pair_at(&self, switch: u32, layer: u32, target: u32) -> usize {
        (switch as usize * self.fabric.num_switches() + target as usize) * self.tables.len() + layer as usize
    }

    #[inline]
    pub fn mask_at(&self, switch: u32, layer: u32, target: u32) -> usize {
        let switches = self.fabric.num_switches();
        (layer as usize * switches + switch as usize) * switches + target as usize
    }
}

/// What selectors look up about a layer of a pair of switches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// The port of the next hop; [`SEVERAL`] if there is not exactly one. With weights or a single layer, this field is not used.
    port: u8,
    /// The maximum number of hops of a path, or 0 if there is no path.
    length: u8,
}

/// The port of a pair of switches that does not have exactly one next hop. Masks allow only ports below 64.
const SEVERAL: u8 = u8::MAX;

/// Returns, per switch, destination switch and layer, the only next-hop port of `masks` and the length of `lengths`. Both may be empty.
pub(crate) fn cells(masks: &[u64], lengths: &[u8], layers: usize) -> Vec<Cell> {
    let count = masks.len().max(lengths.len());
    let what = || format!("next hops and path lengths of {layers} layers");
    let mut cells = memory::must(memory::reserved(what, count));
    let pairs = count / layers.max(1);
    for pair in 0..pairs {
        cells.extend((0..layers).map(|layer| {
            let mask = masks.get(layer * pairs + pair).copied().unwrap_or(0);
            let port = if mask.is_power_of_two() { mask.trailing_zeros() as u8 } else { SEVERAL };
            Cell { port, length: lengths.get(pair * layers + layer).copied().unwrap_or(0) }
        }));
    }
    cells
}

/// Converts `tables` to bit masks of next-hop ports, so that one memory access replaces three. Returns an empty list if
/// the masks need more than half a gibibyte or a switch has cables at more than 64 ports.
pub(crate) fn masks(fabric: &Fabric, tables: &[Table]) -> Vec<u64> {
    const MAX_ENTRIES: usize = 1 << 26;
    let switches = tables.first().map_or(0, Table::num_switches);
    let is_wide = (0..fabric.num_switches()).any(|switch| fabric.degree(switch as u32) > 64);
    if tables.len() * switches * switches > MAX_ENTRIES || is_wide {
        return Vec::new();
    }
    let cells = tables.len() * switches * switches;
    let mut masks = memory::must(memory::reserved(|| format!("{cells} next hops as bits"), cells));
    for (table, switch) in tables.iter().flat_map(|table| (0..switches as u32).map(move |switch| (table, switch))) {
        let mask = |to| table.next(switch, to).iter().fold(0, |mask, port| mask | 1u64 << port);
        masks.extend((0..switches as u32).map(mask));
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::{SEVERAL, cells, masks};

    #[test]
    fn ports_are_those_of_pairs_with_one_next_hop() {
        let fabric = tulle_topologies::build("slimfly:q=5", 0).unwrap();
        let minimal = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let spread = tulle_routing::build(&fabric, "spread:layers=3", 0).unwrap();
        let layers: Vec<_> = spread.layers().iter().chain(minimal.layers()).cloned().collect();
        let switches = fabric.num_switches();
        let lengths: Vec<u8> = (0..layers.len() * switches * switches).map(|at| (at % 251) as u8).collect();
        let found = cells(&masks(&fabric, &layers), &lengths, layers.len());
        assert!(found.iter().map(|cell| cell.length).eq(lengths));
        let found: Vec<u8> = found.iter().map(|cell| cell.port).collect();
        let mut places = found.iter();
        for (from, to) in (0..switches as u32).flat_map(|from| (0..switches as u32).map(move |to| (from, to))) {
            for table in &layers {
                let only = <[u16; 1]>::try_from(table.next(from, to)).map(|[port]| port as u8);
                assert_eq!(*places.next().unwrap(), only.unwrap_or(SEVERAL), "{from} to {to}");
            }
        }
        assert_eq!(places.next(), None);
        assert!(found.contains(&SEVERAL) && found.contains(&0));
    }
}
