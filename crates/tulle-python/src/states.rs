//! The channel dependencies of all states that can exist while switches load new tables.

use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray4,
};
use pyo3::prelude::*;
use tulle_deadlock::states::{self, Choices, Wires};

use crate::arrays::{collected, ids, matrix};
use crate::call::interruptible;
use crate::deadlock::VcPlan;
use crate::errors;
use crate::routing::Routing;

/// The other ends of all links, as arrays (switches, ports): the switch and its port, whether the tables of this switch are unknown, and
/// (for a link that is now down) the switch and the port to which the link led.
type Ends<'py> = (
    PyReadonlyArray2<'py, i32>,
    PyReadonlyArray2<'py, u16>,
    PyReadonlyArray2<'py, bool>,
    PyReadonlyArray2<'py, i32>,
    PyReadonlyArray2<'py, u16>,
);

/// The arrays of a state: the other ends of all links; tables, service levels, maps to virtual channels, and ports where packets enter; and
/// the number of old tables.
type State<'py> = (
    Ends<'py>,
    Vec<PyReadonlyArray2<'py, u16>>,
    PyReadonlyArray2<'py, u16>,
    Vec<PyReadonlyArray4<'py, u8>>,
    Vec<(u32, u16)>,
    usize,
);

/// Returns the channel dependencies of all states, int64 (dependencies, 2); the number of hops whose virtual channel is unknown; and the
/// ports that lead to switches with unknown tables.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple that Python names")]
#[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
pub fn state_dependencies<'py>(
    py: Python<'py>,
    wires: Ends<'_>,
    tables: Vec<PyReadonlyArray2<'_, u16>>,
    levels: PyReadonlyArray2<'_, u16>,
    maps: Vec<PyReadonlyArray4<'_, u8>>,
    entry: Vec<(u32, u16)>,
    old_tables: usize,
) -> PyResult<(Bound<'py, PyArray2<i64>>, u64, Bound<'py, PyArray1<i32>>)> {
    let (wires, choices) = read(py, (wires, tables, levels, maps, entry, old_tables))?;
    let found = interruptible(py, move || states::dependencies(&wires, &choices))?;
    let pairs = found.pairs.iter().flatten().map(|&node| i64::from(node));
    let pairs = matrix(py, collected(py, pairs)?, 2)?;
    Ok((pairs, found.unknown, ids(py, &found.foreign)?))
}

/// Returns whether the virtual channel of some hop is unknown, or the channel dependencies of all states have a cycle.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python passes them by name")]
pub fn may_deadlock(
    py: Python<'_>,
    wires: Ends<'_>,
    tables: Vec<PyReadonlyArray2<'_, u16>>,
    levels: PyReadonlyArray2<'_, u16>,
    maps: Vec<PyReadonlyArray4<'_, u8>>,
    entry: Vec<(u32, u16)>,
    old_tables: usize,
) -> PyResult<bool> {
    let (wires, choices) = read(py, (wires, tables, levels, maps, entry, old_tables))?;
    interruptible(py, move || {
        let found = states::dependencies(&wires, &choices);
        found.unknown > 0 || !states::in_cycles(&found.pairs).is_empty()
    })
}

fn read(py: Python<'_>, (wires, tables, levels, maps, entry, old_tables): State<'_>) -> PyResult<(Wires, Choices)> {
    let (to, port, foreign, down, down_port) = wires;
    let &[switches, ports] = to.as_array().shape() else { unreachable!("a matrix has two dimensions") };
    let addresses = levels.as_array().shape()[1];
    let fit = port.as_array().shape() == [switches, ports]
        && foreign.as_array().shape() == [switches, ports]
        && down.as_array().shape() == [switches, ports]
        && down_port.as_array().shape() == [switches, ports]
        && levels.as_array().shape()[0] == switches
        && tables.iter().all(|table| table.as_array().shape() == [switches, addresses])
        && maps.iter().all(|map| map.as_array().shape() == [switches, ports, ports, tulle_deadlock::states::NUM_VCS])
        && entry.iter().all(|&(switch, port)| (switch as usize) < switches && usize::from(port) < ports);
    let ends_fit = [(&to, &port), (&down, &down_port)].iter().all(|(to, port)| {
        let (to, port) = (to.as_array(), port.as_array());
        to.iter().zip(port).all(|(&to, &port)| to < 0 || ((to as usize) < switches && usize::from(port) < ports))
    });
    if !(fit && ends_fit) {
        return Err(errors::input(py, "the arrays of a state do not fit together; legal: one row per switch and port"));
    }
    let wires = Wires {
        ports,
        to: copied(&to),
        port: copied(&port),
        foreign: copied(&foreign),
        down: copied(&down),
        down_port: copied(&down_port),
    };
    let choices = Choices {
        addresses,
        tables: tables.iter().map(copied).collect(),
        levels: copied(&levels),
        maps: maps.iter().map(copied).collect(),
        entry,
        old_tables,
    };
    Ok((wires, choices))
}

