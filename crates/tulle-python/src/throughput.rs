//! Demands, and certified bounds on throughput.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tulle_analysis::throughput::{self, Capacities};

use crate::arrays::{ids, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;
use crate::routing::Routing;
use crate::traffic::Workload;

/// Demands of the core.
#[pyclass(frozen, eq, module = "tulle._tulle")]
#[derive(PartialEq)]
pub struct Demands(pub Arc<tulle_analysis::Demands>);

/// The demands that `spec` names between the switches of `fabric`.
#[pyfunction]
pub fn demands(py: Python<'_>, fabric: &Fabric, spec: String, seed: u64) -> PyResult<Demands> {
    let fabric = Arc::clone(&fabric.0);
    let demands = interruptible(py, move || tulle_analysis::Demands::build(&fabric, &spec, seed))?.or_raise(py)?;
    Ok(Demands(Arc::new(demands)))
}

/// The demands of the messages of `workload`.
#[pyfunction]
pub fn demands_of(py: Python<'_>, fabric: &Fabric, workload: &Workload) -> PyResult<Demands> {
    let (fabric, workload) = (Arc::clone(&fabric.0), Arc::clone(&workload.0));
    let demands = interruptible(py, move || tulle_analysis::Demands::of(&fabric, &workload))?.or_raise(py)?;
    Ok(Demands(Arc::new(demands)))
}

/// Demands called `spec` between `switches` switches from columns, which must be of one length.
#[pyfunction]
pub fn demands_from(
    py: Python<'_>,
    switches: usize,
    spec: String,
    source: PyReadonlyArray1<'_, i64>,
    destination: PyReadonlyArray1<'_, i64>,
    amount: PyReadonlyArray1<'_, f64>,
) -> PyResult<Demands> {
    let source = read_ids(py, "source: switch", source.as_array().iter().copied())?;
    let destination = read_ids(py, "destination: switch", destination.as_array().iter().copied())?;
    let amounts: Vec<f64> = amount.as_array().iter().copied().collect();
    let pairs = source.into_iter().zip(destination).zip(amounts).map(|((from, to), amount)| (from, to, amount));
    Ok(Demands(Arc::new(tulle_analysis::Demands::from_pairs(switches, spec, pairs).or_raise(py)?)))
}

#[pymethods]
impl Demands {
    #[getter]
    fn spec(&self) -> &str {
        self.0.spec()
    }

    #[getter]
    fn num_switches(&self) -> usize {
        self.0.num_switches()
    }

    #[getter]
    fn num_pairs(&self) -> usize {
        self.0.num_pairs()
    }

    #[getter]
    fn all_to_all(&self) -> bool {
        self.0.is_all_to_all()
    }

    /// Source, destination and amount of every pair, by source, then destination.
    #[expect(clippy::type_complexity, reason = "three columns")]
    fn columns<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>) {
        let (mut source, mut destination, mut amount) = (Vec::new(), Vec::new(), Vec::new());
        for (from, to, much) in self.0.iter() {
            source.push(from);
            destination.push(to);
            amount.push(much);
        }
        (ids(py, &source), ids(py, &destination), PyArray1::from_vec(py, amount))
    }
}

/// Capacities handed in, one per channel; 1 each where none are.
pub fn capacities(
    py: Python<'_>,
    fabric: &tulle_fabric::Fabric,
    given: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Capacities> {
    match given {
        None => Ok(Capacities::unit(fabric)),
        Some(values) => Capacities::new(fabric, values.as_array().iter().copied().collect()).or_raise(py),
    }
}

/// Numbers handed in, `wanted` of them.
pub fn numbers(py: Python<'_>, what: &str, values: &PyReadonlyArray1<'_, f64>, wanted: usize) -> PyResult<Vec<f64>> {
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    if values.len() != wanted {
        return Err(errors::input(py, &format!("{} {what}; legal: {wanted}", values.len())));
    }
    Ok(values)
}

/// The paths that demands may take, and what bounds flows over them prove.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct PathFlow(Arc<throughput::PathFlow>);

/// The paths of `routing` for `demands`.
#[pyfunction]
pub fn path_flow(
    py: Python<'_>,
    routing: &Routing,
    demands: &Demands,
    capacity: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<PathFlow> {
    let (fabric, routing, demands) =
        (Arc::clone(&routing.fabric), Arc::clone(&routing.routing), Arc::clone(&demands.0));
    let capacities = capacities(py, &fabric, capacity)?;
    let flow = interruptible(py, move || throughput::PathFlow::new(&fabric, &routing, &demands, capacities))?;
    Ok(PathFlow(Arc::new(flow.or_raise(py)?)))
}

#[pymethods]
impl PathFlow {
    /// Per commodity its demand.
    fn demand<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.demand())
    }

    /// Per channel its capacity.
    fn capacity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.capacities().as_slice())
    }

    /// Per commodity its first path, per path its first hop, per hop its channel; the first two with one entry more.
    fn paths<'py>(&self, py: Python<'py>) -> [Bound<'py, PyArray1<i32>>; 3] {
        [self.0.first_path(), self.0.first_hop(), self.0.channels()].map(|column| ids(py, column))
    }

    /// The throughput that an amount per path proves.
    fn lower(&self, py: Python<'_>, amount: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let amount = numbers(py, "amounts", &amount, self.0.first_hop().len() - 1)?;
        Ok(self.0.lower(&amount))
    }

    /// The throughput that a length per channel proves to be out of reach.
    fn upper(&self, py: Python<'_>, lengths: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let lengths = numbers(py, "lengths", &lengths, self.0.capacities().as_slice().len())?;
        Ok(self.0.upper(&lengths))
    }
}
