//! Throughput: the largest factor T such that the channels can carry T times the demands (maximum achievable
//! throughput, MAT; FatPaths §VI-A; the maximum concurrent flow).
//!
//! Every bound of this module is certified. A `lower` bound is computed from the channel loads of a flow. An `upper`
//! bound is computed from channel lengths y ≥ 0 by weak duality: T ≤ Σ c·y / Σ d·(length of the shortest allowed path),
//! with capacities c and demands d. The bounds do not rely on the solver that found the flow or the lengths. Only
//! cables between switches count; the links of endpoints are not modelled.

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
    /// The throughput of a known flow.
    pub lower: f64,
    /// An upper bound on the throughput of every flow.
    pub upper: f64,
}
