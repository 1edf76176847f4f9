//! Selectors: the route of a packet, chosen at its first switch. One file and one registry line each.
//!
//! Over tables a route is a layer and perhaps an intermediate switch; at every switch forwarding then takes any of the ports
//! that the layer's table has (at random, or always the same: `single-path`). Over a path set a route is a path.
//!
//! Adaptive selectors compare queues at ports of the first switch. What a queue is, their parameter `queue` says: `all`, the
//! credits in use over all virtual channels of the port (flits in the output queue, on the cable and in the next buffer, and
//! credits on their way back: what BookSim2's UGAL takes), `class`, the same over the virtual channels that the packet may
//! use, `output`, what waits in the switch for the cable. Packets in virtual output queues count with the output port they are
//! for. Units are flits, with virtual cut-through packets.

#[cfg(test)]
mod stand_in;

use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};
use tulle_spec::{Entry, Info, Plugin, Registered, SpecError, parameters, registry, words};

use crate::Error;
use crate::choices::Choices;
use crate::flit::Generator;
pub(crate) use crate::route::Route;

/// Queues at the ports of a switch, for adaptive selectors; ports are positions in the switch's row.
pub(crate) trait Queues {
    /// Credits in use at `port` over the virtual channels of request group `group`; over all, where that is `None`.
    fn credits(&self, port: u16, group: Option<u8>) -> u32;
    /// Flits in the output queue of `port`.
    fn output(&self, port: u16) -> u32;
    /// The room of the port's buffers that `estimate` looks at, in the same units; where output queues have no limit, that of
    /// the next buffers.
    fn capacity(&self, estimate: Estimate) -> u32;
}

/// A packet to be sent, as a selector sees it.
pub(crate) struct Start<'a, Q> {
    pub choices: &'a Choices<'a>,
    pub from: u32,
    /// Another switch.
    pub to: u32,
    /// The channels that the packet has crossed, and its level: none and 0 but where a decision is revised.
    pub hops: u8,
    pub level: u8,
    pub queues: &'a Q,
    pub generator: &'a mut Generator,
    /// Per destination switch a count, where the selector keeps one.
    pub turns: &'a mut [u8],
}

impl<Q: Queues> Start<'_, Q> {
    /// The length of a queue.
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

    /// `route` by one of its first ports: drawn at random, and the queue there.
    fn first_port(&mut self, estimate: Estimate, route: Route) -> (u32, Route) {
        let port = self.choices.draw_port(&route, self.from, self.to, self.generator);
        (self.queue(estimate, port, &route), Route { port: Some(port), ..route })
    }

    /// `route` by that of its first ports whose queue is the shortest, drawn among those, and the queue there.
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
    /// Which queue adaptive selectors look at.
    pub(crate) enum Estimate {
        All = "all",
        Class = "class",
        Output = "output",
    }
}

parameters! {
    /// The queue that adaptive selectors compare.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Queue {
        /// which queue is compared
        estimate "queue": Estimate = word(Estimate::WORDS), default "all";
    }
}

/// The form of routing that a selector needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Tables,
    Paths,
    Either,
}

/// A selector.
pub(crate) trait Select: Plugin {
    /// The form of routing that it chooses from.
    const OVER: Over;
    /// How many shortest routes it strings together at most.
    const PHASES: u8 = 1;
    /// Whether it uses layers beyond the first.
    const ALL_LAYERS: bool = false;

    /// Whether a switch always takes the same port toward a destination.
    fn one_port(&self) -> bool {
        false
    }

    /// Whether a packet leaves where it passes its destination on the way to an intermediate switch.
    fn ends_in_passing(&self) -> bool {
        false
    }

    /// A table of its own, in place of the routing's.
    fn table(&self, _fabric: &Fabric) -> Result<Option<Table>, Error> {
        Ok(None)
    }

    /// Whether any switch of its group will do for an intermediate one, and all are of another group.
    fn by_group(&self) -> bool {
        false
    }

    /// Whether a minimal route may be left at the second switch, in the group of the source.
    const REVISES: bool = false;

    /// The route of a packet on from there.
    fn revise<Q: Queues>(&self, _: &mut Start<'_, Q>) -> Route {
        Route::minimal()
    }

    /// Whether it needs a count per pair of switches.
    const COUNTS: bool = false;

    /// Whether it needs distances.
    const DISTANCES: bool = false;

    /// Whether it needs the queues of all switches.
    const GLOBAL: bool = false;

    /// The route of a packet.
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route;
}

registry! {
    /// All selectors, in the order of `tulle list flit-selectors`.
    pub(crate) static SELECTORS: Selectors("selector", (), Facts) -> SpecError =
        /// A selector, its parameters resolved.
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
    mod ksp_ugal: KspUgal;
    mod ksp_adaptive: KspAdaptive;
    mod dimension_order: DimensionOrder;
    #[cfg(test)]
    mod toy: Toy;
}

/// The constants of a selector, known before its spec is read.
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
    /// The route of a packet at its first switch.
    #[inline]
    pub fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        each!(self, selector => selector.start(start))
    }

    /// The route from the second switch on, where the first is to be taken again.
    pub fn revise<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        each!(self, selector => selector.revise(start))
    }

    /// The table that takes the place of the routing's.
    pub fn table(&self, fabric: &Fabric) -> Result<Option<Table>, Error> {
        each!(self, selector => selector.table(fabric))
    }

    /// The properties that the engine must know.
    pub fn traits(&self) -> Traits {
        fn of<S: Select>(selector: &S) -> Traits {
            Traits {
                name: S::INFO.name,
                over: S::OVER,
                phases: S::PHASES,
                all_layers: S::ALL_LAYERS,
                one_port: selector.one_port(),
                ends_in_passing: selector.ends_in_passing(),
                by_group: selector.by_group(),
                revises: S::REVISES,
                counts: S::COUNTS,
                distances: S::DISTANCES,
                global: S::GLOBAL,
            }
        }
        each!(self, selector => of(selector))
    }

    /// The canonical spec.
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
    pub distances: bool,
    pub global: bool,
}

impl Traits {
    /// Whether the selector can choose from `routing`.
    pub fn check(&self, routing: &Routing) -> Result<(), Error> {
        let problem = |what: &str| format!("selector '{}' over '{}', which is {what}", self.name, routing.spec());
        match (self.over, routing.path_set()) {
            (Over::Tables, Some(_)) => Err(Error::shape(
                problem("a path set"),
                format!("{}; or a routing of tables, as minimal", fitting(Over::Paths)),
            )),
            (Over::Paths, None) => {
                Err(Error::shape(problem("of tables"), format!("{}; or a path set, as ksp:k=8", fitting(Over::Tables))))
            }
            _ => Ok(()),
        }
    }
}

/// The names of the selectors that choose from routings of the form `over`.
fn fitting(over: Over) -> String {
    let fits = |entry: &&Entry<Selectors>| [over, Over::Either].contains(&entry.facts.over);
    SELECTORS.entries.iter().filter(fits).map(|entry| entry.info.name).collect::<Vec<_>>().join(", ")
}

/// The [`Info`] of every registered selector.
pub fn selectors() -> Vec<&'static Info> {
    SELECTORS.infos()
}

/// The selector that `spec` gives.
pub(crate) fn read(spec: &str) -> Result<Selector, SpecError> {
    Ok(SELECTORS.read(spec, &())?.1)
}

/// `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str) -> Result<String, SpecError> {
    Ok(read(spec)?.spec())
}
