//! Columns of the core as numpy arrays and back.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors;

/// Ids as `int32`; the core keeps every id below 2³¹, so that −1 is free.
pub fn ids<'py>(py: Python<'py>, values: &[u32]) -> Bound<'py, PyArray1<i32>> {
    PyArray1::from_iter(py, values.iter().map(|&value| id(value)))
}

/// One id; `u32::MAX` is the core's "none" and becomes −1.
pub fn id(value: u32) -> i32 {
    value as i32
}

/// Sizes and times as `int64`; `u64::MAX` is the core's "none" and becomes −1.
pub fn counts<'py>(py: Python<'py>, values: &[u64]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, values.iter().map(|&value| value as i64))
}

/// A row-major matrix of `width` columns.
pub fn matrix<'py, T: numpy::Element>(
    py: Python<'py>,
    values: Vec<T>,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let rows = values.len() / width.max(1);
    PyArray1::from_vec(py, values).reshape([rows, width])
}

/// Ids handed in as `int64`, each at least 0 and below 2³¹.
///
/// # Errors
/// `tulle.InputError` naming `what` and the first value outside.
pub fn read_ids(py: Python<'_>, what: &str, values: impl IntoIterator<Item = i64>) -> PyResult<Vec<u32>> {
    values
        .into_iter()
        .map(|value| {
            u32::try_from(value)
                .ok()
                .filter(|&value| value <= i32::MAX as u32)
                .ok_or_else(|| errors::input(py, &format!("{what} {value} is not an id; legal: 0 to {}", i32::MAX)))
        })
        .collect()
}

/// An index below `length`.
///
/// # Errors
/// `tulle.InputError` naming `what` and the range.
pub fn index(py: Python<'_>, what: &str, value: i64, length: usize) -> PyResult<u32> {
    u32::try_from(value).ok().filter(|&value| (value as usize) < length).ok_or_else(|| {
        errors::input(py, &format!("{what}={value} is out of range; legal: 0 to {}", length.saturating_sub(1)))
    })
}
