//! Checks that fabric, routing, router model, selector and policy fit together, and sets up a run.

use std::borrow::Cow;
use std::ops::ControlFlow;

use tulle_base::random::mix;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table, TableBuilder};

use crate::goal::Goal;
use crate::longest::Lengths;
use crate::policy::{self, Kind, Policy, PolicyContext};
use crate::router;
use crate::router::context::Run;
use crate::router::dispatch::{Dispatch, RunnableModel};
use crate::router::feedback::IdleTimes;
use crate::router::model::{MAX_PORTS, Timing};
use crate::routes::Routes;
use crate::run::End;
use crate::selector::{self, Selector};
use crate::sources::Sending;
use crate::{Config, Error, Progress, cdg};

/// A run whose inputs are complete except for the traffic.
pub(crate) struct Setup<'a> {
    fabric: &'a Fabric,
    /// The part of the routing that the selector uses.
    used: Cow<'a, Routing>,
    model: Box<dyn RunnableModel>,
    timing: Timing,
    selector: Selector,
    policy: Policy,
    /// The lengths of the routes ([`Lengths::hops`]), if the selector needs them.
    lengths: Vec<u8>,
    /// Per channel: its latency.
    latency: Vec<u32>,
    /// Number of cycles in a block. Routers exchange flits after each block.
    block: usize,
    warnings: Vec<String>,
}

impl<'a> Setup<'a> {
    /// Sets up the run of `config`.
    ///
    /// # Errors
    /// Fails under the same conditions as [`crate::simulate`], except for errors of the traffic.
    pub fn new(fabric: &'a Fabric, routing: &'a Routing, config: &Config) -> Result<Self, Error> {
        config.check()?;
        let model = router::read(&config.router)?;
        let mut selector = selector::read(&config.selector)?;
        let kind = policy::read(&config.policy)?;
        check_shapes(fabric, routing)?;
        selector.traits().check(routing)?;
        let used = used_part(fabric, routing, &selector)?;
        check_reach(fabric, &used)?;
        let traits = selector.traits();
        let groups = groups_of(fabric, &selector)?;
        let by_group = groups.as_deref().filter(|_| traits.by_group);
        // A route through a group may enter the group at any switch, so paths from all switches count.
        let measure = |routing: &Routing| Lengths::of(fabric, routing, by_group.is_some(), traits.lengths);
        let Some(Lengths { longest, hops: mut lengths }) = measure(&used) else {
            let problem = format!("routing '{}' has paths that loop or do not reach their destination", routing.spec());
            return Err(Error::shape(problem, "routings whose paths all reach their destinations"));
        };
        // A packet makes one hop before the diversion. Then it takes up to two routes, or one route in another layer.
        let hops = match (traits.revises, traits.changes_layer()) {
            (true, true) => 1 + longest,
            (true, false) => 1 + 2 * longest,
            (false, _) => longest * usize::from(traits.phases),
        };
        if hops > usize::from(u8::MAX) {
            return Err(Error::shape(format!("routes of {hops} hops are too long"), "at most 255 hops"));
        }
        let context = PolicyContext {
            fabric,
            routing: &used,
            phases: traits.phases,
            hops,
            groups: by_group,
            diverts: groups.as_deref().filter(|_| traits.revises),
            changes_layer: traits.changes_layer(),
            vcs: model.vcs(),
        };
        let asked = kind.spec();
        let (mut policy, repaired) = Policy::new(kind, &context)?;
        let cycle = cdg::cycle(&context, &mut policy)?;
        if let Some(repaired) = &repaired {
            lengths = measure(repaired).expect("the repaired paths reach their destinations").hops;
        }
        let used = repaired.map_or(used, Cow::Owned);
        let mut warnings = Vec::new();
        if policy.kind().spec() != asked {
            let vcs = model.vcs();
            warnings.push(format!(
                "policy '{asked}' needs a virtual channel per hop, {hops} in total, but a port has {vcs}: policy '{}' replaces it",
                policy.kind().spec()
            ));
        }
        if let Some(cycle) = cycle {
            let name = cycle.name(fabric);
            let what = format!(
                "routing '{}' with selector '{}' and policy '{}'",
                used.spec(),
                config.selector,
                policy.kind().spec()
            );
            if !config.may_deadlock {
                let problem = format!("{what} on {} can deadlock: {name}", fabric.spec());
                let selector =
                    if matches!(policy.kind(), Kind::Datelines(_)) { "selector dimension-order, " } else { "" };
                let plan = if traits.phases == 1 { "policy plan:hops, " } else { "" };
                let legal = format!("{selector}policy hops, {plan}or may_deadlock (--may-deadlock) to allow deadlocks");
                return Err(Error::shape(problem, legal));
            }
            warnings.push(format!("{what} can deadlock: {name}"));
        }
        let latency = config.latencies(fabric)?;
        warnings.extend(config.ignored_link_properties(fabric));
        let timing = model.timing(config.packet as u16);
        warn_about_buffers(model.buffer(), &timing, &latency, config, &mut warnings);
        let shortest = latency.iter().copied().min().unwrap_or(config.link_latency);
        model.check(shortest, config.packet)?;
        let block = timing.block(shortest);
        if traits.learns {
            warnings.extend(selector.adapt(full_queue(fabric, &policy, model.buffer(), timing.credit_loop(shortest))));
        }
        Ok(Self { fabric, used, model, timing, selector, policy, lengths, latency, block, warnings })
    }

