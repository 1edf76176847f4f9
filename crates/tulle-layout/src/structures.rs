//! Rack structures: how switches of a fabric are grouped into racks. Each structure has its own file. The family of a fabric determines its
//! structure.

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

/// A rule that places the switches of a fabric in racks. Switches that should share a rack get several racks if they do not fit in one.
pub struct Structure {
    /// The name of the structure.
    pub name: &'static str,
    /// Returns the cells and positions for a fabric on a floor. The last argument is the number of optical switches or patch panels in the
    /// middle.
    pub plan: fn(&Fabric, &Floor, u32) -> Plan,
}

/// Returns the structure named by `racks`.
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

/// Returns one cell per part. `parts` gives, for every switch, the number of its part.
///
/// # Errors
/// Fails if `parts` does not have one entry per switch.
pub fn parts(fabric: &Fabric, parts: &[u32]) -> Result<Plan, Error> {
    if parts.len() != fabric.num_switches() {
        let (given, switches) = (parts.len(), fabric.num_switches());
        return Err(Error::Input(format!(
            "parts has {given} entries, but must have one per switch; legal: {switches}"
        )));
    }
    let cells = by(fabric, |switch| parts[switch as usize]);
    Ok(Plan::line(cells.into_iter().map(|(part, switches)| Cell::new(format!("part{part}"), switches)).collect()))
}

/// Groups the switches by a key. The groups are in ascending order of keys.
fn by<K: Ord>(fabric: &Fabric, key: impl Fn(u32) -> K) -> BTreeMap<K, Vec<u32>> {
    let mut all: BTreeMap<K, Vec<u32>> = BTreeMap::new();
    (0..fabric.num_switches() as u32).for_each(|switch| all.entry(key(switch)).or_default().push(switch));
    all
}
