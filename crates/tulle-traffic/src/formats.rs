//! Readers of workload files of tulle and of other programs, and of placement files.

pub mod csv;
pub mod goal;
pub mod hpcc;
pub mod htsim;
pub mod places;

mod file;