    /// Returns the flit size in bytes and the cycle length in picoseconds, if the router model defines them.
    pub fn units(&self) -> Option<(u32, u64)> {
        self.model.units()
    }

    /// Returns the canonical spec of the VC policy that the run uses.
    pub fn policy(&self) -> String {
        self.policy.kind().spec()
    }

    /// Returns the delays inside routers.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Limits the length of a block of cycles to `cycles`. Routers receive each other's flits after every block.
    pub fn limit_block(&mut self, cycles: usize) {
        self.block = self.block.min(cycles);
    }

    /// Runs the simulation. Returns the state at its end, and warnings about the configuration.
    pub fn run(
        self,
        sending: Sending,
        config: &Config,
        goal: Goal,
        observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<(End, Vec<String>), Error> {
        self.share(sending, config, |run, model, warnings| {
            Ok((model.run(Dispatch { run, config, goal, observe })?, warnings))
        })
    }

    /// Assembles the data that all routers share, and passes it to `then` together with the router model and the
    /// warnings.
    pub fn share<T>(
        self,
        sending: Sending,
        config: &Config,
        then: impl FnOnce(&mut Run, &dyn RunnableModel, Vec<String>) -> T,
    ) -> T {
        let learns = self.selector.traits().learns;
        let routes = Routes::new(self.fabric, &self.used, self.selector, self.policy, &self.lengths);
        let idle = learns.then(|| IdleTimes::new(self.fabric, self.used.layers(), &self.latency, &self.timing));
        let mut run = Run {
            fabric: self.fabric,
            routes: &routes,
            sending,
            timing: self.timing,
            credits: self.timing.credits(self.model.buffer()),
            latency: self.latency,
            block: self.block,
            seed: mix(config.seed),
            idle,
        };
        then(&mut run, &*self.model, self.warnings)
    }
}

fn too_many_ports(fabric: &Fabric) -> Error {
    Error::shape(
        format!("a switch of {} has {} ports", fabric.spec(), fabric.radix()),
        format!("at most {MAX_PORTS} ports"),
    )
}

/// Returns the group of every switch, if the selector needs groups.
fn groups_of(fabric: &Fabric, selector: &Selector) -> Result<Option<Vec<u32>>, Error> {
    let traits = selector.traits();
    if traits.changes_layer() || !traits.by_group && !traits.revises {
        return Ok(None);
    }
    match fabric.groups() {
        Some(groups) => Ok(Some(groups)),
        None => {
            let problem =
                format!("selector '{}' does not support {}, which has no groups", selector.spec(), fabric.spec());
            Err(Error::shape(
                problem,
                "dragonfly, dragonfly-map, megafly; for other fabrics ugal:via=switch or par:via=layer",
            ))
        }
    }
}

/// Returns the part of `routing` that the selector uses. This is one of the following: the selector's own table; one next hop per
/// destination; the first layer; the whole routing; the whole routing with all shortest paths in place of layer 0.
fn used_part<'a>(fabric: &Fabric, routing: &'a Routing, selector: &Selector) -> Result<Cow<'a, Routing>, Error> {
    let traits = selector.traits();
    if let Some(table) = selector.table(fabric)? {
        return Ok(Cow::Owned(Routing::new(traits.name.to_owned(), tulle_routing::Routes::Layers(vec![table]))));
    }
    if traits.all_shortest {
        let minimal = tulle_routing::build(fabric, "minimal", 0)?;
        let layers = minimal.layers().iter().chain(&routing.layers()[1..]);
        let layers = layers.map(|layer| if traits.one_port { one_port(fabric, layer) } else { layer.clone() });
        let layers = tulle_routing::Routes::Layers(layers.collect());
        return Ok(Cow::Owned(Routing::new(routing.spec().to_owned(), layers)));
    }
    let layers = if traits.all_layers { routing.layers() } else { &routing.layers()[..routing.layers().len().min(1)] };
    if traits.one_port {
        let layers = layers.iter().map(|layer| one_port(fabric, layer)).collect();
        return Ok(Cow::Owned(Routing::new(routing.spec().to_owned(), tulle_routing::Routes::Layers(layers))));
    }
    if routing.num_layers() > 1 && !traits.all_layers {
        let first = tulle_routing::Routes::Layers(vec![routing.layers()[0].clone()]);
        return Ok(Cow::Owned(Routing::new(routing.spec().to_owned(), first)));
    }
    Ok(Cow::Borrowed(routing))
}

