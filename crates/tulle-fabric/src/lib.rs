//! Fabrics: the immutable graph of switches, cables and endpoints on which all other parts of tulle work.
//!
//! ```
//! use tulle_fabric::FabricBuilder;
//! let mut triangle = FabricBuilder::new(3);
//! [(0, 1), (1, 2), (2, 0)].into_iter().for_each(|(a, b)| triangle.cable(a, b));
//! triangle.endpoints_each(2);
//! let fabric = triangle.finish("triangle", tulle_spec::Parameters::new())?;
//! assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (3, 6));
//! # Ok::<(), tulle_fabric::Error>(())
//! ```

pub mod distances;

mod builder;
mod columns;
mod error;
mod fabric;
mod faults;
mod levels;
mod link_rule;
mod links;
mod lookup;
mod names;
mod shape;
mod subnet;

pub use builder::FabricBuilder;
pub use error::Error;
pub use fabric::{Coordinates, Fabric, MAX_SIZE, NO_VIRTUAL_LAYER, Origin};
pub use faults::{Amount, Faults};
pub use levels::{LevelSource, levels_by};
pub use link_rule::LinkRule;
pub use links::{Link, Links};
pub use lookup::Part;
pub use names::Address;
pub use shape::{RackStructure, Shape, WorstCase};
pub use subnet::Subnet;
