//! Columns with the known properties of links, and with names. They are read from a fabric, or used to build one.
//!
//! The columns are a dictionary of lists. A list is missing if none of its values is known. Lists per switch: `levels`, `roles`,
//! `switch_ports`. Lists per cable, in the order of `edges`: `cable_names`, `ports` (at both ends), `links` (from the lower switch) and
//! `links_back` (to the lower switch). Lists per endpoint: `endpoint_names`, `endpoint_ports`, `host_ports`, `endpoint_links`. A link has a
//! rate in bits per second, a latency in picoseconds, a length in millimetres and a medium, each `None` if unknown. An unknown text is
//! empty. `costs` has the routing costs of every cable in both directions, 0 if unknown. `switch_addresses` and `endpoint_addresses` are
//! InfiniBand addresses as numbers, 0 if unknown.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_fabric::{Address, Fabric, FabricBuilder, Link};

use crate::{arrays, errors};

/// An InfiniBand address as a Python tuple: node GUID, port GUID, LID, LMC, and port of the adapter.
pub type Numbers = (u64, u64, u16, u8, u8);

/// Creates an address from its numbers.
pub fn address((node_guid, port_guid, lid, lmc, port): Numbers) -> Address {
    Address { node_guid, port_guid, lid, lmc, port }
}

fn numbers(address: Option<Address>) -> Numbers {
    let Address { node_guid, port_guid, lid, lmc, port } = address.unwrap_or(Address::UNKNOWN);
    (node_guid, port_guid, lid, lmc, port)
}

/// The properties of a link as a Python tuple: rate, latency, length, medium.
type Known = (Option<u64>, Option<u64>, Option<u64>, Option<String>);

fn link((rate, latency, length, medium): Known) -> Link {
    Link { rate, latency, length, medium: medium.map(Arc::from), cost: None }
}

fn known(link: &Link) -> Known {
    (link.rate, link.latency, link.length, link.medium.as_deref().map(str::to_owned))
}

/// Sets the values of `properties` in `builder`. `sizes` are the numbers of switches, cables and endpoints of the fabric. Cables and
/// endpoints can be added to `builder` later.
///
/// # Errors
/// Fails if a column has a wrong number of rows, or values of a wrong type.
pub fn apply(properties: &Bound<'_, PyDict>, builder: &mut FabricBuilder, sizes: [usize; 3]) -> PyResult<()> {
    let [switches, cables, endpoints] = sizes;
    for (switch, level) in (0..).zip(column::<u8>(properties, "levels", switches)?) {
        builder.level(switch, level);
    }
    for (switch, role) in (0..).zip(column::<String>(properties, "roles", switches)?) {
        builder.role(switch, &role);
    }
    for (switch, ports) in (0..).zip(column(properties, "switch_ports", switches)?) {
        builder.switch_ports(switch, ports);
    }
    for (cable, name) in column::<String>(properties, "cable_names", cables)?.iter().enumerate() {
        builder.cable_name(cable, name);
    }
    for (cable, [a, b]) in column::<[String; 2]>(properties, "ports", cables)?.iter().enumerate() {
        builder.cable_ports(cable, [a, b]);
    }
    let there = column::<Known>(properties, "links", cables)?;
    let back = column::<Known>(properties, "links_back", cables)?;
    let costs = column::<[u32; 2]>(properties, "costs", cables)?;
    if !there.is_empty() || !costs.is_empty() {
        for cable in 0..cables {
            let there = there.get(cable).map_or(Link::UNKNOWN, |there| link(there.clone()));
            let back = back.get(cable).map_or_else(|| there.clone(), |back| link(back.clone()));
            let costs = costs.get(cable).unwrap_or(&[0; 2]).map(|cost| (cost > 0).then_some(cost));
            builder.link(cable, [Link { cost: costs[0], ..there }, Link { cost: costs[1], ..back }]);
        }
    }
    for (endpoint, name) in (0..).zip(column::<String>(properties, "endpoint_names", endpoints)?) {
        builder.endpoint_name(endpoint, &name);
    }
    for (endpoint, port) in (0..).zip(column::<String>(properties, "endpoint_ports", endpoints)?) {
        builder.endpoint_port(endpoint, &port);
    }
    for (endpoint, port) in (0..).zip(column::<String>(properties, "host_ports", endpoints)?) {
        builder.host_port(endpoint, &port);
    }
    for (endpoint, known) in (0..).zip(column::<Known>(properties, "endpoint_links", endpoints)?) {
        builder.endpoint_link(endpoint, link(known));
    }
    for (switch, known) in (0..).zip(column(properties, "switch_addresses", switches)?) {
        builder.switch_address(switch, address(known));
    }
    for (endpoint, known) in (0..).zip(column(properties, "endpoint_addresses", endpoints)?) {
        builder.endpoint_address(endpoint, address(known));
    }
    Ok(())
}

