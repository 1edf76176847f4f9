//! The playground: answers the requests of the documentation's page *Playground*. The page runs this crate as WebAssembly in a Web Worker.
//!
//! Requests and answers are JSON objects. The key `request` names the operation: see [`Request`] and [`Session::answer`]. Values in answers
//! have the same keys as in the output of the commands with `--json`. This crate only computes; the page draws the results.
//!
//! [`abi`] exports three functions for JavaScript. Everything else is ordinary code, which unit tests run natively.

pub mod abi;

mod answers;
mod files;
mod limits;
mod request;
mod session;

pub use limits::{MAX_ENDPOINTS, MAX_FLOWS, MAX_PACKETS, MAX_SWITCHES, MAX_TABLE_ENTRIES};
pub use request::Request;
pub use session::Session;

/// An error message: one line with the offending value and the legal values.
type Error = Box<dyn std::error::Error>;
