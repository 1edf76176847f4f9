//! The next step of a flit or packet through a router, as bits of its handle: the output port, and the request group (the VCs that it may
//! use).

use crate::flit::{ENDS, Flit, GROUP, HEAD, Handle, TAIL};
use crate::routes::Step;

const GROUPS: u32 = 15 << GROUP;

/// Returns the step of a handle.
#[inline(always)]
pub(super) fn step_of<const P: usize>(handle: u32) -> Step {
    Step { port: Handle::<P>::port(handle) as u8, group: group_of(handle) }
}

/// Returns the request group in a handle. Later the same bits hold the VC.
#[inline(always)]
pub(super) fn group_of(handle: u32) -> u8 {
    (handle >> GROUP & 15) as u8
}

/// Returns the handle bits that mark the first and last flit of a packet.
#[inline(always)]
pub(super) fn ends_of(flit: &Flit) -> u32 {
    u32::from(flit.flags & (HEAD | TAIL)) << ENDS
}

/// Returns the handle bits that encode `step`.
#[inline(always)]
pub(super) fn handle_of<const P: usize>(step: Step) -> u32 {
    u32::from(step.port) << Handle::<P>::PORT | u32::from(step.group) << GROUP
}

/// Returns `handle` with its step replaced by `step`.
#[inline(always)]
pub(super) fn redirect<const P: usize>(handle: u32, step: Step) -> u32 {
    handle & !(Handle::<P>::PORTS | GROUPS) | handle_of::<P>(step)
}
