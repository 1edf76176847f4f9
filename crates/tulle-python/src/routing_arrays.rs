//! Routings given as arrays, and their paths as columns.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Column, collected, counts, ids, owned};
use crate::call::interruptible;
use crate::errors::OrRaise;
use crate::fabric::Fabric;
use crate::routing::Routing;

/// Builds a routing from next hops. The array contains one layer after another. A layer has `widest` entries for every switch and
/// destination.
#[pyfunction]
pub fn from_next_hop(
    py: Python<'_>,
    fabric: &Fabric,
    next_hop: PyReadonlyArray1<'_, i64>,
    widest: usize,
    port_shares: Option<PyReadonlyArray1<'_, i64>>,
    layer_shares: Option<PyReadonlyArray1<'_, i64>>,
) -> PyResult<Routing> {
    let taken = |array: PyReadonlyArray1<'_, i64>| collected(py, array.as_array().iter().copied());
    let channels = taken(next_hop)?;
    let (ports, layers) = (port_shares.map(taken).transpose()?, layer_shares.map(taken).transpose()?);
    made(py, fabric, move |fabric| {
        let (port_shares, layer_shares) = (ports.as_deref(), layers.as_deref());
        let next_hops = tulle_routing::NextHops { channels: &channels, widest, port_shares, layer_shares };
        tulle_routing::Routing::from_next_hop(fabric, &next_hops)
    })
}

/// Builds a routing from explicit paths.
#[pyfunction]
pub fn from_paths(
    py: Python<'_>,
    fabric: &Fabric,
    offsets: PyReadonlyArray1<'_, i64>,
    channels: PyReadonlyArray1<'_, i64>,
) -> PyResult<Routing> {
    let [offsets, channels] = [offsets, channels].map(|column| collected(py, column.as_array().iter().copied()));
    let (offsets, channels) = (offsets?, channels?);
    made(py, fabric, move |fabric| tulle_routing::Routing::from_paths(fabric, &offsets, &channels))
}

fn made(
    py: Python<'_>,
    fabric: &Fabric,
    make: impl FnOnce(&tulle_fabric::Fabric) -> Result<tulle_routing::Routing, tulle_routing::Error> + Send + 'static,
) -> PyResult<Routing> {
    let fabric = Arc::clone(&fabric.0);
    let routed = Arc::clone(&fabric);
    let routing = interruptible(py, move || make(&routed))?.or_raise(py)?;
    Ok(Routing { routing: Arc::new(routing), fabric })
}

/// Returns the columns `source`, `destination`, `offsets` and `channels` of the paths of all pairs.
#[pyfunction]
pub fn path_columns<'py>(py: Python<'py>, routing: &Routing) -> PyResult<Bound<'py, PyDict>> {
    let (fabric, routing) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let columns = interruptible(py, move || routing.path_columns(&fabric))?;
    let fields = PyDict::new(py);
    fields.set_item("source", ids(py, &columns.source)?)?;
    fields.set_item("destination", ids(py, &columns.destination)?)?;
    fields.set_item("offsets", counts(py, &columns.offsets)?)?;
    fields.set_item("channels", ids(py, &columns.channels)?)?;
    Ok(fields)
}

/// Returns, for each channel, the number of paths that use it, over all pairs. A path is split evenly over the ports of a group, so the
/// numbers can be fractions.
#[pyfunction]
pub fn paths_over<'py>(py: Python<'py>, routing: &Routing) -> Column<'py, f64> {
    let (fabric, routing) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let over = interruptible(py, move || tulle_routing::quality::paths_over(&fabric, &routing))?;
    Ok(owned(py, over))
}
