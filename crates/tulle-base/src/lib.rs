//! Functions that all crates of tulle use and that know nothing about networks: fallible allocation, tasks that can be stopped, named
//! random streams, cycle detection in graphs, prefetching, and atomic replacement of files.

pub mod acyclic;
pub mod files;
pub mod memory;
pub mod prefetch;
pub mod random;
pub mod task;

mod boxed;
