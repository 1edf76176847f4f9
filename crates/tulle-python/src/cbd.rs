//! Cyclic buffer dependencies (CBDs) of random fabrics.

use pyo3::prelude::*;
use tulle_deadlock::{Pairs, ShortestPaths, cbd_probability};

use crate::call::interruptible;
use crate::errors::OrRaise;

/// Builds `trials` fabrics of `spec` and counts the fabrics with a cyclic buffer dependency. Every switch sends to a fraction `share` of
/// the other switches, over one shortest path or over all shortest paths.
#[pyfunction]
pub fn cbd(py: Python<'_>, spec: String, share: f64, one_path: bool, trials: u64, seed: u64) -> PyResult<u64> {
    let pairs = if share == 1.0 { Pairs::All } else { Pairs::Random(share) };
    let paths = if one_path { ShortestPaths::One } else { ShortestPaths::All };
    let draw = move |seed| tulle_topologies::build(&spec, seed);
    let count = interruptible(py, move || cbd_probability(draw, pairs, paths, trials, seed))?.or_raise(py)?;
    Ok(count.cyclic)
}
