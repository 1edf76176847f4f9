//! What every crate of tulle stands on, and what knows none of them: memory that is asked for before it is taken, tasks that
//! stop, named random streams, the order of acyclic graphs, prefetching, files that appear whole.

pub mod acyclic;
pub mod files;
pub mod memory;
pub mod prefetch;
pub mod random;
pub mod task;

mod boxed;
