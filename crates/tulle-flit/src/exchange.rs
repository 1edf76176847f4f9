//! Exchanges: all messages of a workload, from the first flit to the last.

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_spec::{Arguments, Group, Info, SpecError, parameters};
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::calendar::{Calendar, NEVER, Units};
use crate::measure::Window;
use crate::message_queue::Order;
use crate::run::Goal;
use crate::setup::{Setup, places};
use crate::sources::{Sending, Supply};
use crate::{Config, Deadlock, Error, Progress};

/// The largest flit in bytes, the longest cycle in picoseconds, and the most cycles of an exchange.
const MAX_FLIT_BYTES: u32 = 1 << 20;
const MAX_CYCLE: u64 = 1_000_000_000_000;
const MAX_LIMIT: u32 = 1 << 31;

parameters! {
    /// The options of an exchange, beside those of [`Config`].
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Exchange(arguments) -> SpecError {
        /// Order in which an endpoint sends packets of its messages: `in-order` (one message after the other, by start and row),
        /// `round-robin` (a packet of each in turn) or `random` (a packet of one drawn each time).
        pub order: Order = word(Order::WORDS), default "round-robin";
        /// Payload bytes of a flit. The default is the router's, or 256. A message takes whole packets.
        pub flit_bytes: Option<u32> = or("none", &integer(1, MAX_FLIT_BYTES as u64)), default "none";
        /// Picoseconds of a cycle, for start times and computations. The default is the router's.
        pub cycle_ps: Option<u64> = or("none", &integer(1, MAX_CYCLE)), default "none";
        /// Most cycles to run. Messages that have not arrived by then are named in a warning.
        pub limit: u32 = integer(1, MAX_LIMIT as u64), default "10000000";
    }
}

/// The description of the options, for readers of them.
pub static EXCHANGE_OPTIONS: Info = Info {
    name: "",
    summary: "the options of an exchange of messages in the flit simulator",
    parameters: Exchange::PARAMETERS,
    nested: false,
    paper: "diameter-two §4.4",
    limitations: "A message takes whole packets, the last one padded.",
    examples: &["order=random"],
    rejects: &[],
};

/// Bytes of a flit, where nothing says otherwise: the packet of diameter-two §4.1.
const FLIT_BYTES: u32 = 256;

impl Exchange {
    /// Reads options given as texts; the others have their defaults.
    ///
    /// # Errors
    /// An unknown name, or an illegal value.
    pub fn parse(options: impl IntoIterator<Item = (String, String)>) -> Result<Self, SpecError> {
        Self::read(&Arguments::of(&EXCHANGE_OPTIONS, options)?, &())
    }
}

impl Default for Exchange {
    fn default() -> Self {
        Self::parse([]).expect("defaults are legal")
    }
}

/// The outcome of an exchange. Cycles count from 0, when the first messages may start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exchanged {
    /// Cycles until everything had arrived: one more than the last arrival; the cycles run, where something has not.
    pub cycles: u64,
    /// Payload bytes of a flit.
    pub flit_bytes: u32,
    /// Picoseconds of a cycle, where that is known.
    pub cycle_ps: Option<u64>,
    /// Endpoints that have messages to send.
    pub senders: usize,
    /// Per message the cycle from which it could be sent; `u32::MAX` where it still waited for others, or did not start.
    pub start: Vec<u32>,
    /// Per message the cycle in which its last flit arrived; `u32::MAX` where that has not.
    pub arrival: Vec<u32>,
    /// Payload per sending endpoint, cycle and flit: the share of the link rate (diameter-two §4.4). 1 is reached where every
    /// sender has as much to send and its link never rests. Not a number where something has not arrived.
    pub throughput: f64,
    /// Mean cycles of a packet from its first flit's leaving the source to its last flit's arrival; not a number where some
    /// packet has not arrived.
    pub network_latency: f64,
    /// Mean channels between switches crossed, of the packets that arrived, and the share on shortest paths.
    pub hops: f64,
    /// The share of them that went by a shortest path.
    pub minimal: f64,
    /// Per channel, the flits it carried per cycle.
    pub channel_load: Vec<f64>,
    /// Packets sent and arrived.
    pub sent: u64,
    /// Packets that arrived.
    pub delivered: u64,
    /// Flits that crossed a router.
    pub traversals: u64,
    /// Whether every message arrived.
    pub complete: bool,
    /// The deadlock that ended the run, if one did.
    pub deadlock: Option<Deadlock>,
    /// Warnings, a line each; where it is not complete, the messages that are missing.
    pub warnings: Vec<String>,
}

