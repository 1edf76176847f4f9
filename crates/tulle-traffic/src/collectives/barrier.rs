//! Barrier: nobody goes on before all have come.

use super::{Group, Send};
use crate::Program;

/// A barrier by dissemination: ⌈log₂ n⌉ rounds of messages of 1 byte to members 1, 2, 4, … places on (Hensgen, Finkel,
/// Manber: Two algorithms for barrier synchronization, IJPP 1988).
pub fn dissemination(program: &mut Program, group: &mut Group) {
    let members = group.len();
    let mut distance = 1;
    while distance < members {
        group.round(program, (0..members).map(|from| Send { from, to: (from + distance) % members, bytes: 1 }));
        distance *= 2;
    }
}
