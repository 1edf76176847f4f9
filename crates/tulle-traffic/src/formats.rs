//! Files that hold workloads, ours and those of other programs, and placements.

pub mod csv;
pub mod goal;
pub mod hpcc;
pub mod htsim;
pub mod places;

mod file;
