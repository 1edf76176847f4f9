//! Schemes that make layers of next-hop tables.

pub mod almost_minimal;
pub mod balanced;
pub mod gateway;
pub mod minimal;
pub mod random;
