//! The most disjoint paths of bounded length between switches, exactly: no two of them over one cable.
//!
//! Up to three hops a flow tells; beyond, a search by branch and bound, which is exponential in the worst case (from five
//! hops on the problem is NP-hard: Itai, Perl, Shiloach, Networks 12(3), 1982).

mod ball;
mod bounded;
mod flow;
mod timed;

pub use ball::Ball;
pub use bounded::{Bounded, Count, MAX_FLOWS};
pub use flow::Network;
