//! Racks of trees, whose switches have levels.
//!
//! Leaves share racks with their endpoints; switches of upper levels have their own racks. Pods are columns on both sides of the spines:
//! aggregation switches are in row 0, leaves above and below (Flattened Clos (NSDI23) App. A.4.2). In a Clos network every leaf has its own
//! rack, as in the paper. In other trees, a rack holds as many leaves as fit.

use tulle_fabric::{Fabric, RackStructure};

use super::{Structure, by};
use crate::arrange::{Cell, Plan, around, best_rows, side, spine_row};
use crate::fill::pack;
use crate::{Floor, Place};

/// Racks of leaves with their endpoints. A pod is a column, and spines are in the middle.
pub static STRUCTURE: Structure = Structure {
    name: "levels",
    plan: |fabric, floor, _| {
        let top = fabric.levels().iter().copied().max().unwrap_or(0);
        let middle = spines(fabric, floor, if top > 1 { 2 } else { 1 });
        let mut plan = if top > 1 { pods(fabric, floor) } else { leaves(fabric, floor, middle.len()) };
        for (at, cell) in (0..).zip(middle) {
            plan.places.push([0, if top > 1 { spine_row(at) } else { at as i32 }]);
            plan.cells.push(cell);
        }
        plan
    },
};

/// Returns the racks of switches at `level` or higher.
fn spines(fabric: &Fabric, floor: &Floor, level: u8) -> Vec<Cell> {
    let all = (0..fabric.num_switches() as u32).filter(|&switch| fabric.levels()[switch as usize] >= level);
    let all: Vec<u32> = all.collect();
    let racks = all.chunks(floor.spines as usize).enumerate();
    racks.map(|(at, switches)| Cell::new(format!("spine{at}"), switches.to_vec())).collect()
}

/// Returns the second of three coordinates, which is the pod, layer or copy of the switch.
fn part(fabric: &Fabric, switch: u32) -> u32 {
    match fabric.coordinates().of(switch) {
        &[_, part, _] => part,
        _ => 0,
    }
}

/// Returns groups of leaves that share a rack.
fn racks(fabric: &Fabric, floor: &Floor, leaves: &[u32]) -> Vec<Vec<u32>> {
    if matches!(fabric.shape().racks, RackStructure::Levels { alone: true }) {
        leaves.iter().map(|&leaf| vec![leaf]).collect()
    } else {
        pack(fabric, floor, leaves)
    }
}

/// Returns the racks of leaves of a two-level tree, in columns on both sides of the spines.
fn leaves(fabric: &Fabric, floor: &Floor, spines: usize) -> Plan {
    let mut cells = Vec::new();
    for ((level, part), switches) in by(fabric, |switch| (fabric.levels()[switch as usize], part(fabric, switch))) {
        if level == 0 {
            let runs = racks(fabric, floor, &switches).into_iter().enumerate();
            cells.extend(runs.map(|(at, run)| Cell::new(format!("leaf{part}-{at}"), run)));
        }
    }
    let rows = best_rows(cells.len() as u64, &vec![1; spines], floor);
    let place = |at: u64| -> Place { [beside(side(at / rows)), (at % rows) as i32] };
    let places = (0..cells.len() as u64).map(place).collect();
    Plan { cells, places }
}

/// Returns the racks of pods, with one column per pod.
fn pods(fabric: &Fabric, floor: &Floor) -> Plan {
    let mut plan = Plan::line(Vec::new());
    let below = by(fabric, |switch| (part(fabric, switch), fabric.levels()[switch as usize]));
    for ((pod, level), switches) in below {
        let column = beside(side(pod.into()));
        match level {
            0 => {
                for (at, run) in (0..).zip(racks(fabric, floor, &switches)) {
                    plan.places.push([column, around(at)]);
                    plan.cells.push(Cell::new(format!("pod{pod}-leaf{at}"), run));
                }
            }
            1 => {
                plan.places.push([column, 0]);
                plan.cells.push(Cell::new(format!("pod{pod}-aggregation"), switches));
            }
            _ => {}
        }
    }
    plan
}

/// Returns the final column: columns on the right side move by one, because column 0 belongs to the spines.
fn beside(column: i32) -> i32 {
    if column < 0 { column } else { column + 1 }
}
