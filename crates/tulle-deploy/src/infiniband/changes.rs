//! Finds the table entries that must be loaded after a change.

use super::{Before, Tables};

/// An entry that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The id of the switch in the new tables.
    pub switch: u32,
    /// The LID.
    pub lid: u16,
    /// The port before.
    pub old: u8,
    /// The port from now on.
    pub new: u8,
}

/// Returns the entries in which `new` differs from `before`, by switch and LID. A LID that exists in only one of the two tables counts as
/// an entry without a port in the table that lacks it.
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
