//! Properties of a fabric's shape that its graph does not show. The fabric's family states them; layouts and workloads read them instead of
//! checking for families.

/// The properties that a family states about a fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Which switches share a rack.
    pub racks: RackStructure,
    /// The worst permutation of switches for minimal routing, if a paper gives one.
    pub worst_case: Option<WorstCase>,
    /// Whether the fabric is drawn for optical switches or patch panels, to which its cables lead.
    pub has_devices: bool,
}

/// Which switches share a rack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RackStructure {
    /// Switches with the same second coordinate share a rack. These are a group of either subgraph, and the first coordinate tells the
    /// subgraph.
    Columns,
    /// Those of one first coordinate.
    Groups,
    /// Switches of one line of the last coordinate share a rack. The first coordinates are columns and rows of the floor.
    Grid,
    /// Leaves and their endpoints are in racks; the second of three coordinates is their pod. Switches of higher levels are in the middle.
    Levels {
        /// Whether every leaf has a rack of its own.
        alone: bool,
    },
    /// Every switch has a rack of its own, with its endpoints.
    Tors,
    /// Consecutive ids, as many as fit.
    #[default]
    Runs,
}

/// A worst permutation of switches for minimal routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstCase {
    /// Pairs two hops apart whose paths share cables (diameter-two networks, SC15 §4.2).
    OverlappingPairs,
    /// Every switch with endpoints sends to the next switch with endpoints (diameter-two networks, SC15 §4.2).
    Shift,
}
