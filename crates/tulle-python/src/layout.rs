//! Layouts: racks on a floor, cable lengths and media, parts lists, cabling through devices, and closed forms.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_layout::closed_forms::{self, Estimate, Size};
use tulle_layout::through::{self, Circuits};
use tulle_layout::{Floor, Medium, Position};
use tulle_spec::Registered;
use tulle_topologies::families::{self, flattenedclos::Panelled};

use crate::arrays::{collected, column, id, ids, matrix, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;

/// A layout with its fabric, for Python.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct Layout {
    layout: Arc<tulle_layout::Layout>,
    fabric: Arc<tulle_fabric::Fabric>,
}

/// Returns the layout of `fabric` on the floor `floor`, with space for this number of `devices`. `parts` has the number of every switch's
/// part; the switches of a part get racks near each other. Without `parts`, the fabric's family determines the racks.
#[pyfunction]
pub fn lay_out(
    py: Python<'_>,
    fabric: &Fabric,
    floor: &str,
    parts: Option<PyReadonlyArray1<'_, i64>>,
    devices: u32,
) -> PyResult<Layout> {
    let floor = Floor::read(floor).or_raise(py)?;
    let parts = parts.map(|parts| read_ids(py, "parts: part", parts.as_array().iter().copied())).transpose()?;
    let fabric = Arc::clone(&fabric.0);
    let of = Arc::clone(&fabric);
    let layout = interruptible(py, move || tulle_layout::Layout::of(&of, floor, parts.as_deref(), devices))?;
    Ok(Layout { layout: Arc::new(layout.or_raise(py)?), fabric })
}

/// Returns the canonical text of a floor: all keys with their values. The keys `nics` and `host` are included only if they differ from 1.
#[pyfunction]
pub fn read_floor(py: Python<'_>, text: &str) -> PyResult<String> {
    let spec = Floor::read(text).or_raise(py)?.spec();
    Ok(spec.split_once(':').map_or(String::new(), |(_, keys)| keys.to_owned()))
}

#[pymethods]
impl Layout {
    /// The canonical spec of the floor, which starts with `floor:`.
    #[getter]
    fn floor(&self) -> String {
        self.layout.floor.spec()
    }

    /// The number of endpoints of a host.
    #[getter]
    fn nics_per_host(&self) -> u32 {
        self.layout.floor.nics
    }

    #[getter]
    fn structure(&self) -> &'static str {
        self.layout.structure
    }

    /// Returns the name of every rack.
    fn racks(&self) -> Vec<&str> {
        self.layout.racks.iter().map(|rack| rack.name.as_str()).collect()
    }

    /// Returns the column, row and group of every rack, (R, 3).
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let row = |rack: &tulle_layout::Rack| [rack.place[0], rack.place[1], id(rack.group)];
        matrix(py, collected(py, self.layout.racks.iter().flat_map(row))?, 3)
    }

    /// Returns three arrays (n, 3) for switches, endpoints and devices. Columns: rack, unit and slot.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyArray2<i32>>; 3]> {
        let all = |positions: &[Position]| {
            let row = |at: &Position| [id(at.rack), at.unit.into(), at.slot.into()];
            matrix(py, collected(py, positions.iter().flat_map(row))?, 3)
        };
        Ok([all(&self.layout.switches)?, all(&self.layout.endpoints)?, all(&self.layout.devices)?])
    }

    /// Returns the length in millimetres of every cable between switches, and whether the cable is copper.
    fn cables<'py>(&self, py: Python<'py>) -> PyResult<Lengths<'py>> {
        columns(py, self.fabric.cables().map(|cable| self.layout.cable_of(&self.fabric, cable)))
    }

    /// Returns the length in millimetres of every endpoint cable, and whether the cable is copper.
    fn endpoint_cables<'py>(&self, py: Python<'py>) -> PyResult<Lengths<'py>> {
        let endpoints = 0..self.fabric.num_endpoints() as u32;
        columns(py, endpoints.map(|endpoint| self.layout.endpoint_cable(&self.fabric, endpoint)))
    }

    /// Returns the cable length in millimetres from every switch to every device, (S, devices).
    fn to_devices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let devices = &self.layout.devices;
        let row = |&switch: &Position| devices.iter().map(move |&device| self.layout.length(switch, device) as i64);
        matrix(py, collected(py, self.layout.switches.iter().flat_map(row))?, devices.len())
    }

    /// Returns the number of each item: switches by number of ports, and cables by length in millimetres.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (layout, fabric) = (Arc::clone(&self.layout), Arc::clone(&self.fabric));
        let items = interruptible(py, move || layout.items(&fabric))?;
        let fields = PyDict::new(py);
        for (name, counts) in [
            ("switches", &items.switches),
            ("copper", &items.copper),
            ("fibre", &items.fibre),
            ("to_devices", &items.to_devices),
        ] {
            fields.set_item(name, counts)?;
        }
        for (name, count) in [("endpoints", items.endpoints), ("devices", items.devices), ("racks", items.racks)] {
            fields.set_item(name, count)?;
        }
        Ok(fields)
    }

    /// Returns the fabric with the lengths and media of its links. If there are devices, `through` gives the device of every channel. With
    /// `latency` (in picoseconds), links also get latencies.
    fn linked(
        &self,
        py: Python<'_>,
        latency: Option<u64>,
        through: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Fabric> {
        let through = through.map(|ids| read_ids(py, "device", ids.as_array().iter().copied())).transpose()?;
        let (channels, devices) = (self.fabric.num_channels(), self.layout.devices.len() as u32);
        if through.as_ref().is_some_and(|all| all.len() != channels || all.iter().any(|&device| device >= devices)) {
            return Err(errors::input(
                py,
                &format!("through must have the number of a device, below {devices}, for each of {channels} channels"),
            ));
        }
        let (layout, fabric) = (Arc::clone(&self.layout), Arc::clone(&self.fabric));
        let linked = interruptible(py, move || layout.linked(&fabric, latency, through.as_deref()))?;
        Ok(Fabric(Arc::new(linked)))
    }
}

