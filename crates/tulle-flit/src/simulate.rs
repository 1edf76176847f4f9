//! Setting a simulation up and running it.

use std::borrow::Cow;
use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_fabric::random::mix;
use tulle_routing::{Routes, Routing, TableBuilder};

use crate::longest::longest;
use crate::measure::Window;
use crate::policy::{self, Policy, Purpose};
use crate::router::{self, Model, Run, input_queued, virtual_cut_through};
use crate::selector::{self, Selector};
use crate::sources::Sending;
use crate::traffic::Arrivals;
use crate::ways::Ways;
use crate::{Config, Error, Outcome, Progress, Traffic, judge, run};

/// Checks the numbers and specs of `config`, as [`simulate`] does before anything else.
///
/// # Errors
/// A value or spec that is not legal.
pub fn check(config: &Config) -> Result<(), Error> {
    resolve(config).map(|_| ())
}

/// `config` with canonical specs: every parameter of router, selector and policy is there.
///
/// # Errors
/// A value or spec that is not legal.
pub fn resolve(config: &Config) -> Result<Config, Error> {
    config.check()?;
    Ok(Config {
        router: router::read(&config.router)?.spec(),
        selector: selector::canonical(&config.selector)?,
        policy: policy::read(&config.policy)?.spec(),
        ..config.clone()
    })
}

/// Simulates `traffic` on `fabric`, routed by `routing`.
///
/// `observe` is called after every block of cycles (as many as the shortest link has, and one more); where it breaks, the
/// run stops and the outcome holds what happened until then, not marked complete.
///
/// # Errors
/// A value or spec of `config` that is not legal; a fabric with more than 64 ports per switch, without endpoints or with more
/// than 65535 switches; a routing or traffic of another fabric; a selector or policy that the routing does not fit; too few
/// virtual channels; and, unless [`Config::may_deadlock`] says otherwise, what can deadlock, with the cycle.
pub fn simulate(
    fabric: &Fabric,
    routing: &Routing,
    traffic: &Traffic,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    config.check()?;
    let model = router::read(&config.router)?;
    let selector = selector::read(&config.selector)?;
    let kind = policy::read(&config.policy)?;
    check_shapes(fabric, routing, traffic)?;
    selector.traits().check(routing)?;
    let used = used_part(fabric, routing, &selector)?;
    check_reach(fabric, &used)?;
    let Some(longest) = longest(fabric, &used) else {
        return Err(Error::shape(format!("'{}' has paths that do not end", routing.spec()), "routings without loops"));
    };
    let phases = selector.traits().phases;
    if longest * usize::from(phases) > usize::from(u8::MAX) {
        return Err(Error::shape(format!("ways of {longest} hops are too long"), "at most 255 hops"));
    }
    let purpose = Purpose { fabric, routing: &used, phases, longest, vcs: model.vcs() };
    let (policy, repaired) = Policy::new(kind, &purpose)?;
    let used = repaired.map_or(used, Cow::Owned);
    let mut warnings = Vec::new();
    if let Some(cycle) = judge::cycle(fabric, &used, policy.kind(), phases)? {
        let name = cycle.name(fabric);
        let what = format!("'{}' by '{}' with policy '{}'", used.spec(), config.selector, policy.kind().spec());
        if !config.may_deadlock {
            let problem = format!("{what} on {} can deadlock: {name}", fabric.spec());
            return Err(Error::shape(problem, "policy hops, a plan, or to ask for it (may_deadlock)"));
        }
        warnings.push(format!("{what} can deadlock: {name}"));
    }
    let latency = config.latencies(fabric)?;
    warn_about_buffers(&model, &latency, config, &mut warnings);
    let shortest = latency.iter().copied().min().unwrap_or(config.latency);
    let place = places(fabric);
    let arrivals =
        Arrivals { traffic, rate: (config.load * 4_294_967_296.0 / f64::from(config.packet)).round() as u64, place };
    let ways = Ways::new(fabric, &used, selector, policy);
    let window = Window { start: config.warmup, end: config.warmup + config.window, sample: config.sample };
    let run = Run {
        fabric,
        ways: &ways,
        sending: Sending {
            arrivals: &arrivals,
            packet: config.packet as u16,
            latency: config.endpoint_latency,
            window,
        },
        latency,
        block: model.block(shortest, config.packet)?,
        seed: mix(config.seed),
        #[cfg(feature = "conservation")]
        buffer: model.credits(config.packet as u16),
    };
    let mut outcome = build_and_run(&run, &model, config, observe)?;
    outcome.warnings = warnings;
    Ok(outcome)
}

