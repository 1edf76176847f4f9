//! Forwarding: determines the output port and VCs of every hop from a packet's route.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use tulle_base::prefetch::{prefetch, prefetch_all};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::{Routing, Table};

use crate::acks::{Ack, Known};
use crate::choices::{Choices, cells, masks};
use crate::flit::{DIVERTED, Flit, Generator, MAY_DIVERT, MINIMAL, SECOND_PHASE};
use crate::policy::Policy;
use crate::selector::{Memory, Queues, RouteRequest, Selector};

/// The value of the intermediate switch in the `route` field of a flit, if the route has no intermediate switch or the
/// packet has passed it.
const NO_VIA: u32 = 0xffff;
/// Bit offsets of two numbers in the `route` field of a flit: the layer number, and the number of hops before the current
/// route, that is, before the intermediate switch or the diversion.
const LAYER: u32 = 16;
const HOPS_BEFORE: u32 = 24;

/// The next hop of a flit at one router: output port and request group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// The output port. The ports of endpoints come before the ports of cables.
    pub port: u8,
    /// The request group, which determines the VCs of the port that the flit may use.
    pub group: u8,
}

/// All routes through a fabric, and the selector that chooses among them.
#[derive(Debug)]
pub(crate) struct Routes<'a> {
    selector: Selector,
    choices: Choices<'a>,
    /// Per switch: its number of endpoints, which is also the number of its first network port.
    first_port: Vec<u8>,
    /// Whether a packet on the way to an intermediate switch leaves the network if it passes its destination.
    ends_in_passing: bool,
    /// Whether the selector can change a packet's route at the packet's second switch. This switch must have endpoints. Unless the selector
    /// changes layers, the switch must also be in the source's group.
    revises: bool,
    changes_layer: bool,
}

impl<'a> Routes<'a> {
    /// Creates the routes of `routing`, from which `selector` chooses. `lengths` has the lengths of the routes, if the selector needs them.
    /// Switches must have at most 256 ports.
    pub fn new(fabric: &'a Fabric, routing: &'a Routing, selector: Selector, policy: Policy, lengths: &[u8]) -> Self {
        // If all 256 ports of a switch belong to endpoints, the switch has no network port, and the number of its first network port is not
        // used. So it is harmless to limit this number to 255.
        let endpoints = |switch| fabric.endpoints_of(switch).len().min(255) as u8;
        let distances = selector.traits().distances || routing.num_layers() > 1;
        let traits = selector.traits();
        let edge = fabric.endpoint_switches();
        let needs_groups = traits.by_group || traits.revises && !traits.changes_layer();
        let groups = if needs_groups { fabric.groups().unwrap_or_default() } else { Vec::new() };
        let mut others = edge.clone();
        if traits.by_group {
            others.iter_mut().for_each(|switch| *switch = groups[*switch as usize]);
            others.sort_unstable();
            others.dedup();
        }
        let tables = routing.layers();
        let is_weighted = tables.iter().any(Table::is_weighted);
        let masks = masks(fabric, tables);
        let has_ports = tables.len() > 1 && !is_weighted && !masks.is_empty();
        let choices = Choices {
            by_group: traits.by_group,
            groups,
            // The list (of switches or groups) includes source and destination. So it needs at least three entries.
            has_vias: others.len() > 2,
            policy,
            cells: cells(if has_ports { &masks } else { &[] }, lengths, tables.len()),
            has_lengths: !lengths.is_empty(),
            masks,
            tables,
            is_weighted,
            paths: routing.path_set(),
            edge,
            distances: distances.then(|| Distances::of(fabric)),
            queues: [0, 1].map(|_| {
                let channels = if traits.global { fabric.num_channels() } else { 0 };
                (0..channels).map(|_| AtomicU32::new(0)).collect()
            }),
            block: AtomicUsize::new(0),
            fabric,
        };
        Self {
            choices,
            first_port: (0..fabric.num_switches() as u32).map(endpoints).collect(),
            ends_in_passing: traits.ends_in_passing,
            revises: traits.revises,
            changes_layer: traits.changes_layer(),
            selector,
        }
    }

