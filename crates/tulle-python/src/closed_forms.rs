//! Closed forms of fabrics. They need no fabric in memory.

use pyo3::prelude::*;
use tulle_topologies::{Diameter, Expect, Hops};

use crate::call::interruptible;

/// The closed forms of a fabric: switches, endpoints, cables, network radix, concentration, radix, diameter and average hops, and the bound
/// on all-to-all throughput. Each of diameter and average hops is followed by `exact`, `most` (an upper bound), `least` (a lower bound) or
/// `unknown`.
type ClosedForms = (u64, u64, u64, u64, u64, u64, Option<u32>, &'static str, Option<f64>, &'static str, Option<f64>);

/// Returns the closed forms of every spec without building fabrics; `None` for specs that are illegal.
#[pyfunction]
pub fn closed_forms(py: Python<'_>, specs: Vec<String>) -> PyResult<Vec<Option<ClosedForms>>> {
    interruptible(py, move || specs.iter().map(|spec| forms(spec)).collect())
}

fn forms(spec: &str) -> Option<ClosedForms> {
    let (_, member) = tulle_topologies::families::member(spec).ok()?;
    let expect = member.expect();
    let (diameter, known) = match expect.diameter {
        Diameter::Exactly(hops) => (Some(hops), "exact"),
        Diameter::AtMost(hops) => (Some(hops), "most"),
        Diameter::Unknown => (None, "unknown"),
    };
    let (hops, kind) = match expect.hops {
        Hops::Exactly(hops) => (Some(hops), "exact"),
        Hops::AtMost(hops) => (Some(hops), "most"),
        Hops::AtLeast(hops) => (Some(hops), "least"),
        Hops::Unknown => (None, "unknown"),
    };
    // Number of switches with endpoints. If no switch has endpoints, the number of all switches.
    let senders = if expect.endpoints == 0 { expect.switches } else { expect.endpoints.div_ceil(expect.concentration) };
    let pairs = senders as f64 * senders.saturating_sub(1) as f64;
    let average = hops.filter(|_| pairs > 0.0).map(|hops| hops as f64 / pairs);
    let Expect { switches, endpoints, cables, network_radix, concentration, radix, .. } = expect;
    let bound = member.all_to_all().filter(|_| endpoints > 0);
    Some((switches, endpoints, cables, network_radix, concentration, radix, diameter, known, average, kind, bound))
}
