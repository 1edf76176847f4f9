//! The next step of a record, packed into its handle.

use crate::flit::{ENDS, Flit, GROUP, HEAD, TAIL, Word};
use crate::routes::Step;

const GROUPS: u32 = 15 << GROUP;

/// Returns the step of a handle.
#[inline(always)]
pub(super) fn step_of<const P: usize>(word: u32) -> Step {
    Step { port: Word::<P>::port(word) as u8, group: group_of(word) }
}

/// Returns the request group, later the VC, of a handle.
#[inline(always)]
pub(super) fn group_of(word: u32) -> u8 {
    (word >> GROUP & 15) as u8
}

/// Returns the bits of a handle that mark the first and last flit of a packet.
#[inline(always)]
pub(super) fn ends_of(flit: &Flit) -> u32 {
    u32::from(flit.flags & (HEAD | TAIL)) << ENDS
}

/// Returns the bits of a handle that hold `step`.
#[inline(always)]
pub(super) fn word_of<const P: usize>(step: Step) -> u32 {
    u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP
}

/// Returns `handle` with another step.
#[inline(always)]
pub(super) fn redirect<const P: usize>(word: u32, step: Step) -> u32 {
    word & !(Word::<P>::PORTS | GROUPS) | word_of::<P>(step)
}