/// Sends all messages of `workload` over `fabric`, routed by `routing`, until they have arrived.
///
/// Router, selector, policy, packet, latencies, seed and threads are those of `config`; its load and windows are not used. A
/// message takes as many packets of [`Config::packet`] flits as hold its bytes, the last one padded. Starts and computations
/// are rounded up to whole cycles. What waits for a message may be sent from the cycle after its last flit's arrival. With
/// dependencies, routers run fewer cycles at a time, so that this is exact; the outcome does not depend on threads.
///
/// `observe` is called now and then; where it breaks, the run stops, and the outcome is not complete.
///
/// # Errors
/// All that [`crate::simulate`] refuses; endpoints that are not there, no message, messages of 2³² packets or more, steps that
/// wait for themselves; starts or computations where the time of a cycle is not known; a limit of 0 or above 2³¹.
pub fn exchange(
    fabric: &Fabric,
    routing: &Routing,
    workload: &Workload,
    config: &Config,
    settings: &Exchange,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Exchanged, Error> {
    let cycle_ps = settings.cycle_ps.or(config.cycle_ps);
    let config = &Config { cycle_ps, ..config.clone() }.on(fabric)?;
    let mut setup = Setup::new(fabric, routing, config)?;
    let (flit_bytes, cycle) = units(&setup, config, settings)?;
    check(fabric, workload, settings)?;
    let in_cycles = in_cycles(workload, u64::from(flit_bytes) * u64::from(config.packet), cycle)?;
    let mut calendar = Calendar::new(workload, in_cycles, &places(fabric));
    if calendar.has_dependencies() {
        setup.limit_block(setup.timing().reply(config.endpoint_latency));
    }
    let sending = Sending {
        supply: Supply::Posted(settings.order),
        packet: config.packet as u16,
        latency: config.endpoint_latency,
        window: Window { start: 0, end: u32::MAX, sample: 1 },
    };
    let (end, warnings) = setup.run(sending, config, Goal::Arrival(&mut calendar, settings.limit), observe)?;
    let mut senders = workload.source.clone();
    senders.sort_unstable();
    senders.dedup();
    let tally = &end.tally;
    let is_done = calendar.is_done();
    let last = calendar.arrival.iter().copied().max().unwrap_or(0);
    let cycles = if is_done { u64::from(last) + 1 } else { end.now.into() };
    let share = workload.total_bytes() as f64 / (cycles as f64 * senders.len() as f64 * f64::from(flit_bytes));
    let mean = |sum: u64| sum as f64 / tally.delivered as f64;
    let all = tally.created == tally.delivered && tally.delivered > 0;
    let mut exchanged = Exchanged {
        cycles,
        flit_bytes,
        cycle_ps: cycle,
        senders: senders.len(),
        throughput: if is_done { share } else { f64::NAN },
        network_latency: if all { mean(tally.latency - tally.waited) } else { f64::NAN },
        hops: mean(tally.hops),
        minimal: mean(tally.minimal),
        channel_load: end.sent.iter().map(|&sent| f64::from(sent) / cycles as f64).collect(),
        sent: tally.created,
        delivered: tally.delivered,
        traversals: tally.traversals,
        complete: is_done,
        deadlock: end.deadlock,
        warnings,
        ..Exchanged::default()
    };
    if !is_done {
        exchanged.warnings.push(missing(workload, &calendar, end.now));
    }
    (exchanged.start, exchanged.arrival) = calendar.into_columns(end.now);
    Ok(exchanged)
}

/// Bytes of a flit, and picoseconds of a cycle.
fn units(setup: &Setup, config: &Config, settings: &Exchange) -> Result<(u32, Option<u64>), Error> {
    if let Some(bytes) = settings.flit_bytes.filter(|bytes| !(1..=MAX_FLIT_BYTES).contains(bytes)) {
        return Err(Error::config("flit_bytes", bytes, "is out of range", format!("1 to {MAX_FLIT_BYTES}")));
    }
    if let Some(cycle) = settings.cycle_ps.filter(|cycle| !(1..=MAX_CYCLE).contains(cycle)) {
        return Err(Error::config("cycle_ps", cycle, "is out of range", format!("1 to {MAX_CYCLE}")));
    }
    let Some((model_bytes, model_cycle)) = setup.units() else {
        return Ok((settings.flit_bytes.unwrap_or(FLIT_BYTES), settings.cycle_ps));
    };
    let bytes = settings.flit_bytes.unwrap_or(model_bytes);
    if bytes != model_bytes && settings.cycle_ps.is_none() {
        let problem = format!("is not the flit of router '{}', whose cycle is {model_cycle} ps", config.router);
        return Err(Error::config("flit_bytes", bytes, problem, format!("{model_bytes}, or a cycle_ps of its own")));
    }
    Ok((bytes, settings.cycle_ps.or(Some(model_cycle))))
}

fn check(fabric: &Fabric, workload: &Workload, settings: &Exchange) -> Result<(), Error> {
    if !(1..=MAX_LIMIT).contains(&settings.limit) {
        return Err(Error::config("limit", settings.limit, "is out of range", format!("1 to {MAX_LIMIT} cycles")));
    }
    if workload.is_empty() {
        return Err(Error::shape(format!("{} has no messages", workload.spec), "at least one"));
    }
    if let Some(problem) = workload.misfit(fabric) {
        return Err(Error::shape(problem, MADE_FOR_THIS));
    }
    let endpoints = fabric.num_endpoints();
    let ends = workload.source.iter().zip(&workload.destination);
    for (&from, &to) in ends {
        if from.max(to) as usize >= endpoints {
            let problem = format!("a message from endpoint {from} to {to}");
            return Err(Error::shape(problem, format!("below {endpoints}, the endpoints of {}", fabric.spec())));
        }
    }
    let (steps, dependencies) = (workload.num_steps(), &workload.dependencies);
    if let Some(rows) = dependencies.num_steps().filter(|&rows| rows != steps) {
        return Err(Error::shape(
            format!("dependencies of {rows} steps"),
            format!("{steps}, as messages and computations"),
        ));
    }
    if let Some(step) = dependencies.in_a_cycle() {
        return Err(Error::shape(format!("step {step} waits for itself, over others"), "dependencies without a cycle"));
    }
    Ok(())
}

/// The workload's numbers, where a packet holds `packet` bytes.
fn in_cycles(workload: &Workload, packet: u64, cycle: Option<u64>) -> Result<Units, Error> {
    let packets = |&bytes: &u64| {
        u32::try_from(bytes.div_ceil(packet)).map_err(|_| {
            let problem = format!("a message of {bytes} bytes takes too many packets of {packet} bytes");
            Error::shape(problem, "below 2^32 packets")
        })
    };
    // What begins after the end of all runs never does.
    let cycles = |&time: &u64| match (time, cycle) {
        (0, _) => Ok(0),
        (_, Some(cycle)) => Ok(u32::try_from(time.div_ceil(cycle)).unwrap_or(NEVER)),
        (_, None) => {
            let problem = format!("{} has a start or computation of {time} ps", workload.spec);
            Err(Error::shape(problem, "the time of a cycle with it (cycle_ps), or a router that has one"))
        }
    };
    Ok(Units {
        packets: workload.bytes.iter().map(packets).collect::<Result<_, _>>()?,
        start: workload.start.iter().map(cycles).collect::<Result<_, _>>()?,
        compute: workload.compute.iter().map(cycles).collect::<Result<_, _>>()?,
    })
}

/// The messages that have not arrived by cycle `now`, in a line.
fn missing(workload: &Workload, calendar: &Calendar, now: u32) -> String {
    let late: Vec<usize> = (0..workload.len()).filter(|&at| calendar.missing[at] > 0).collect();
    let first = late[0];
    format!(
        "{} of {} messages have not arrived in {now} cycles; the first is message {first}, from endpoint {} to {}",
        late.len(),
        workload.len(),
        workload.source[first],
        workload.destination[first]
    )
}
