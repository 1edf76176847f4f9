//! Properties of links, cables and switches in files: the names of columns and attributes, and their values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::indexed_error::{AtIndex, IndexedError};
use super::text::shown;
use tulle_fabric::{Fabric, Link};
use tulle_spec::units::{self, Unreadable};

/// The columns of link properties that files may have. Columns that end with `_back` are for the reverse direction, if it differs.
pub const LINK: [&str; 8] = ["rate", "latency", "length", "medium", "rate_back", "latency_back", "cost", "cost_back"];
/// The text in a column of the reverse direction if the property is known only in the forward direction.
const NOT_KNOWN: &str = "unknown";
/// Further columns of cables.
pub const CABLE: [&str; 3] = ["name", "source_port", "target_port"];
/// Columns of switches.
pub const SWITCH: [&str; 3] = ["level", "role", "ports"];

/// A parser of link properties. It remembers columns whose numbers are ambiguous because they have no unit. If other values of the
/// same column have a unit, a number without a unit is an error.
#[derive(Debug, Default)]
pub struct Reader {
    /// The columns that contain numbers without a unit, each with its first such number.
    bare: BTreeMap<&'static str, String>,
    /// The columns that contain values with a unit.
    with_unit: BTreeSet<&'static str>,
}

impl Reader {
    /// Returns the link in both directions, from the texts of the columns [`LINK`]; an empty text is an unknown value.
    ///
    /// # Errors
    /// Fails if a text is not a quantity, or if a quantity is out of range.
    pub fn links(&mut self, texts: [&str; 8]) -> Result<[Link; 2], IndexedError> {
        let [rate, latency, length, medium, rate_back, latency_back, cost, cost_back] = texts;
        let medium = Some(medium).filter(|medium| !medium.is_empty()).map(Arc::from);
        let there = Link {
            rate: self.quantity("rate", rate, units::rate).at_index(0)?,
            latency: self.quantity("latency", latency, units::duration).at_index(1)?,
            length: self.quantity("length", length, units::length).at_index(2)?,
            medium,
            cost: read_cost("cost", cost).at_index(6)?,
        };
        let mut back = there.clone();
        if rate_back == NOT_KNOWN {
            back.rate = None;
        } else if !rate_back.is_empty() {
            back.rate = self.quantity("rate_back", rate_back, units::rate).at_index(4)?;
        }
        if latency_back == NOT_KNOWN {
            back.latency = None;
        } else if !latency_back.is_empty() {
            back.latency = self.quantity("latency_back", latency_back, units::duration).at_index(5)?;
        }
        if cost_back == NOT_KNOWN {
            back.cost = None;
        } else if !cost_back.is_empty() {
            back.cost = read_cost("cost_back", cost_back).at_index(7)?;
        }
        // This code checks one column at a time, so that an out-of-range error has the position of its value.
        let Link { rate, latency, length, medium, .. } = there.clone();
        let columns = [
            (0, Link { rate, ..Link::UNKNOWN }),
            (1, Link { latency, ..Link::UNKNOWN }),
            (2, Link { length, ..Link::UNKNOWN }),
            (3, Link { medium, ..Link::UNKNOWN }),
            (4, Link { rate: back.rate, ..Link::UNKNOWN }),
            (5, Link { latency: back.latency, ..Link::UNKNOWN }),
        ];
        for (at, link) in columns {
            link.check().map_err(|error| error.to_string()).at_index(at)?;
        }
        Ok([there, back])
    }

    /// Returns the link of an endpoint, from the texts of the columns that an endpoint's link may have: the first four of [`LINK`].
    ///
    /// # Errors
    /// Fails under the same conditions as [`Reader::links`].
    pub fn endpoint_links(&mut self, [rate, latency, length, medium]: [&str; 4]) -> Result<[Link; 2], IndexedError> {
        self.links([rate, latency, length, medium, "", "", "", ""])
    }

    fn quantity(
        &mut self,
        name: &'static str,
        text: &str,
        read: fn(&str) -> Result<u64, Unreadable>,
    ) -> Result<Option<u64>, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let value =
            read(text).map(Some).map_err(|why| format!("{name} '{}' {}; {}", shown(text), why.problem, why.legal));
        // A zero without a unit is legal. But if no number in the same column has a unit, the whole column is ignored, and so is the zero.
        if text == "0" {
            return value;
        }
        if text.parse::<f64>().is_ok() {
            if self.with_unit.contains(name) {
                return value;
            }
            self.bare.entry(name).or_insert_with(|| text.to_owned());
            return Ok(None);
        }
        match self.bare.get(name) {
            Some(first) if value.is_ok() => Err(format!(
                "{name} '{}' has a unit, but '{}' above has none; legal: a unit in every value",
                shown(text),
                shown(first)
            )),
            _ => {
                self.with_unit.insert(name);
                value
            }
        }
    }

    /// Removes values from a link, in both directions, if their column contains numbers without units.
    pub fn without_bare(&self, links: &mut [Link; 2]) {
        let [there, back] = links;
        for link in [&mut *there, &mut *back] {
            let is_bare = |name| self.bare.contains_key(name);
            link.rate = link.rate.filter(|_| !is_bare("rate"));
            link.latency = link.latency.filter(|_| !is_bare("latency"));
            link.length = link.length.filter(|_| !is_bare("length"));
        }
        if self.bare.contains_key("rate_back") {
            back.rate = there.rate;
        }
        if self.bare.contains_key("latency_back") {
            back.latency = there.latency;
        }
    }

    /// Returns a note on columns that are ignored because their numbers have no unit.
    pub fn warning(&self, kind: &str) -> Option<String> {
        let names: Vec<String> = self.bare.keys().map(|name| format!("'{name}'")).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        let plural = if names.len() == 1 { "" } else { "s" };
        let joined = names.join(", ");
        (!names.is_empty()).then(|| format!("{kind}{plural} {joined} {are} ignored: numbers without a unit"))
    }
}

