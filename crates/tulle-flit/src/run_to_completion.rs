//! Run-to-completion simulation: sends all messages of a workload and ends when the last flit has arrived.

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_spec::{Arguments, Group, Info, SpecError, parameters};
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::goal::Goal;
use crate::hosts::Hosts;
use crate::message_queue::Order;
use crate::scheduler::{NEVER, Scheduler, Units};
use crate::setup::{Setup, endpoint_places};
use crate::sources::{Sending, Supply};
use crate::window::Window;
use crate::{Config, Deadlock, Error, Progress, SaturationRule};

/// Upper limits: of the flit size in bytes, of the cycle length in picoseconds, and of the simulated cycles.
const MAX_FLIT_BYTES: u32 = 1 << 20;
const MAX_CYCLE: u64 = 1_000_000_000_000;
const MAX_LIMIT: u32 = 1 << 31;
/// Upper limit of the times per message, in cycles.
const MAX_HOST: u32 = 1_000_000;

parameters! {
    /// The options of a run to completion, in addition to the options in [`Config`].
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CompletionSettings(arguments) -> SpecError {
        /// Order in which an endpoint sends the packets of its messages: `in-order` (all packets of one message before
        /// the next; messages in order of their start times, and at equal times in the order of the workload's rows),
        /// `round-robin` (one packet of each message in turn) or `random` (for each packet, a message chosen at random).
        pub order: Order = word(Order::WORDS), default "round-robin";
        /// Payload of a flit in bytes. The default is the router's flit size, or 256 if the router defines none. A message is sent in
        /// whole packets, so its last packet may be padded.
        pub flit_bytes: Option<u32> = or("none", &integer(1, MAX_FLIT_BYTES as u64)), default "none";
        /// Length of a cycle in picoseconds, used for start times and computations. The default is the router's cycle length, if the
        /// router defines one. If it is given, links also use the latencies of the fabric, rounded up to whole cycles.
        pub cycle_ps: Option<u64> = or("none", &integer(1, MAX_CYCLE)), default "none";
        /// Time in cycles that the software of an endpoint takes per message: once at the sender, before the message can be sent, and
        /// once at the receiver, after its last flit has arrived (o of the LogGP model). An endpoint handles one message at a time.
        pub software: u32 = integer(0, MAX_HOST as u64), default "0";
        /// Minimum time in cycles between the starts of two messages that an endpoint sends, and between two messages that it receives
        /// (g of the LogGP model).
        pub gap: u32 = integer(0, MAX_HOST as u64), default "0";
        /// Maximum number of cycles to simulate. A warning reports messages that have not arrived by then.
        pub limit: u32 = integer(1, MAX_LIMIT as u64), default "10000000";
    }
}

/// The description of the options, for help texts and code generators.
pub static COMPLETION_OPTIONS: Info = Info {
    name: "",
    aliases: &[],
    summary: "the options of a run to completion in the flit simulator",
    parameters: CompletionSettings::PARAMETERS,
    nested: false,
    paper: "Kathareios et al. (SC15) §4.4",
    limitations: "A message is sent in whole packets, so its last packet may be padded.",
    examples: &["order=random"],
    rejects: &[],
};

/// Default flit size in bytes: the packet size of Kathareios et al. (SC15) §4.1.
const FLIT_BYTES: u32 = 256;

impl CompletionSettings {
    /// Parses options given as texts; all other options have their defaults.
    ///
    /// # Errors
    /// Fails if a name is unknown or a value is illegal.
    pub fn parse(options: impl IntoIterator<Item = (String, String)>) -> Result<Self, SpecError> {
        Self::read(&Arguments::of(&COMPLETION_OPTIONS, options)?, &())
    }
}

impl Default for CompletionSettings {
    fn default() -> Self {
        Self::parse([]).expect("defaults are legal")
    }
}

