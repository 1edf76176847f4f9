//! Common functions of all crates of tulle, without knowledge of networks: fallible allocation, tasks that can be stopped, named random
//! streams, the order of acyclic graphs, prefetching, and atomic replacement of files.

pub mod acyclic;
pub mod files;
pub mod memory;
pub mod prefetch;
pub mod random;
pub mod task;

mod boxed;
