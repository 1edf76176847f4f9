//! Traffic demands, and certified bounds on throughput.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use tulle_analysis::throughput::{self, Capacities};

use crate::arrays::{Column, collected, column, copied, id, ids, owned, read_ids};
use crate::call::{Observe, interruptible, observed};
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;
use crate::routing::Routing;
use crate::traffic::Workload;

/// Traffic demands, for Python.
#[pyclass(frozen, eq, module = "tulle._tulle")]
#[derive(PartialEq)]
pub struct Demands(pub Arc<tulle_analysis::Demands>);

/// Returns the demands of `spec` between the switches of `fabric`.
#[pyfunction]
pub fn demands(py: Python<'_>, fabric: &Fabric, spec: String, seed: u64) -> PyResult<Demands> {
    let fabric = Arc::clone(&fabric.0);
    let demands = interruptible(py, move || tulle_analysis::Demands::build(&fabric, &spec, seed))?.or_raise(py)?;
    Ok(Demands(Arc::new(demands)))
}

/// Returns the demands of the messages of `workload`.
#[pyfunction]
pub fn demands_of(py: Python<'_>, fabric: &Fabric, workload: &Workload) -> PyResult<Demands> {
    let (fabric, workload) = (Arc::clone(&fabric.0), Arc::clone(&workload.0));
    let demands = interruptible(py, move || tulle_analysis::Demands::of(&fabric, &workload))?.or_raise(py)?;
    Ok(Demands(Arc::new(demands)))
}

/// Returns demands called `spec` between `switches` switches. The columns must have equal lengths.
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
    let amounts = collected(py, amount.as_array().iter().copied())?;
    let pairs = source.into_iter().zip(destination).zip(amounts).map(|((from, to), amount)| (from, to, amount));
    let demands = interruptible(py, move || tulle_analysis::Demands::from_pairs(switches, spec, pairs))?;
    Ok(Demands(Arc::new(demands.or_raise(py)?)))
}

/// Returns all-to-all demands between switches that have these numbers of endpoints.
#[pyfunction]
pub fn demands_all_to_all(py: Python<'_>, endpoints: Vec<u32>) -> PyResult<Demands> {
    Ok(Demands(Arc::new(tulle_analysis::Demands::all_to_all_of(endpoints).or_raise(py)?)))
}

#[pymethods]
impl Demands {
    /// Returns the number of endpoints per switch for all-to-all demands; `None` for other demands.
    fn endpoints(&self) -> Option<Vec<u32>> {
        self.0.endpoints().map(<[u32]>::to_vec)
    }

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

    /// Returns source, destination and amount of every pair, sorted by source and then by destination.
    #[expect(clippy::type_complexity, reason = "three columns")]
    fn columns<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>)> {
        let demands = || self.0.iter();
        Ok((
            column(py, demands().map(|(from, ..)| id(from)))?,
            column(py, demands().map(|(_, to, _)| id(to)))?,
            column(py, demands().map(|(.., amount)| amount))?,
        ))
    }
}

/// Returns the given capacities, one per channel. By default each capacity is 1.
pub fn capacities(
    py: Python<'_>,
    fabric: &tulle_fabric::Fabric,
    given: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Capacities> {
    match given {
        None => Ok(Capacities::unit(fabric)),
        Some(values) => Capacities::new(fabric, collected(py, values.as_array().iter().copied())?).or_raise(py),
    }
}

/// Returns the given numbers. Fails unless there are `wanted` of them.
pub fn numbers(py: Python<'_>, what: &str, values: &PyReadonlyArray1<'_, f64>, wanted: usize) -> PyResult<Vec<f64>> {
    let values = collected(py, values.as_array().iter().copied())?;
    if values.len() != wanted {
        return Err(errors::input(py, &format!("{} {what}; legal: {wanted}", values.len())));
    }
    Ok(values)
}

/// The paths that demands may use. Flows over these paths prove bounds on throughput.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct PathFlow(Arc<throughput::PathFlow>);

/// Returns the paths of `routing` for `demands`.
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
    /// Returns the demand of each commodity.
    fn demand<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, self.0.demand())
    }

    /// Returns the capacity of each channel.
    fn capacity<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, self.0.capacities().as_slice())
    }

    /// Returns three arrays: the first path of each commodity, the first hop of each path, and the channel of each hop. The first two
    /// arrays have one entry more, which marks the end.
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray1<i32>>; 3]> {
        Ok([ids(py, self.0.first_path())?, ids(py, self.0.first_hop())?, ids(py, self.0.channels())?])
    }

    /// Returns the lower bound on throughput that an amount of flow per path proves.
    fn lower(&self, py: Python<'_>, amount: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let amount = numbers(py, "amounts", &amount, self.0.first_hop().len() - 1)?;
        Ok(self.0.lower(&amount))
    }

    /// Returns the upper bound on throughput that a length per channel proves.
    fn upper(&self, py: Python<'_>, lengths: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let lengths = numbers(py, "lengths", &lengths, self.0.capacities().as_slice().len())?;
        Ok(self.0.upper(&lengths))
    }
}

