//! Schemes that make layers of next-hop tables.

pub mod almost_minimal;
pub mod balanced;
pub mod edst;
pub mod gateway;
pub mod hierarchical;
pub mod low_overlap;
pub mod minimal;
pub mod past;
pub mod random;
pub mod spain;
pub mod updown;
