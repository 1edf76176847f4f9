//! Where a record goes, in the word that stands for it in queues.

use crate::flit::{ENDS, Flit, GROUP, HEAD, TAIL, Word};
use crate::routes::Step;

const GROUPS: u32 = 15 << GROUP;

/// The step that is in `word`.
#[inline(always)]
pub(super) fn step_of<const P: usize>(word: u32) -> Step {
    Step { port: Word::<P>::port(word) as u8, group: group_of(word) }
}

/// The request group that is in `word`, later the virtual channel.
#[inline(always)]
pub(super) fn group_of(word: u32) -> u8 {
    (word >> GROUP & 15) as u8
}

/// Whether `flit` is the first and the last of its packet, as a word has it.
#[inline(always)]
pub(super) fn ends_of(flit: &Flit) -> u32 {
    u32::from(flit.flags & (HEAD | TAIL)) << ENDS
}

/// `step`, as a word has it.
#[inline(always)]
pub(super) fn word_of<const P: usize>(step: Step) -> u32 {
    u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP
}

/// `word` with another step.
#[inline(always)]
pub(super) fn redirect<const P: usize>(word: u32, step: Step) -> u32 {
    word & !(Word::<P>::PORTS | GROUPS) | word_of::<P>(step)
}
