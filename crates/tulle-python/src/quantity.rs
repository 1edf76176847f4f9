//! Texts with units, from Python.

use pyo3::prelude::*;
use tulle_spec::{SpecError, units};

use crate::errors::{self, OrRaise};

/// The quantity that `read` gives for `text`, the parameter `parameter` of what is called `name`.
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

/// A length as `5m` in millimetres, the parameter `parameter` of what is called `name`.
#[pyfunction]
pub fn read_length(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    read(name, parameter, text, units::length).or_raise(py)
}

/// A rate as `100Gbps` in bits per second, the parameter `parameter` of what is called `name`.
#[pyfunction]
pub fn read_rate(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    let rate = read(name, parameter, text, units::rate).or_raise(py)?;
    if rate == 0 {
        return Err(errors::input(py, &format!("{name}: {parameter}={text} is not a rate; legal: above 0")));
    }
    Ok(rate)
}
