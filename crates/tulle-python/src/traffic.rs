//! Workloads: building them from specs or arrays, and reading them as arrays.

use std::sync::Arc;

use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use tulle_base::memory;
use tulle_traffic::Dependencies;

use crate::arrays::{Column, collected, counts, ids, matrix, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;
use crate::routing::Routing;

/// A workload, for Python.
#[pyclass(frozen, eq, module = "tulle._tulle")]
#[derive(PartialEq)]
pub struct Workload(pub Arc<tulle_traffic::Workload>);

/// Returns the workload of `spec` among the endpoints of `fabric`.
#[pyfunction]
pub fn traffic(py: Python<'_>, fabric: &Fabric, spec: String, seed: u64) -> PyResult<Workload> {
    let fabric = Arc::clone(&fabric.0);
    let workload = interruptible(py, move || tulle_traffic::build(&fabric, &spec, seed))?.or_raise(py)?;
    Ok(Workload(Arc::new(workload)))
}

/// Returns a workload called `spec`. The columns `source`, `destination`, `bytes` and `start` have one value per message; `compute` has the
/// duration of each computation. Times are in picoseconds. Steps are numbered: first the messages, then the computations.
/// `dependencies` has pairs (waiting step, earlier step). The workload is for a fabric with `endpoints` endpoints; `None` means any fabric.
#[pyfunction]
#[pyo3(signature = (spec, source, destination, bytes, start, compute, dependencies, endpoints=None, warnings=Vec::new()))]
#[expect(clippy::too_many_arguments, reason = "a column each")]
pub fn messages(
    py: Python<'_>,
    spec: String,
    source: PyReadonlyArray1<'_, i64>,
    destination: PyReadonlyArray1<'_, i64>,
    bytes: PyReadonlyArray1<'_, i64>,
    start: PyReadonlyArray1<'_, i64>,
    compute: PyReadonlyArray1<'_, i64>,
    dependencies: PyReadonlyArray2<'_, i64>,
    endpoints: Option<u32>,
    warnings: Vec<String>,
) -> PyResult<Workload> {
    let source = read_ids(py, "source: endpoint", source.as_array().iter().copied())?;
    let destination = read_ids(py, "destination: endpoint", destination.as_array().iter().copied())?;
    let (sizes, starts) = (bytes.as_array(), start.as_array());
    let times = sizes.iter().zip(starts.iter());
    let (mut bytes, mut start) = (Vec::new(), Vec::new());
    for column in [&mut bytes, &mut start] {
        *column = memory::reserved(|| "messages".to_owned(), source.len()).or_raise(py)?;
    }
    for (flow, ((&from, &to), (&size, &time))) in source.iter().zip(&destination).zip(times).enumerate() {
        if from == to {
            return Err(errors::input(py, &format!("message {flow} goes from endpoint {from} to itself")));
        }
        let Some(wanted) = u64::try_from(size).ok().filter(|&bytes| bytes > 0) else {
            return Err(errors::input(py, &format!("message {flow}: bytes={size}; legal: 1 or more")));
        };
        let Ok(earliest) = u64::try_from(time) else {
            return Err(errors::input(py, &format!("message {flow}: start={time}; legal: 0 or more")));
        };
        bytes.push(wanted);
        start.push(earliest);
    }
    let times = compute.as_array();
    if let Some(time) = times.iter().find(|&&time| time < 0) {
        return Err(errors::input(py, &format!("compute={time} is out of range; legal: 0 or more")));
    }
    let compute = collected(py, times.iter().map(|&time| time as u64))?;
    let steps = read_ids(py, "dependencies: step", dependencies.as_array().iter().copied())?;
    let pairs = collected(py, steps.chunks_exact(2).map(|pair| (pair[0], pair[1])))?;
    let workload = interruptible(py, move || {
        let dependencies = Dependencies::from_pairs(source.len() + compute.len(), &pairs)?;
        if let Some(step) = dependencies.in_a_cycle() {
            return Err(format!(
                "step {step} waits for itself through other steps; legal: dependencies without a cycle"
            ));
        }
        let columns =
            tulle_traffic::Workload { spec, endpoints, source, destination, bytes, start, ..Default::default() };
        Ok(tulle_traffic::Workload { compute, dependencies, warnings, ..columns })
    })?;
    Ok(Workload(Arc::new(workload.map_err(|problem| errors::input(py, &problem))?)))
}

/// Exchanges destinations of messages in `workload` to increase the load of the most loaded channel of `routing`. Returns the new workload,
/// and the bytes on the most loaded channel before and after the exchanges.
#[pyfunction]
pub fn stress(
    py: Python<'_>,
    routing: &Routing,
    workload: &Workload,
    tries: u64,
    seed: u64,
) -> PyResult<(Workload, f64, f64)> {
    let (fabric, routing, load) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing), Arc::clone(&workload.0));
    let found =
        interruptible(py, move || tulle_analysis::stress(&fabric, &routing, &load, tries, seed))?.or_raise(py)?;
    Ok((Workload(Arc::new(found.workload)), found.before, found.after))
}

#[pymethods]
impl Workload {
    #[getter]
    fn spec(&self) -> &str {
        &self.0.spec
    }

    /// Returns the number of endpoints of the fabric that the workload was made for; `None` if the workload is for any fabric.
    #[getter]
    fn num_endpoints(&self) -> Option<u32> {
        self.0.endpoints
    }

    /// Returns the warnings from reading the file of the messages, one line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings.clone()
    }

    fn source<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, &self.0.source)
    }

    fn destination<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, &self.0.destination)
    }

    fn bytes<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        counts(py, &self.0.bytes)
    }

    fn start<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        counts(py, &self.0.start)
    }

    fn compute<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        counts(py, &self.0.compute)
    }

    /// Returns the dependencies as pairs (waiting step, earlier step), sorted by waiting step.
    fn dependencies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let pairs = self.0.dependencies.pairs().flat_map(|(step, on)| [step as i32, on as i32]);
        matrix(py, collected(py, pairs)?, 2)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
