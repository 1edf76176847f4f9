//! Nodes files, which attach endpoints to switches, as CSV: a header row, then one row per endpoint with its switch.
//!
//! A row without an endpoint names a switch. It may give the switch's level, role and number of ports. Isolated switches need such a row.
//! If an endpoint has several rows, it has a port at each of these switches; every port becomes an endpoint, `host:0`, `host:1` and so on.
//! Endpoints are numbered like switches: numbers by value, then other names by their bytes.

use std::cmp::Ordering;
use std::io::{self, Write};

use super::csv::Table;
use super::indexed_error::{AtIndex, IndexedError};
use super::listing::{Listing, check_name, compare};
use super::neutral::neutral;
use super::properties::{self, Reader};
use super::text::{Text, shown};
use tulle_fabric::{Error, Fabric, Link};

const NODE: &[&str] = &["node", "endpoint", "host"];
const SWITCH: &[&str] = &["switch", "router"];

/// Columns of an endpoint's link: the first columns of [`properties::LINK`].
const ENDPOINT: [&str; 4] = ["rate", "latency", "length", "medium"];

/// Reads a nodes file for the switches of `listing`.
///
/// # Errors
/// Fails if a column is missing, or if a row names a switch that has neither a cable nor a row without an endpoint.
pub fn read(text: &Text, listing: &mut Listing) -> Result<(), Error> {
    let table = Table::open(text)?;
    let [node, switch] = [table.column(NODE)?, table.column(SWITCH)?];
    let [level, role, ports] = properties::SWITCH.map(|name| table.optional(name));
    let [rate, latency, length, medium] = ENDPOINT.map(|name| table.optional(name));
    let [name, port] = ["name", "port"].map(|name| table.optional(name));
    let columns = [node, switch, level, role, ports, rate, latency, length, medium, name, port];
    listing.warnings.extend(table.ignored(&columns, &[]));
    // All rows that only name a switch are read first, because they may come after rows that use this switch.
    table.rows([node, switch, level, role, ports], |[node, switch, level, role, ports]| {
        if node.is_empty() {
            let number = listing.switch(switch).at_index(1)?;
            return listing.set_switch_properties(number, [level, role, ports]).map_err(|fault| fault.after(2));
        }
        match [level, role, ports].iter().position(|text| !text.is_empty()) {
            Some(at) => {
                let problem =
                    format!("{} is given for an endpoint; legal: only in rows without a node", properties::SWITCH[at]);
                Err(IndexedError { at: 2 + at, problem })
            }
            None => Ok(()),
        }
    })?;
    let mut reader = Reader::default();
    let mut attached: Vec<(String, u32, Row)> = Vec::new();
    let columns = [node, switch, rate, latency, length, medium, name, port];
    Table::open(text)?.rows(columns, |[node, switch, rate, latency, length, medium, name, port]| {
        if node.is_empty() {
            return Ok(());
        }
        check_name(node, "node").at_index(0)?;
        let Some(number) = listing.switch_number(switch) else {
            let problem = format!("node '{}' is attached to unknown switch '{}'", shown(node), shown(switch));
            let problem = format!("{problem}; legal: switches that are ends of cables or have a row without a node");
            return Err(problem).at_index(1);
        };
        for (at, text, kind) in [(6, name, "node"), (7, port, "port")] {
            if !text.is_empty() {
                check_name(text, kind).at_index(at)?;
            }
        }
        let links = reader.endpoint_links([rate, latency, length, medium]).map_err(|fault| fault.after(2))?;
        attached.push((node.to_owned(), number, Row { name: name.to_owned(), port: port.to_owned(), links }));
        Ok(())
    })?;
    listing.warnings.extend(reader.warning("column").map(|what| text.warning(what)));
    attached.sort_by(|a, b| compare(&a.0, &b.0));
    let are_ids = attached.iter().enumerate().all(|(id, (node, ..))| *node == id.to_string());
    let at = attached.iter().map(|&(_, switch, _)| switch).collect();
    let (mut known, mut several) = (Vec::with_capacity(attached.len()), 0);
    for rows in attached.chunk_by_mut(|a, b| a.0 == b.0) {
        several += usize::from(rows.len() > 1);
        let count = rows.len();
        for (number, (node, _, row)) in rows.iter_mut().enumerate() {
            let Row { name, port, mut links } = std::mem::take(row);
            reader.without_bare(&mut links);
            let [link, _] = links;
            let name = if name.is_empty() && !are_ids { std::mem::take(node) } else { name };
            known.push((if count > 1 { format!("{name}:{number}") } else { name }, port, link));
        }
    }
    if several > 0 {
        let nodes = if several == 1 { "node has" } else { "nodes have" };
        let what = format!("{several} {nodes} several ports: each port is an endpoint, called node:port");
        listing.warnings.push(text.warning(what));
    }
    listing.set_endpoint_properties(known);
    listing.endpoints(at).map_err(|problem| text.error(problem))
}

