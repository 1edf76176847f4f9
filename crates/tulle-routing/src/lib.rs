//! Routings: which paths packets may take, as data.
//!
//! A [`Routing`] has layers (FatPaths §V-B); each layer is a next-hop [`Table`], loop-free and complete. What picks a layer
//! for a packet at run time is a selector in the simulators.
//!
//! ```
//! let fabric = tulle_fabric::build("slimfly:q=5", 0)?;
//! let routing = tulle_routing::build(&fabric, "random:layers=4,rho=0.7", 0)?;
//! assert_eq!(routing.num_layers(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod layers;

mod error;
mod links;
mod paths;
mod routing;
mod shortest;
mod table;
mod verify;

pub use error::Error;
pub use layers::{build, schemes};
pub use paths::{HopCounts, hop_counts, path};
pub use routing::Routing;
pub use table::{NO_GROUP, RowBuilder, Table, TableBuilder};
pub use verify::{Flaw, verify};
