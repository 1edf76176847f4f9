//! Properties of a fabric: lengths and counts of paths, disjoint paths, interference, connectivity. Also computes proven bounds on the
//! throughput of a fabric or of a routing under given demands.
//!
//! ```
//! use tulle_analysis::{Mode, disjoint_paths};
//!
//! let fabric = tulle_topologies::build("clique:degree=4", 0)?;
//! let found = disjoint_paths(&fabric, &[(0, 1)], 2, Mode::Exact)?;
//! assert_eq!((found[0].paths, found[0].most), (4, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod algebra;
pub mod connectivity;
pub mod diversity;
pub mod sample;
pub mod throughput;

mod demand;
mod error;
mod lengths;
mod stress;
mod walks;

pub use algebra::{Disjoint, rank_connectivity};
pub use connectivity::{FlowTree, edge_connectivity};
pub use demand::Demands;
pub use diversity::{
    Count, Limit, Mode, disjoint_paths, disjoint_paths_of_all, disjoint_paths_of_sets, disjoint_paths_within,
    interference,
};
pub use error::Error;
pub use lengths::ShortestPaths;
pub use stress::{Stressed, stress};
pub use walks::{NextHops, walks};
