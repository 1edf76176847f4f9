//! Workloads: messages between endpoints, stored as columns.
//!
//! ```
//! let fabric = tulle_topologies::build("clique:degree=4", 0)?;
//! let load = tulle_traffic::build(&fabric, "permutation:bytes=1MiB", 0)?;
//! assert_eq!((load.len(), load.total_bytes()), (20, 20 << 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arrivals;
pub mod collectives;
pub mod formats;
pub mod patterns;
pub mod sizes;

mod dependencies;
mod error;
mod mapping;
mod program;
mod training;
mod workload;

pub use dependencies::Dependencies;
pub use error::{Error, Position};
pub use mapping::{Mapping, Ranks};
pub use patterns::{build, patterns};
pub use program::{Program, Step};
pub use workload::{MADE_FOR_THIS, Workload};
