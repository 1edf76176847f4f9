//! Sets up a simulation and runs it.

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::goal::Goal;
use crate::run::End;
use crate::saturation_rule::SATURATED;
use crate::setup::{Setup, endpoint_places};
use crate::sources::{Sending, Supply};
use crate::traffic::Arrivals;
use crate::window::Window;
use crate::{Config, Error, Outcome, Progress, SaturationRule, Traffic, policy, router, selector};

/// Expected number of packets older than 500 cycles from which on a run without arrivals counts as stalled.
const STALLED: f64 = 20.0;

/// Checks the numbers and specs of `config`. [`simulate`] does this too.
///
/// # Errors
/// Fails if a value or a spec is illegal.
pub fn check(config: &Config) -> Result<(), Error> {
    resolve(config).map(|_| ())
}

/// Returns `config` with canonical specs, which state every parameter of router, selector and policy.
///
/// # Errors
/// Fails if a value or a spec is illegal.
pub fn resolve(config: &Config) -> Result<Config, Error> {
    config.check()?;
    Ok(Config {
        router: router::canonical(&config.router)?,
        selector: selector::canonical(&config.selector)?,
        policy: policy::canonical(&config.policy)?,
        ..config.clone()
    })
}

/// Simulates `traffic` on `fabric` with `routing`.
///
/// `observe` is called after every block of cycles. A block is at most one cycle longer than the latency of the shortest link. If `observe`
/// returns [`ControlFlow::Break`], the run stops. The outcome then holds the results so far and is incomplete.
///
/// # Errors
/// The following inputs are errors: an illegal value or spec of `config`; a fabric with more than 256 ports per switch,
/// with more than 65535 switches or without endpoints; a routing or traffic made for another fabric; a selector or
/// policy that does not support the routing; too few VCs. A configuration that can deadlock is an error unless
/// [`Config::may_deadlock`] is set; the message names a dependency cycle.
pub fn simulate(
    fabric: &Fabric,
    routing: &Routing,
    traffic: &Traffic,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    simulate_until(Goal::Window, fabric, routing, traffic, config, observe)
}

/// Runs [`simulate`] until `goal` is reached. [`Outcome::complete`] is meaningful only with [`Goal::Window`].
pub(crate) fn simulate_until(
    goal: Goal,
    fabric: &Fabric,
    routing: &Routing,
    traffic: &Traffic,
    config: &Config,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Outcome, Error> {
    if traffic.num_endpoints() != fabric.num_endpoints() {
        let (theirs, endpoints) = (traffic.num_endpoints(), fabric.num_endpoints());
        let problem = format!("traffic '{}' is for {theirs} endpoints, but the fabric has {endpoints}", traffic.spec());
        return Err(Error::shape(problem, "traffic made for this fabric"));
    }
    let config = &config.with_endpoint_latency_of(fabric)?;
    let setup = Setup::new(fabric, routing, config)?;
    let arrivals = Arrivals::new(traffic, config.load, config.packet, endpoint_places(fabric));
    let window = match config.warmup_tolerance {
        Some(_) => Window::unknown(config.sample),
        None => Window { start: config.warmup, end: config.warmup + config.window, sample: config.sample },
    };
    let sending = Sending {
        supply: Supply::Random(&arrivals),
        packet: config.packet as u16,
        latency: config.endpoint_latency,
        window,
        rule: config.saturation,
    };
    let policy = setup.policy();
    let (end, mut warnings) = setup.run(sending, config, goal, observe)?;
    if let (Some(false), Some(share)) = (end.converged, config.warmup_tolerance) {
        let within = end.window.start.min(end.now);
        warnings.push(format!(
            "warmup_tolerance={share}: consecutive samples still differed by more than this after {within} cycles of warm-up"
        ));
    }
    Ok(Outcome { policy, warnings, ..gather(end, traffic, config) })
}

fn gather(end: End, traffic: &Traffic, config: &Config) -> Outcome {
    let window = end.window;
    // `observe` may have stopped the run before the end of the window.
    let cycles = f64::from(end.now.clamp(window.start, window.end) - window.start);
    let tally = &end.tally;
    let mean = |sum: u64| sum as f64 / tally.delivered as f64;
    let samples: Vec<f64> = tally.samples.iter().map(|&(packets, sum)| sum as f64 / packets as f64).collect();
    let latency_checks = match config.saturation {
        SaturationRule::Arrivals => samples.iter().copied().take(window.num_samples() as usize).collect(),
        SaturationRule::Booksim => tally.ages.means(&window, end.now),
    };
    // Expected packets that are created more than 500 cycles before the end of the window. Blocked sources create packets late, so
    // created packets cannot be counted yet.
    let old = config.load * traffic.num_senders() as f64 * (cycles - SATURATED) / f64::from(config.packet);
    let stalled = config.saturation == SaturationRule::Arrivals
        && old >= STALLED
        && latency_checks.iter().all(|latency| latency.is_nan());
    Outcome {
        offered: config.load,
        accepted: tally.accepted as f64 / cycles / traffic.num_senders() as f64,
        created: tally.created,
        delivered: tally.delivered,
        latency: mean(tally.latency),
        // `waited` includes packets that left their source but have not arrived. The difference is therefore exact only
        // if all packets arrived.
        network_latency: if tally.created == tally.delivered { mean(tally.latency - tally.waited) } else { f64::NAN },
        percentiles: (tally.delivered > 0)
            .then(|| [0.5, 0.9, 0.99, 0.999].map(|share| tally.histogram.quantile(share))),
        to_oneself: traffic.to_oneself(),
        hops: mean(tally.hops),
        minimal: mean(tally.minimal),
        samples,
        latency_checks,
        stalled,
        channel_load: end.sent.iter().map(|&sent| f64::from(sent) / cycles).collect(),
        warmup: window.start.min(end.now).into(),
        cycles: end.now.into(),
        traversals: tally.traversals,
        created_flits: tally.created_flits,
        delivered_flits: tally.delivered_flits,
        complete: end.complete,
        deadlock: end.deadlock,
        policy: String::new(),
        warnings: Vec::new(),
    }
}
