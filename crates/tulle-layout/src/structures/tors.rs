//! A ToR switch with its servers to a rack (Flattened Clos, App. A.4.1).

use super::Structure;
use crate::arrange::{Cell, Plan};

/// A rack holds a switch with its endpoints; optical switches or patch panels stand in the middle.
pub static STRUCTURE: Structure = Structure {
    name: "tors",
    plan: |fabric, _, _| {
        let switches = 0..fabric.num_switches() as u32;
        Plan::line(switches.map(|switch| Cell::new(format!("tor{switch}"), vec![switch])).collect())
    },
};