/// A flow of demands that may use any channels of a fabric, and bounds on its throughput.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct EdgeFlow {
    flow: Arc<throughput::EdgeFlow>,
    orbits: Arc<throughput::Orbits>,
    fabric: Arc<tulle_fabric::Fabric>,
}

/// Returns the flow of `demands` over `fabric`. If generators of automorphisms are given, demands are averaged over the group that the
/// automorphisms generate.
#[pyfunction]
pub fn edge_flow(
    py: Python<'_>,
    fabric: &Fabric,
    demands: &Demands,
    capacity: Option<PyReadonlyArray1<'_, f64>>,
    generators: Option<Vec<Vec<u32>>>,
) -> PyResult<EdgeFlow> {
    let (fabric, demands) = (Arc::clone(&fabric.0), Arc::clone(&demands.0));
    let capacities = capacities(py, &fabric, capacity)?;
    let shared = Arc::clone(&fabric);
    let made = interruptible(py, move || {
        let orbits = match generators {
            None => throughput::Orbits::trivial(&shared, &demands),
            Some(generators) => throughput::Orbits::new(&shared, &generators)?,
        };
        Ok::<_, tulle_analysis::Error>((throughput::EdgeFlow::new(shared, demands, capacities)?, orbits))
    })?;
    let (flow, orbits) = made.or_raise(py)?;
    Ok(EdgeFlow { flow: Arc::new(flow), orbits: Arc::new(orbits), fabric })
}

#[pymethods]
impl EdgeFlow {
    /// Returns the capacity of each channel.
    fn capacity<'py>(&self, py: Python<'py>) -> Column<'py, f64> {
        copied(py, self.flow.capacities().as_slice())
    }

    /// Returns the representative sources, the number of sources that each represents, and the orbit of each channel.
    #[expect(clippy::type_complexity, reason = "three columns")]
    fn orbits<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i32>>)> {
        let orbits = &self.orbits;
        Ok((ids(py, &orbits.sources)?, copied(py, &orbits.weight)?, ids(py, &orbits.orbit)?))
    }

    /// Returns, for each switch, the demand from `source`.
    fn demand<'py>(&self, py: Python<'py>, source: u32) -> Column<'py, f64> {
        let mut demand = vec![0.0; self.fabric.num_switches()];
        if (source as usize) < demand.len() {
            self.flow.demands().row(source).for_each(|(to, amount)| demand[to as usize] = amount);
        }
        Ok(owned(py, demand))
    }

    /// Returns the lower bound on throughput that `amount` proves. `amount` is the flow per source and channel. It should deliver
    /// `throughput` times the demands.
    fn lower(&self, py: Python<'_>, amount: PyReadonlyArray1<'_, f64>, throughput: f64) -> PyResult<f64> {
        let wanted = self.orbits.sources.len() * self.fabric.num_channels();
        let amount = numbers(py, "amounts", &amount, wanted)?;
        let (flow, orbits) = (Arc::clone(&self.flow), Arc::clone(&self.orbits));
        interruptible(py, move || flow.lower(&amount, throughput, &orbits))
    }

    /// Computes bounds on the throughput over any paths by multiplicative weights, from the representative sources.
    fn weights(&self, py: Python<'_>, gap: f64, progress: Option<Py<PyAny>>) -> PyResult<Found> {
        let (flow, orbits, fabric) = (Arc::clone(&self.flow), Arc::clone(&self.orbits), Arc::clone(&self.fabric));
        search(py, progress, move |observe| {
            let (demands, capacities, orbits) = (flow.demands(), flow.capacities().clone(), (*orbits).clone());
            throughput::over_orbits(&fabric, demands, capacities, orbits, gap, observe)
        })
    }

    /// Returns the upper bound on throughput that a length per channel proves.
    fn upper(&self, py: Python<'_>, lengths: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
        let lengths = numbers(py, "lengths", &lengths, self.fabric.num_channels())?;
        let (flow, orbits) = (Arc::clone(&self.flow), Arc::clone(&self.orbits));
        interruptible(py, move || flow.upper(&lengths, &orbits))
    }
}

