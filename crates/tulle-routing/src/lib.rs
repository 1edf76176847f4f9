//! Routings: data that define which paths packets may take.
//!
//! A [`Routing`] has one of two forms. The first form consists of layers (FatPaths §V-B); each layer is a next-hop [`Table`] without loops
//! and with entries for all pairs of switches. The second form is a [`PathSet`] with explicit paths per pair of switches. In a simulation,
//! a selector chooses a packet's layer or path.
//!
//! ```
//! let fabric = tulle_topologies::build("slimfly:q=5", 0)?;
//! let routing = tulle_routing::build(&fabric, "random:layers=4,rho=0.7", 0)?;
//! assert_eq!(routing.num_layers(), 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod columns;
pub mod disjoint;
pub mod layers;
pub mod paths;
mod port_sets;
pub mod quality;
pub mod schemes;

mod acyclic_layer;
mod arrays;
mod connected;
mod error;
mod file;
mod links;
mod loads;
mod path_set;
mod remove_find;
mod routing;
mod scheme;
mod sets;
mod shortest;
mod spanning;
mod table;
mod ties;
mod tree;
mod two_hops;
mod verify;
mod walk;
pub mod weights;

pub use arrays::{NextHops, PathColumns};
pub use error::Error;
pub use path_set::{PathSet, SourcePaths};
pub use port_sets::NO_GROUP;
pub use routing::{Routes, Routing};
pub use scheme::Scheme;
pub use schemes::{build, schemes};
pub use table::{RowBuilder, Table, TableBuilder, WeightedRow, total_share, turns};
pub use verify::{Flaw, PathProblem, verify, verify_paths};
pub use walk::{HopCounts, hop_counts, path};
