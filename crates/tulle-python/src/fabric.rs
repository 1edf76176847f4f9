//! Fabrics: building them, and reading their parts as arrays.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tulle_fabric::{FabricBuilder, Faults, LinkRule, NO_VIRTUAL_LAYER, distances};
use tulle_formats::ReverseEntries;
use tulle_spec::{Parameters, Value};

use crate::arrays::{Column, collected, column, copied, id, ids, index, matrix, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::properties;

/// A fabric, for Python.
#[pyclass(frozen, eq, module = "tulle._tulle")]
#[derive(PartialEq)]
pub struct Fabric(pub Arc<tulle_fabric::Fabric>);

/// Builds the fabric of `spec` with `seed`.
#[pyfunction]
pub fn build(py: Python<'_>, spec: String, seed: u64) -> PyResult<Fabric> {
    let fabric = interruptible(py, move || tulle_topologies::build(&spec, seed))?.or_raise(py)?;
    Ok(Fabric(Arc::new(fabric)))
}

/// Builds a fabric of `switches` switches. `edges` has the ends of every cable, (cables, 2). The other arguments are the switch of every
/// endpoint, the label of every switch, the columns of [`crate::properties`], and the warnings of the fabric.
#[pyfunction]
#[pyo3(signature = (switches, edges, endpoint_switch, labels, properties=None, warnings=Vec::new()))]
pub fn from_edges(
    py: Python<'_>,
    switches: u32,
    edges: PyReadonlyArray2<'_, i64>,
    endpoint_switch: PyReadonlyArray1<'_, i64>,
    labels: Option<Vec<String>>,
    properties: Option<Bound<'_, PyDict>>,
    warnings: Vec<String>,
) -> PyResult<Fabric> {
    let ends = read_ids(py, "edges: switch", edges.as_array().iter().copied())?;
    let places = read_ids(py, "endpoint_switch: switch", endpoint_switch.as_array().iter().copied())?;
    if let Some(labels) = labels.as_ref().filter(|labels| labels.len() != switches as usize) {
        let problem = format!("{} labels for {switches} switches; legal: one per switch", labels.len());
        return Err(errors::input(py, &problem));
    }
    let mut builder = FabricBuilder::new(switches);
    if let Some(properties) = properties {
        properties::apply(&properties, &mut builder, [switches as usize, ends.len() / 2, places.len()])?;
    }
    let fabric = interruptible(py, move || {
        ends.as_chunks::<2>().0.iter().for_each(|pair| builder.cable(pair[0], pair[1]));
        places.into_iter().for_each(|switch| builder.endpoints(switch, 1));
        labels.into_iter().for_each(|labels| builder.labels(labels));
        builder.finish("edges", Parameters::new())
    })?;
    Ok(Fabric(Arc::new(fabric.or_raise(py)?.with_warnings(warnings))))
}

/// Applies the rule for files to `edges`, (entries, 2): returns the rows that are cables, ascending, and a note if rows are merged, or if
/// some pairs of switches occur in both orders. `merge` decides; `None` means that the rows decide.
#[pyfunction]
pub fn without_reverse_entries<'py>(
    py: Python<'py>,
    edges: PyReadonlyArray2<'_, i64>,
    merge: Option<bool>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Option<String>)> {
    let ends = read_ids(py, "edges: switch", edges.as_array().iter().copied())?;
    let choice = merge.map(|merge| if merge { ReverseEntries::Merge } else { ReverseEntries::Parallel });
    let (cables, note) =
        interruptible(py, move || tulle_formats::without_reverse_entries(ends.as_chunks::<2>().0.to_vec(), choice))?
            .map_err(|problem| errors::input(py, &problem))?;
    Ok((column(py, cables.into_iter().map(|cable| cable as i64))?, note))
}

