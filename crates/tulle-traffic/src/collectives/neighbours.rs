//! Messages between neighbours, as in stencils.

use super::{Group, Send};
use crate::Program;

/// Makes every member send `bytes` bytes to each of its neighbours at the same time. `neighbours` lists, for each member, the positions of
/// its neighbours in the group.
pub fn send_to_neighbours(program: &mut Program, group: &mut Group, neighbours: &[Vec<usize>], bytes: u64) {
    let sends = neighbours.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| Send { from, to, bytes }));
    group.round(program, sends.collect::<Vec<_>>());
}
