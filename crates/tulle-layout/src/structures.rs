//! The structures that racks follow: one file each. A fabric's family says which one it has.

mod columns;
mod grid;
mod groups;
mod levels;
mod runs;
mod tors;

use std::collections::BTreeMap;

use tulle_fabric::{Fabric, RackStructure};

use crate::arrange::{Cell, Plan};
use crate::{Error, Floor};

/// How fabrics of one kind stand in racks.
pub struct Structure {
    /// Its name.
    pub name: &'static str,
    /// Cells and positions for a fabric on a floor, with this many optical switches or patch panels in the middle.
    pub plan: fn(&Fabric, &Floor, u32) -> Plan,
}

/// The structure that `racks` names.
pub fn of(racks: RackStructure) -> &'static Structure {
    match racks {
        RackStructure::Columns => &columns::STRUCTURE,
        RackStructure::Groups => &groups::STRUCTURE,
        RackStructure::Grid => &grid::STRUCTURE,
        RackStructure::Levels { .. } => &levels::STRUCTURE,
        RackStructure::Tors => &tors::STRUCTURE,
        RackStructure::Runs => &runs::STRUCTURE,
    }
}

/// Cells by part: `parts` holds the part of every switch.
///
/// # Errors
/// If it does not have one entry per switch.
pub fn parts(fabric: &Fabric, parts: &[u32]) -> Result<Plan, Error> {
    if parts.len() != fabric.num_switches() {
        let (given, switches) = (parts.len(), fabric.num_switches());
        return Err(Error::Input(format!("parts={given} are not one per switch; legal: {switches}")));
    }
    let cells = by(fabric, |switch| parts[switch as usize]);
    Ok(Plan::line(cells.into_iter().map(|(part, switches)| Cell::new(format!("part{part}"), switches)).collect()))
}

/// Switches by a key, ascending.
fn by<K: Ord>(fabric: &Fabric, key: impl Fn(u32) -> K) -> BTreeMap<K, Vec<u32>> {
    let mut all: BTreeMap<K, Vec<u32>> = BTreeMap::new();
    (0..fabric.num_switches() as u32).for_each(|switch| all.entry(key(switch)).or_default().push(switch));
    all
}
