//! Selectors: a selector chooses the route of a packet at its first switch. Each selector has one file and one line in
//! the registry.
//!
//! Over forwarding tables, a route is a layer and optionally an intermediate switch. At every switch, a packet takes a
//! random port among the next hops in the layer's table; with `single-path` it always takes the same port. Over a path
//! set, a route is a path. Some adaptive selectors choose among the layers of a routing as they choose among the paths of a
//! pair.
//!
//! Adaptive selectors compare queues at the ports of the first switch. Their parameter `queue` selects what they
//! compare:
//!
//! * `all`: the credits in use over all VCs of the port. These are the flits in the output queue, on the cable and in
//!   the next buffer, plus the credits on their way back (as in BookSim2's UGAL).
//! * `class`: the credits in use over only those VCs of the port that the packet may use.
//! * `output`: the flits in the switch that wait for the cable.
//!
//! Packets in virtual output queues count at their output port. The unit is flits; with virtual cut-through it is
//! packets.

#[cfg(test)]
mod mock_queues;

use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};
use tulle_spec::{Entry, Info, Plugin, Registered, SpecError, parameters, registry, words};

use crate::Error;
use crate::acks::{Ack, Known};
use crate::choices::Choices;
use crate::flit::Generator;
pub(crate) use crate::route::Route;

/// The queues at the ports of a switch, for adaptive selectors. Ports are positions in the switch's row of neighbours.
pub(crate) trait Queues {
    /// Returns the credits in use at `port` over the VCs of request group `group`, or over all VCs if `group` is `None`.
    fn credits(&self, port: u16, group: Option<u8>) -> u32;
    /// Returns the number of flits in the output queue of `port`.
    fn output(&self, port: u16) -> u32;
    /// Returns the capacity of the buffers of a port that `estimate` measures, in the unit of the queue lengths. If output
    /// queues are unbounded, returns the capacity of the next switch's buffers.
    fn capacity(&self, estimate: Estimate) -> u32;
    /// Returns the unit of the queue lengths in flits.
    fn unit(&self) -> u32;
}

/// What a switch remembers for its selector.
#[derive(Default)]
pub(crate) struct Memory<'a> {
    /// Per destination switch: a round-robin counter, if the selector needs one.
    pub turns: &'a mut [u8],
    /// Per destination switch: what acknowledgements have told, if the selector learns from them.
    pub known: &'a mut [Known],
}

/// A packet whose route a selector must choose.
pub(crate) struct RouteRequest<'a, Q> {
    pub choices: &'a Choices<'a>,
    pub from: u32,
    /// The destination switch, which differs from `from`.
    pub to: u32,
    /// The number of channels that the packet has crossed, and its level. Both are 0 unless the selector chooses again at the second
    /// switch.
    pub hops: u8,
    pub level: u8,
    pub queues: &'a Q,
    pub generator: &'a mut Generator,
    pub memory: Memory<'a>,
}

impl<Q: Queues> RouteRequest<'_, Q> {
    /// Returns the queue length at `port` for a packet on `route`, as `estimate` measures it.
    fn queue(&self, estimate: Estimate, port: u16, route: &Route) -> u32 {
        match estimate {
            Estimate::All => self.queues.credits(port, None),
            Estimate::Class => {
                let group = self.choices.first_group(route, port, self.from, self.to, self.hops, self.level);
                self.queues.credits(port, Some(group))
            }
            Estimate::Output => self.queues.output(port),
        }
    }

    /// Chooses up to `count` different random layers or paths of the switch pair, but not the first one. Calls `see` with the route over
    /// each of them. If layers have weights, chooses layers in proportion to their weights instead, so a layer may repeat.
    fn draw_others(&mut self, count: u32, mut see: impl FnMut(&mut Self, Route)) {
        let choices = self.choices.choices(self.from, self.to);
        let others = choices.len() as u32 - 1;
        if others == 0 {
            return;
        }
        // The numbers are consecutive from a random start. So they are different, and each number is equally likely.
        let start = if self.choices.is_weighted { 0 } else { self.generator.below(others) };
        for i in 0..count.min(others) {
            let number = match self.choices.is_weighted {
                true => self.choices.draw_choice(self.from, self.to, self.generator),
                false => choices.start + 1 + (start + i) % others,
            };
            if number != choices.start {
                let route = self.choices.route_by_number(number, self.from, self.to);
                see(self, route);
            }
        }
    }

    /// Returns the route over the first layer, or over the first path of the switch pair.
    fn first_choice(&self) -> Route {
        let first = self.choices.choices(self.from, self.to).start;
        self.choices.route_by_number(first, self.from, self.to)
    }

    /// Returns the number of hops of `route`. Its first port must be set.
    fn hops(&self, route: &Route) -> u32 {
        self.choices.route_hops(route, self.from, self.to)
    }

    /// Chooses at random one of the first ports of `route`. Returns the queue length at that port, and the route through it.
    fn first_port(&mut self, estimate: Estimate, route: Route) -> (u32, Route) {
        let port = self.choices.draw_port(&route, self.from, self.to, self.generator);
        (self.queue(estimate, port, &route), Route { port: Some(port), ..route })
    }

    /// Chooses, among the first ports of `route`, the port with the shortest queue; ties are broken at random. Returns the queue length at
    /// that port, and the route through it.
    fn best_port(&mut self, estimate: Estimate, route: Route) -> (u32, Route) {
        let (mut least, mut best, mut ties) = (u32::MAX, route, 0);
        for &port in self.choices.first_ports(&route, self.from, self.to) {
            let queue = self.queue(estimate, port, &route);
            if queue < least {
                (least, ties) = (queue, 0);
            }
            if queue == least {
                ties += 1;
                if ties == 1 || self.generator.below(ties) == 0 {
                    best.port = Some(port);
                }
            }
        }
        (least, best)
    }
}

