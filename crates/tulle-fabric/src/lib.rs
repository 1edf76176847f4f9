//! Fabrics: the immutable graph of switches, cables and endpoints that everything else in tulle reads.
//!
//! ```
//! let fabric = tulle_fabric::build("clique:degree=4", 0)?;
//! assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (5, 20));
//! # Ok::<(), tulle_fabric::Error>(())
//! ```

pub mod acyclic;
pub mod distances;
pub mod families;
pub mod formats;
pub mod gf;
pub mod memory;
pub mod prefetch;
pub mod task;

mod builder;
mod error;
mod fabric;
mod family;
mod faults;
mod levels;
mod links;
mod names;
mod random_graph;
mod subnet;

pub use builder::FabricBuilder;
pub use error::Error;
pub use fabric::{Coordinates, Fabric, NO_VIRTUAL_LAYER, Origin};
pub use families::{build, families};
pub use family::{Diameter, Expect, Family, Hops};
pub use faults::{Amount, Faults};
pub use levels::{LevelSource, levels_by};
pub use links::{Link, LinkRule, Links};
pub use names::{Address, Part};
pub use subnet::Subnet;