fn read_cost(name: &str, text: &str) -> Result<Option<u32>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let cost = text.parse().ok().filter(|&cost: &u32| cost > 0);
    let problem =
        || format!("{name} '{}' is not a valid cost; legal: whole numbers from 1 to {}", shown(text), u32::MAX);
    cost.map(Some).ok_or_else(problem)
}

/// Returns the texts of the columns [`LINK`] for a link: its properties in one direction, and those of the other direction that differ.
pub fn texts([there, back]: [&Link; 2]) -> [String; 8] {
    let text = |value: Option<u64>, write: fn(u64) -> String| value.map(write).unwrap_or_default();
    let unlike = |here: Option<u64>, there: Option<u64>, write: fn(u64) -> String| match here == there {
        true => String::new(),
        false => here.map_or(NOT_KNOWN.to_owned(), write),
    };
    [
        text(there.rate, units::write_rate),
        text(there.latency, units::write_duration),
        text(there.length, units::write_length),
        there.medium.as_deref().unwrap_or_default().to_owned(),
        unlike(back.rate, there.rate, units::write_rate),
        unlike(back.latency, there.latency, units::write_duration),
        text(there.cost.map(u64::from), write_cost),
        unlike(back.cost.map(u64::from), there.cost.map(u64::from), write_cost),
    ]
}

fn write_cost(cost: u64) -> String {
    cost.to_string()
}

/// Chooses the port names that a file contains. Normally these are only the names that the user has given. But if a reader would then
/// number the ports differently, the file names all ports; ports without a name get their number.
#[derive(Debug, Clone, Copy)]
pub struct Ports<'f> {
    fabric: &'f Fabric,
    numbered: bool,
}

impl<'f> Ports<'f> {
    pub fn new(fabric: &'f Fabric) -> Self {
        Self { fabric, numbered: fabric.has_moved_ports() }
    }

    /// Returns the name of the port at which `channel` leaves its source; an empty text if a file does not have to name the port.
    pub fn of(self, channel: u32) -> String {
        match self.numbered {
            true => self.fabric.port_name(channel),
            false => self.fabric.given_port_name(channel).unwrap_or_default().to_owned(),
        }
    }

    /// Returns the name of the switch port of `endpoint`; an empty text if a file does not have to name the port.
    pub fn of_endpoint(self, endpoint: u32) -> String {
        match self.numbered {
            true => self.fabric.endpoint_port_name(endpoint),
            false => self.fabric.given_endpoint_port(endpoint).unwrap_or_default().to_owned(),
        }
    }

    /// The values of [`CABLE`] of a cable.
    pub fn of_cable(self, cable: u32) -> [String; 3] {
        let back = self.fabric.reverse()[cable as usize];
        let name = self.fabric.given_cable_name(cable).unwrap_or_default().to_owned();
        [name, self.of(cable), self.of(back)]
    }
}

/// Returns the columns [`LINK`] and [`CABLE`] with the values of every cable, without empty columns.
pub fn cable_columns(fabric: &Fabric) -> Vec<(&'static str, Vec<String>)> {
    let links = |cable: u32| texts([fabric.link(cable), fabric.link(fabric.reverse()[cable as usize])]);
    let mut columns = Vec::new();
    if fabric.links().is_some() {
        let rows: Vec<[String; LINK.len()]> = fabric.cables().map(links).collect();
        columns
            .extend((0..LINK.len()).map(|at| (LINK[at], rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>())));
    }
    if fabric.has_part_names() {
        let ports = Ports::new(fabric);
        let rows: Vec<[String; 3]> = fabric.cables().map(|cable| ports.of_cable(cable)).collect();
        columns.extend((0..3).map(|at| (CABLE[at], rows.iter().map(|row| row[at].clone()).collect())));
    }
    columns.retain(|(_, values)| values.iter().any(|value| !value.is_empty()));
    columns
}

/// Returns the columns [`SWITCH`] with the values of every switch, without empty columns.
pub fn switch_columns(fabric: &Fabric) -> Vec<(&'static str, Vec<String>)> {
    let switches = 0..fabric.num_switches() as u32;
    let mut columns = Vec::new();
    if fabric.levels().iter().any(|&level| level > 0) {
        columns.push((SWITCH[0], fabric.levels().iter().map(u8::to_string).collect()));
    }
    let role = |switch| fabric.switch_role(switch).unwrap_or_default().to_owned();
    let ports = |switch| fabric.switch_ports(switch).map(|ports| ports.to_string()).unwrap_or_default();
    columns.push((SWITCH[1], switches.clone().map(role).collect()));
    columns.push((SWITCH[2], switches.map(ports).collect::<Vec<String>>()));
    columns.retain(|(_, values)| values.iter().any(|value| !value.is_empty()));
    columns
}
