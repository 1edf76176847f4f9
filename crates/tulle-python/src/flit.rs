//! Flit-level simulations: calls, progress, and results as arrays.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use tulle_flit::Config;

use crate::arrays::{Column, copied};
use crate::call::{self, interruptible};
use crate::errors::OrRaise;
use crate::fabric::Fabric;
use crate::options::{self, Options};
use crate::routing::Routing;
use crate::traffic::Workload;

/// The destinations from which each endpoint chooses at random. They belong to one fabric.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct FlitTraffic(Arc<tulle_flit::Traffic>);

#[pymethods]
impl FlitTraffic {
    /// The canonical spec.
    #[getter]
    fn spec(&self) -> &str {
        self.0.spec()
    }
}

/// Returns the traffic of `spec`. If `workload` is given, it determines the destinations.
#[pyfunction]
pub fn flit_traffic(
    py: Python<'_>,
    fabric: &Fabric,
    spec: String,
    seed: u64,
    workload: Option<&Workload>,
) -> PyResult<FlitTraffic> {
    let (fabric, workload) = (Arc::clone(&fabric.0), workload.map(|workload| Arc::clone(&workload.0)));
    let traffic = interruptible(py, move || match workload {
        Some(workload) => tulle_flit::Traffic::from_workload(&fabric, &workload),
        None => tulle_flit::Traffic::new(&fabric, &spec, seed),
    })?;
    Ok(FlitTraffic(Arc::new(traffic.or_raise(py)?)))
}

/// The progress of a running simulation.
#[pyclass(frozen, get_all, module = "tulle._tulle")]
pub struct FlitProgress {
    /// Simulated cycles so far.
    cycle: u64,
    /// Arrived packets that were created in the measurement window.
    delivered: u64,
    /// Flits that were created but have not arrived.
    in_flight: u64,
}

/// The results of a flit-level simulation.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct FlitOutcome(tulle_flit::Outcome);

/// Checks the options of a simulation without running it. Returns the canonical spec of each option, by the option's name.
#[pyfunction]
pub fn resolve_flit<'py>(py: Python<'py>, configuration: Options) -> PyResult<Bound<'py, PyDict>> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    options::specs(py, &tulle_flit::resolve(&config).or_raise(py)?)
}

/// Simulates `traffic` on the fabric of `routing`. `progress` is called with a [`FlitProgress`] from time to time.
#[pyfunction]
pub fn flit(
    py: Python<'_>,
    routing: &Routing,
    traffic: &FlitTraffic,
    configuration: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<FlitOutcome> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    let (fabric, routes) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let traffic = Arc::clone(&traffic.0);
    let simulate = move |observe: Observe| tulle_flit::simulate(&fabric, &routes, &traffic, &config, observe);
    Ok(FlitOutcome(observed(py, progress, simulate)?))
}

/// Returns five values: the accepted load at offered load 1; the highest offered load below saturation, by the rule of the option
/// `saturation`; the number of runs; whether a deadlock ended a run; and the canonical spec of the policy.
#[pyfunction]
pub fn flit_saturation(
    py: Python<'_>,
    routing: &Routing,
    traffic: &FlitTraffic,
    configuration: Options,
    precision: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<(f64, f64, u32, bool, String)> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    let (fabric, routes) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let traffic = Arc::clone(&traffic.0);
    let find = move |observe: Observe| tulle_flit::saturation(&fabric, &routes, &traffic, &config, precision, observe);
    let found = observed(py, progress, find)?;
    Ok((found.accepted, found.by_latency, found.runs, found.deadlock, found.policy))
}

/// A callback that receives the progress of a flit-level simulation.
pub(crate) type Observe<'o> = call::Observe<'o, tulle_flit::Progress>;

/// Returns the result of `work`. Signals and exceptions of `progress` end the work.
pub(crate) fn observed<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(Observe) -> Result<T, tulle_flit::Error> + Send + 'static,
) -> PyResult<T> {
    let report = |py: Python<'_>, state: &_| {
        let tulle_flit::Progress { cycle, delivered, in_flight } = *state;
        let state = FlitProgress { cycle, delivered, in_flight };
        progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (state,)).map(|_| ()))
    };
    match call::observed(py, report, work)? {
        (_, Some(error)) => Err(error),
        (result, None) => result.or_raise(py),
    }
}

#[pymethods]
impl FlitOutcome {
    /// Returns the numeric results of the run by name; NaN if unknown.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outcome = &self.0;
        [
            ("offered", outcome.offered),
            ("accepted", outcome.accepted),
            ("latency_mean", outcome.latency),
            ("network_latency_mean", outcome.network_latency),
            ("hops_mean", outcome.hops),
            ("minimal", outcome.minimal),
        ]
        .into_py_dict(py)
    }

    /// Returns the counters of the run by name.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outcome = &self.0;
        [
            ("created", outcome.created),
            ("delivered", outcome.delivered),
            ("warmup", outcome.warmup),
            ("cycles", outcome.cycles),
            ("traversals", outcome.traversals),
            ("created_flits", outcome.created_flits),
            ("delivered_flits", outcome.delivered_flits),
            ("to_oneself", outcome.to_oneself),
        ]
        .into_py_dict(py)
    }

    /// Returns the percentiles 50, 90, 99 and 99.9 of packet latency in cycles; `None` if no packet arrived.
    #[getter]
    fn percentiles(&self) -> Option<[u64; 4]> {
        self.0.percentiles
    }

    #[getter]
    fn complete(&self) -> bool {
        self.0.complete
    }

    /// Returns the canonical spec of the policy that the run used.
    #[getter]
    fn policy(&self) -> String {
        self.0.policy.clone()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    /// Returns the mean latency of each sample in cycles, of the packets that were created in the measurement window.
    fn samples<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, &self.0.samples)
    }

    /// Returns the mean latencies that the saturation rule compares with 500 cycles.
    fn latency_checks<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, &self.0.latency_checks)
    }

    /// Returns whether the run counts as saturated by the rule of the option `saturation`.
    #[getter]
    fn exceeds_500_cycles(&self) -> bool {
        self.0.exceeds_500_cycles()
    }

    /// Returns the load of each channel in flits per cycle.
    fn channel_load<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, &self.0.channel_load)
    }

    /// Returns the deadlock that ended the run, if any.
    fn deadlock<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.deadlock.as_ref().map(|deadlock| in_words(py, deadlock)).transpose()
    }
}

/// Returns a deadlock as a dictionary.
pub(crate) fn in_words<'py>(py: Python<'py>, deadlock: &tulle_flit::Deadlock) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("cycle", deadlock.cycle)?;
    fields.set_item("channels", deadlock.channels.clone())?;
    fields.set_item("text", deadlock.to_string())?;
    Ok(fields)
}
