//! Racks of fabrics without a known structure, for example random graphs and files. Switches fill racks in the order of their ids. A
//! partition of the switches that the caller computes (`parts`) gives shorter cables.

use super::Structure;
use crate::arrange::{Cell, Plan};
use crate::fill::pack;

/// A rack holds consecutive switches by id, as many as fit with their endpoints.
pub static STRUCTURE: Structure = Structure {
    name: "runs",
    plan: |fabric, floor, _| {
        let switches: Vec<u32> = (0..fabric.num_switches() as u32).collect();
        let runs = pack(fabric, floor, &switches).into_iter().enumerate();
        Plan::line(runs.map(|(at, run)| Cell::new(format!("rack{at}"), run)).collect())
    },
};
