//! Workloads: messages between endpoints, as columns.

mod workload;

pub use workload::Workload;
