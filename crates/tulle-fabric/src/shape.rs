//! What a fabric knows of its shape beside the graph. Its family says so; layouts and workloads read it, and name no family.

/// What a family says of a fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Which switches stand together in racks.
    pub racks: RackStructure,
    /// The worst permutation of switches for minimal routing, if a paper gives one.
    pub worst_case: Option<WorstCase>,
    /// Whether cables lead to optical switches or patch panels for which the fabric is drawn.
    pub has_devices: bool,
}

/// Which switches stand together in racks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RackStructure {
    /// Those of one second coordinate: a group of either subgraph, which the first coordinate tells.
    Columns,
    /// Those of one first coordinate.
    Groups,
    /// Those of a line of the last coordinate; the first ones are columns and rows of the floor.
    Grid,
    /// Leaves with their endpoints, the second of three coordinates is their pod; switches of higher levels in the middle.
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
    /// Every switch with endpoints sends to the next one (the same, §4.2).
    Shift,
}