/// The outcome of a run to completion. Cycle 0 is the first cycle of the run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompletionOutcome {
    /// Completion time in cycles: the cycle of the last arrival plus one. If a message has not arrived, the number of
    /// simulated cycles.
    pub cycles: u64,
    /// Payload of a flit in bytes.
    pub flit_bytes: u32,
    /// Length of a cycle in picoseconds, if known.
    pub cycle_ps: Option<u64>,
    /// Number of endpoints that have messages to send.
    pub senders: usize,
    /// Per message: the first cycle in which it could be sent or, if messages take time at endpoints, in which its sender could begin to
    /// handle it; `u32::MAX` if it had not started when the run ended.
    pub start: Vec<u32>,
    /// Per message: the cycle in which its last flit arrived; `u32::MAX` if part of it has not arrived. If messages take time at endpoints,
    /// the last cycle in which the receiver handles the message.
    pub arrival: Vec<u32>,
    /// Mean payload per sending endpoint and cycle, in flits: the used fraction of the link rate (Kathareios et al. (SC15) §4.4). It is 1
    /// if all senders send the same amount and their links are always busy. NaN if a message has not arrived.
    pub throughput: f64,
    /// Mean number of cycles from the start of a packet's first flit at the source to the arrival of its last flit. NaN
    /// if a packet has not arrived.
    pub network_latency: f64,
    /// Mean number of channels between switches that the arrived packets crossed.
    pub hops: f64,
    /// Fraction of the arrived packets that took a minimal route, as in [`Outcome::minimal`](crate::Outcome::minimal).
    pub minimal: f64,
    /// Flits per cycle, for each channel.
    pub channel_load: Vec<f64>,
    /// Number of packets sent.
    pub sent: u64,
    /// Number of packets that arrived.
    pub delivered: u64,
    /// Number of times a flit traversed a crossbar.
    pub traversals: u64,
    /// Whether every message arrived.
    pub complete: bool,
    /// The deadlock that ended the run, if any.
    pub deadlock: Option<Deadlock>,
    /// The canonical spec of the VC policy that the run used. It differs from the configuration if `datelines` replaced `hops`.
    pub policy: String,
    /// Warnings, one line each. If a run is incomplete, a warning reports the messages that have not arrived.
    pub warnings: Vec<String>,
}

/// Sends all messages of `workload` over `fabric` with `routing`, and runs until they have arrived.
///
/// Router, selector, policy, packet size, latencies, seed and threads come from `config`; the load and the windows of `config` are ignored.
/// A message is sent in as many packets of [`Config::packet`] flits as its bytes need; the last packet may be padded. Start times and
/// computation times are rounded up to whole cycles. A message that depends on another message may be sent from the cycle after the last
/// flit of the other message has arrived. So that this time is exact, routers run shorter blocks of cycles if the workload has
/// dependencies. The outcome does not depend on the number of threads.
///
/// `observe` is called after every block of cycles. If it returns [`ControlFlow::Break`], the run stops and the outcome
/// is incomplete.
///
/// # Errors
/// Fails under the same conditions as [`crate::simulate`]. Also fails in these cases: an unknown endpoint; no messages; a message of 2³²
/// packets or more; cyclic dependencies; a start time or a computation time, if the length of a cycle is unknown; a limit of 0 or above
/// 2³¹.
pub fn run_to_completion(
    fabric: &Fabric,
    routing: &Routing,
    workload: &Workload,
    config: &Config,
    settings: &CompletionSettings,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<CompletionOutcome, Error> {
    let cycle_ps = settings.cycle_ps.or(config.cycle_ps);
    let config = &Config { cycle_ps, ..config.clone() }.with_endpoint_latency_of(fabric)?;
    let mut setup = Setup::new(fabric, routing, config)?;
    let (flit_bytes, cycle) = units(&setup, config, settings)?;
    check(fabric, workload, settings)?;
    let in_cycles = in_cycles(workload, u64::from(flit_bytes) * u64::from(config.packet), cycle)?;
    let takes_time = settings.software > 0 || settings.gap > 0;
    let hosts = takes_time.then(|| Hosts::new(settings.software, settings.gap, workload, fabric.num_endpoints()));
    hosts.as_ref().into_iter().for_each(|hosts| setup.limit_block(hosts.longest_block()));
    let mut scheduler = Scheduler::new(workload, in_cycles, &endpoint_places(fabric), hosts);
    if scheduler.has_dependencies() {
        setup.limit_block(setup.timing().reply(config.endpoint_latency));
    }
    let sending = Sending {
        supply: Supply::Posted(settings.order),
        packet: config.packet as u16,
        latency: config.endpoint_latency,
        window: Window { start: 0, end: u32::MAX, sample: 1 },
        rule: SaturationRule::Arrivals,
    };
    let policy = setup.policy();
    let (end, warnings) = setup.run(sending, config, Goal::Arrival(&mut scheduler, settings.limit), observe)?;
    let mut senders = workload.source.clone();
    senders.sort_unstable();
    senders.dedup();
    let tally = &end.tally;
    let is_done = scheduler.is_done();
    let last = scheduler.arrival.iter().copied().max().unwrap_or(0);
    let cycles = if is_done { u64::from(last) + 1 } else { end.now.into() };
    let share = workload.total_bytes() as f64 / (cycles as f64 * senders.len() as f64 * f64::from(flit_bytes));
    let mean = |sum: u64| sum as f64 / tally.delivered as f64;
    let all = tally.created == tally.delivered && tally.delivered > 0;
    let mut outcome = CompletionOutcome {
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
        policy,
        warnings,
        ..CompletionOutcome::default()
    };
    if !is_done {
        outcome.warnings.push(missing(workload, &scheduler, end.now));
    }
    (outcome.start, outcome.arrival) = scheduler.into_columns(end.now);
    Ok(outcome)
}

/// Returns the flit size in bytes and, if known, the cycle length in picoseconds.
fn units(setup: &Setup, config: &Config, settings: &CompletionSettings) -> Result<(u32, Option<u64>), Error> {
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
        let problem = format!("is not the flit size of router '{}', whose cycle is {model_cycle} ps", config.router);
        return Err(Error::config("flit_bytes", bytes, problem, format!("{model_bytes}, or set cycle_ps")));
    }
    Ok((bytes, settings.cycle_ps.or(Some(model_cycle))))
}

