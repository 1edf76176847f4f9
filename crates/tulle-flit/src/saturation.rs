//! The saturation of a network, by accepted load and by a latency criterion (Multi-Path Routing in the Jellyfish Network §IV-A).

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::outcome::SATURATED;
use crate::run::Goal;
use crate::simulate::simulate_until;
use crate::{Config, Error, Progress, Traffic};

/// The saturation of one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// Accepted load at offered load 1.
    pub accepted: f64,
    /// Saturation load by the latency criterion (Multi-Path Routing in the Jellyfish Network §IV-A): the highest offered load, in multiples
    /// of the precision, at which every sample of the window has a mean latency of at most 500 cycles. All lower tested loads satisfy the
    /// criterion too. This load exceeds `accepted`, because queues take time to fill.
    pub by_latency: f64,
    /// Number of simulation runs.
    pub runs: u32,
    /// Whether a run of the search ended in a deadlock.
    pub deadlock: bool,
}

/// Finds the saturation of the configuration `config`, whose load is ignored. Tested loads are multiples of
/// `precision`. The search starts at the accepted load. It assumes that a network saturated at one load is saturated at
/// every higher load. A run at a load below 1 stops after its first saturated sample.
///
/// # Errors
/// A precision that is not above 0 and at most 1, and all errors of [`crate::simulate`].
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
    let samples = config.window.div_ceil(config.sample) as usize;
    let (mut runs, mut deadlock) = (0, false);
    let mut run = |load: f64, goal| {
        runs += 1;
        // No result of this function depends on cycles after the window, so the drain is skipped.
        let config = Config { load, drain: 0, ..config.clone() };
        let outcome = simulate_until(goal, fabric, routing, traffic, &config, observe)?;
        deadlock |= outcome.deadlock.is_some();
        Ok::<_, Error>(outcome)
    };
    let full = run(1.0, Goal::Window)?;
    let full_is_saturated = full.exceeds_500_cycles(samples);
    let steps = (1.0 / precision).floor() as u32;
    // Invariant: the network is not saturated at `low` steps and is saturated at `high` steps. The last step is load 1
    // if 1 is a multiple of the precision.
    let above = if f64::from(steps) * precision < 1.0 { steps + 1 } else { steps };
    let (mut low, mut high) = if full_is_saturated { (0, above) } else { (steps, steps + 1) };
    // The saturation load is usually near the accepted load. So the search starts there and doubles its stride until
    // the saturation load is bracketed, then bisects.
    let mut next = ((full.accepted / precision) as u32).clamp(1, above.max(2) - 1);
    let mut stride = 1;
    while low + 1 < high {
        let saturated = run(f64::from(next) * precision, Goal::LatencyAbove(SATURATED))?.exceeds_500_cycles(samples);
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
    Ok(Saturation { accepted: full.accepted, by_latency, runs, deadlock })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_link_saturates_at_its_share() {
        // The four endpoints of a switch share one link, so each gets a quarter of its rate.
        let fabric = tulle_topologies::build("clique:degree=1,p=4", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let traffic = Traffic::new(&fabric, "off-diagonal:offset=4", 0).unwrap();
        let config = Config { router: "input-queued:vcs=2".to_owned(), ..Config::default() };
        let mut go = |_: &Progress| ControlFlow::Continue(());
        let found = saturation(&fabric, &routing, &traffic, &config, 0.01, &mut go).unwrap();
        assert!((found.accepted - 0.25).abs() < 0.005, "{found:?}");
        assert!((0.0..0.06).contains(&(found.by_latency - found.accepted)), "{found:?}");
        assert!(found.runs < 10);
        let error = saturation(&fabric, &routing, &traffic, &config, 0.0, &mut go).unwrap_err().to_string();
        assert_eq!(error, "precision=0 is out of range; legal: above 0 and at most 1");
    }

    #[test]
    fn runs_end_with_the_first_saturated_sample() {
        let fabric = tulle_topologies::build("clique:degree=1,p=4", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let traffic = Traffic::new(&fabric, "off-diagonal:offset=4", 0).unwrap();
        let mut saw = Vec::new();
        for load in [0.2, 0.26, 0.3, 0.6] {
            let config = Config { router: "input-queued:vcs=2".to_owned(), load, drain: 0, ..Config::default() };
            let run = |goal| {
                simulate_until(goal, &fabric, &routing, &traffic, &config, &mut |_| ControlFlow::Continue(())).unwrap()
            };
            let (whole, cut) = (run(Goal::Window), run(Goal::LatencyAbove(SATURATED)));
            let saturated = whole.exceeds_500_cycles(10);
            assert_eq!(cut.exceeds_500_cycles(10), saturated, "{load}");
            match whole.samples.iter().position(|&latency| latency > SATURATED) {
                None => assert_eq!((cut.cycles, cut.samples), (whole.cycles, whole.samples), "{load}"),
                Some(first) => {
                    let end = 500 + 500 * (first as u64 + 1);
                    assert!((end..end + 12).contains(&cut.cycles), "{load}: {} {end}", cut.cycles);
                    assert_eq!(cut.samples[first], whole.samples[first], "{load}");
                }
            }
            saw.push(saturated);
        }
        assert_eq!(saw, [false, false, true, true]);
    }
}
