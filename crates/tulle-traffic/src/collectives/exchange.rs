//! Exchange with neighbours, as stencils do.

use super::{Group, Send};
use crate::Program;

/// Every member sends `bytes` bytes to each of its neighbours, all at once; `neighbours` are places per member.
pub fn exchange(program: &mut Program, group: &mut Group, neighbours: &[Vec<usize>], bytes: u64) {
    let sends = neighbours.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |&to| Send { from, to, bytes }));
    group.round(program, sends.collect::<Vec<_>>());
}
