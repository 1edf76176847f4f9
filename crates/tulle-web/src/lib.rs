//! The playground: answers the requests of the documentation's page *Playground*. The page runs this crate as WebAssembly in a Web Worker.
//!
//! A request is a JSON object with the key `request`, and the answer is a JSON object: see [`Request`] and [`Session::answer`]. Figures
//! have the names and values of the command line's JSON. The page draws; this crate only computes.
//!
//! [`abi`] exports three functions for JavaScript. Everything else is ordinary code, which unit tests run natively.

pub mod abi;

mod answers;
mod limits;
mod request;
mod session;

pub use limits::{MAX_ENDPOINTS, MAX_FLOWS, MAX_PACKETS, MAX_SWITCHES, MAX_TABLE_ENTRIES};
pub use request::Request;
pub use session::Session;

/// What went wrong, in one line with the offending value and the legal values.
type Error = Box<dyn std::error::Error>;
