//! Barrier: no member proceeds before all have arrived.

use super::{Group, Send};
use crate::Program;

/// Adds a dissemination barrier: ⌈log₂ n⌉ rounds of 1-byte messages to the members 1, 2, 4, … positions ahead (Hensgen,
/// Finkel, Manber: Two algorithms for barrier synchronization, IJPP 1988).
pub fn dissemination(program: &mut Program, group: &mut Group) {
    let members = group.len();
    let mut distance = 1;
    while distance < members {
        group.round(program, (0..members).map(|from| Send { from, to: (from + distance) % members, bytes: 1 }));
        distance *= 2;
    }
}
