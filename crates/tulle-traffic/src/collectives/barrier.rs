//! Barrier: no member proceeds before all members have arrived.

use super::{Group, Send};
use crate::Program;

/// Adds a dissemination barrier: in ⌈log₂ n⌉ rounds, every one of the n members sends 1 byte to the member 1, 2, 4, …
/// positions ahead (Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, IJPP 1988).
pub fn dissemination(program: &mut Program, group: &mut Group) {
    let members = group.len();
    let mut distance = 1;
    while distance < members {
        group.round(program, (0..members).map(|from| Send { from, to: (from + distance) % members, bytes: 1 }));
        distance *= 2;
    }
}
