//! Schemes that make path sets: explicit paths per ordered pair of switches, one file per scheme.
//!
//! Every path is simple (no switch twice). Within a pair paths are ordered by length, equally long ones by the tie rule of
//! the scheme: *lowest* is lexicographic by ports, which is also lexicographic by switches; *random* draws from a stream of
//! the source, `routing/<scheme>`. Sources are independent of each other and run in parallel, so the number of threads
//! changes nothing. A switch has no path to itself.

pub mod edksp;
pub mod edst;
pub mod ksp;
pub mod llskr;
pub mod redksp;
pub mod rksp;
pub mod spain;
pub mod virtual_updown;

mod all_pairs;
mod by_length;
mod disjoint;
mod flow;
mod lowest;
mod neighbours;
mod remove_find;
mod shortest;
mod ties;
mod yen;
