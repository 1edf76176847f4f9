//! Files that hold workloads of other programs, and placements.

pub mod goal;
pub mod hpcc;
pub mod htsim;
pub mod places;

mod file;
