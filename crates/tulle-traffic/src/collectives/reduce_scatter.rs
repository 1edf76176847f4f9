//! Reduce-scatter: at the end every member has its part of the sum of all vectors.

use super::{Group, Send, share, span};
use crate::Program;
use tulle_spec::words;

words! {
    /// An algorithm for reduce-scatter (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.3).
    pub enum ReduceScatter {
        /// Partial sums go around a ring of n members: n − 1 rounds; each member sends (n − 1)/n of the vector.
        Ring = "ring",
        /// Members exchange halves over distances n/2, n/4, …: log₂ n rounds. The number n of members must be a power
        /// of two.
        RecursiveHalving = "recursive-halving",
    }
}

impl ReduceScatter {
    /// Returns the number of messages of a reduce-scatter of `bytes` bytes among `members` members, or a lower bound if
    /// the number is not known exactly.
    pub(crate) fn messages(self, members: u64, bytes: u64) -> u64 {
        match self {
            Self::Ring => (members - 1) * members.min(bytes),
            Self::RecursiveHalving if bytes >= members => members * u64::from(members.ilog2()),
            Self::RecursiveHalving => 0,
        }
    }
}

/// Adds a reduce-scatter of vectors of `bytes` bytes.
///
/// # Panics
/// Panics if the algorithm is recursive halving and the number of members is not a power of two.
pub fn reduce_scatter(program: &mut Program, group: &mut Group, algorithm: ReduceScatter, bytes: u64) {
    match algorithm {
        ReduceScatter::Ring => ring(program, group, bytes),
        ReduceScatter::RecursiveHalving => halving(program, group, bytes),
    }
}

/// Sends partial sums around the ring. Part i starts at member i + 1 and ends at member i.
pub(super) fn ring(program: &mut Program, group: &mut Group, bytes: u64) {
    let parts = group.len();
    for round in 1..parts {
        let sends = (0..parts).map(|from| {
            let part = (from + parts - round) % parts;
            Send { from, to: (from + 1) % parts, bytes: share(bytes, part, parts) }
        });
        group.round(program, sends);
    }
}

pub(super) fn halving(program: &mut Program, group: &mut Group, bytes: u64) {
    let parts = group.len();
    assert!(parts.is_power_of_two(), "{parts} members are not a power of two");
    for level in (0..parts.ilog2()).rev() {
        let width = 1 << level;
        let sends = (0..parts).map(|from| {
            // Each member sends the half of its vector that its partner is responsible for.
            let first = (from ^ width) / width * width;
            Send { from, to: from ^ width, bytes: span(bytes, first, first + width, parts) }
        });
        group.round(program, sends);
    }
}
