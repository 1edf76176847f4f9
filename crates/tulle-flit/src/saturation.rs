//! Where a network saturates, by two criteria.

use std::ops::ControlFlow;

use tulle_fabric::Fabric;
use tulle_routing::Routing;

use crate::{Config, Error, Progress, Traffic, simulate};

/// Saturation of one configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// Accepted load at offered load 1.
    pub accepted: f64,
    /// The rule of the Jellyfish paper (§IV-A): the highest offered load, in steps of the precision, at which no sample of
    /// the window has a mean latency above 500 cycles, below the lowest at which one has. It is above `accepted` by as much
    /// as queues take to fill.
    pub by_latency: f64,
    /// Runs made.
    pub runs: u32,
}

/// The saturation of `config`, whose load is not used. Offered loads are multiples of `precision`, bisected: by the rule of
/// 500 cycles it is taken that a network saturated at some load is so at any higher.
///
/// # Errors
/// A precision that is not above 0 and at most 1, and all that [`simulate`] refuses.
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
    let mut runs = 0;
    let mut run = |load: f64| {
        runs += 1;
        // Nothing after the window counts.
        simulate(fabric, routing, traffic, &Config { load, drain: 0, ..config.clone() }, observe)
    };
    let full = run(1.0)?;
    let steps = (1.0 / precision).floor() as u32;
    // Stable at `low` steps, saturated at `high`.
    let (mut low, mut high) = (0, steps + 1);
    if !full.exceeds_500_cycles(samples) {
        low = steps;
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        let saturated = run(f64::from(middle) * precision)?.exceeds_500_cycles(samples);
        *if saturated { &mut high } else { &mut low } = middle;
    }
    let by_latency = if low == steps && !full.exceeds_500_cycles(samples) { 1.0 } else { f64::from(low) * precision };
    Ok(Saturation { accepted: full.accepted, by_latency, runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_link_saturates_at_its_share() {
        // The four endpoints of one switch send over one link: a quarter each.
        let fabric = tulle_fabric::build("clique:degree=1,p=4", 0).unwrap();
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
}