/// Returns the column `name`; empty if it is missing.
fn column<'py, T>(properties: &Bound<'py, PyDict>, name: &str, rows: usize) -> PyResult<Vec<T>>
where
    for<'a> T: FromPyObject<'a, 'py>,
    for<'a> <T as FromPyObject<'a, 'py>>::Error: Into<PyErr>,
{
    let Some(values) = properties.get_item(name)? else { return Ok(Vec::new()) };
    let py = properties.py();
    let values: Vec<T> = values.extract().map_err(|_| {
        errors::input(
            py,
            &format!("{name} has a value of a wrong type; legal: the types that Fabric.from_edges documents"),
        )
    })?;
    if values.len() != rows {
        return Err(errors::input(py, &format!("{name} has {} values; legal: {rows}", values.len())));
    }
    Ok(values)
}

/// Returns the known properties of links, and names, in the form that [`apply`] takes. Labels are not included.
pub fn of<'py>(py: Python<'py>, fabric: &Fabric) -> PyResult<Bound<'py, PyDict>> {
    let (switches, endpoints) = (0..fabric.num_switches() as u32, 0..fabric.num_endpoints() as u32);
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let columns = PyDict::new(py);
    if fabric.levels().iter().any(|&level| level > 0) {
        columns.set_item("levels", fabric.levels().iter().map(|&level| u32::from(level)).collect::<Vec<_>>())?;
    }
    let texts = |name: &str, texts: Vec<String>| match texts.iter().any(|text| !text.is_empty()) {
        true => columns.set_item(name, texts),
        false => Ok(()),
    };
    texts("roles", switches.clone().map(|switch| text(fabric.switch_role(switch))).collect())?;
    texts("cable_names", fabric.cables().map(|cable| text(fabric.given_cable_name(cable))).collect())?;
    texts("endpoint_names", endpoints.clone().map(|at| text(fabric.given_endpoint_name(at))).collect())?;
    // Port numbers are passed as names if they differ from the numbers that `apply` would assign.
    let numbered = fabric.has_moved_ports();
    let endpoint_port =
        |at: u32| if numbered { fabric.endpoint_port_name(at) } else { text(fabric.given_endpoint_port(at)) };
    texts("endpoint_ports", endpoints.clone().map(endpoint_port).collect())?;
    texts("host_ports", endpoints.clone().map(|at| text(fabric.host_port(at))).collect())?;
    let ports: Vec<u32> = switches.map(|switch| fabric.switch_ports(switch).unwrap_or(0)).collect();
    if ports.iter().any(|&ports| ports > 0) {
        columns.set_item("switch_ports", ports)?;
    }
    let back = |cable: u32| fabric.reverse()[cable as usize];
    let port = |channel: u32| if numbered { fabric.port_name(channel) } else { text(fabric.given_port_name(channel)) };
    let ports: Vec<(String, String)> = fabric.cables().map(|cable| (port(cable), port(back(cable)))).collect();
    if ports.iter().any(|(a, b)| !a.is_empty() || !b.is_empty()) {
        columns.set_item("ports", ports)?;
    }
    if fabric.links().is_some() {
        columns.set_item("links", fabric.cables().map(|cable| known(fabric.link(cable))).collect::<Vec<_>>())?;
        columns
            .set_item("links_back", fabric.cables().map(|cable| known(fabric.link(back(cable)))).collect::<Vec<_>>())?;
        let links: Vec<Known> = endpoints.map(|endpoint| known(fabric.endpoint_link(endpoint))).collect();
        columns.set_item("endpoint_links", links)?;
        let cost = |channel: u32| fabric.link_cost(channel).unwrap_or(0);
        let costs: Vec<(u32, u32)> = fabric.cables().map(|cable| (cost(cable), cost(back(cable)))).collect();
        if costs.iter().any(|&costs| costs != (0, 0)) {
            columns.set_item("costs", costs)?;
        }
    }
    let switches = (0..fabric.num_switches() as u32).map(|switch| numbers(fabric.switch_address(switch)));
    let endpoints = (0..fabric.num_endpoints() as u32).map(|endpoint| numbers(fabric.endpoint_address(endpoint)));
    for (name, rows) in
        [("switch_addresses", switches.collect::<Vec<_>>()), ("endpoint_addresses", endpoints.collect::<Vec<_>>())]
    {
        if rows.iter().any(|row| *row != numbers(None)) {
            columns.set_item(name, rows)?;
        }
    }
    Ok(columns)
}

/// Returns, for each of `links`, the rate in bits per second, latency in picoseconds, length in millimetres, cost and medium. A number is
/// −1 if it is unknown.
pub fn links<'py, 'a>(py: Python<'py>, links: impl Iterator<Item = &'a Link> + Clone) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let number = |value: Option<u64>| value.map_or(-1, |value| value as i64);
    columns.set_item("rate", arrays::column(py, links.clone().map(|link| number(link.rate)))?)?;
    columns.set_item("latency", arrays::column(py, links.clone().map(|link| number(link.latency)))?)?;
    columns.set_item("length", arrays::column(py, links.clone().map(|link| number(link.length)))?)?;
    columns.set_item("cost", arrays::column(py, links.clone().map(|link| number(link.cost.map(u64::from))))?)?;
    columns.set_item("medium", links.map(|link| link.medium.as_deref()).collect::<Vec<_>>())?;
    Ok(columns)
}
