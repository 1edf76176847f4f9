//! The flit-level simulator: lossless networks with virtual channels (VCs) and credits, cycle by cycle.
//!
//! A link carries one flit per cycle. Endpoints create packets of one or more flits at random, or send the messages of a workload. The
//! packets wait in unbounded queues. A router model moves the flits, with credits for every buffer. A selector chooses each packet's route
//! at the packet's first switch. A policy assigns VCs to every hop.
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
//! // Without queueing, a packet takes 1 cycle at its endpoint, 1 to the first router, 2 per router, 10 per hop, and 1 to its
//! // destination. Three of four packets have one hop; the others stay within their switch.
//! assert!((outcome.latency - (5.0 + 12.0 * outcome.hops)).abs() < 0.1);
//! assert!((outcome.hops - 0.75).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same inputs give the same outcome, bit for bit, for any number of threads. Routers run in blocks of cycles. A block is at most as
//! long as a flit takes over the shortest link. Each router has its own random generator, and routers exchange flits and credits only
//! between blocks.

mod acks;
mod bits;
mod cdg;
mod channel_buffer;
mod choices;
mod config;
#[cfg(feature = "conservation")]
mod conservation;
mod error;
mod flit;
mod goal;
mod hosts;
mod last_class;
mod longest;
mod measure;
mod message_queue;
mod outcome;
mod policy;
mod rings;
mod route;
mod router;
mod routes;
mod run;
mod run_to_completion;
mod saturation;
mod saturation_rule;
mod scheduler;
mod selector;
mod setup;
mod simulate;
mod sources;
mod traffic;
mod vc_array;
mod vc_levels;
mod walk;
mod warmup;
mod watchdog;
mod window;

pub use config::{Config, OPEN_LOOP, OPTIONS};
pub use error::Error;
pub use message_queue::Order;
pub use outcome::{Deadlock, Outcome, Progress};
pub use policy::policies;
pub use router::routers;
pub use run_to_completion::{COMPLETION_OPTIONS, CompletionOutcome, CompletionSettings, run_to_completion};
pub use saturation::{Saturation, saturation};
pub use saturation_rule::SaturationRule;
pub use selector::selectors;
pub use simulate::{check, resolve, simulate};
pub use traffic::{Traffic, canonical_traffic, traffics};
