//! The flit-level simulator: lossless networks with virtual channels and credits, cycle by cycle.
//!
//! In a cycle a link carries one flit. Packets of one or more flits are created by a Bernoulli process at every endpoint
//! and wait there without limit; a router model moves them, with credits for every buffer; a selector chooses their route at
//! their first switch, and a policy the virtual channels at every hop.
//!
//! ```
//! use std::ops::ControlFlow;
//! use tulle_flit::{Config, Traffic, simulate};
//!
//! let fabric = tulle_topologies::build("clique:degree=3,p=3", 0)?;
//! let routing = tulle_routing::build(&fabric, "minimal", 0)?;
//! let traffic = Traffic::new(&fabric, "uniform", 0)?;
//! let config = Config { load: 0.001, warmup: 0, window: 20_000, ..Config::default() };
//! let outcome = simulate(&fabric, &routing, &traffic, &config, &mut |_| ControlFlow::Continue(()))?;
//! // Nothing waits: (1 + 1) + 2·(hops + 1) + 10·hops + 1 cycles; three of four packets have a hop.
//! assert!((outcome.latency - (5.0 + 12.0 * outcome.hops)).abs() < 0.1);
//! assert!((outcome.hops - 0.75).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same inputs give the same outcome, to the bit, for any number of threads: routers run blocks of cycles no longer than
//! the shortest link, draw from a generator each, and hand over what they send between blocks.

mod bits;
mod calendar;
mod cdg;
mod choices;
mod config;
#[cfg(feature = "conservation")]
mod conservation;
mod counted;
mod error;
mod exchange;
mod flit;
mod lanes;
mod last_class;
mod longest;
mod measure;
mod message_queue;
mod outcome;
mod policy;
mod route;
mod router;
mod routes;
mod run;
mod saturation;
mod selector;
mod setup;
mod simulate;
mod sources;
mod traffic;
mod walk;
mod warmup;
mod watchdog;
mod wires;

pub use config::Config;
pub use error::Error;
pub use exchange::{Exchange, Exchanged, exchange};
pub use message_queue::{ORDERS, Order};
pub use outcome::{Deadlock, Outcome, Progress};
pub use policy::policies;
pub use router::routers;
pub use saturation::{Saturation, saturation};
pub use selector::selectors;
pub use simulate::{check, resolve, simulate};
pub use traffic::{Traffic, canonical_traffic, traffics};