fn check(fabric: &Fabric, workload: &Workload, settings: &CompletionSettings) -> Result<(), Error> {
    if !(1..=MAX_LIMIT).contains(&settings.limit) {
        return Err(Error::config("limit", settings.limit, "is out of range", format!("1 to {MAX_LIMIT} cycles")));
    }
    for (name, value) in [("software", settings.software), ("gap", settings.gap)] {
        if value > MAX_HOST {
            return Err(Error::config(name, value, "is out of range", format!("0 to {MAX_HOST} cycles")));
        }
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
            return Err(Error::shape(
                problem,
                format!("below {endpoints}, the number of endpoints of {}", fabric.spec()),
            ));
        }
    }
    let (steps, dependencies) = (workload.num_steps(), &workload.dependencies);
    if let Some(rows) = dependencies.num_steps().filter(|&rows| rows != steps) {
        return Err(Error::shape(
            format!("dependencies for {rows} steps"),
            format!("{steps}, the number of messages and computations"),
        ));
    }
    if let Some(step) = dependencies.in_a_cycle() {
        return Err(Error::shape(
            format!("step {step} depends on itself through other steps"),
            "dependencies without a cycle",
        ));
    }
    Ok(())
}

/// Converts the sizes and times of `workload` to packets of `packet` bytes and to cycles.
fn in_cycles(workload: &Workload, packet: u64, cycle: Option<u64>) -> Result<Units, Error> {
    let packets = |&bytes: &u64| {
        u32::try_from(bytes.div_ceil(packet)).map_err(|_| {
            let problem = format!("a message of {bytes} bytes takes too many packets of {packet} bytes");
            Error::shape(problem, "below 2^32 packets")
        })
    };
    // Times that do not fit in a u32 are later than the end of every run.
    let cycles = |&time: &u64| match (time, cycle) {
        (0, _) => Ok(0),
        (_, Some(cycle)) => Ok(u32::try_from(time.div_ceil(cycle)).unwrap_or(NEVER)),
        (_, None) => {
            let problem = format!(
                "{} has a start time or computation time of {time} ps, but the length of a cycle is unknown",
                workload.spec
            );
            Err(Error::shape(problem, "the length of a cycle (cycle_ps), or a router that defines it"))
        }
    };
    Ok(Units {
        packets: workload.bytes.iter().map(packets).collect::<Result<_, _>>()?,
        start: workload.start.iter().map(cycles).collect::<Result<_, _>>()?,
        compute: workload.compute.iter().map(cycles).collect::<Result<_, _>>()?,
    })
}

/// Describes the messages that have not arrived by cycle `now`, in one line.
fn missing(workload: &Workload, scheduler: &Scheduler, now: u32) -> String {
    let late: Vec<usize> = (0..workload.len()).filter(|&at| scheduler.is_missing(at)).collect();
    let first = late[0];
    format!(
        "{} of {} messages have not arrived in {now} cycles; the first is message {first}, from endpoint {} to {}",
        late.len(),
        workload.len(),
        workload.source[first],
        workload.destination[first]
    )
}
