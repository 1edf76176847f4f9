//! Functions that most crates of tulle use and that know nothing about networks: fallible allocation, computations that can be stopped,
//! random-number streams, cycle detection in graphs, prefetching, and atomic replacement of files.

pub mod acyclic;
pub mod files;
pub mod memory;
pub mod prefetch;
pub mod random;
pub mod task;

mod boxed;
