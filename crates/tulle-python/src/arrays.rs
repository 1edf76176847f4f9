//! Columns of the core as numpy arrays and back: `MemoryError` where they do not fit.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tulle_base::memory;

use crate::errors::{self, OrRaise};

/// A column for Python, or `MemoryError`.
pub type Column<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;

/// A column that is `values`, which are not copied.
pub fn owned<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}

/// A column of what `values` gives.
pub fn column<T: Element>(py: Python<'_>, values: impl IntoIterator<Item = T>) -> Column<'_, T> {
    Ok(owned(py, collected(py, values)?))
}

/// A copy of `values`.
pub fn copied<'py, T: Element + Copy>(py: Python<'py>, values: &[T]) -> Column<'py, T> {
    column(py, values.iter().copied())
}

/// Ids as `int32`; the core keeps every id below 2³¹, so that −1 is free.
pub fn ids<'py>(py: Python<'py>, values: &[u32]) -> Column<'py, i32> {
    column(py, values.iter().map(|&value| id(value)))
}

/// One id; `u32::MAX` is the core's "none" and becomes −1.
pub fn id(value: u32) -> i32 {
    value as i32
}

/// Sizes and times as `int64`; `u64::MAX` is the core's "none" and becomes −1.
pub fn counts<'py>(py: Python<'py>, values: &[u64]) -> Column<'py, i64> {
    column(py, values.iter().map(|&value| value as i64))
}

/// A row-major matrix of `width` columns that is `values`, which are not copied.
pub fn matrix<T: Element>(py: Python<'_>, values: Vec<T>, width: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len() / width.max(1);
    owned(py, values).reshape([rows, width])
}

/// The vector of all `values`.
///
/// # Errors
/// `tulle.OutOfMemoryError` where it does not fit.
pub fn collected<T>(py: Python<'_>, values: impl IntoIterator<Item = T>) -> PyResult<Vec<T>> {
    let values = values.into_iter();
    let mut all = memory::reserved(|| "an array".to_owned(), values.size_hint().0).or_raise(py)?;
    for value in values {
        if all.len() == all.capacity() {
            memory::more(|| "an array".to_owned(), &mut all).or_raise(py)?;
        }
        all.push(value);
    }
    Ok(all)
}

/// Ids from an `int64` array, each at least 0 and below 2³¹.
///
/// # Errors
/// `tulle.InputError` naming `what` and the first value outside.
pub fn read_ids(py: Python<'_>, what: &str, values: impl ExactSizeIterator<Item = i64>) -> PyResult<Vec<u32>> {
    let mut all = memory::reserved(|| what.to_owned(), values.len()).or_raise(py)?;
    for value in values {
        match u32::try_from(value) {
            Ok(id) if id <= i32::MAX as u32 => all.push(id),
            _ => return Err(errors::input(py, &format!("{what} {value} is not an id; legal: 0 to {}", i32::MAX))),
        }
    }
    Ok(all)
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