type Lengths<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>);

fn columns<'py>(py: Python<'py>, cables: impl Iterator<Item = (u64, Medium)>) -> PyResult<Lengths<'py>> {
    let (mut lengths, mut copper) = (Vec::new(), Vec::new());
    for (length, medium) in cables {
        tulle_base::memory::push("lengths of cables", &mut lengths, length as i64);
        tulle_base::memory::push("media of cables", &mut copper, medium == Medium::Copper);
    }
    Ok((column(py, lengths)?, column(py, copper)?))
}

/// Returns the cabling through optical switches. The first array has the connections inside every device, (devices, S); −1 marks an unused
/// port. The second array has the device of every channel.
#[pyfunction]
pub fn optical<'py>(py: Python<'py>, fabric: &Fabric, ports: u32) -> PyResult<Joined<'py>> {
    let fabric = Arc::clone(&fabric.0);
    joined(py, interruptible(py, move || through::optical(&fabric, ports))?.or_raise(py)?)
}

/// Returns the cabling through patch panels, in the same form as [`optical`].
#[pyfunction]
pub fn panels<'py>(py: Python<'py>, fabric: &Fabric, ports: u32, seed: u64) -> PyResult<Joined<'py>> {
    let fabric = Arc::clone(&fabric.0);
    joined(py, interruptible(py, move || through::panels(&fabric, ports, seed))?.or_raise(py)?)
}

/// Returns the cables of a fabric by the panels of virtual-layered cabling, (cables, 4); `None` for a fabric without panels. Columns:
/// panel, lower virtual layer, the cable's switch in that layer, and its switch in the layer above.
#[pyfunction]
pub fn panelled<'py>(py: Python<'py>, spec: &str, seed: u64) -> PyResult<Option<Bound<'py, PyArray2<i32>>>> {
    let spec = spec.to_owned();
    let Some(found) = interruptible(py, move || families::flattenedclos::panelled(&spec, seed))?.or_raise(py)? else {
        return Ok(None);
    };
    let row = |of: &Panelled| [id(of.panel), of.layer.into(), id(of.below), id(of.above)];
    Ok(Some(matrix(py, collected(py, found.iter().flat_map(row))?, 4)?))
}

type Joined<'py> = (Bound<'py, PyArray2<i32>>, Bound<'py, PyArray1<i32>>);

fn joined(py: Python<'_>, circuits: Circuits) -> PyResult<Joined<'_>> {
    let maps = matrix(py, collected(py, circuits.maps.iter().map(|&port| id(port)))?, circuits.ports as usize)?;
    Ok((maps, ids(py, &circuits.devices)?))
}

/// Returns the parts of a Flattened Clos network over optical switches, from closed forms.
#[pyfunction]
pub fn estimate_flattened_clos<'py>(
    py: Python<'py>,
    servers: u64,
    servers_per_tor: u64,
    radix: u64,
    ports: u64,
    eta: Option<u64>,
    floor: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let floor = Floor::read(floor).or_raise(py)?;
    let size = Size { servers, per_tor: servers_per_tor, radix };
    let found = interruptible(py, move || closed_forms::flattened_clos(size, ports, eta, &floor))?;
    estimate(py, &found.or_raise(py)?)
}

/// Returns the parts of the Clos network with which a Flattened Clos network is compared.
#[pyfunction]
pub fn estimate_clos<'py>(
    py: Python<'py>,
    servers: u64,
    servers_per_tor: u64,
    radix: u64,
    floor: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let floor = Floor::read(floor).or_raise(py)?;
    let size = Size { servers, per_tor: servers_per_tor, radix };
    let found = interruptible(py, move || closed_forms::clos(size, &floor))?;
    estimate(py, &found.or_raise(py)?)
}

fn estimate<'py>(py: Python<'py>, found: &Estimate) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("layers", found.layers)?;
    fields.set_item("switches", found.switches)?;
    fields.set_item("devices", found.devices)?;
    fields.set_item("copper", &found.copper)?;
    fields.set_item("fibre", &found.fibre)?;
    fields.set_item("transceivers", found.transceivers)?;
    fields.set_item("bisection", found.bisection)?;
    fields.set_item("rows", found.rows)?;
    Ok(fields)
}