    /// Returns the route choices that the selector sees.
    #[cfg(test)]
    pub fn choices(&self) -> &Choices<'a> {
        &self.choices
    }

    /// Returns whether routers must publish their queue lengths.
    pub fn publishes_queues(&self) -> bool {
        !self.choices.queues[0].is_empty()
    }

    /// Publishes the queue length of `channel` at the end of a block of cycles.
    pub fn publish_queue(&self, channel: usize, queue: u32) {
        self.choices.queues[self.choices.block.load(Relaxed) & 1][channel].store(queue, Relaxed);
    }

    /// Starts the next block of cycles and makes the published queue lengths visible. No router may run at the same
    /// time.
    pub fn next_block(&self) {
        self.choices.block.fetch_add(1, Relaxed);
    }

    /// Returns the VC policy, which knows the VCs of every request group.
    pub fn policy(&self) -> &Policy {
        &self.choices.policy
    }

    /// Returns whether routers keep a round-robin counter per destination switch.
    pub fn needs_turns(&self) -> bool {
        self.selector.traits().counts
    }

    /// Tells the selector about an acknowledgement. `known` is what the first switch knows about the packet's destination switch.
    pub fn on_ack(&self, known: &mut Known, ack: &Ack) {
        self.selector.on_ack(known, ack);
    }

    /// Returns the detour that a packet takes: its layer if this is not layer 0, otherwise its intermediate switch. Returns `None` if the
    /// packet takes the minimal route. The packet must still be at its first switch, and the routing must have forwarding tables.
    pub fn detour(flit: &Flit) -> Option<u16> {
        match (flit.route >> LAYER & 0xff) as u16 {
            0 => Some(flit.route as u16).filter(|&via| u32::from(via) != NO_VIA),
            layer => Some(layer),
        }
    }

    /// Returns whether routers must update the level of packets with [`Routes::cross`].
    #[inline]
    pub fn tracks_levels(&self) -> bool {
        self.choices.policy.levels().is_tracked()
    }

    /// Returns whether packets may use only the VCs of their level on the links to endpoints.
    pub fn restricts_exits(&self) -> bool {
        self.choices.policy.levels().restricts_exits()
    }

    /// Records that `flit` has crossed `channel`.
    #[inline]
    pub fn cross(&self, channel: u32, flit: &mut Flit) {
        debug_assert!(
            {
                let (first, count) = self.choices.policy.ranges()
                    [usize::from(self.choices.policy.levels().group(flit.level, channel, || self.target(flit)))];
                (first..first + count).contains(&flit.vc)
            },
            "virtual channel {} is not allowed on channel {channel} at level {}",
            flit.vc,
            flit.level
        );
        flit.level = self.choices.policy.levels().after(flit.level, channel);
    }

    /// Returns whether routers must call [`Routes::revise`] for packets that arrive over a cable.
    #[inline]
    pub fn revises(&self) -> bool {
        self.revises
    }

    /// Chooses the route of the packet that starts with `flit` at `switch`, and returns its first step.
    #[inline]
    pub fn begin<Q: Queues>(
        &self,
        switch: u32,
        flit: &mut Flit,
        queues: &Q,
        memory: Memory,
        generator: &mut Generator,
    ) -> Step {
        flit.route = NO_VIA;
        let to = u32::from(flit.switch);
        if to == switch {
            flit.flags |= MINIMAL;
            return Step { port: flit.port, group: 0 };
        }
        let mut request =
            RouteRequest { choices: &self.choices, from: switch, to, hops: 0, level: 0, queues, generator, memory };
        let route = self.selector.choose(&mut request);
        flit.flags |= if route.is_minimal { MINIMAL } else { 0 };
        if route.is_minimal
            && self.revises
            && (self.changes_layer || self.choices.groups[switch as usize] != self.choices.groups[to as usize])
        {
            flit.flags |= MAY_DIVERT;
        }
        let phase_end = route.via.map_or(to, u32::from);
        flit.level = self.choices.policy.level(0, route.number, switch, phase_end);
        if let Some(paths) = self.choices.paths {
            flit.route = paths.hops(route.number).start;
            return self.next(switch, flit, generator);
        }
        flit.route = route.via.map_or(NO_VIA, u32::from) | route.number << LAYER;
        match route.port {
            Some(port) => self.step(switch, port, flit, 0),
            None => self.next(switch, flit, generator),
        }
    }

    /// Lets the selector choose again at the packet's second switch. The switch must have endpoints. Unless the selector changes layers, it
    /// must also be in the source's group. The packet came to `switch` over `channel`. Returns the chosen step, or `step` if nothing
    /// changes.
    pub fn revise<Q: Queues>(
        &self,
        (switch, channel): (u32, u32),
        step: Step,
        flit: &mut Flit,
        queues: &Q,
        memory: Memory,
        generator: &mut Generator,
    ) -> Step {
        flit.flags &= !MAY_DIVERT;
        let to = u32::from(flit.switch);
        let from = self.choices.fabric.sources()[channel as usize];
        let has_left =
            !self.changes_layer && self.choices.groups[from as usize] != self.choices.groups[switch as usize];
        if to == switch || has_left || self.first_port[switch as usize] == 0 {
            return step;
        }
        let (hops, level) = (flit.hops, flit.level);
        let mut request =
            RouteRequest { choices: &self.choices, from: switch, to, hops, level, queues, generator, memory };
        let route = self.selector.revise(&mut request);
        let Some(port) = route.port else { return step };
        if route.via.is_none() && route.number == 0 {
            return self.step(switch, port, flit, 0);
        }
        let phase_end = route.via.map_or(to, u32::from);
        flit.flags = flit.flags & !MINIMAL | DIVERTED;
        flit.level = self.choices.policy.level(self.choices.policy.diverted(level), route.number, switch, phase_end);
        flit.route = route.via.map_or(NO_VIA, u32::from) | route.number << LAYER | u32::from(hops) << HOPS_BEFORE;
        self.step(switch, port, flit, hops.into())
    }

    /// Prefetches the memory that [`Routes::next`] will read for `flit` at `switch`.
    #[inline]
    pub fn prefetch(&self, switch: u32, flit: &Flit) {
        match self.choices.paths {
            Some(paths) => prefetch(paths.all_ports(), flit.route as usize),
            None => {
                let via = flit.route & NO_VIA;
                let target = if via == NO_VIA || via == switch { flit.switch.into() } else { via };
                match flit.route >> LAYER & 0xff {
                    0 => prefetch(&self.choices.masks, self.choices.mask_at(switch, 0, target)),
                    layer => prefetch(&self.choices.cells, self.choices.pair_at(switch, layer, target)),
                }
            }
        }
    }

    /// Prefetches memory that [`Routes::begin`] will read for `flit` at `switch`, as far as its addresses are known in advance.
    #[inline]
    pub fn prefetch_start(&self, switch: u32, flit: &Flit) {
        if self.choices.paths.is_none() {
            let choices = &self.choices;
            let to = flit.switch.into();
            prefetch(&choices.masks, choices.mask_at(switch, 0, to));
            if choices.has_lengths {
                prefetch_all(&choices.cells[choices.pair_at(switch, 0, to)..][..choices.tables.len()]);
            }
        }
    }

    /// Prefetches the next hops from `switch` to all switches, if intermediate switches exist and there are at most
    /// `MAX_ENTRIES` switches.
    pub fn prefetch_starts(&self, switch: u32) {
        const MAX_ENTRIES: usize = 512;
        let switches = self.choices.fabric.num_switches();
        if self.choices.has_vias && switches <= MAX_ENTRIES && self.choices.masks.len() >= switches {
            prefetch_all(&self.choices.masks[self.choices.mask_at(switch, 0, 0)..][..switches]);
        }
    }

    /// Returns the next step of `flit` at `switch`.
    #[inline]
    pub fn next(&self, switch: u32, flit: &mut Flit, generator: &mut Generator) -> Step {
        let destination = u32::from(flit.switch);
        if let Some(paths) = self.choices.paths {
            if destination == switch {
                return self.leave(flit);
            }
            let port = paths.all_ports()[flit.route as usize];
            flit.route += 1;
            return self.step(switch, port, flit, 0);
        }
        let via = flit.route & NO_VIA;
        let mut target = destination;
        if via != NO_VIA {
            if via == switch
                || self.choices.by_group && self.choices.groups[via as usize] == self.choices.groups[switch as usize]
            {
                flit.route = (flit.route | NO_VIA) & 0x00ff_ffff | u32::from(flit.hops) << HOPS_BEFORE;
                flit.flags |= SECOND_PHASE;
                if destination != switch {
                    flit.level = self.choices.policy.level(flit.level, flit.route >> LAYER & 0xff, switch, destination);
                }
            } else if !(self.ends_in_passing && destination == switch) {
                target = via;
            }
        }
        if target == switch {
            return self.leave(flit);
        }
        let port = self.choices.draw(switch, flit.route >> LAYER & 0xff, target, generator);
        self.step(switch, port, flit, flit.route >> HOPS_BEFORE)
    }

    /// Chooses a new random next step for a blocked flit; returns `step` if the flit has no alternative.
    #[inline]
    pub fn redraw(&self, switch: u32, flit: &Flit, step: Step, generator: &mut Generator) -> Step {
        if self.choices.paths.is_some() || u32::from(flit.switch) == switch {
            return step;
        }
        let target = self.target(flit);
        let port = self.choices.draw(switch, flit.route >> LAYER & 0xff, target, generator);
        if self.tracks_levels() {
            // The request group must be computed again, because it depends on the channel.
            return self.step(switch, port, flit, 0);
        }
        Step { port: self.first_port[switch as usize] + port as u8, ..step }
    }

    /// Returns all possible next steps of a flit at `switch`, including `step`.
    pub fn options(&self, switch: u32, flit: &Flit, step: Step) -> Vec<Step> {
        if self.choices.paths.is_some() || u32::from(flit.switch) == switch {
            return vec![step];
        }
        let target = self.target(flit);
        let ports = self.choices.tables[(flit.route >> LAYER & 0xff) as usize].next(switch, target);
        ports.iter().map(|&port| self.step(switch, port, flit, flit.route >> HOPS_BEFORE)).collect()
    }

    /// Returns the step to the flit's endpoint.
    #[inline]
    fn leave(&self, flit: &Flit) -> Step {
        Step { port: flit.port, group: self.choices.policy.exit(flit.level) }
    }

    #[inline]
    fn step(&self, switch: u32, port: u16, flit: &Flit, hops_before: u32) -> Step {
        let route = (flit.flags & (SECOND_PHASE | DIVERTED)).count_ones() as u8;
        let channel = || self.choices.fabric.offsets()[switch as usize] + u32::from(port);
        let route = (route, || self.target(flit));
        let group = self.choices.policy.group(route, flit.level, u32::from(flit.hops), hops_before, channel);
        Step { port: self.first_port[switch as usize] + port as u8, group }
    }
    /// Returns the switch where the current route of `flit` leads: the intermediate switch that it has yet to pass, or its destination.
    #[inline]
    fn target(&self, flit: &Flit) -> u32 {
        let via = flit.route & NO_VIA;
        if self.choices.paths.is_some() || via == NO_VIA { flit.switch.into() } else { via }
    }
}
