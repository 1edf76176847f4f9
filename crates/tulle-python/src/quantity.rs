//! Texts with units, from Python.

use pyo3::prelude::*;
use tulle_spec::{SpecError, units};

use crate::errors::{self, OrRaise};

/// Parses `text` with `read`, as parameter `parameter` of the thing called `name`.
pub fn read(
    name: &str,
    parameter: &str,
    text: &str,
    read: impl Fn(&str) -> Result<u64, units::Unreadable>,
) -> Result<u64, SpecError> {
    read(text).map_err(|why| SpecError::Value {
        name: name.to_owned(),
        parameter: parameter.to_owned(),
        value: text.escape_debug().to_string(),
        problem: why.problem,
        legal: why.legal,
    })
}

/// A duration as `10us` in picoseconds, the parameter `parameter` of a workload.
#[pyfunction]
pub fn read_duration(py: Python<'_>, parameter: &str, text: &str) -> PyResult<u64> {
    read("messages", parameter, text, units::duration).or_raise(py)
}

/// Parses a length such as `5m` to millimetres, as parameter `parameter` of the thing called `name`.
#[pyfunction]
pub fn read_length(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    read(name, parameter, text, units::length).or_raise(py)
}

/// Parses a rate such as `100Gbps` to bits per second, as parameter `parameter` of the thing called `name`.
#[pyfunction]
pub fn read_rate(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    let rate = read(name, parameter, text, units::rate).or_raise(py)?;
    if rate == 0 {
        return Err(errors::input(py, &format!("{name}: {parameter}={text} is not a rate; legal: above 0")));
    }
    Ok(rate)
}
