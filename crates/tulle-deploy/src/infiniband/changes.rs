//! Finds the entries to load after a change: those in which two tables differ.

use super::{Before, Tables};

/// An entry that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The switch, in the new tables.
    pub switch: u32,
    /// The LID.
    pub lid: u16,
    /// The port before.
    pub old: u8,
    /// The port from now on.
    pub new: u8,
}

/// Returns the entries of `new` that differ from `before`, by switch and LID. A LID that one of the two tables does not have counts as an
/// entry without a port.
pub fn changes(before: Before<'_>, new: &Tables) -> Vec<Change> {
    let mut changes = Vec::new();
    for (switch, &old) in (0..).zip(before.switches) {
        let (old, row) = (before.tables.row(old), new.row(switch));
        for lid in 0..old.len().max(row.len()) {
            let at = |row: &[u8]| row.get(lid).copied().unwrap_or(super::NO_PORT);
            if at(old) != at(row) {
                changes.push(Change { switch, lid: lid as u16, old: at(old), new: at(row) });
            }
        }
    }
    changes
}