/// The lower bound, the upper bound, and whether the search was stopped early.
type Found = (f64, f64, bool);

/// Computes, with the method of multiplicative weights, bounds on the throughput if traffic uses only the paths of `flow`.
#[pyfunction]
pub fn weights_over_paths(py: Python<'_>, flow: &PathFlow, gap: f64, progress: Option<Py<PyAny>>) -> PyResult<Found> {
    let flow = Arc::clone(&flow.0);
    search(py, progress, move |observe| Ok(throughput::over_paths(&flow, gap, observe)))
}

/// Computes, with the method of multiplicative weights, bounds on the throughput of a fabric if traffic may use any paths.
#[pyfunction]
pub fn weights_over_fabric(
    py: Python<'_>,
    fabric: &Fabric,
    demands: &Demands,
    capacity: Option<PyReadonlyArray1<'_, f64>>,
    gap: f64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Found> {
    let (fabric, demands) = (Arc::clone(&fabric.0), Arc::clone(&demands.0));
    let capacities = capacities(py, &fabric, capacity)?;
    search(py, progress, move |observe| throughput::over_fabric(&fabric, &demands, capacities, gap, observe))
}

/// Runs a search without the interpreter's lock. `progress` is called with (rounds, lower, upper) from time to time.
fn search(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    run: impl FnOnce(Observe<throughput::Progress>) -> Result<throughput::Weighted, tulle_analysis::Error> + Send + 'static,
) -> PyResult<Found> {
    let report = |py: Python<'_>, state: &throughput::Progress| {
        let values = (state.rounds, state.bracket.lower, state.bracket.upper);
        progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, values).map(|_| ()))
    };
    let (found, stopped) = observed(py, report, run)?;
    if let Some(error) = stopped {
        return Err(error);
    }
    let found = found.or_raise(py)?;
    Ok((found.bracket.lower, found.bracket.upper, found.stopped))
}

/// Returns, for each channel, its load if `demands` are split over the layers and ports of `routing` by their shares, or evenly over the
/// paths of a path set.
#[pyfunction]
pub fn split_loads<'py>(py: Python<'py>, routing: &Routing, demands: &Demands) -> Column<'py, f64> {
    let (fabric, routing, demands) =
        (Arc::clone(&routing.fabric), Arc::clone(&routing.routing), Arc::clone(&demands.0));
    let loads = interruptible(py, move || throughput::split_loads(&fabric, &routing, &demands))?.or_raise(py)?;
    Ok(owned(py, loads))
}

/// Returns the rate of each message by the subflow model, in which a message has one subflow per path (Multi-Path Routing in the Jellyfish
/// Network, equation 1).
#[pyfunction]
pub fn subflow_rates<'py>(py: Python<'py>, routing: &Routing, workload: &Workload) -> Column<'py, f64> {
    let (fabric, routing, load) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing), Arc::clone(&workload.0));
    let rates = interruptible(py, move || throughput::subflow_rates(&fabric, &routing, &load))?.or_raise(py)?;
    Ok(owned(py, rates))
}
