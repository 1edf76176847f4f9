//! Workloads: building, from arrays, reading as arrays.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::{counts, ids, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;

/// A workload of the core.
#[pyclass(frozen, eq, module = "tulle._tulle")]
#[derive(PartialEq)]
pub struct Workload(pub Arc<tulle_traffic::Workload>);

/// The workload that `spec` names among the endpoints of `fabric`.
#[pyfunction]
pub fn traffic(py: Python<'_>, fabric: &Fabric, spec: String, seed: u64) -> PyResult<Workload> {
    let fabric = Arc::clone(&fabric.0);
    let workload = interruptible(py, move || tulle_traffic::build(&fabric, &spec, seed))?.or_raise(py)?;
    Ok(Workload(Arc::new(workload)))
}

/// A workload called `spec` from its columns, which must be of one length.
#[pyfunction]
pub fn messages(
    py: Python<'_>,
    spec: String,
    source: PyReadonlyArray1<'_, i64>,
    destination: PyReadonlyArray1<'_, i64>,
    bytes: PyReadonlyArray1<'_, i64>,
    start: PyReadonlyArray1<'_, i64>,
) -> PyResult<Workload> {
    let source = read_ids(py, "source: endpoint", source.as_array().iter().copied())?;
    let destination = read_ids(py, "destination: endpoint", destination.as_array().iter().copied())?;
    let mut workload = tulle_traffic::Workload { spec, ..Default::default() };
    let sizes = bytes.as_array();
    let starts = start.as_array();
    let times = sizes.iter().zip(starts.iter());
    for (flow, ((&from, &to), (&bytes, &start))) in source.iter().zip(&destination).zip(times).enumerate() {
        if from == to {
            return Err(errors::input(py, &format!("message {flow} goes from endpoint {from} to itself")));
        }
        let (Ok(size), Ok(time)) = (u64::try_from(bytes), u64::try_from(start)) else {
            let problem = format!("message {flow}: bytes={bytes}, start={start}; legal: not below 0");
            return Err(errors::input(py, &problem));
        };
        if size == 0 {
            return Err(errors::input(py, &format!("message {flow} has 0 bytes; legal: 1 or more")));
        }
        workload.push(from, to, size, time);
    }
    Ok(Workload(Arc::new(workload)))
}

#[pymethods]
impl Workload {
    #[getter]
    fn spec(&self) -> &str {
        &self.0.spec
    }

    fn source<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        ids(py, &self.0.source)
    }

    fn destination<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        ids(py, &self.0.destination)
    }

    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        counts(py, &self.0.bytes)
    }

    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        counts(py, &self.0.start)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
