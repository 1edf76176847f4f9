//! Conversion between columns of Rust vectors and numpy arrays. If an array does not fit in memory, `OutOfMemoryError` is raised.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use tulle_base::memory;

use crate::errors::{self, OrRaise};

/// A numpy array for Python, or an `OutOfMemoryError`.
pub type Column<'py, T> = PyResult<Bound<'py, PyArray1<T>>>;

/// Returns `values` as an array without a copy.
pub fn owned<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    PyArray1::from_vec(py, values)
}

/// Collects `values` in an array.
pub fn column<T: Element>(py: Python<'_>, values: impl IntoIterator<Item = T>) -> Column<'_, T> {
    Ok(owned(py, collected(py, values)?))
}

/// Returns a copy of `values` as an array.
pub fn copied<'py, T: Element + Copy>(py: Python<'py>, values: &[T]) -> Column<'py, T> {
    column(py, values.iter().copied())
}

/// Returns ids as `int32`. Every id is below 2³¹, so −1 can stand for "none".
pub fn ids<'py>(py: Python<'py>, values: &[u32]) -> Column<'py, i32> {
    column(py, values.iter().map(|&value| id(value)))
}

/// Converts one id. `u32::MAX`, which means "none" in the Rust crates, becomes −1.
pub fn id(value: u32) -> i32 {
    value as i32
}

/// Returns sizes or times as `int64`. `u64::MAX`, which means "none" in the Rust crates, becomes −1.
pub fn counts<'py>(py: Python<'py>, values: &[u64]) -> Column<'py, i64> {
    column(py, values.iter().map(|&value| value as i64))
}

/// Returns `values` as a row-major matrix of `width` columns without a copy.
pub fn matrix<T: Element>(py: Python<'_>, values: Vec<T>, width: usize) -> PyResult<Bound<'_, PyArray2<T>>> {
    let rows = values.len() / width.max(1);
    owned(py, values).reshape([rows, width])
}

/// Collects all `values` in a vector.
///
/// # Errors
/// Raises `tulle.OutOfMemoryError` if the vector does not fit in memory.
pub fn collected<T>(py: Python<'_>, values: impl IntoIterator<Item = T>) -> PyResult<Vec<T>> {
    let values = values.into_iter();
    let mut all = memory::reserved(|| "an array".to_owned(), values.size_hint().0).or_raise(py)?;
    for value in values {
        if all.len() == all.capacity() {
            memory::more(|| "values".to_owned(), &mut all).or_raise(py)?;
        }
        all.push(value);
    }
    Ok(all)
}

/// Converts the values of an `int64` array to ids, which must be at least 0 and below 2³¹.
///
/// # Errors
/// Raises `tulle.InputError`, which names `what` and the first illegal value.
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

/// Converts `value` to an index, which must be below `length`.
///
/// # Errors
/// Raises `tulle.InputError`, which names `what` and the legal range.
pub fn index(py: Python<'_>, what: &str, value: i64, length: usize) -> PyResult<u32> {
    u32::try_from(value).ok().filter(|&value| (value as usize) < length).ok_or_else(|| {
        errors::input(py, &format!("{what}={value} is out of range; legal: 0 to {}", length.saturating_sub(1)))
    })
}