/// Routers of as many virtual channels as the largest switch needs, in words of 64.
fn build_and_run(
    run: &Run,
    model: &Model,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    let switches = 0..run.fabric.num_switches() as u32;
    let model = match model {
        Model::InputQueued(model) => model,
        Model::VirtualCutThrough(model) => {
            let routers = switches.map(|switch| virtual_cut_through::State::new(model, run, switch)).collect();
            return run::drive(run, routers, config, observe);
        }
    };
    let stride = usize::from(model.vcs.next_power_of_two());
    macro_rules! of_words {
        ($($words:literal)+) => {
            match (run.fabric.radix() * stride).div_ceil(64) {
                $(..=$words => {
                    let routers = switches.map(|switch| input_queued::State::<$words>::new(model, run, switch)).collect();
                    run::drive(run, routers, config, observe)
                })+
                _ => Err(too_many_ports(run.fabric)),
            }
        };
    }
    of_words!(1 2 3 4 8 16)
}

fn too_many_ports(fabric: &Fabric) -> Error {
    Error::shape(format!("a switch of {} has {} ports", fabric.spec(), fabric.radix()), "at most 64 ports")
}

/// What of `routing` the selector uses: a table of its own, one port of every group, the first layer, or all.
fn used_part<'a>(fabric: &Fabric, routing: &'a Routing, selector: &Selector) -> Result<Cow<'a, Routing>, Error> {
    let traits = selector.traits();
    if let Some(table) = selector.table(fabric)? {
        return Ok(Cow::Owned(Routing::new(traits.name.to_owned(), Routes::Layers(vec![table]))));
    }
    if traits.one_port {
        let (layer, switches) = (&routing.layers()[0], fabric.num_switches() as u32);
        let mut builder = TableBuilder::new(fabric);
        for (switch, to) in (0..switches).flat_map(|switch| (0..switches).map(move |to| (switch, to))) {
            let ports = layer.next(switch, to);
            if !ports.is_empty() {
                let hash = mix(u64::from(switch) << 32 | u64::from(to));
                builder.set(switch, to, &[ports[(hash % ports.len() as u64) as usize]]);
            }
        }
        return Ok(Cow::Owned(Routing::new(routing.spec().to_owned(), Routes::Layers(vec![builder.finish()]))));
    }
    if routing.num_layers() > 1 && !traits.all_layers {
        let first = Routes::Layers(vec![routing.layers()[0].clone()]);
        return Ok(Cow::Owned(Routing::new(routing.spec().to_owned(), first)));
    }
    Ok(Cow::Borrowed(routing))
}

/// Per endpoint its switch, and its port there.
fn places(fabric: &Fabric) -> Vec<u32> {
    let mut place = vec![0; fabric.num_endpoints()];
    for switch in 0..fabric.num_switches() as u32 {
        for (port, &endpoint) in fabric.endpoints_of(switch).iter().enumerate() {
            place[endpoint as usize] = switch | (port as u32) << 16;
        }
    }
    place
}

fn check_shapes(fabric: &Fabric, routing: &Routing, traffic: &Traffic) -> Result<(), Error> {
    let (switches, endpoints) = (fabric.num_switches(), fabric.num_endpoints());
    if routing.num_switches() != switches {
        let theirs = routing.num_switches();
        let problem = format!("routing '{}' is for {theirs} switches, the fabric has {switches}", routing.spec());
        return Err(Error::shape(problem, "a routing made for this fabric"));
    }
    if traffic.num_endpoints() != endpoints {
        let theirs = traffic.num_endpoints();
        let problem = format!("traffic '{}' is for {theirs} endpoints, the fabric has {endpoints}", traffic.spec());
        return Err(Error::shape(problem, "traffic made for this fabric"));
    }
    if switches > usize::from(u16::MAX) {
        return Err(Error::shape(format!("{switches} switches are too many"), "at most 65535"));
    }
    if fabric.radix() > 64 {
        return Err(too_many_ports(fabric));
    }
    if routing.num_layers() > usize::from(u8::MAX) {
        return Err(Error::shape(format!("{} layers are too many", routing.num_layers()), "at most 255"));
    }
    Ok(())
}

/// Every pair of switches with endpoints has a path, and the paths of a path set lead where they should.
fn check_reach(fabric: &Fabric, routing: &Routing) -> Result<(), Error> {
    let edge = fabric.endpoint_switches();
    let pairs = || edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))).filter(|(from, to)| from != to);
    let missing = |(from, to): (u32, u32)| {
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
        None => pairs().find(|&(from, to)| routing.layers().iter().any(|table| table.next(from, to).is_empty())),
    };
    first.map_or(Ok(()), missing)
}

fn warn_about_buffers(model: &Model, latency: &[u32], config: &Config, warnings: &mut Vec<String>) {
    let longest = latency.iter().copied().max().unwrap_or(0).max(config.endpoint_latency);
    let needed = model.credit_loop(longest, config.packet);
    if model.buffer() < needed {
        warnings.push(format!(
            "buffer={}: one virtual channel alone cannot fill a link of {longest} cycles; that needs {needed} flits",
            model.buffer()
        ));
    }
}
