//! Forwarding: from a packet's way to the output port and virtual channels of every hop.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::{PathSet, Routing, Table};

use crate::bits::select;
use crate::flit::{Flit, Generator, MINIMAL, SECOND};
use crate::policy::Policy;
use crate::prefetch::prefetch;
use crate::selector::{Queues, Selector, Start, Way};

/// No intermediate switch, or one that has been passed.
const NO_VIA: u32 = 0xffff;
/// Where in a flit's route the layer is, and the hops before the intermediate switch.
const LAYER: u32 = 16;
const HOPS_BEFORE: u32 = 24;

/// Where a flit goes at one router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The output port; those of endpoints come first.
    pub port: u8,
    /// The request group: which virtual channels of the port it may have.
    pub group: u8,
}

/// All ways through a fabric.
#[derive(Debug)]
pub(crate) struct Ways<'a> {
    selector: Selector,
    policy: Policy,
    tables: &'a [Table],
    /// Per layer, switch and destination switch the ports, a bit each; empty where that would be too much memory.
    masks: Vec<u64>,
    paths: Option<&'a PathSet>,
    /// Per switch, its endpoints: its first network port.
    first_port: Vec<u8>,
    /// The switches with endpoints, ascending.
    edge: Vec<u32>,
    distances: Option<Distances>,
    /// Whether packets leave where they pass their destination on the way to an intermediate switch.
    ends_in_passing: bool,
    fabric: &'a Fabric,
    /// Where the selector asks for them, the queues of all channels at the end of the last block, and those being written;
    /// which is which, `block` says. So no router reads what another writes in the same block.
    queues: [Box<[AtomicU32]>; 2],
    block: AtomicUsize,
}

impl<'a> Ways<'a> {
    /// Those of `routing`, as `selector` uses it. Switches have at most 256 ports.
    pub fn new(fabric: &'a Fabric, routing: &'a Routing, selector: Selector, policy: Policy) -> Self {
        // A switch of 256 endpoints has no network port.
        let endpoints = |switch| fabric.endpoints_of(switch).len().min(255) as u8;
        // Round robin over layers marks those ways minimal that are as short as the distance.
        let distances = selector.traits().distances || routing.num_layers() > 1;
        Self {
            policy,
            masks: masks(fabric, routing.layers()),
            tables: routing.layers(),
            paths: routing.path_set(),
            first_port: (0..fabric.num_switches() as u32).map(endpoints).collect(),
            edge: fabric.endpoint_switches(),
            distances: distances.then(|| Distances::of(fabric)),
            ends_in_passing: selector.traits().ends_in_passing,
            queues: [0, 1].map(|_| {
                let channels = if selector.traits().global { fabric.num_channels() } else { 0 };
                (0..channels).map(|_| AtomicU32::new(0)).collect()
            }),
            block: AtomicUsize::new(0),
            fabric,
            selector,
        }
    }

    /// Whether routers are to tell their queues.
    pub fn wants_queues(&self) -> bool {
        !self.queues[0].is_empty()
    }

    /// Tells the queue at `channel` at the end of a block.
    pub fn tell_queue(&self, channel: usize, queue: u32) {
        self.queues[self.block.load(Relaxed) & 1][channel].store(queue, Relaxed);
    }

    /// Begins the next block, in which the queues told are known. No router runs meanwhile.
    pub fn next_block(&self) {
        self.block.fetch_add(1, Relaxed);
    }

    /// The sum of the queues along `way` after its first port, on a path drawn at random where there are several.
    pub fn queues_along(&self, way: &Way, port: u16, from: u32, to: u32, generator: &mut Generator) -> u32 {
        let known = &self.queues[(self.block.load(Relaxed) & 1) ^ 1];
        let onward = |switch: u32, port: u16| (self.fabric.offsets()[switch as usize] + u32::from(port)) as usize;
        let mut switch = self.fabric.targets()[onward(from, port)];
        let mut sum = 0;
        for end in way.via.map(u32::from).into_iter().chain([to]) {
            while switch != end {
                let channel = onward(switch, self.draw(switch, way.number, end, generator));
                sum += known[channel].load(Relaxed);
                switch = self.fabric.targets()[channel];
            }
        }
        sum
    }

    /// The virtual channels of every request group.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether routers keep a count per destination switch.
    pub fn counts(&self) -> bool {
        self.selector.traits().counts
    }

