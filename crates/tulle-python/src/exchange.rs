//! Flit-level collectives: calls of the simulator, and its results as arrays.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use tulle_flit::{CompletionSettings, Config};

use crate::arrays::{self, Column, copied};
use crate::errors::OrRaise;
use crate::flit::{Observe, in_words, observed};
use crate::options::Options;
use crate::routing::Routing;
use crate::traffic::Workload;

/// The results of a flit-level collective.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct ExchangeOutcome(tulle_flit::CompletionOutcome);

/// Sends the messages of `workload` over the fabric of `routing`. `progress` is called with a `FlitProgress` from time to time.
#[pyfunction]
pub fn flit_exchange(
    py: Python<'_>,
    routing: &Routing,
    workload: &Workload,
    configuration: Options,
    settings: Options,
    progress: Option<Py<PyAny>>,
) -> PyResult<ExchangeOutcome> {
    let config = Config::parse(configuration.0).or_raise(py)?;
    let settings = CompletionSettings::parse(settings.0).or_raise(py)?;
    let (fabric, routes) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let load = Arc::clone(&workload.0);
    let send =
        move |observe: Observe| tulle_flit::run_to_completion(&fabric, &routes, &load, &config, &settings, observe);
    Ok(ExchangeOutcome(observed(py, progress, send)?))
}

#[pymethods]
impl ExchangeOutcome {
    /// Returns the numeric results of the run by name; NaN if unknown.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outcome = &self.0;
        [
            ("throughput", outcome.throughput),
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
            ("cycles", outcome.cycles),
            ("messages", outcome.arrival.len() as u64),
            ("senders", outcome.senders as u64),
            ("sent", outcome.sent),
            ("delivered", outcome.delivered),
            ("traversals", outcome.traversals),
        ]
        .into_py_dict(py)
    }

    #[getter]
    fn complete(&self) -> bool {
        self.0.complete
    }

    #[getter]
    fn flit_bytes(&self) -> u32 {
        self.0.flit_bytes
    }

    /// Returns the picoseconds per cycle; `None` if unknown.
    #[getter]
    fn cycle_ps(&self) -> Option<u64> {
        self.0.cycle_ps
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

    /// Returns, for each message, the first cycle in which its sender could send it; −1 if there is no such cycle.
    fn start<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        cycles(py, &self.0.start)
    }

    /// Returns, for each message, the cycle of its arrival; −1 if it did not arrive.
    fn arrival<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        cycles(py, &self.0.arrival)
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

fn cycles<'py>(py: Python<'py>, column: &[u32]) -> Column<'py, i64> {
    arrays::column(py, column.iter().map(|&cycle| if cycle == u32::MAX { -1 } else { i64::from(cycle) }))
}
