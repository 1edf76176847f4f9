//! Routings: building them, and reading them as arrays.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray3, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tulle_base::memory;
use tulle_routing::quality::{Quality, Sharing};
use tulle_routing::{PathSet, Routes, Table};

use crate::arrays::{Column, column, id, index, matrix, owned};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;

/// A routing with its fabric, for Python.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct Routing {
    pub routing: Arc<tulle_routing::Routing>,
    pub fabric: Arc<tulle_fabric::Fabric>,
}

/// Routes `fabric` by the scheme of `spec`.
#[pyfunction]
pub fn route(py: Python<'_>, fabric: &Fabric, spec: String, seed: u64) -> PyResult<Routing> {
    let fabric = Arc::clone(&fabric.0);
    let routed = Arc::clone(&fabric);
    let routing = interruptible(py, move || tulle_routing::build(&routed, &spec, seed))?.or_raise(py)?;
    Ok(Routing { routing: Arc::new(routing), fabric })
}

/// Returns what the scheme of `spec` assumes about `fabric`, one line per assumption.
#[pyfunction]
pub fn routing_notes(py: Python<'_>, fabric: &Fabric, spec: String) -> PyResult<Vec<String>> {
    let fabric = Arc::clone(&fabric.0);
    interruptible(py, move || tulle_routing::schemes::notes(&fabric, &spec))?.or_raise(py)
}

/// Reads a routing of `fabric` from a file.
#[pyfunction]
pub fn load_routing(py: Python<'_>, path: PathBuf, fabric: &Fabric) -> PyResult<Routing> {
    let fabric = Arc::clone(&fabric.0);
    let routed = Arc::clone(&fabric);
    let routing = interruptible(py, move || tulle_routing::Routing::load(&path, &routed))?.or_raise(py)?;
    Ok(Routing { routing: Arc::new(routing), fabric })
}

/// Creates a routing of `fabric` from the bytes `stored`, which `Routing::stored` returned.
#[pyfunction]
pub fn restore_routing(py: Python<'_>, stored: Vec<u8>, fabric: &Fabric) -> PyResult<Routing> {
    let fabric = Arc::clone(&fabric.0);
    let routed = Arc::clone(&fabric);
    let routing = interruptible(py, move || tulle_routing::Routing::from_bytes(&stored, &routed))?.or_raise(py)?;
    Ok(Routing { routing: Arc::new(routing), fabric })
}

