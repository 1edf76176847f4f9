//! The structures that racks follow: one file and one line each.

mod columns;
mod grid;
mod groups;
mod levels;
mod runs;
mod tors;

use std::collections::BTreeMap;

use tulle_fabric::Fabric;

use crate::arrange::{Cell, Plan};
use crate::{Error, Floor};

/// How the fabrics of some families stand in racks.
#[derive(Debug)]
pub struct Structure {
    /// Its name.
    pub name: &'static str,
    /// What stands together.
    pub summary: &'static str,
    /// The families that have it.
    pub families: &'static [&'static str],
    /// Cells and places for a fabric on a floor, with so many optical switches or patch panels in the middle.
    pub plan: fn(&Fabric, &Floor, u32) -> Plan,
}

/// All structures; that of families which none names is the last.
pub static STRUCTURES: &[&Structure] = &[
    &columns::STRUCTURE,
    &groups::STRUCTURE,
    &grid::STRUCTURE,
    &levels::STRUCTURE,
    &tors::STRUCTURE,
    &runs::STRUCTURE,
];

/// The structure of a fabric.
pub fn of(fabric: &Fabric) -> &'static Structure {
    let named = STRUCTURES.iter().find(|structure| structure.families.contains(&fabric.family()));
    named.unwrap_or(&STRUCTURES[STRUCTURES.len() - 1])
}

/// Cells by part: `parts` has that of every switch.
///
/// # Errors
/// Where it has not one per switch.
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
