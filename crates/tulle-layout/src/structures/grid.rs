//! Racks of grids. A rack holds all switches along the last dimension, and further dimensions if they fit. The remaining dimensions become
//! columns and rows of the floor.

use super::{Structure, by};
use crate::arrange::{Cell, Plan};

/// Racks of switches along the last dimensions; the first dimensions are columns and rows of the floor.
pub static STRUCTURE: Structure = Structure {
    name: "grid",
    plan: |fabric, floor, _| {
        let coordinates = fabric.coordinates();
        let dimensions = coordinates.names.len();
        let sizes: Vec<u64> = (0..dimensions)
            .map(|at| {
                let most = coordinates.values.iter().skip(at).step_by(dimensions.max(1)).max();
                most.map_or(1, |&most| u64::from(most) + 1)
            })
            .collect();
        let endpoints = fabric.concentration() as u64;
        let mut inside = dimensions.saturating_sub(1);
        while inside > 0 {
            let switches: u64 = sizes[inside - 1..].iter().product();
            if switches + floor.height(switches * endpoints) > floor.units.into() {
                break;
            }
            inside -= 1;
        }
        // Of the dimensions that are not inside racks, the first half determines the column, and the second half the row.
        let half = inside.div_ceil(2);
        let number = |at: &[u32], sizes: &[u64]| {
            at.iter().zip(sizes).fold(0u64, |number, (&at, &size)| number * size + u64::from(at))
        };
        let lines = by(fabric, |switch| &coordinates.of(switch)[..inside]);
        let mut plan = Plan::line(Vec::new());
        for (outside, switches) in lines {
            let at: Vec<String> = outside.iter().map(u32::to_string).collect();
            let place = [(&outside[..half], &sizes[..half]), (&outside[half..], &sizes[half..inside])];
            plan.places.push(place.map(|(at, sizes)| number(at, sizes) as i32));
            // The name starts with letters, because spreadsheet programs read names such as 1-2 or 1.2 as dates.
            plan.cells.push(Cell::new(format!("rack{}", at.join("-")), switches));
        }
        plan
    },
};
