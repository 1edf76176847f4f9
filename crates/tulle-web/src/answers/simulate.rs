//! A packet simulation and its flow completion times.

use std::ops::ControlFlow;

use serde_json::{Value, json};
use tulle_fabric::Fabric;
use tulle_packet::{Config, NEVER, simulate as run};
use tulle_routing::Routing;
use tulle_spec::Arguments;
use tulle_traffic::patterns::PATTERNS;

use crate::request::Simulation;
use crate::{Error, files, limits};

/// Picoseconds per microsecond.
const MICROSECOND: f64 = 1e6;

/// Runs the simulation. Returns the fields of `tulle simulate --json` that the page shows, and all flow completion times in ascending
/// order. The simulation uses one thread, because a program in a browser has only one.
pub fn simulate(fabric: &Fabric, routing: &Routing, simulation: &Simulation) -> Result<Value, Error> {
    let seed = simulation.routed.network.seed;
    files::refuse("traffic", &PATTERNS.infos(), &simulation.traffic)?;
    let mut options = vec![("transport", simulation.transport.clone()), ("seed", seed.to_string())];
    // As on the command line, the routing `ecmp` means minimal paths with the selector `ecmp`.
    if Arguments::name(&simulation.routed.routing)? == "ecmp" {
        options.push(("selector", "ecmp".to_owned()));
    }
    let mut config = Config::parse(options.into_iter().map(|(name, value)| (name.to_owned(), value)))?;
    config.threads = Some(1);
    let resolved = tulle_packet::resolve(&config)?;
    let workload = tulle_traffic::build(fabric, &simulation.traffic, seed)?;
    limits::workload(&workload, &config)?;
    let outcome = run(fabric, routing, &workload, &config, &mut |_| ControlFlow::Continue(()))?;
    let flows = &outcome.flows;
    let done = flows.finish.iter().zip(&flows.start).filter(|&(&finish, _)| finish != NEVER);
    let mut times: Vec<f64> = done.map(|(finish, start)| (finish - start) as f64 / MICROSECOND).collect();
    times.sort_unstable_by(f64::total_cmp);
    Ok(json!({
        "fabric": fabric.spec(),
        "faults": fabric.faults(),
        "routing": routing.spec(),
        "traffic": workload.spec,
        "transport": resolved.transport,
        "selector": resolved.selector,
        "queue": resolved.queue,
        "seed": seed,
        "flows": flows.len(),
        "completed": times.len(),
        "end_us": outcome.end as f64 / MICROSECOND,
        "fct_us": {
            "mean": (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64),
            "p50": quantile(&times, 0.5),
            "p99": quantile(&times, 0.99),
            "max": times.last(),
        },
        "link_hops": outcome.counters.link_hops,
        "deadlock": outcome.deadlock.map(|deadlock| deadlock.to_string()),
        "times_us": times,
    }))
}

/// Returns a quantile by linear interpolation between the two nearest values, as the command line does.
fn quantile(sorted: &[f64], at: f64) -> Option<f64> {
    let place = at * (sorted.len().checked_sub(1)? as f64);
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[3.0], 0.99), Some(3.0));
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
    }
}
