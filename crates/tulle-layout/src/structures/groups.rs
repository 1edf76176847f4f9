//! Groups that global cables join: Dragonfly, Megafly.

use super::{Structure, by};
use crate::arrange::{Cell, Plan};

pub static STRUCTURE: Structure = Structure {
    name: "groups",
    summary: "a group",
    families: &["dragonfly", "megafly"],
    plan: |fabric, _, _| {
        let groups = by(fabric, |switch| fabric.coordinates().of(switch)[0]);
        Plan::line(groups.into_iter().map(|(group, switches)| Cell::new(format!("group{group}"), switches)).collect())
    },
};
