//! Throughput: the largest T such that T times the demands fit the channels (maximum achievable throughput, MAT; FatPaths
//! §VI-A, the maximum concurrent flow).
//!
//! Every bound here is certified: a `lower` bound is computed from the loads of a flow, an `upper` bound from lengths y ≥ 0 of channels by
//! weak duality, T ≤ Σ c·y / Σ d·(length of the shortest allowed path). Neither relies on the solver that found the flow or the lengths.
//! Only cables between switches count; the links of endpoints are not modelled.

mod capacity;
mod columns;
mod descent;
mod edge_flow;
mod loads;
mod path_flow;
mod shortest;
mod weights;

pub use capacity::Capacities;
pub use edge_flow::{EdgeFlow, Orbits};
pub use loads::{split_loads, subflow_rates};
pub use path_flow::PathFlow;
pub use weights::{Progress, Weighted, over_fabric, over_orbits, over_paths};

/// A throughput between two certified bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// The throughput of a flow that was found.
    pub lower: f64,
    /// A throughput that no flow exceeds.
    pub upper: f64,
}