/// Returns the tables that a network loads for a plan with single next hops: the output port and the service levels (one bit per level) by
/// switch and address, uint16 (switches, layers · switches) each. `port_of` has the output port of every channel of the plan's fabric.
/// `switch_of` has, for every switch of this fabric, its number in the network. Entries without a next hop are 65535. Only pairs of
/// switches with endpoints (`is_edge`, by switch of the network) have service levels.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "a tuple that Python names")]
pub fn address_tables<'py>(
    py: Python<'py>,
    routing: &Routing,
    plan: &VcPlan,
    port_of: PyReadonlyArray1<'_, u16>,
    switch_of: PyReadonlyArray1<'_, u32>,
    is_edge: PyReadonlyArray1<'_, bool>,
) -> PyResult<(Bound<'py, PyArray2<u16>>, Bound<'py, PyArray2<u16>>)> {
    let (fabric, tables, plan) = (&routing.fabric, routing.routing.layers(), &plan.0);
    let (port_of, switch_of, is_edge) = (copied(&port_of), copied(&switch_of), copied(&is_edge));
    let switches = is_edge.len();
    let fit = port_of.len() == fabric.num_channels()
        && switch_of.len() == fabric.num_switches()
        && switch_of.iter().all(|&switch| (switch as usize) < switches)
        && plan.num_sls() <= tulle_deadlock::states::NUM_VCS
        && (plan.sls().is_empty() || plan.sls().len() == tables.len() * switch_of.len().pow(2));
    if !fit {
        return Err(errors::input(py, "the arrays do not fit the plan; legal: one entry per channel and per switch"));
    }
    let width = tables.len() * switches;
    let mut ports = vec![u16::MAX; switches * width];
    let mut levels = vec![0; switches * width];
    for (layer, table) in tables.iter().enumerate() {
        for (from, &source) in switch_of.iter().enumerate() {
            let (row, first) = (table.row(from as u32), fabric.offsets()[from] as usize);
            for (to, &destination) in switch_of.iter().enumerate().filter(|&(to, _)| to != from) {
                let at = source as usize * width + layer * switches + destination as usize;
                // A group number below the switch's degree stands for a single port. This saves looking up the group.
                let port = match usize::from(row[to]) < fabric.degree(from as u32) {
                    true => Some(row[to]),
                    false => table.next(from as u32, to as u32).first().copied(),
                };
                if let Some(port) = port {
                    ports[at] = port_of[first + usize::from(port)];
                }
                if is_edge[source as usize] && is_edge[destination as usize] {
                    levels[at] = 1 << plan.sl(layer as u32, from as u32, to as u32);
                }
            }
        }
    }
    Ok((matrix(py, ports, width)?, matrix(py, levels, width)?))
}

/// Returns a copy of the elements in row order.
fn copied<T: Element + Copy, D: Dimension>(array: &PyReadonlyArray<'_, T, D>) -> Vec<T> {
    array.to_vec().unwrap_or_else(|_| array.as_array().iter().copied().collect())
}

/// Returns the nodes that are on a cycle of the dependencies `pairs`, int64 (dependencies, 2), and those that such a cycle leads to.
#[pyfunction]
pub fn in_cycles<'py>(py: Python<'py>, pairs: PyReadonlyArray2<'_, i64>) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let pairs = pairs.as_array();
    let known = |&node: &i64| u32::try_from(node).is_ok_and(|node| i32::try_from(node).is_ok());
    if pairs.shape()[1] != 2 || !pairs.iter().all(known) {
        return Err(errors::input(
            py,
            "dependencies are not pairs of nodes; legal: two numbers from 0 to 2147483647 each",
        ));
    }
    let pairs: Vec<[u32; 2]> = pairs.rows().into_iter().map(|pair| [pair[0] as u32, pair[1] as u32]).collect();
    let found = interruptible(py, move || states::in_cycles(&pairs))?;
    ids(py, &found)
}
