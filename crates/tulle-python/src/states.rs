//! The channel dependencies of all states that can exist while switches load new tables.

use numpy::ndarray::Dimension;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyReadonlyArray2, PyReadonlyArray4};
use pyo3::prelude::*;
use tulle_deadlock::states::{self, Choices, Wires};

use crate::arrays::{collected, ids, matrix};
use crate::call::interruptible;
use crate::errors;

/// The other ends of all links, as arrays (switches, ports): the switch and its port, whether the tables of this switch are unknown, and
/// (for a link that is now down) the switch and the port to which the link led.
type Ends<'py> = (
    PyReadonlyArray2<'py, i32>,
    PyReadonlyArray2<'py, u16>,
    PyReadonlyArray2<'py, bool>,
    PyReadonlyArray2<'py, i32>,
    PyReadonlyArray2<'py, u16>,
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
    let found = interruptible(py, move || states::dependencies(&wires, &choices))?;
    let pairs = found.pairs.iter().flatten().map(|&node| i64::from(node));
    let pairs = matrix(py, collected(py, pairs)?, 2)?;
    Ok((pairs, found.unknown, ids(py, &found.foreign)?))
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
