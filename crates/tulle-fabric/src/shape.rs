//! Properties of a fabric's shape that its graph does not show. The topology family defines them; layouts and workloads use them instead of
//! checking for particular families.

/// Properties of a fabric that its topology family defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Which switches share a rack.
    pub racks: RackStructure,
    /// The worst permutation of switches for minimal routing, if a paper defines one.
    pub worst_case: Option<WorstCase>,
    /// Whether the fabric is designed for optical switches or patch panels. If so, a layout with such devices uses the family's own
    /// cabling.
    pub has_devices: bool,
}

/// Which switches share a rack. If they do not fit in one rack, they get several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RackStructure {
    /// Switches with the same second coordinate share a rack. The rack contains a group of switches from each of the two subgraphs; the
    /// first coordinate is the subgraph.
    Columns,
    /// Switches with the same first coordinate share a rack.
    Groups,
    /// Switches that differ only in the last coordinate share a rack; if more switches fit, they may also differ in the coordinates before
    /// it. The remaining coordinates determine the column and row of the rack on the floor.
    Grid,
    /// Racks contain leaves and their endpoints; the second of three coordinates is the leaf's pod. Aggregation switches are in the middle
    /// of their pod, and spines in the middle of the floor.
    Levels {
        /// Whether every leaf has a rack of its own.
        alone: bool,
    },
    /// Every switch has a rack of its own, with its endpoints.
    Tors,
    /// Racks are filled with switches in the order of ids.
    #[default]
    Runs,
}

/// A worst permutation of switches for minimal routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstCase {
    /// Switches two hops apart exchange traffic, paired so that their paths share cables (Kathareios et al. (SC15) §4.2).
    OverlappingPairs,
    /// Every switch with endpoints sends to the next switch with endpoints (Kathareios et al. (SC15) §4.2).
    Shift,
}
