//! Racks with one ToR switch and its servers each (Flattened Clos (NSDI23), App. A.4.1).

use super::Structure;
use crate::arrange::{Cell, Plan};

/// A rack holds one switch and its endpoints. Optical switches or patch panels are in the middle.
pub static STRUCTURE: Structure = Structure {
    name: "tors",
    plan: |fabric, _, _| {
        let switches = 0..fabric.num_switches() as u32;
        Plan::line(switches.map(|switch| Cell::new(format!("tor{switch}"), vec![switch])).collect())
    },
};
