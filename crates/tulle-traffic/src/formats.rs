//! Readers of workload files of tulle and of other programs, of placement files and of distributions of sizes.

pub mod cdf;
pub mod csv;
pub mod goal;
pub mod hpcc;
pub mod htsim;
pub mod places;

mod file;