words! {
    /// The queue length that adaptive selectors compare.
    pub(crate) enum Estimate {
        All = "all",
        Class = "class",
        Output = "output",
    }
}

parameters! {
    /// The parameter of adaptive selectors that says which queues they compare.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Queue {
        /// queue that is compared: the credits in use over all virtual channels of the port (all) or over those that the packet may use
        /// (class), or the flits in the switch that wait for the cable (output)
        estimate "queue": Estimate = word(Estimate::WORDS), default "all";
    }
}

/// The form of routing that a selector needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// Forwarding tables only.
    Tables,
    /// Forwarding tables or a path set.
    Either,
}

/// A plug-in that chooses the route of every packet.
pub(crate) trait Select: Plugin {
    /// The form of routing that the selector needs.
    const OVER: Over;
    /// Maximum number of routes that a packet takes one after the other.
    const PHASES: u8 = 1;
    /// Whether the selector uses layers beyond the first.
    const ALL_LAYERS: bool = false;

    /// Returns the maximum number of routes that a packet takes one after the other.
    fn phases(&self) -> u8 {
        Self::PHASES
    }

    /// Returns whether the selector uses layers beyond the first.
    fn all_layers(&self) -> bool {
        Self::ALL_LAYERS
    }

    /// Returns whether a switch always takes the same port toward a destination.
    fn one_port(&self) -> bool {
        false
    }

    /// Returns whether a packet on the way to an intermediate switch leaves the network if it passes its destination.
    fn ends_in_passing(&self) -> bool {
        false
    }

    /// Returns the selector's own table, if it replaces the tables of the routing.
    fn table(&self, _fabric: &Fabric) -> Result<Option<Table>, Error> {
        Ok(None)
    }

    /// Returns whether routes go through an intermediate group instead of an intermediate switch. That group differs
    /// from the groups of source and destination.
    fn by_group(&self) -> bool {
        false
    }

    /// Whether a packet may leave its minimal route at its second switch. Unless the selector changes layers, that switch must be in the
    /// source's group.
    const REVISES: bool = false;

    /// Chooses the rest of the route at the packet's second switch.
    fn revise<Q: Queues>(&self, _: &mut RouteRequest<'_, Q>) -> Route {
        Route::minimal()
    }

    /// Whether the selector needs a round-robin counter per pair of switches.
    const COUNTS: bool = false;

    /// Whether the selector learns from acknowledgements.
    const LEARNS: bool = false;

    /// Updates what a switch knows about a destination switch.
    fn on_ack(&self, _known: &mut Known, _ack: &Ack) {}

    /// Adapts the parameters to a router whose queue of a first hop never has more than `full` flits, unless the next switch is congested.
    /// Returns a warning if a parameter changes.
    fn adapt(&mut self, _full: u64) -> Option<String> {
        None
    }

    /// Whether the selector needs distances between switches.
    const DISTANCES: bool = false;

    /// Returns whether all shortest paths of the fabric replace layer 0.
    fn all_shortest(&self) -> bool {
        false
    }

    /// Returns whether the selector needs the path lengths of all layers.
    fn lengths(&self) -> bool {
        false
    }

    /// Whether the selector needs the queue lengths of all switches.
    const GLOBAL: bool = false;

    /// Chooses the route of a packet.
    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route;
}

