//! Routings: which paths packets may take, as data.
//!
//! A [`Routing`] has layers (FatPaths §V-B); each layer is a next-hop [`Table`], loop-free and complete. What picks a layer
//! for a packet at run time is a selector in the simulators.

mod error;
mod routing;
mod table;

pub use error::Error;
pub use routing::Routing;
pub use table::{NO_GROUP, Table, TableBuilder};
