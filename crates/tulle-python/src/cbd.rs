//! Cyclic buffer dependencies of random fabrics.

use pyo3::prelude::*;
use tulle_deadlock::{Pairs, ShortestPaths, cbd_probability};

use crate::call::interruptible;
use crate::errors::OrRaise;

/// Counts the fabrics, of `trials` fabrics of `spec`, with a cyclic buffer dependency if every switch sends to `share` of the others over
/// one shortest path each, or over all of them.
#[pyfunction]
pub fn cbd(py: Python<'_>, spec: String, share: f64, one_path: bool, trials: u64, seed: u64) -> PyResult<u64> {
    let pairs = if share == 1.0 { Pairs::All } else { Pairs::Random(share) };
    let paths = if one_path { ShortestPaths::One } else { ShortestPaths::All };
    let draw = move |seed| tulle_topologies::build(&spec, seed);
    let count = interruptible(py, move || cbd_probability(draw, pairs, paths, trials, seed))?.or_raise(py)?;
    Ok(count.cyclic)
}
