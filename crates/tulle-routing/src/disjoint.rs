//! Computes the exact maximum number of disjoint paths of bounded length between switches. Disjoint paths share no cable.
//!
//! Up to three hops, a maximum flow gives the number. For more hops, branch and bound gives it. Its worst case is exponential, because from
//! five hops on the problem is NP-hard (Itai, Perl, Shiloach, Networks 12(3), 1982).

mod ball;
mod bounded;
mod flow;
mod timed;

pub use ball::Ball;
pub use bounded::{Bounded, Count, MAX_FLOWS};
pub use flow::Network;
