//! All-to-all: every member has a block for every other member.

use super::{Group, Send};
use crate::Program;

/// Adds an all-to-all of blocks of `bytes` bytes. Each member posts all its messages at the same time (Slim Fly deployment paper (NSDI24),
/// App. C.1). Member i sends to i + 1, i + 2, … in this order. A member sends a message only if `is_sent(from, to)` is true.
pub fn all_to_all(program: &mut Program, group: &mut Group, bytes: u64, is_sent: impl Fn(usize, usize) -> bool) {
    let members = group.len();
    let sends = (0..members)
        .flat_map(|from| (1..members).map(move |offset| Send { from, to: (from + offset) % members, bytes }))
        .filter(|send| is_sent(send.from, send.to));
    group.round(program, sends);
}
