//! The routes to which a deadlock scheme assigns virtual channels, and functions that follow these routes.
//!
//! A *route* is the path of one layer from a source switch to a destination switch, or one path of a path set. If a layer has several next
//! hops per entry, the route consists of all paths that these next hops allow. Only switches with endpoints send and receive; in a fabric
//! without endpoints, all switches do.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::{Flaw, Routes, Routing, Table};

/// One route of a routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route {
    /// The index of the route in an array over all routes. It is `(layer * S + source) * S + destination` with S switches; in a path set,
    /// it is the path number.
    pub number: u32,
    /// The layer, or the path number.
    pub layer: u32,
    /// The source switch.
    pub source: u32,
    /// The destination switch.
    pub destination: u32,
}

/// The value of `before` for the first channel of a route: no channel precedes it.
pub(crate) const NO_CHANNEL: u32 = u32::MAX;

/// One hop of a route: a channel that the route may use, and the channel before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// How many channels came before.
    pub hop: usize,
    /// The preceding channel of the route; [`NO_CHANNEL`] if this channel is the first one.
    pub before: u32,
    /// The channel.
    pub channel: u32,
    /// Whether this channel leads into the destination.
    pub last: bool,
}

/// Returns the switches that send and receive: all switches with endpoints, or all switches if none has endpoints.
pub(crate) fn senders(fabric: &Fabric) -> Vec<u32> {
    let edge = fabric.endpoint_switches();
    if edge.is_empty() { (0..fabric.num_switches() as u32).collect() } else { edge }
}

/// Returns the number of routes of `routing`, which is the length of an array with one entry per route.
///
/// # Errors
/// Returns the number of routes if it exceeds 32 bits.
pub(crate) fn column(routing: &Routing) -> Result<usize, u64> {
    let routes = match routing.routes() {
        Routes::Layers(layers) => layers.len() as u64 * (routing.num_switches() as u64).pow(2),
        Routes::Paths(paths) => paths.num_paths() as u64,
    };
    u32::try_from(routes).map(|routes| routes as usize).map_err(|_| routes)
}

/// Calls `visit` with every route from `source` to a switch in `senders`, by ascending route number.
pub(crate) fn routes_of(routing: &Routing, senders: &[u32], source: u32, mut visit: impl FnMut(Route)) {
    task::check();
    match routing.routes() {
        Routes::Layers(layers) => {
            let switches = routing.num_switches() as u32;
            for layer in 0..layers.len() as u32 {
                for &destination in senders.iter().filter(|&&destination| destination != source) {
                    let number = (layer * switches + source) * switches + destination;
                    visit(Route { number, layer, source, destination });
                }
            }
        }
        Routes::Paths(paths) => {
            for &destination in senders.iter().filter(|&&destination| destination != source) {
                for path in paths.between(source, destination) {
                    visit(Route { number: path, layer: path, source, destination });
                }
            }
        }
    }
}

/// Returns, for each hop number, how many routes between switches with endpoints have a hop with this number.
///
/// # Errors
/// Fails if a route does not lead to its destination.
pub(crate) fn hop_loads(fabric: &Fabric, routing: &Routing) -> Result<Vec<u64>, Flaw> {
    let edge = senders(fabric);
    let of_source = |walker: &mut Walker<'_>, &source: &u32| {
        // Entry h is the number of routes whose last hop is hop h.
        let (mut ends, mut flaw) = (Vec::<u64>::new(), None);
        routes_of(routing, &edge, source, |route| {
            let mut last = 0;
            let walked = walker.walk(route, |step| last = step.hop);
            ends.resize(ends.len().max(last + 1), 0);
            ends[last] += 1;
            flaw = flaw.or(walked.err());
        });
        flaw.map_or(Ok(ends), Err)
    };
    let parts: Vec<_> = edge.par_iter().map_init(|| Walker::new(fabric, routing), of_source).collect();
    let mut loads = Vec::new();
    for part in parts {
        let ends = part?;
        loads.resize(loads.len().max(ends.len()), 0);
        for (hop, ended) in ends.into_iter().enumerate() {
            loads[..=hop].iter_mut().for_each(|load| *load += ended);
        }
    }
    Ok(loads)
}

/// Follows routes hop by hop. Its working memory is reused for the next route.
pub(crate) struct Walker<'a> {
    fabric: &'a Fabric,
    routing: &'a Routing,
    /// Per layer, whether every entry has a single next hop.
    plain: Vec<bool>,
    /// Per channel, the hop at which a walk last visited it. Hops are counted over all walks.
    seen: Vec<u32>,
    hops: u32,
    here: Vec<u32>,
    next: Vec<u32>,
}

