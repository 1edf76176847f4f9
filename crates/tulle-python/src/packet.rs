//! Packet simulations: calls and progress.

use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_packet::Config;

use crate::call::observed;
use crate::deadlock::VcPlan;
use crate::errors::OrRaise;
use crate::options::{self, Options};
use crate::outcome::Outcome;
use crate::routing::Routing;
use crate::traffic::Workload;

/// The progress of a running simulation.
#[pyclass(frozen, get_all, module = "tulle._tulle")]
pub struct Progress {
    /// Simulated time in picoseconds.
    now: u64,
    /// Processed events so far.
    events: u64,
    /// Link traversals of packets so far.
    link_hops: u64,
    /// The number of flows that have finished.
    finished: usize,
    /// The number of all flows.
    flows: usize,
    /// Arrived packets with payload, including duplicates.
    delivered: u64,
    /// The number of packets in all flows together.
    packets: u64,
    /// The completed fraction of the work, estimated from packet counts.
    fraction: f64,
}

/// Checks the options of a simulation without running it. Returns the canonical specs by name.
#[pyfunction]
pub fn resolve<'py>(py: Python<'py>, configuration: Options) -> PyResult<Bound<'py, PyDict>> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    options::specs(py, &tulle_packet::resolve(&config).or_raise(py)?)
}

/// Returns the default queue for this transport.
#[pyfunction]
pub fn default_queue(py: Python<'_>, transport: &str) -> PyResult<&'static str> {
    tulle_packet::default_queue(transport).or_raise(py)
}

/// Returns the default selector for this transport.
#[pyfunction]
pub fn default_selector(py: Python<'_>, transport: &str) -> PyResult<&'static str> {
    tulle_packet::default_selector(transport).or_raise(py)
}

/// Simulates `workload` on the fabric of `routing`, with the virtual lanes of `plan` if it is given. `progress` is called with a
/// [`Progress`] from time to time.
///
/// With `keep_partial`, Ctrl-C ends the run but keeps its results. The outcome then contains the events up to that time and is marked as
/// partial.
#[pyfunction]
pub fn simulate(
    py: Python<'_>,
    routing: &Routing,
    plan: Option<&VcPlan>,
    workload: &Workload,
    configuration: Options,
    keep_partial: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    let (fabric, tables) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let (load, settings, plan) = (Arc::clone(&workload.0), config.clone(), plan.map(|plan| Arc::clone(&plan.0)));
    let scheme = plan.as_ref().map(|plan| plan.spec().to_owned());
    let report = |py: Python<'_>, state: &_| report(py, progress.as_ref(), state);
    let (outcome, stopped) = observed(py, report, move |observe| match plan {
        None => tulle_packet::simulate(&fabric, &tables, &load, &settings, observe),
        Some(plan) => tulle_packet::simulate_with_plan(&fabric, &tables, &plan, &load, &settings, observe),
    })?;
    let partial = match stopped {
        Some(error) if keep_partial && error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
        Some(error) => return Err(error),
        None => false,
    };
    Ok(Outcome { outcome: Arc::new(outcome.or_raise(py)?), partial, scheme, fabric: routing.fabric.clone(), config })
}

/// Calls the Python callback with the progress of the run.
fn report(py: Python<'_>, progress: Option<&Py<PyAny>>, state: &tulle_packet::Progress) -> PyResult<()> {
    if let Some(progress) = progress {
        let tulle_packet::Progress { now, events, link_hops, finished, flows, delivered, packets } = *state;
        let fraction = state.fraction();
        progress.call1(py, (Progress { now, events, link_hops, finished, flows, delivered, packets, fraction },))?;
    }
    Ok(())
}
