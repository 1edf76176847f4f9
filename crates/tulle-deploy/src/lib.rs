//! Deployment: computes the tables that switches load, from a routing and its plan of virtual channels.
//!
//! This crate computes table entries and checks them by following every path. It also writes the tables that are too large for Python. The
//! Python package writes texts for people and settings of other programs.
//!
//! ```
//! use std::sync::Arc;
//! use tulle_deploy::infiniband::{Deployment, Parts};
//! let fabric = Arc::new(tulle_topologies::build("slimfly:q=5", 0)?);
//! let routing = tulle_routing::build(&fabric, "almost-minimal:layers=4", 0)?;
//! let (plan, repaired) = tulle_deadlock::assign_vcs(&fabric, &routing, "dfsssp")?;
//! let parts = Parts { fabric, routing: Arc::new(repaired.unwrap_or(routing)), plan: Arc::new(plan) };
//! let deployment = Deployment::new(parts, 2, 8)?;
//! assert_eq!(deployment.lids().top(), 851);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ethernet;
pub mod infiniband;

mod error;

pub use error::Error;
