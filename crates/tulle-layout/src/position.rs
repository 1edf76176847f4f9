//! The position of a device.

/// The position of a switch, endpoint or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The rack.
    pub rack: u32,
    /// The rack unit, counted from 1 at the foot of the rack.
    pub unit: u16,
    /// The index among the endpoints that share the rack unit, from 0.
    pub slot: u16,
}

impl Position {
    pub(crate) const NOWHERE: Self = Self { rack: u32::MAX, unit: 0, slot: 0 };
}
