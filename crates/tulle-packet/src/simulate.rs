//! Sets up a simulation, runs it, and collects its results.

use std::ops::ControlFlow;
use std::time::Instant;

use tulle_base::memory::Need;
use tulle_deadlock::VcPlan;
use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::calendar::MAX_IDS;
use crate::config::Link;
use crate::engine::{self, DependencyScheduler, Engine, Faults, Sampling, Setup, State};
use crate::faults::Fault;
use crate::forwarding::Forwarding;
use crate::gather::gather;
use crate::lanes::{LanePlan, LaneQueues, Lanes};
use crate::link_names;
use crate::link_table::LinkTable;
use crate::partition::{self, Partition};
use crate::queue::Queues;
use crate::selector::{self, Choices};
use crate::transport;
use crate::{Config, Error, Flows, NEVER, Outcome, Progress, faults, nic, queue, reachability};

/// Checks the numbers and specs of `config`. [`simulate`] performs the same checks before it starts.
///
/// # Errors
/// Fails if a value or spec is illegal.
pub fn check(config: &Config) -> Result<(), Error> {
    resolve(config).map(|_| ())
}

/// Returns `config` with canonical specs, in which all parameters of queue, network interface, transport, selector and faults are explicit.
///
/// Defaults that depend on the link are computed for the link of `config`.
///
/// # Errors
/// Fails if a value or spec is illegal.
pub fn resolve(config: &Config) -> Result<Config, Error> {
    link_names::check(config)?;
    let links = LinkTable::uniform(Link::new(config)?);
    let link = links.kind(0);
    let drain = queue::read(&config.queue, link)?.drain(link);
    let served = transport::Flows { source: &[], bytes: &[], endpoints: 0, links: &links, lines: &[], drain };
    let chosen = selector::Flows {
        source: &[],
        destination: &[],
        endpoint_switch: &[],
        bytes: &[],
        choices: &Choices::Layers(1),
        seed: config.seed,
    };
    Ok(Config {
        queue: queue::canonical(&config.queue, link)?,
        nic: nic::canonical(&config.nic)?,
        transport: transport::canonical(&config.transport, &served)?,
        selector: selector::canonical(&config.selector, &chosen)?,
        faults: faults::read(config)?.into_iter().map(|fault| fault.spec).collect(),
        ..config.clone()
    })
}

/// Simulates `workload` on `fabric`, routed by `routing`.
///
/// `observe` is called at least every few milliseconds of processor time. If it returns `Break`, the run stops. The outcome then contains
/// the results up to this time and is not marked complete.
///
/// ```
/// use std::ops::ControlFlow;
/// use tulle_packet::{Config, simulate};
/// use tulle_traffic::Workload;
///
/// let fabric = tulle_topologies::build("clique:degree=2", 0)?;
/// let routing = tulle_routing::build(&fabric, "minimal", 0)?;
/// let mut workload = Workload::default();
/// workload.push(0, 5, 8936, 0);
/// let outcome = simulate(&fabric, &routing, &workload, &Config::default(), &mut |_| ControlFlow::Continue(()))?;
/// // The packet and its acknowledgement cross three links each. On every link, the packet takes 7.2 us (9000 bytes) plus 1 us latency, and
/// // the acknowledgement takes 51.2 ns (64 bytes) plus 1 us.
/// assert_eq!(outcome.flows.finish, [3 * 8_200_000 + 3 * 1_051_200]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// * `config` contains an illegal value or spec, or a fault or `sample_links` names links or switches that do not exist.
/// * A flow sends to itself, has no bytes or too many, starts too late, or has an endpoint that does not exist.
/// * The workload has columns of different lengths, a cycle of dependencies, or too long computations.
/// * The routing or the workload belongs to another fabric, or the routing has no path for a flow.
/// * The routing has more than 255 layers, or more than 255 paths for a flow.
/// * The selector needs forwarding tables, but the routing is a path set.
/// * The network or the workload is too large for the simulator or for the memory.
pub fn simulate(
    fabric: &Fabric,
    routing: &Routing,
    workload: &Workload,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    run(fabric, routing, None, workload, config, observe)
}

/// Like [`simulate`], but every virtual channel of `plan` is a virtual lane: switches queue, count and pause the packets of each lane
/// separately.
///
/// ```
/// use std::ops::ControlFlow;
/// use tulle_packet::{Config, simulate_with_plan};
/// use tulle_traffic::Workload;
///
/// let fabric = tulle_topologies::build("torus:dims=4", 0)?;
/// let routing = tulle_routing::build(&fabric, "minimal", 0)?;
/// let (plan, _) = tulle_deadlock::assign_vcs(&fabric, &routing, "dfsssp")?;
/// let mut workload = Workload::default();
/// workload.push(0, 2, 100_000, 0);
/// let config = Config { queue: "pfc".to_owned(), ..Config::default() };
/// let outcome =
///     simulate_with_plan(&fabric, &routing, &plan, &workload, &config, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((outcome.num_lanes, outcome.complete), (plan.num_vcs(), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails in the cases of [`simulate`], if the queue of `config` drops packets, if the plan has more than 15 virtual channels or several
/// phases, or if the plan is not valid for `routing`.
pub fn simulate_with_plan(
    fabric: &Fabric,
    routing: &Routing,
    plan: &VcPlan,
    workload: &Workload,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    check_shapes(fabric, routing, workload)?;
    let plan = LanePlan::new(plan, fabric, routing, config)?;
    run(fabric, routing, Some(plan), workload, config, observe)
}

