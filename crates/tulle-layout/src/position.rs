//! The position of a device.

/// Where a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The rack.
    pub rack: u32,
    /// Its rack unit, from 1 at the foot.
    pub unit: u16,
    /// Its index among the endpoints that share the unit, from 0.
    pub slot: u16,
}

impl Position {
    pub(crate) const NOWHERE: Self = Self { rack: u32::MAX, unit: 0, slot: 0 };
}
