//! Topology families. Each family has its own source file, with its construction and its closed forms.
//!
//! ```
//! let fabric = tulle_topologies::build("clique:degree=4", 0)?;
//! assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (5, 20));
//! # Ok::<(), tulle_fabric::Error>(())
//! ```

pub mod design;
pub mod families;
pub mod gf;

mod family;
mod random_graph;

pub use families::{build, families};
pub use family::{Diameter, Expect, Family, Hops};