/// Simulates `workload`, with the virtual lanes of `plan` if it is given.
pub(crate) fn run(
    fabric: &Fabric,
    routing: &Routing,
    plan: Option<LanePlan>,
    workload: &Workload,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    // The clock is read only for a profile, because `Instant::now` panics on targets without a clock (WebAssembly).
    let began = config.profile.then(Instant::now);
    let (links, kinds) = LinkTable::new(fabric, config)?;
    check_shapes(fabric, routing, workload)?;
    check_flows(fabric, workload, links.kind(0))?;
    check_steps(workload)?;
    reachability::check(fabric, routing, workload)?;
    let forwarding = Forwarding::new(fabric, routing);
    let choices = Choices::new(fabric, routing, workload);
    let chosen = selector::Flows {
        source: &workload.source,
        destination: &workload.destination,
        endpoint_switch: fabric.endpoint_switch(),
        bytes: &workload.bytes,
        choices: &choices,
        seed: config.seed,
    };
    let endpoints = fabric.num_endpoints();
    let drain = Queues::read(&config.queue, &links)?.drain(&links);
    let lines = kinds.get(fabric.num_channels()..fabric.num_channels() + endpoints).unwrap_or_default();
    let (source, bytes) = (&workload.source, &workload.bytes);
    let served = transport::Flows { source, bytes, endpoints, links: &links, lines, drain };
    let faults = faults::read(config)?;
    let sampled = link_names::ports(fabric, config)?;
    let turns = nic::takes_turns(&config.nic)?;
    let partition = Partition::new(fabric, threads(config, &faults, workload, fabric, &links));
    require(config, partition.parts(), fabric, workload, plan.as_ref())?;
    let part = |part: usize| {
        let queues = Queues::read(&config.queue, &links)?;
        let transport = transport::read(&config.transport, &served)?;
        let dependencies = DependencyScheduler::new(workload);
        let state = State::new(&Setup {
            links: &links,
            kinds: &kinds,
            queues: &queues,
            nic: turns,
            transport: &transport,
            dependencies: &dependencies,
            fabric,
            workload,
            config,
            partition: &partition,
            part,
        });
        Ok(Engine {
            selector: selector::read(&config.selector, &chosen, transport.has_subflows())?,
            lanes: plan.map(|plan| Box::new(Lanes::new(plan, state.num_ports()))),
            faults: Faults::new(&faults, fabric, routing, config.seed)?,
            sampling: Sampling::new(config.sample, sampled.clone()),
            meter: config.profile.then(Box::default),
            state,
            queues,
            transport,
            dependencies,
            horizon: partition.horizon(fabric, &links, &kinds),
            reverse: fabric.reverse(),
            links: links.clone(),
            forwarding,
            endpoint_switch: fabric.endpoint_switch(),
            source: &workload.source,
            destination: &workload.destination,
            start: &workload.start,
            packets: workload.bytes.iter().map(|bytes| bytes.div_ceil(links.kind(0).payload())).sum(),
        })
    };
    let mut parts = (0..partition.parts()).map(part).collect::<Result<Vec<Engine>, Error>>()?;
    let setup = began.map(|began| began.elapsed());
    engine::run(&mut parts, config.until.unwrap_or(NEVER), observe);
    let ran = config.profile.then(Instant::now);
    let mut outcome = gather(parts, workload);
    if let (Some(profile), Some(setup), Some(ran)) = (&mut outcome.profile, setup, ran) {
        profile.setup = setup.as_secs_f64();
        profile.gathering = ran.elapsed().as_secs_f64();
    }
    Ok(outcome)
}

/// Returns an error if memory does not suffice for the simulation's state and results.
///
/// The formula counts the state that each partition allocates for all ports and flows of the network. It does not count packets in flight,
/// because their number is not known in advance.
fn require(
    config: &Config,
    parts: usize,
    fabric: &Fabric,
    workload: &Workload,
    plan: Option<&LanePlan>,
) -> Result<(), Error> {
    let endpoints = fabric.num_endpoints() as u64;
    let (ports, flows) = (fabric.num_channels() as u64 + 2 * endpoints, workload.len() as u64);
    let per_flow = transport::bytes_per_flow(&config.transport)?;
    let lanes = plan.map_or(0, |plan| LaneQueues::need(ports, plan.num_lanes() as u64).get());
    let state = State::need(ports, flows, config).bytes(flows.saturating_mul(per_flow)).bytes(lanes);
    let need = Need::default().bytes(state.get().saturating_mul(parts as u64)).bytes(Flows::need(flows).get());
    Ok(need.require(|| format!("the state of {flows} flows and {ports} ports in {parts} partitions"))?)
}