/// A row of the nodes file that describes an endpoint, without the column of its switch.
#[derive(Default)]
struct Row {
    name: String,
    port: String,
    links: [Link; 2],
}

/// Writes the nodes file of `fabric`: first the switches with properties or without cables, then the endpoints.
pub fn write(fabric: &Fabric, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let endpoints = 0..fabric.num_endpoints() as u32;
    let of_switches = properties::switch_columns(fabric);
    let nodes: Vec<String> = endpoints.clone().map(|endpoint| fabric.endpoint_name(endpoint)).collect();
    let legal = |node: &String| check_name(node, "node").is_ok() && node.trim() == node && !node.starts_with('#');
    let given = endpoints.clone().filter(|&endpoint| fabric.given_endpoint_name(endpoint).is_some()).count();
    let as_nodes = [0, nodes.len()].contains(&given)
        && nodes.iter().all(legal)
        && nodes.is_sorted_by(|a, b| compare(a, b) == Ordering::Less);
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let mut of_endpoints: Vec<(&str, Vec<String>)> = Vec::new();
    for (at, name) in ENDPOINT.into_iter().enumerate() {
        let link = |endpoint| fabric.endpoint_link(endpoint);
        of_endpoints.push((
            name,
            endpoints.clone().map(|endpoint| properties::texts([link(endpoint); 2])[at].clone()).collect(),
        ));
    }
    if !as_nodes {
        of_endpoints.push(("name", endpoints.clone().map(|at| text(fabric.given_endpoint_name(at))).collect()));
    }
    let ports = properties::Ports::new(fabric);
    of_endpoints.push(("port", endpoints.map(|at| ports.of_endpoint(at)).collect()));
    of_endpoints.retain(|(_, values)| values.iter().any(|value| !value.is_empty()));
    let more = of_switches.iter().chain(&of_endpoints).map(|(name, _)| *name);
    writer.write_record(["node", "switch"].into_iter().chain(more))?;
    for switch in 0..fabric.num_switches() {
        let says = |values: &Vec<String>| !values[switch].is_empty();
        let is_bare = fabric.degree(switch as u32) == 0;
        if is_bare
            || of_switches.iter().any(|(name, values)| says(values) && (*name != "level" || values[switch] != "0"))
        {
            let cells = of_switches.iter().map(|(_, values)| values[switch].as_str());
            let row = ["", &names[switch]].into_iter().chain(cells).chain(of_endpoints.iter().map(|_| ""));
            writer.write_record(row.map(|cell| neutral(cell).into_owned()))?;
        }
    }
    for (node, &switch) in fabric.endpoint_switch().iter().enumerate() {
        let id = if as_nodes { nodes[node].clone() } else { node.to_string() };
        let cells = of_endpoints.iter().map(|(_, values)| values[node].as_str());
        let row = [id.as_str(), &names[switch as usize]].into_iter().chain(of_switches.iter().map(|_| "")).chain(cells);
        writer.write_record(row.map(|cell| neutral(cell).into_owned()))?;
    }
    writer.flush()
}
