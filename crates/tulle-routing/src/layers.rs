//! Routing schemes that compute layers of next-hop tables.

use tulle_spec::{SpecError, registry};

use crate::scheme::Scheme;

registry! {
    /// The schemes that compute layers, in the order of `tulle list routings`.
    pub static LAYERS: Schemes("routing") -> SpecError = Box<dyn Scheme>;
    pub mod minimal: Minimal;
    pub mod hierarchical: Hierarchical;
    pub mod balanced: Balanced;
    pub mod random: Random;
    pub mod low_overlap: LowOverlap;
    pub mod almost_minimal: AlmostMinimal;
    pub mod spread: Spread;
    pub mod spread_groups: SpreadGroups;
    pub mod spain: Spain;
    pub mod past: Past;
    pub mod updown: UpDown;
    pub mod edst: Edst;
    #[cfg(test)]
    pub mod toy: Toy;
}