#[pymethods]
impl Fabric {
    /// Returns the end of an error message about missing endpoints: how a user gives endpoints to this fabric.
    #[getter]
    fn endpoint_hint(&self) -> &'static str {
        self.0.endpoint_hint()
    }

    #[getter]
    fn spec(&self) -> &str {
        self.0.spec()
    }

    #[getter]
    fn family(&self) -> &'static str {
        self.0.family()
    }

    /// Whether the fabric is designed for optical switches or patch panels.
    #[getter]
    fn has_devices(&self) -> bool {
        self.0.shape().has_devices
    }

    /// Returns the resolved parameters in canonical order. A shape becomes a tuple.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for (name, value) in self.0.parameters() {
            match value {
                Value::Integer(value) => parameters.set_item(name, value)?,
                Value::Real(value) => parameters.set_item(name, value)?,
                Value::Shape(sizes) => parameters.set_item(name, PyTuple::new(py, sizes)?)?,
                Value::Word(word) => parameters.set_item(name, word)?,
            }
        }
        Ok(parameters)
    }

    #[getter]
    fn faults(&self) -> Vec<String> {
        self.0.faults().to_vec()
    }

    #[getter]
    fn num_switches(&self) -> usize {
        self.0.num_switches()
    }

    #[getter]
    fn num_endpoints(&self) -> usize {
        self.0.num_endpoints()
    }

    #[getter]
    fn num_cables(&self) -> usize {
        self.0.num_cables()
    }

    #[getter]
    fn network_radix(&self) -> usize {
        self.0.network_radix()
    }

    #[getter]
    fn radix(&self) -> usize {
        self.0.radix()
    }

    #[getter]
    fn concentration(&self) -> usize {
        self.0.concentration()
    }

    /// Returns the fabric without the failed parts that `faults` describes. `seed` determines random failures.
    fn without(&self, py: Python<'_>, faults: &str, seed: u64) -> PyResult<Self> {
        let faults: Faults = faults.parse().or_raise(py)?;
        let fabric = Arc::clone(&self.0);
        let damaged = interruptible(py, move || fabric.without(&faults, seed))?.or_raise(py)?;
        Ok(Self(Arc::new(damaged)))
    }

    /// Returns the ids that switches, channels and endpoints had before the last failures. Returns `None` for a fabric without failures.
    fn origin<'py>(&self, py: Python<'py>) -> PyResult<Option<[Bound<'py, PyArray1<i32>>; 3]>> {
        let Some(origin) = self.0.origin() else { return Ok(None) };
        Ok(Some([ids(py, &origin.switches)?, ids(py, &origin.channels)?, ids(py, &origin.endpoints)?]))
    }

    /// Returns the warnings from reading the input files, one line each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }

    /// Writes the graph in the format named `format`, or by default in the format of the path's extension. Returns the paths of the written
    /// files.
    fn write(&self, py: Python<'_>, path: PathBuf, format: Option<String>) -> PyResult<Vec<PathBuf>> {
        let fabric = Arc::clone(&self.0);
        interruptible(py, move || tulle_formats::write(&fabric, &path, format.as_deref()))?.or_raise(py)
    }

    /// Lists the properties that a file in this format leaves out, one line each.
    fn left_out(&self, py: Python<'_>, path: PathBuf, format: Option<String>) -> PyResult<Vec<String>> {
        let fabric = Arc::clone(&self.0);
        interruptible(py, move || tulle_formats::left_out(&fabric, &path, format.as_deref()))?.or_raise(py)
    }

    /// Returns the number of ordered pairs of switches with endpoints for each distance, and the number of pairs without a path. The
    /// numbers are a list, so that `tulle fabric` does not need to import numpy.
    fn distances(&self, py: Python<'_>) -> PyResult<(Vec<u64>, u64)> {
        let fabric = Arc::clone(&self.0);
        let histogram = interruptible(py, move || distances::histogram(&fabric))?;
        Ok((histogram.pairs, histogram.unreachable))
    }

    /// Returns the source and the target switch of every channel, (C, 2).
    fn channels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let fabric = Arc::clone(&self.0);
        let ends = interruptible(py, move || {
            fabric.sources().iter().zip(fabric.targets()).flat_map(|(&a, &b)| [id(a), id(b)]).collect()
        })?;
        matrix(py, ends, 2)
    }

    /// Returns, for every channel, the channel in the opposite direction of the same cable, (C,).
    fn reverse<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, self.0.reverse())
    }

    /// Returns the ends of every cable, lower switch first, in the order of cable ids, (cables, 2).
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let fabric = Arc::clone(&self.0);
        let ends = interruptible(py, move || {
            let end = |channel: u32| [fabric.sources()[channel as usize], fabric.targets()[channel as usize]];
            fabric.cables().flat_map(end).collect()
        })?;
        matrix(py, ends, 2)
    }

    /// Returns the id of every cable, (cables,). The id is the lower id of its two channels.
    fn cables<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        column(py, self.0.cables().map(id))
    }

    /// Returns the switch of every endpoint, (E,).
    fn endpoint_switch<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, self.0.endpoint_switch())
    }

    /// Returns the level of every switch, (S,).
    fn levels<'py>(&self, py: Python<'py>) -> Column<'py, u8> {
        copied(py, self.0.levels())
    }

    /// Returns the coordinates of every switch, (S, number of names), and the names of the coordinates.
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray2<i32>>, Vec<&'static str>)> {
        let coordinates = self.0.coordinates();
        let width = coordinates.names.len();
        let values = if width == 0 {
            PyArray2::zeros(py, [self.0.num_switches(), 0], false)
        } else {
            matrix(py, collected(py, coordinates.values.iter().map(|&value| id(value)))?, width)?
        };
        Ok((values, coordinates.names.clone()))
    }

    /// Returns the label of every switch.
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, (0..self.0.num_switches() as u32).map(|switch| self.0.label(switch)))
    }

    /// Returns the class of every channel, (C,), and the names of the classes.
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyArray1<u8>>, Vec<&'static str>)> {
        Ok((copied(py, self.0.classes())?, self.0.class_names().to_vec()))
    }

    /// Returns the virtual layer of every channel at its source and target end, (C, 2). −1 means none. The shape is (0, 2) if the fabric
    /// has no virtual layers.
    fn virtual_layers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i16>>> {
        let layer = |&layer: &u8| if layer == NO_VIRTUAL_LAYER { -1 } else { i16::from(layer) };
        matrix(py, collected(py, self.0.virtual_layers().iter().flatten().map(layer))?, 2)
    }

    /// Returns the fabric with the link properties that `rules` set.
    fn with_links(&self, py: Python<'_>, rules: Vec<String>) -> PyResult<Self> {
        let rules: Vec<LinkRule> = rules.iter().map(|rule| rule.parse()).collect::<Result<_, _>>().or_raise(py)?;
        Ok(Self(Arc::new(self.0.with_links(&rules).or_raise(py)?)))
    }

    /// Returns the fabric with these numbers as port names, by channel and by endpoint.
    fn with_port_numbers(&self, ports: Vec<u32>, endpoint_ports: Vec<u32>) -> Self {
        Self(Arc::new(self.0.with_port_numbers(&ports, &endpoint_ports)))
    }

    /// Whether any property of any link is known.
    #[getter]
    fn has_links(&self) -> bool {
        self.0.links().is_some()
    }

    /// Returns the link rules that were applied since the fabric was built, in order.
    #[getter]
    fn link_rules(&self) -> Vec<String> {
        self.0.link_rules().to_vec()
    }

    /// Returns the known properties of every channel, and of the link of every endpoint; see [`properties::links`].
    fn links<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyDict>; 2]> {
        let channels = (0..self.0.num_channels() as u32).map(|channel| self.0.link(channel));
        let endpoints = (0..self.0.num_endpoints() as u32).map(|endpoint| self.0.endpoint_link(endpoint));
        Ok([properties::links(py, channels)?, properties::links(py, endpoints)?])
    }

    /// Returns the known properties of links, and names; see [`properties`].
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        properties::of(py, &self.0)
    }

    /// Returns the switch with this name.
    fn switch_named(&self, py: Python<'_>, name: &str) -> PyResult<u32> {
        self.0.switch_named(name).or_raise(py)
    }

    /// Returns the endpoint with this name.
    fn endpoint_named(&self, py: Python<'_>, name: &str) -> PyResult<u32> {
        self.0.endpoint_named(name).or_raise(py)
    }

    /// Returns the cable with this name.
    fn cable_named(&self, py: Python<'_>, name: &str) -> PyResult<u32> {
        self.0.cable_named(name).or_raise(py)
    }

    /// Returns the channel from one switch to another.
    fn channel_between(&self, py: Python<'_>, source: u32, target: u32) -> PyResult<u32> {
        let count = self.0.num_switches();
        let [source, target] =
            [("source", source), ("target", target)].map(|(what, id)| index(py, what, id.into(), count));
        self.0.channel_between(source?, target?).or_raise(py)
    }

    /// Returns the name of every cable, in the order of `cables`.
    fn cable_names(&self) -> Vec<String> {
        self.0.cables().map(|cable| self.0.cable_name(cable)).collect()
    }

    /// Returns, for each channel, the port of its source switch.
    fn port_names(&self) -> Vec<String> {
        (0..self.0.num_channels() as u32).map(|channel| self.0.port_name(channel)).collect()
    }

    /// Returns the name of every endpoint.
    fn endpoint_names(&self) -> Vec<String> {
        (0..self.0.num_endpoints() as u32).map(|endpoint| self.0.endpoint_name(endpoint)).collect()
    }

    /// Returns, for each endpoint, the port of its switch.
    fn endpoint_ports(&self) -> Vec<String> {
        (0..self.0.num_endpoints() as u32).map(|endpoint| self.0.endpoint_port_name(endpoint)).collect()
    }

    /// Returns the role of every switch, empty if unknown.
    fn roles(&self) -> Vec<&str> {
        (0..self.0.num_switches() as u32).map(|switch| self.0.switch_role(switch).unwrap_or_default()).collect()
    }
}

/// Returns the canonical form of a link rule.
#[pyfunction]
pub fn canonical_link(py: Python<'_>, rule: &str) -> PyResult<String> {
    Ok(rule.parse::<LinkRule>().or_raise(py)?.to_string())
}
