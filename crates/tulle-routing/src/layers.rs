//! Schemes that make layers of next-hop tables.

pub mod minimal;
pub mod random;
