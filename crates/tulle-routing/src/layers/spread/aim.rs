//! The aim of the scheme `spread`.

use tulle_spec::words;

words! {
    /// What the paths of a pair should achieve.
    pub enum Aim {
        /// Each cable should be used by few paths of the pair.
        Throughput = "throughput",
        /// As many disjoint paths as possible; disjoint paths share no cable. The main target is three of them per pair.
        Disjoint = "disjoint",
    }
}

impl Aim {
    /// Returns the names of two random streams: one for the order of destinations, and one for the search of a destination.
    pub(super) fn streams(self) -> [&'static str; 2] {
        match self {
            Self::Throughput => ["routing/spread/order", "routing/spread/destination"],
            // The aim `disjoint` was once the separate scheme `gateway`. The names of that scheme's streams stay, so that results do not change.
            Self::Disjoint => ["routing/gateway/order", "routing/gateway/destination"],
        }
    }
}
