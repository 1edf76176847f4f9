//! The saturation of a network, by accepted load and by a latency criterion (Multi-Path Routing in the Jellyfish Network §IV-A).

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::goal::Goal;
use crate::simulate::simulate_until;
use crate::{Config, Error, Progress, Traffic};

/// The saturation of one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Saturation {
    /// Accepted load at offered load 1.
    pub accepted: f64,
    /// Saturation load by the latency criterion (Multi-Path Routing in the Jellyfish Network §IV-A): the highest tested load at which no
    /// mean latency exceeds 500 cycles, by the rule [`Config::saturation`]. It is 0 if all tested loads saturate the network. Tested loads
    /// are 1 and multiples of the precision. All lower tested loads satisfy the criterion too. This load usually exceeds `accepted`,
    /// because queues take time to fill.
    pub by_latency: f64,
    /// Number of simulation runs.
    pub runs: u32,
    /// Whether a run of the search ended in a deadlock.
    pub deadlock: bool,
    /// The canonical spec of the VC policy that the runs used. It differs from the configuration if `datelines` replaced `hops`.
    pub policy: String,
}

/// Finds the saturation of the configuration `config`; the load of `config` is ignored. Tested loads are 1 and multiples of `precision`.
/// The search starts at the accepted load. It assumes that a network saturated at one load is saturated at every higher load. A run at a
/// load below 1 stops after the first mean latency above 500 cycles.
///
/// # Errors
/// Fails if the precision is not above 0 and at most 1. Also fails under the same conditions as [`crate::simulate`].
pub fn saturation(
    fabric: &Fabric,
    routing: &Routing,
    traffic: &Traffic,
    config: &Config,
    precision: f64,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Saturation, Error> {
    if !(precision > 0.0 && precision <= 1.0) {
        return Err(Error::config("precision", precision, "is out of range", "above 0 and at most 1"));
    }
    let (mut runs, mut deadlock) = (0, false);
    let mut run = |load: f64, whole_window: bool| {
        runs += 1;
        let config = Config { load, ..config.clone() };
        let outcome = simulate_until(Goal::Saturation { whole_window }, fabric, routing, traffic, &config, observe)?;
        deadlock |= outcome.deadlock.is_some();
        Ok::<_, Error>(outcome)
    };
    let full = run(1.0, true)?;
    let full_is_saturated = full.exceeds_500_cycles();
    let steps = (1.0 / precision).floor() as u32;
    // Invariant: at `low` steps of the precision the network is not saturated, and at `high` steps it is saturated. The last step is load 1
    // if 1 is a multiple of the precision.
    let above = if f64::from(steps) * precision < 1.0 { steps + 1 } else { steps };
    let (mut low, mut high) = if full_is_saturated { (0, above) } else { (steps, steps + 1) };
    // The saturation load is usually near the accepted load. So the search starts there and doubles its stride until
    // the saturation load is bracketed, then bisects.
    let mut next = ((full.accepted / precision) as u32).clamp(1, above.max(2) - 1);
    let mut stride = 1;
    while low + 1 < high {
        let saturated = run(f64::from(next) * precision, false)?.exceeds_500_cycles();
        *if saturated { &mut high } else { &mut low } = next;
        let middle = low.midpoint(high);
        next = match (low, high) {
            (0, _) => middle.max(high.saturating_sub(stride)),
            (_, high) if high == above => middle.min(low + stride),
            _ => middle,
        };
        stride *= 2;
    }
    let by_latency = if !full_is_saturated { 1.0 } else { f64::from(low) * precision };
    Ok(Saturation { accepted: full.accepted, by_latency, runs, deadlock, policy: full.policy })
}

#[cfg(test)]
mod tests;