    /// Chooses the way of the packet that starts with `flit` at `switch`, and where it goes there.
    #[inline]
    pub fn begin<Q: Queues>(
        &self,
        switch: u32,
        flit: &mut Flit,
        queues: &Q,
        turns: &mut [u8],
        generator: &mut Generator,
    ) -> Step {
        flit.route = NO_VIA;
        let to = u32::from(flit.switch);
        if to == switch {
            flit.flags |= MINIMAL;
            return Step { port: flit.port, group: 0 };
        }
        let way = self.selector.start(&mut Start { ways: self, from: switch, to, queues, generator, turns });
        flit.flags |= if way.is_minimal { MINIMAL } else { 0 };
        let phase_end = way.via.map_or(to, u32::from);
        flit.level = self.policy.level(way.number, switch, phase_end);
        if let Some(paths) = self.paths {
            flit.route = paths.hops(way.number).start;
            return self.next(switch, flit, generator);
        }
        flit.route = way.via.map_or(NO_VIA, u32::from) | way.number << LAYER;
        match way.port {
            Some(port) => self.step(switch, port, flit, 0),
            None => self.next(switch, flit, generator),
        }
    }

    /// Asks for what [`Ways::next`] will read about `flit` at `switch`.
    #[inline]
    pub fn prefetch(&self, switch: u32, flit: &Flit) {
        match self.paths {
            Some(paths) => prefetch(paths.all_ports(), flit.route as usize),
            None => {
                let via = flit.route & NO_VIA;
                let target = if via == NO_VIA || via == switch { flit.switch.into() } else { via };
                prefetch(&self.masks, self.mask_at(switch, flit.route >> LAYER & 0xff, target));
            }
        }
    }

    /// Asks for what [`Ways::begin`] will read about `flit` at `switch`, where that is known before.
    #[inline]
    pub fn prefetch_start(&self, switch: u32, flit: &Flit) {
        if self.paths.is_none() {
            prefetch(&self.masks, self.mask_at(switch, 0, flit.switch.into()));
        }
    }

    /// Where `flit` goes from `switch`, at which it has arrived over a cable.
    #[inline]
    pub fn next(&self, switch: u32, flit: &mut Flit, generator: &mut Generator) -> Step {
        let destination = u32::from(flit.switch);
        if let Some(paths) = self.paths {
            if destination == switch {
                return Step { port: flit.port, group: 0 };
            }
            let port = paths.all_ports()[flit.route as usize];
            flit.route += 1;
            return self.step(switch, port, flit, 0);
        }
        let via = flit.route & NO_VIA;
        let mut target = destination;
        if via != NO_VIA {
            if via == switch {
                flit.route = (flit.route | NO_VIA) & 0x00ff_ffff | u32::from(flit.hops) << HOPS_BEFORE;
                flit.flags |= SECOND;
                flit.level = self.policy.level(flit.route >> LAYER & 0xff, switch, destination);
            } else if !(self.ends_in_passing && destination == switch) {
                target = via;
            }
        }
        if target == switch {
            return Step { port: flit.port, group: 0 };
        }
        let port = self.draw(switch, flit.route >> LAYER & 0xff, target, generator);
        self.step(switch, port, flit, flit.route >> HOPS_BEFORE)
    }

    /// Where a flit that cannot leave goes from `switch` by another draw; the same where there is no choice.
    #[inline]
    pub fn again(&self, switch: u32, flit: &Flit, step: Step, generator: &mut Generator) -> Step {
        if self.paths.is_some() || u32::from(flit.switch) == switch {
            return step;
        }
        let via = flit.route & NO_VIA;
        let target = if via == NO_VIA { flit.switch.into() } else { via };
        let port = self.draw(switch, flit.route >> LAYER & 0xff, target, generator);
        Step { port: self.first_port[switch as usize] + port as u8, ..step }
    }

    /// All output ports by which a flit at `switch` could leave, `step` being one of them.
    pub fn options(&self, switch: u32, flit: &Flit, step: Step) -> Vec<u8> {
        if self.paths.is_some() || u32::from(flit.switch) == switch {
            return vec![step.port];
        }
        let via = flit.route & NO_VIA;
        let target = if via == NO_VIA { flit.switch.into() } else { via };
        let ports = self.tables[(flit.route >> LAYER & 0xff) as usize].next(switch, target);
        ports.iter().map(|&port| self.first_port[switch as usize] + port as u8).collect()
    }

    #[inline]
    fn step(&self, switch: u32, port: u16, flit: &Flit, hops_before: u32) -> Step {
        let second = flit.flags & SECOND != 0;
        let group = self.policy.group(second, flit.level, u32::from(flit.hops), hops_before);
        Step { port: self.first_port[switch as usize] + port as u8, group }
    }