/// Returns `layer` reduced to one next hop per switch and destination.
fn one_port(fabric: &Fabric, layer: &Table) -> Table {
    let switches = fabric.num_switches() as u32;
    let mut builder = TableBuilder::new(fabric);
    for (switch, to) in (0..switches).flat_map(|switch| (0..switches).map(move |to| (switch, to))) {
        let ports = layer.next(switch, to);
        if !ports.is_empty() {
            let hash = mix(u64::from(switch) << 32 | u64::from(to));
            builder.set(switch, to, &[ports[(hash % ports.len() as u64) as usize]]);
        }
    }
    builder.finish()
}

/// Returns, per endpoint, its switch in the lower 16 bits, and its port on that switch in the upper bits.
pub(crate) fn endpoint_places(fabric: &Fabric) -> Vec<u32> {
    let mut place = vec![0; fabric.num_endpoints()];
    for switch in 0..fabric.num_switches() as u32 {
        for (port, &endpoint) in fabric.endpoints_of(switch).iter().enumerate() {
            place[endpoint as usize] = switch | (port as u32) << 16;
        }
    }
    place
}

fn check_shapes(fabric: &Fabric, routing: &Routing) -> Result<(), Error> {
    let switches = fabric.num_switches();
    if routing.num_switches() != switches {
        let theirs = routing.num_switches();
        let problem = format!("routing '{}' is for {theirs} switches, but the fabric has {switches}", routing.spec());
        return Err(Error::shape(problem, "a routing made for this fabric"));
    }
    if switches > usize::from(u16::MAX) {
        return Err(Error::shape(format!("{switches} switches are too many"), "at most 65535"));
    }
    if fabric.radix() > MAX_PORTS {
        return Err(too_many_ports(fabric));
    }
    if routing.num_layers() > usize::from(u8::MAX) {
        return Err(Error::shape(format!("{} layers are too many", routing.num_layers()), "at most 255"));
    }
    Ok(())
}

/// Checks that every pair of switches with endpoints has a path, and that each path of a path set ends at its
/// destination.
fn check_reach(fabric: &Fabric, routing: &Routing) -> Result<(), Error> {
    let edge = fabric.endpoint_switches();
    let pairs = || edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))).filter(|(from, to)| from != to);
    let missing = |(from, to): (u32, u32)| {
        let (from, to) = (fabric.called(from), fabric.called(to));
        let problem = format!("routing '{}' has no path from switch {from} to {to}", routing.spec());
        Err(Error::shape(problem, "a path for every pair of switches with endpoints"))
    };
    let first = match routing.path_set() {
        Some(paths) => pairs().find(|&(from, to)| {
            let ends =
                |path| paths.channels(fabric, from, path).last().map(|channel| fabric.targets()[channel as usize]);
            let range = paths.between(from, to);
            range.is_empty() || range.into_iter().any(|path| ends(path) != Some(to))
        }),
        None => {
            let lacks = |table: &Table, (from, to)| table.next(from, to).is_empty();
            // The layers are first looked at one after the other, because each of them is in little memory.
            let is_any = routing.layers().iter().any(|table| pairs().any(|pair| lacks(table, pair)));
            pairs().filter(|_| is_any).find(|&pair| routing.layers().iter().any(|table| lacks(table, pair)))
        }
    };
    first.map_or(Ok(()), missing)
}

/// Returns the maximum length in flits of the queue of a first hop, if the next switch is not congested. If the hop has one virtual channel,
/// the queue consists of the flits whose credits have not returned, at most `credit_loop`. If it has several virtual channels, only one of
/// them can send a flit from the input of the next switch at a time, so the buffers of all of them can fill.
fn full_queue(fabric: &Fabric, policy: &Policy, buffer: u16, credit_loop: u64) -> u64 {
    let starts = fabric.endpoint_switches().into_iter();
    let hops = starts
        .flat_map(|from| (fabric.offsets()[from as usize]..).zip(fabric.neighbours(from)).map(move |hop| (from, hop)));
    let groups =
        hops.map(|(from, (channel, &to))| policy.group((0, || to), policy.level(0, 0, from, to), 0, 0, || channel));
    match groups.map(|group| policy.ranges()[usize::from(group)].1).min() {
        Some(1) => credit_loop.min(buffer.into()),
        vcs => u64::from(vcs.unwrap_or(1)) * u64::from(buffer),
    }
}

fn warn_about_buffers(buffer: u16, timing: &Timing, latency: &[u32], config: &Config, warnings: &mut Vec<String>) {
    let longest = latency.iter().copied().max().unwrap_or(0).max(config.endpoint_latency);
    let needed = timing.credit_loop(longest);
    if u64::from(buffer) < needed {
        warnings.push(format!(
            "buffer={buffer}: one virtual channel alone cannot fill a link of {longest} cycles; that needs {needed} flits"
        ));
    }
}