impl<'a> Walker<'a> {
    /// Returns a helper that follows the routes of `routing` on `fabric`.
    pub fn new(fabric: &'a Fabric, routing: &'a Routing) -> Self {
        let plain: Vec<bool> = routing.layers().iter().map(|table| table.widest() <= 1).collect();
        let seen = if plain.iter().all(|&plain| plain) { Vec::new() } else { vec![0; fabric.num_channels()] };
        Self { fabric, routing, plain, seen, hops: 0, here: Vec::new(), next: Vec::new() }
    }

    /// Calls `visit` with every channel that `route` may take and its preceding channel, by ascending hop. Each pair of channels is visited
    /// only once per hop.
    ///
    /// # Errors
    /// Fails if the routing has no next hop for this route, or if the route has a loop.
    #[inline]
    pub fn walk(&mut self, route: Route, mut visit: impl FnMut(Step)) -> Result<(), Flaw> {
        match self.routing.routes() {
            Routes::Layers(layers) => {
                let table = &layers[route.layer as usize];
                if self.plain[route.layer as usize] {
                    self.walk_plain(table, route, visit)
                } else {
                    self.walk_groups(table, route, visit)
                }
            }
            Routes::Paths(paths) => {
                let (mut switch, mut before) = (route.source, NO_CHANNEL);
                for (hop, &port) in paths.ports(route.layer).iter().enumerate() {
                    let channel = self.channel(switch, route.destination, port)?;
                    switch = self.fabric.targets()[channel as usize];
                    visit(Step { hop, before, channel, last: switch == route.destination });
                    before = channel;
                }
                match switch == route.destination {
                    true => Ok(()),
                    false => Err(Flaw::Missing { switch, destination: route.destination }),
                }
            }
        }
    }

    #[inline]
    fn walk_plain(&self, table: &Table, route: Route, mut visit: impl FnMut(Step)) -> Result<(), Flaw> {
        let destination = route.destination;
        let (mut switch, mut before) = (route.source, NO_CHANNEL);
        for hop in 0..self.fabric.num_switches() {
            // In a table whose entries have a single next hop, `table.group` returns the port of the next hop, or `NO_GROUP` if the entry
            // is missing.
            let port = table.group(switch, destination);
            if port == tulle_routing::NO_GROUP {
                return Err(Flaw::Missing { switch, destination });
            }
            let channel = self.channel(switch, destination, port)?;
            switch = self.fabric.targets()[channel as usize];
            let last = switch == destination;
            visit(Step { hop, before, channel, last });
            if last {
                return Ok(());
            }
            before = channel;
        }
        Err(Flaw::Loop { switch, destination })
    }

    fn walk_groups(&mut self, table: &Table, route: Route, mut visit: impl FnMut(Step)) -> Result<(), Flaw> {
        let destination = route.destination;
        self.here.clear();
        self.here.push(NO_CHANNEL);
        for hop in 0..self.fabric.num_switches() {
            self.start_hop();
            for at in 0..self.here.len() {
                let before = self.here[at];
                let switch = if before == NO_CHANNEL { route.source } else { self.fabric.targets()[before as usize] };
                let ports = table.next(switch, destination);
                if ports.is_empty() {
                    return Err(Flaw::Missing { switch, destination });
                }
                for &port in ports {
                    let channel = self.channel(switch, destination, port)?;
                    let last = self.fabric.targets()[channel as usize] == destination;
                    visit(Step { hop, before, channel, last });
                    if !last && std::mem::replace(&mut self.seen[channel as usize], self.hops) != self.hops {
                        self.next.push(channel);
                    }
                }
            }
            if self.next.is_empty() {
                return Ok(());
            }
            std::mem::swap(&mut self.here, &mut self.next);
        }
        Err(Flaw::Loop { switch: self.fabric.targets()[self.here[0] as usize], destination })
    }

    /// Starts a new hop, at which no channel has been visited yet.
    fn start_hop(&mut self) {
        self.next.clear();
        self.hops = self.hops.wrapping_add(1);
        if self.hops == 0 {
            self.seen.fill(0);
            self.hops = 1;
        }
    }

    #[inline]
    fn channel(&self, switch: u32, destination: u32, port: u16) -> Result<u32, Flaw> {
        let row = self.fabric.channels_of(switch);
        let channel = row.start + usize::from(port);
        if channel < row.end { Ok(channel as u32) } else { Err(Flaw::Port { switch, destination, port }) }
    }
}
