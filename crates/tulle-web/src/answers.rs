//! The answers, one file for each request.

mod components;
mod fabric;
mod paths;
mod route;
mod simulate;

pub use components::components;
pub use fabric::fabric;
pub use paths::paths;
pub use route::route;
pub use simulate::simulate;
