//! Racks of groups that are connected by global cables, for example the groups of a Dragonfly.

use super::{Structure, by};
use crate::arrange::{Cell, Plan};

/// A rack holds the switches and endpoints of one group.
pub static STRUCTURE: Structure = Structure {
    name: "groups",
    plan: |fabric, _, _| {
        let groups = by(fabric, |switch| fabric.coordinates().of(switch)[0]);
        Plan::line(groups.into_iter().map(|(group, switches)| Cell::new(format!("group{group}"), switches)).collect())
    },
};
