//! Workloads: messages between endpoints, as columns.
//!
//! ```
//! let fabric = tulle_fabric::build("clique:degree=4", 0)?;
//! let load = tulle_traffic::build(&fabric, "permutation:bytes=1MiB", 0)?;
//! assert_eq!((load.len(), load.total_bytes()), (20, 20 << 20));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod patterns;
pub mod sizes;

mod error;
mod mapping;
mod workload;

pub use error::Error;
pub use mapping::Mapping;
pub use patterns::{build, patterns};
pub use workload::Workload;