registry! {
    /// All selectors, in the order of `tulle list flit-selectors`.
    pub(crate) static SELECTORS: Selectors("selector", (), Facts) -> SpecError =
        /// A selector with its parameters resolved.
        #[derive(Debug)]
        enum Selector by each;
    mod minimal: Minimal;
    mod single_path: SinglePath;
    mod random: Random;
    mod round_robin: RoundRobin;
    mod valiant: Valiant;
    mod ugal: Ugal;
    mod par: Par;
    mod ugal_g: UgalG;
    mod recycle: Recycle;
    mod ksp_ugal: KspUgal;
    mod ksp_adaptive: KspAdaptive;
    mod dimension_order: DimensionOrder;
    #[cfg(test)]
    mod toy: Toy;
}

/// The constant properties of a selector. They are known before the selector's spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    over: Over,
}

impl Facts {
    const fn of<S: Select>() -> Self {
        Self { over: S::OVER }
    }
}

impl Selector {
    /// Chooses the route of a packet at its first switch.
    #[inline]
    pub fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        each!(self, selector => selector.choose(request))
    }

    /// Chooses the rest of the route at the packet's second switch.
    pub fn revise<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        each!(self, selector => selector.revise(request))
    }

    /// Updates what a switch knows about a destination switch.
    pub fn on_ack(&self, known: &mut Known, ack: &Ack) {
        each!(self, selector => selector.on_ack(known, ack));
    }

    /// Adapts the parameters to a router whose queue of a first hop never has more than `full` flits, unless the next switch is congested.
    /// Returns a warning if a parameter changes.
    pub fn adapt(&mut self, full: u64) -> Option<String> {
        each!(self, selector => selector.adapt(full))
    }

    /// Returns the table that replaces the tables of the routing, if any.
    pub fn table(&self, fabric: &Fabric) -> Result<Option<Table>, Error> {
        each!(self, selector => selector.table(fabric))
    }

    /// Returns the properties of the selector that the simulator must know.
    pub fn traits(&self) -> Traits {
        fn of<S: Select>(selector: &S) -> Traits {
            Traits {
                name: S::INFO.name,
                over: S::OVER,
                phases: selector.phases(),
                all_layers: selector.all_layers(),
                one_port: selector.one_port(),
                ends_in_passing: selector.ends_in_passing(),
                by_group: selector.by_group(),
                revises: S::REVISES,
                counts: S::COUNTS,
                learns: S::LEARNS,
                distances: S::DISTANCES,
                all_shortest: selector.all_shortest(),
                lengths: selector.lengths(),
                global: S::GLOBAL,
            }
        }
        each!(self, selector => of(selector))
    }

    /// Returns the canonical spec.
    pub fn spec(&self) -> String {
        each!(self, selector => selector.spec())
    }
}

/// The properties of a selector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Traits {
    pub name: &'static str,
    pub over: Over,
    pub phases: u8,
    pub all_layers: bool,
    pub one_port: bool,
    pub ends_in_passing: bool,
    pub by_group: bool,
    pub revises: bool,
    pub counts: bool,
    pub learns: bool,
    pub distances: bool,
    pub all_shortest: bool,
    pub lengths: bool,
    pub global: bool,
}

impl Traits {
    /// Returns whether a packet may change to another layer at its second switch, whatever its group.
    pub fn changes_layer(&self) -> bool {
        self.revises && self.all_layers
    }

    /// Checks that the selector supports `routing`.
    pub fn check(&self, routing: &Routing) -> Result<(), Error> {
        if self.over == Over::Tables && routing.path_set().is_some() {
            let (name, spec) = (self.name, routing.spec());
            return Err(Error::shape(
                format!("selector '{name}' does not support routing '{spec}', which is a path set"),
                format!("{}; or a routing of tables, for example minimal", over_paths()),
            ));
        }
        Ok(())
    }
}

/// Returns the names of the selectors that support path sets.
fn over_paths() -> String {
    let fits = |entry: &&Entry<Selectors>| entry.facts.over == Over::Either;
    SELECTORS.entries.iter().filter(fits).map(|entry| entry.info.name).collect::<Vec<_>>().join(", ")
}

/// Returns the [`Info`] of every registered selector.
pub fn selectors() -> Vec<&'static Info> {
    SELECTORS.infos()
}

/// Parses the selector `spec`.
pub(crate) fn read(spec: &str) -> Result<Selector, SpecError> {
    Ok(SELECTORS.read(spec, &())?.1)
}

/// Returns the canonical form of `spec`, which states every parameter.
pub(crate) fn canonical(spec: &str) -> Result<String, SpecError> {
    Ok(read(spec)?.spec())
}