#[pymethods]
impl Routing {
    /// Returns the routing as bytes. The method `save` writes the same bytes to a file.
    fn stored<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        Ok(PyBytes::new(py, &interruptible(py, move || routing.to_bytes(&fabric))?))
    }

    /// Returns whether both routings have the same name and the same paths over the same fabric.
    fn __eq__(&self, other: &Self) -> bool {
        self.routing == other.routing && self.fabric == other.fabric
    }

    /// Writes the routing to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        interruptible(py, move || routing.save(&fabric, &path))?.or_raise(py)
    }

    /// Returns the fields of `Quality`, with histograms as arrays. Paths are disjoint if they share no cable, or with `by_cable=False` no
    /// channel. `pairs` is the approximate number of pairs to sample with `seed`; `None` means all pairs.
    fn quality<'py>(
        &self,
        py: Python<'py>,
        by_cable: bool,
        pairs: Option<u64>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let sharing = if by_cable { Sharing::Cable } else { Sharing::Channel };
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        let quality = interruptible(py, move || match pairs {
            None => Quality::of(&fabric, &routing, sharing),
            Some(pairs) => Quality::sampled(&fabric, &routing, sharing, pairs, seed),
        })?;
        let fields = PyDict::new(py);
        fields.set_item("pairs", quality.pairs)?;
        fields.set_item("mean_hops", quality.average_mean_hops())?;
        let means: Vec<f64> = quality.mean_hops.iter().flat_map(|&(hops, pairs)| [hops, pairs as f64]).collect();
        fields.set_item("mean_hops_of_pairs", matrix(py, means, 2)?)?;
        for (name, histogram) in [
            ("paths", quality.paths),
            ("hops", quality.hops),
            ("shortest", quality.shortest),
            ("longest", quality.longest),
            ("disjoint_greedy", quality.greedy),
            ("disjoint", quality.exact),
            ("most_shared", quality.most_shared),
            ("paths_over", quality.paths_over),
        ] {
            fields.set_item(name, owned(py, histogram))?;
        }
        Ok(fields)
    }

    #[getter]
    fn spec(&self) -> &str {
        self.routing.spec()
    }

    #[getter]
    fn num_layers(&self) -> usize {
        self.routing.num_layers()
    }

    /// The total number of paths of a path set; `None` for forwarding tables.
    #[getter]
    fn num_paths(&self) -> Option<usize> {
        self.routing.path_set().map(PathSet::num_paths)
    }

    /// Returns the lowest channel from every switch toward every destination, (layers, S, S); −1 if there is none.
    fn next_hop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<i32>>> {
        let switches = self.fabric.num_switches();
        owned(py, self.channels(py, 1)?).reshape([self.routing.num_layers(), switches, switches])
    }

    /// Returns all channels from every switch toward every destination, (layers, S, S, widest). Channels are in ascending order, and −1
    /// fills unused entries. `widest` is the maximum number of channels per entry.
    fn next_hop_groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<i32>>> {
        let switches = self.fabric.num_switches();
        let widest = self.routing.layers().iter().map(Table::widest).max().unwrap_or(1);
        owned(py, self.channels(py, widest)?).reshape([self.routing.num_layers(), switches, switches, widest])
    }

    /// Returns the shares of the channels in `next_hop_groups`, (layers, S, S, widest), with 0 for unused entries. `widest` is the maximum
    /// number of channels per entry.
    fn port_shares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<u8>>> {
        let widest = self.routing.layers().iter().map(Table::widest).max().unwrap_or(1);
        let shares = self.shares(py, widest, move |table, switch, destination, shares| {
            shares.extend(table.port_shares(switch, destination).map(|share| share as u8));
        })?;
        let switches = self.fabric.num_switches();
        owned(py, shares).reshape([self.routing.num_layers(), switches, switches, widest])
    }

    /// Returns the share of every layer in the traffic from a switch to a destination, (layers, S, S); 0 if both are the same switch.
    fn layer_shares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let shares = self.shares(py, 1, |table, source, destination, shares| {
            shares.push(if source == destination { 0 } else { table.layer_share(source, destination) });
        })?;
        let switches = self.fabric.num_switches();
        owned(py, shares).reshape([self.routing.num_layers(), switches, switches])
    }

    /// Returns the number of forwarding entries of every switch, summed over all layers.
    fn entries<'py>(&self, py: Python<'py>) -> Column<'py, u64> {
        let tables = self.tables(py)?;
        let switches = 0..self.fabric.num_switches() as u32;
        column(py, switches.map(|switch| tables.iter().map(|table| table.entries(switch)).sum::<u64>()))
    }

    /// Returns the routing with shares of layers and ports that spread the traffic of every pair over many channels.
    fn weighted(&self, py: Python<'_>, shares: u8) -> PyResult<Self> {
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        let weighted = interruptible(py, move || routing.weighted(&fabric, shares))?.or_raise(py)?;
        Ok(Self { routing: Arc::new(weighted), fabric: Arc::clone(&self.fabric) })
    }

    /// Returns all channels from `switch` toward `destination` in `layer`, in ascending order. The result is empty if both are the same
    /// switch.
    fn next_hops<'py>(&self, py: Python<'py>, layer: i64, switch: i64, destination: i64) -> Column<'py, i32> {
        let table = &self.routing.layers()[self.layer_number(py, layer)?];
        let (switch, destination) = (self.switch(py, "switch", switch)?, self.switch(py, "destination", destination)?);
        let first = self.fabric.offsets()[switch as usize];
        let channel = |&port: &u16| id(first + u32::from(port));
        column(py, table.next(switch, destination).iter().map(channel))
    }

    /// Returns the paths from one switch to another as channels: one path per layer of tables, or all paths of a path set.
    fn paths<'py>(&self, py: Python<'py>, source: i64, destination: i64) -> PyResult<Vec<Bound<'py, PyArray1<i32>>>> {
        let (source, destination) = (self.switch(py, "source", source)?, self.switch(py, "destination", destination)?);
        let paths = self.routing.paths(&self.fabric, source, destination);
        paths.into_iter().map(|path| column(py, path.into_iter().map(id))).collect()
    }

    /// Returns the number of ordered pairs of switches with endpoints, by the hops of their path in `layer`.
    fn hop_counts<'py>(&self, py: Python<'py>, layer: i64) -> Column<'py, u64> {
        let layer = self.layer_number(py, layer)?;
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        let counts = interruptible(py, move || tulle_routing::hop_counts(&fabric, &routing.layers()[layer]))?;
        Ok(owned(py, counts.pairs))
    }
}

