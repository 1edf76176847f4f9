//! Schemes that make layers of next-hop tables.

pub mod gateway;
pub mod minimal;
pub mod random;
