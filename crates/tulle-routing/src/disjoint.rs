//! Computes the maximum number of disjoint paths of bounded length between switches. Disjoint paths have no cable in common.
//!
//! If paths have at most three hops, a maximum flow gives the maximum number of disjoint paths. For longer paths, branch and bound finds
//! this number, or a lower and an upper bound if the search reaches its limit. From five hops on, the problem is NP-hard (Itai, Perl,
//! Shiloach, Networks 12(3), 1982).

mod ball;
mod bounded;
mod flow;
mod timed;

pub use ball::Ball;
pub use bounded::{Bounded, Count, MAX_FLOWS};
pub use flow::Network;
