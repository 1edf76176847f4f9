//! Parsers of quantities with units, for Python.

use pyo3::prelude::*;
use tulle_spec::{SpecError, units};

use crate::errors::{self, OrRaise};

/// Parses `text` with `read`. Error messages begin with `name: parameter=text`, for example `messages: start=5 has no unit`.
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

/// Parses a duration, for example `10us`, to picoseconds. Error messages begin with `messages: parameter=text`.
#[pyfunction]
pub fn read_duration(py: Python<'_>, parameter: &str, text: &str) -> PyResult<u64> {
    read("messages", parameter, text, units::duration).or_raise(py)
}

/// Parses a size, for example `64KiB`, to bytes.
#[pyfunction]
pub fn read_size(py: Python<'_>, parameter: &str, text: &str) -> PyResult<u64> {
    read("messages", parameter, text, units::bytes).or_raise(py)
}

/// Parses a length, for example `5m`, to millimetres. Error messages begin with `name: parameter=text`.
#[pyfunction]
pub fn read_length(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    read(name, parameter, text, units::length).or_raise(py)
}

/// Parses a rate, for example `100Gbps`, to bits per second. Error messages begin with `name: parameter=text`.
#[pyfunction]
pub fn read_rate(py: Python<'_>, name: &str, parameter: &str, text: &str) -> PyResult<u64> {
    let rate = read(name, parameter, text, units::rate).or_raise(py)?;
    if rate == 0 {
        return Err(errors::input(py, &format!("{name}: {parameter}={text} is not a rate; legal: above 0")));
    }
    Ok(rate)
}