impl Routing {
    fn layer_number(&self, py: Python<'_>, layer: i64) -> PyResult<usize> {
        self.tables(py)?;
        Ok(index(py, "layer", layer, self.routing.num_layers())? as usize)
    }

    /// Returns the channels from every switch toward every destination in every layer: up to `widest` channels, then −1 for unused entries.
    fn channels(&self, py: Python<'_>, widest: usize) -> PyResult<Vec<i32>> {
        self.tables(py)?;
        let (routing, fabric) = (Arc::clone(&self.routing), Arc::clone(&self.fabric));
        let switches = fabric.num_switches();
        interruptible(py, move || {
            let cells = routing.num_layers() * switches * switches * widest;
            let mut channels = memory::must(memory::reserved(|| format!("{cells} next hops"), cells));
            for table in routing.layers() {
                for switch in 0..switches as u32 {
                    let first = fabric.offsets()[switch as usize];
                    for destination in 0..switches as u32 {
                        let ports = table.next(switch, destination).iter().take(widest);
                        let end = channels.len() + widest;
                        channels.extend(ports.map(|&port| id(first + u32::from(port))));
                        channels.resize(end, -1);
                    }
                }
            }
            channels
        })
    }

    /// Collects the output of `push` for every switch and destination in every layer. Each output has `width` bytes.
    fn shares(
        &self,
        py: Python<'_>,
        width: usize,
        push: impl Fn(&Table, u32, u32, &mut Vec<u8>) + Send + 'static,
    ) -> PyResult<Vec<u8>> {
        self.tables(py)?;
        let (routing, switches) = (Arc::clone(&self.routing), self.fabric.num_switches() as u32);
        interruptible(py, move || {
            let cells = routing.num_layers() * switches as usize * switches as usize * width;
            let mut shares = memory::must(memory::reserved(|| format!("{cells} shares"), cells));
            for table in routing.layers() {
                for (switch, to) in (0..switches).flat_map(|switch| (0..switches).map(move |to| (switch, to))) {
                    let end = shares.len() + width;
                    push(table, switch, to, &mut shares);
                    shares.resize(end, 0);
                }
            }
            shares
        })
    }

    /// Returns the forwarding tables. Fails if the routing is a path set.
    fn tables(&self, py: Python<'_>) -> PyResult<&[Table]> {
        match self.routing.routes() {
            Routes::Layers(tables) => Ok(tables),
            Routes::Paths(_) => {
                let problem = format!(
                    "{} is a path set and has no forwarding tables; legal: a routing with layers of tables, for example \
                        random:layers=4",
                    self.spec()
                );
                Err(errors::input(py, &problem))
            }
        }
    }

    fn switch(&self, py: Python<'_>, name: &str, switch: i64) -> PyResult<u32> {
        index(py, name, switch, self.fabric.num_switches())
    }
}