/// Returns the number of threads for a simulation: the configured or default number, but 1 in two cases.
///
/// * An event in one partition affects other partitions without delay. This is the case with dependencies between messages, packet losses
///   by faults, and deadlock checks of lossless queues.
/// * The time windows between barriers contain almost no events. Threads then mostly wait for each other. On busy processors, waiting
///   takes about a hundred times as long as the work.
fn threads(config: &Config, faults: &[Fault], workload: &Workload, fabric: &Fabric, links: &LinkTable) -> usize {
    let is_apart = faults.is_empty() && workload.dependencies.num_steps().is_none();
    let ports = fabric.num_channels() + 2 * fabric.num_endpoints();
    let are_threads_worthwhile = partition::are_threads_worthwhile(ports, links);
    if is_apart && are_threads_worthwhile && !queue::is_lossless(&config.queue) {
        config.threads.unwrap_or_else(|| partition::usual(fabric.num_endpoints()))
    } else {
        1
    }
}

fn check_shapes(fabric: &Fabric, routing: &Routing, workload: &Workload) -> Result<(), Error> {
    let shape = |problem: String, legal: &str| Err(Error::Shape { problem, legal: format!("legal: {legal}") });
    let switches = fabric.num_switches();
    if routing.num_switches() != switches {
        let theirs = routing.num_switches();
        let problem = format!("routing '{}' is for {theirs} switches, the fabric has {switches}", routing.spec());
        return shape(problem, "a routing made for this fabric");
    }
    if switches > usize::from(u16::MAX) {
        return shape(format!("{switches} switches are too many"), "at most 65535");
    }
    if routing.num_layers() > usize::from(u8::MAX) {
        return shape(format!("{} layers are too many", routing.num_layers()), "at most 255");
    }
    if let Some(problem) = workload.misfit(fabric) {
        return shape(problem, MADE_FOR_THIS);
    }
    let ports = fabric.num_channels() + 2 * fabric.num_endpoints();
    if ports as u64 > MAX_IDS {
        return shape(format!("{ports} ports are too many"), "at most 2^29; the link of an endpoint counts twice");
    }
    let flows = workload.len();
    if flows as u64 > MAX_IDS {
        return shape(format!("{flows} flows are too many"), "at most 2^29");
    }
    for (name, length) in
        [("destination", workload.destination.len()), ("bytes", workload.bytes.len()), ("start", workload.start.len())]
    {
        if length != flows {
            return shape(
                format!("column {name} of the workload has {length} rows"),
                &format!("{flows}, as in column source"),
            );
        }
    }
    Ok(())
}

fn check_flows(fabric: &Fabric, workload: &Workload, link: &Link) -> Result<(), Error> {
    /// The latest start of a flow in picoseconds, about 13 days. With this limit, sums of times fit into 64 bits.
    const LATEST: u64 = 1 << 60;
    let endpoints = fabric.num_endpoints();
    let most = link.payload() * u64::from(u32::MAX);
    let refuse = |flow, problem, legal: String| Err(Error::Flow { flow, problem, legal: format!("legal: {legal}") });
    for flow in 0..workload.len() {
        let (source, destination) = (workload.source[flow], workload.destination[flow]);
        let (bytes, start) = (workload.bytes[flow], workload.start[flow]);
        for (name, endpoint) in [("source", source), ("destination", destination)] {
            if endpoint as usize >= endpoints {
                return refuse(flow, format!("{name}={endpoint} is not an endpoint"), format!("below {endpoints}"));
            }
        }
        if source == destination {
            return refuse(flow, format!("endpoint {source} sends to itself"), "two different endpoints".to_owned());
        }
        if bytes == 0 || bytes > most {
            return refuse(flow, format!("bytes={bytes} is out of range"), format!("1 to {most} at this mtu"));
        }
        if start > LATEST {
            return refuse(flow, format!("start={start} ps is out of range"), format!("0 to {LATEST} ps"));
        }
    }
    Ok(())
}

fn check_steps(workload: &Workload) -> Result<(), Error> {
    /// The maximum total computation time in picoseconds, about 53 days. With this limit, sums of times fit into 64 bits.
    const LONGEST: u128 = 1 << 62;
    let shape = |problem: String, legal: String| Err(Error::Shape { problem, legal: format!("legal: {legal}") });
    let (steps, dependencies) = (workload.num_steps(), &workload.dependencies);
    if steps as u64 > MAX_IDS {
        return shape(format!("{steps} messages and computations are too many"), "at most 2^29".to_owned());
    }
    if let Some(rows) = dependencies.num_steps().filter(|&rows| rows != steps) {
        return shape(
            format!("dependencies for {rows} steps"),
            format!("{steps}, the number of messages and computations"),
        );
    }
    let computed: u128 = workload.compute.iter().copied().map(u128::from).sum();
    if computed > LONGEST {
        return shape(format!("computations take {computed} ps in total"), format!("at most {LONGEST} ps"));
    }
    if let Some(step) = dependencies.in_a_cycle() {
        return shape(
            format!("step {step} waits for itself through other steps"),
            "dependencies without a cycle".to_owned(),
        );
    }
    Ok(())
}
