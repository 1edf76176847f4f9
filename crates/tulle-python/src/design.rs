//! Candidates that fabric families propose to a design search.

use pyo3::prelude::*;
use tulle_topologies::design::Wanted;
use tulle_topologies::families::FAMILIES;

use crate::call::interruptible;
use crate::errors::OrRaise;

/// Returns the families that can propose members for a given number of endpoints, in the order of the registry.
#[pyfunction]
pub fn searched_families() -> Vec<&'static str> {
    let searched = FAMILIES.entries.iter().filter(|entry| entry.facts.candidates.is_some());
    searched.map(|entry| entry.info.name).collect()
}

/// Returns the families that have a largest member for a given radix, in the order of the registry.
#[pyfunction]
pub fn bounded_families() -> Vec<&'static str> {
    FAMILIES.entries.iter().filter(|entry| entry.facts.largest.is_some()).map(|entry| entry.info.name).collect()
}

/// Returns specs of `family` for fabrics that may have about `endpoints` endpoints (between `low` and `high`) on switches with `radix`
/// ports. The list is empty if the design search does not support the family.
#[pyfunction]
pub fn design_candidates(
    py: Python<'_>,
    family: &str,
    endpoints: u64,
    low: u64,
    high: u64,
    radix: u64,
    oversubscription: Vec<f64>,
) -> PyResult<Vec<String>> {
    let candidates = FAMILIES.named(family).or_raise(py)?.facts.candidates;
    let wanted = Wanted { endpoints, low, high, radix, oversubscription };
    interruptible(py, move || candidates.map_or_else(Vec::new, |candidates| candidates(&wanted)))
}

/// Returns specs of `family` that may be its largest members on switches with `radix` ports. The list is empty if the family has no largest
/// member.
#[pyfunction]
pub fn largest_candidates(py: Python<'_>, family: &str, radix: u64) -> PyResult<Vec<String>> {
    let largest = FAMILIES.named(family).or_raise(py)?.facts.largest;
    interruptible(py, move || largest.map_or_else(Vec::new, |largest| largest(radix)))
}
