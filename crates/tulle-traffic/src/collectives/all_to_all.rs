//! All-to-all: everyone has a block for everyone.

use super::{Group, Send};
use crate::Program;

/// An all-to-all of blocks of `bytes` bytes, all posted at once (deployment App. C.1): member i sends to i + 1, i + 2, … in
/// this order, to those that `is_sent` (from, to) tells.
pub fn all_to_all(program: &mut Program, group: &mut Group, bytes: u64, is_sent: impl Fn(usize, usize) -> bool) {
    let members = group.len();
    let sends = (0..members)
        .flat_map(|from| (1..members).map(move |offset| Send { from, to: (from + offset) % members, bytes }))
        .filter(|send| is_sent(send.from, send.to));
    group.round(program, sends);
}
