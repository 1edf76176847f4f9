//! Deployments on Ethernet: the prefix entries in the forwarding tables of switches.

use std::collections::HashSet;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use tulle_deploy::ethernet::{self, Entries};

use crate::arrays::{Column, column, counts, id, ids, index, matrix, read_ids};
use crate::call::interruptible;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;
use crate::routing::Routing;

/// The prefix entries of all switches for one routing.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct PrefixEntries {
    fabric: Arc<tulle_fabric::Fabric>,
    entries: Arc<Entries>,
}

/// Returns the prefix entries of `routing`.
#[pyfunction]
pub fn prefix_entries(py: Python<'_>, routing: &Routing) -> PyResult<PrefixEntries> {
    let (fabric, routing) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let (fabric, entries) = interruptible(py, move || {
        let entries = Entries::of(&fabric, &routing);
        entries.map(|entries| (fabric, entries))
    })?
    .or_raise(py)?;
    Ok(PrefixEntries { fabric, entries: Arc::new(entries) })
}

#[pymethods]
impl PrefixEntries {
    /// Returns the fabric in which port numbers are the names of ports.
    fn numbered(&self) -> Fabric {
        Fabric(Arc::new(self.fabric.with_port_numbers(self.entries.ports(), self.entries.endpoint_ports())))
    }

    /// Returns the switches that have endpoints, in ascending order.
    fn destinations<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, self.entries.destinations())
    }

    /// Returns, for each channel, the port where it leaves its switch. Ports are numbered from 1.
    fn ports<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, self.entries.ports())
    }

    /// Returns, for each endpoint, the port of its switch.
    fn endpoint_ports<'py>(&self, py: Python<'py>) -> Column<'py, i32> {
        ids(py, self.entries.endpoint_ports())
    }

    /// Returns the number of entries of every switch.
    fn counts<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        column(py, (0..self.entries.rows().len()).map(|switch| self.entries.count(switch as u32) as i64))
    }

    /// Returns the next-hop group of every entry of a switch, by layer and destination index, int32 (layers, destinations). The value is −1
    /// if the destination is the switch itself.
    fn groups<'py>(&self, py: Python<'py>, switch: i64) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let row = &self.entries.rows()[self.row(py, switch)?];
        matrix(py, row.group.iter().map(|&group| id(group)).collect(), self.entries.destinations().len())
    }

    /// Returns the hops of all next-hop groups of a switch, int32 (hops, 4). Columns: group, port, weight, next switch.
    fn hops<'py>(&self, py: Python<'py>, switch: i64) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let row = &self.entries.rows()[self.row(py, switch)?];
        let groups = 0..row.bounds.len() as u32 - 1;
        let hops = groups.flat_map(|group| {
            row.of(group).iter().flat_map(move |hop| [group, hop.port, hop.weight.into(), hop.next].map(id))
        });
        matrix(py, hops.collect(), 4)
    }

    /// Follows every path with the prefix entries only. Returns, for every layer, the number of pairs of switch and destination by their
    /// maximum hops.
    fn walk<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyArray1<i64>>>> {
        let (fabric, entries) = (Arc::clone(&self.fabric), Arc::clone(&self.entries));
        let walked = interruptible(py, move || entries.walk(&fabric))?.or_raise(py)?;
        walked.hops.iter().map(|hops| counts(py, hops)).collect()
    }

    /// Returns the entries that differ from the entries `before`, int32 (changes, 5). Columns: switch, layer, destination, round in which
    /// the entry changes, and 1 if the entry is removed. Switches and destinations have the ids of `before`; `switches[s]` is the id of
    /// switch s in `before`. For a switch that is not in `before`, it is any unique id above the ids of `before`. Such a switch loads all
    /// its entries before the first round, so these entries are not listed.
    fn changes<'py>(&self, py: Python<'py>, before: &Self, switches: Vec<i64>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let switches = read_ids(py, "switches: switch", switches.into_iter())?;
        let (old, new) = (Arc::clone(&before.entries), Arc::clone(&self.entries));
        let different: HashSet<u32> = switches.iter().copied().collect();
        if switches.len() != new.rows().len() || different.len() != switches.len() {
            return Err(errors::input(
                py,
                &format!("{} different switch ids; legal: one per switch, {}", different.len(), new.rows().len()),
            ));
        }
        if old.layers() != new.layers() {
            return Err(errors::input(
                py,
                &format!(
                    "the new entries have {} layers; legal: {}, as in the old entries",
                    new.layers(),
                    old.layers()
                ),
            ));
        }
        let rows = interruptible(py, move || {
            let changes = ethernet::changes(&old, &new, &switches);
            let row =
                |one: &ethernet::Change| [one.switch, one.layer, one.destination, one.round, one.gone.into()].map(id);
            changes.iter().flat_map(row).collect()
        })?;
        matrix(py, rows, 5)
    }
}

impl PrefixEntries {
    fn row(&self, py: Python<'_>, switch: i64) -> PyResult<usize> {
        index(py, "switch", switch, self.entries.rows().len()).map(|switch| switch as usize)
    }
}
