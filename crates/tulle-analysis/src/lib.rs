//! Measures of fabrics and routings under traffic.
//!
//! ```
//! use tulle_analysis::{Demands, throughput::{Capacities, PathFlow}};
//!
//! let fabric = tulle_fabric::build("clique:degree=2,p=1", 0)?;
//! let routing = tulle_routing::build(&fabric, "minimal", 0)?;
//! let demands = Demands::all_to_all(&fabric)?;
//! let choice = PathFlow::new(&fabric, &routing, &demands, Capacities::unit(&fabric))?;
//! // One path per pair, which the channel of the pair has to itself: half a unit per unit of capacity.
//! assert_eq!(choice.lower(&[1.0; 6]), 2.0);
//! assert_eq!(choice.upper(&[1.0; 6]), 2.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod throughput;

mod demand;
mod error;

pub use demand::Demands;
pub use error::Error;
