//! The aim of layers.

use tulle_spec::words;

words! {
    /// The aim of a pair's paths.
    pub enum Aim {
        /// Few paths on each cable.
        Throughput = "throughput",
        /// As many paths as possible that share no cable with any other path. Three such paths per pair are the main target.
        Disjoint = "disjoint",
    }
}

impl Aim {
    /// The names of the random streams for the order of destinations and for the search of one destination.
    pub(super) fn streams(self) -> [&'static str; 2] {
        match self {
            Self::Throughput => ["routing/spread/order", "routing/spread/destination"],
            // These names stay the same, because layers with this aim were a separate scheme before. Its results thus do not change.
            Self::Disjoint => ["routing/gateway/order", "routing/gateway/destination"],
        }
    }
}
