//! Constants for times, in picoseconds.

pub(crate) const MICROSECOND: u64 = 1_000_000;
pub(crate) const MILLISECOND: u64 = 1000 * MICROSECOND;
pub(crate) const SECOND: u64 = 1000 * MILLISECOND;
