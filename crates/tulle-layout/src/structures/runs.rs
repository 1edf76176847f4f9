//! Fabrics without a structure of their own, such as random graphs and files. Switches fill racks in the
//! order of their ids; a partition from outside does better (`parts`).

use super::Structure;
use crate::arrange::{Cell, Plan};
use crate::fill::pack;

/// A rack holds switches in the order of their ids, as many as fit with their endpoints.
pub static STRUCTURE: Structure = Structure {
    name: "runs",
    plan: |fabric, floor, _| {
        let switches: Vec<u32> = (0..fabric.num_switches() as u32).collect();
        let runs = pack(fabric, floor, &switches).into_iter().enumerate();
        Plan::line(runs.map(|(at, run)| Cell::new(format!("rack{at}"), run)).collect())
    },
};
