//! The aim of layers.

use tulle_spec::words;

words! {
    /// The aim of a pair's paths.
    pub enum Aim {
        /// Few paths on each cable.
        Throughput = "throughput",
        /// As many paths as can be that share no cable with any other, three above all.
        Disjoint = "disjoint",
    }
}

impl Aim {
    /// The names of the random streams: of the order of destinations, and of a destination's turn.
    pub(super) fn streams(self) -> [&'static str; 2] {
        match self {
            Self::Throughput => ["routing/spread/order", "routing/spread/destination"],
            // These layers were a scheme of their own before; their results stay the same.
            Self::Disjoint => ["routing/gateway/order", "routing/gateway/destination"],
        }
    }
}