    /// One of the ports of `layer` at `switch` toward another switch.
    #[inline]
    fn draw(&self, switch: u32, layer: u32, target: u32, generator: &mut Generator) -> u16 {
        if self.masks.is_empty() {
            return match self.tables[layer as usize].next(switch, target) {
                [port] => *port,
                ports => ports[generator.below(ports.len() as u32) as usize],
            };
        }
        let ports = self.masks[self.mask_at(switch, layer, target)];
        if ports & (ports - 1) == 0 {
            return ports.trailing_zeros() as u16;
        }
        select(ports, generator.below(ports.count_ones())) as u16
    }

    #[inline]
    fn mask_at(&self, switch: u32, layer: u32, target: u32) -> usize {
        let switches = self.first_port.len();
        (layer as usize * switches + switch as usize) * switches + target as usize
    }

    /// A first port of `way`, drawn at random where it leaves a choice.
    pub fn draw_port(&self, way: &Way, from: u32, to: u32, generator: &mut Generator) -> u16 {
        match self.paths {
            Some(paths) => paths.ports(way.number)[0],
            None => self.draw(from, way.number, way.via.map_or(to, u32::from), generator),
        }
    }

    /// The first ports that `way` leaves a choice of, ascending.
    pub fn first_ports(&self, way: &Way, from: u32, to: u32) -> &[u16] {
        match self.paths {
            Some(paths) => &paths.ports(way.number)[..1],
            None => self.tables[way.number as usize].next(from, way.via.map_or(to, u32::from)),
        }
    }

    /// The request group of the first hop of `way`.
    pub fn first_group(&self, way: &Way, from: u32, to: u32) -> u8 {
        let level = self.policy.level(way.number, from, way.via.map_or(to, u32::from));
        self.policy.group(false, level, 0, 0)
    }

    /// The layers, or the numbers of the paths between two different switches: at least one.
    #[inline]
    pub fn choices(&self, from: u32, to: u32) -> Range<u32> {
        match self.paths {
            Some(paths) => paths.between(from, to),
            None => 0..self.tables.len() as u32,
        }
    }

    /// The hops of path number `path`.
    #[inline]
    pub fn path_hops(&self, path: u32) -> u32 {
        self.paths.map_or(0, |paths| paths.hops(path).len() as u32)
    }

    /// The way by layer, or path, `number`.
    #[inline]
    pub fn numbered(&self, number: u32, from: u32, to: u32) -> Way {
        let is_minimal = match self.paths {
            Some(paths) => paths.hops(number).len() == paths.hops(paths.between(from, to).start).len(),
            None => number == 0,
        };
        Way { number, via: None, port: None, is_minimal }
    }

    /// The way by any intermediate switch; the minimal one where that is one of these two.
    #[inline]
    pub fn by_any(&self, from: u32, to: u32, generator: &mut Generator) -> Way {
        let via = self.edge[generator.below(self.edge.len() as u32) as usize];
        if via == from || via == to {
            return Way::minimal();
        }
        Way { number: 0, via: Some(via as u16), port: None, is_minimal: false }
    }

    /// The way by a random intermediate switch other than these two; the minimal one where there is none.
    #[inline]
    pub fn indirect(&self, from: u32, to: u32, generator: &mut Generator) -> Way {
        // Source and destination carry endpoints, too.
        if self.edge.len() < 3 {
            return Way::minimal();
        }
        loop {
            let via = self.edge[generator.below(self.edge.len() as u32) as usize];
            if via != from && via != to {
                return Way { number: 0, via: Some(via as u16), port: None, is_minimal: false };
            }
        }
    }

    /// The hops from switch to switch, where the selector asked for distances.
    #[inline]
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.distances.as_ref().map_or(0, |distances| distances.row(from)[to as usize].into())
    }
}

/// The ports of `tables` as bits: one look-up in place of three. Nothing beyond half a gibibyte, or 64 ports.
fn masks(fabric: &Fabric, tables: &[Table]) -> Vec<u64> {
    const MOST: usize = 1 << 26;
    let switches = tables.first().map_or(0, Table::num_switches);
    let is_wide = (0..fabric.num_switches()).any(|switch| fabric.degree(switch as u32) > 64);
    if tables.len() * switches * switches > MOST || is_wide {
        return Vec::new();
    }
    let mut masks = Vec::with_capacity(tables.len() * switches * switches);
    for (table, switch) in tables.iter().flat_map(|table| (0..switches as u32).map(move |switch| (table, switch))) {
        let mask = |to| table.next(switch, to).iter().fold(0, |mask, port| mask | 1u64 << port);
        masks.extend((0..switches as u32).map(mask));
    }
    masks
}
