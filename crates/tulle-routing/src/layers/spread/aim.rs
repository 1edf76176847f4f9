//! The aim of the scheme `spread`.

use tulle_spec::words;

words! {
    /// What the paths of a pair should achieve.
    pub enum Aim {
        /// Few paths of the pair should use the same cable.
        Throughput = "throughput",
        /// As many disjoint paths as possible; disjoint paths share no cable. The main target is three disjoint paths per pair.
        Disjoint = "disjoint",
    }
}

impl Aim {
    /// Returns the names of two streams of random numbers: one for the order of the destinations, and one for the search of each
    /// destination.
    pub(super) fn streams(self) -> [&'static str; 2] {
        match self {
            Self::Throughput => ["routing/spread/order", "routing/spread/destination"],
            // The aim `disjoint` was once the separate scheme `gateway`. The streams keep the names of that scheme, so that results do not
            // change.
            Self::Disjoint => ["routing/gateway/order", "routing/gateway/destination"],
        }
    }
}
