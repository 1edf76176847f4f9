//! Allgather: at the end every member has the blocks of all members.

use super::{Group, Send};
use crate::Program;
use tulle_spec::words;

words! {
    /// An algorithm for allgather (Thakur, Rabenseifner, Gropp, IJHPCA 2005, §4.1).
    pub enum Allgather {
        /// Blocks go around a ring. With n members this takes n − 1 rounds.
        Ring = "ring",
        /// In each of ⌈log₂ n⌉ rounds, every member sends the blocks that it has to the member that is 1, 2, 4, … positions before it. In
        /// the last round it sends only as many as that member still needs. The number n of members need not be a power of two.
        Bruck = "bruck",
    }
}

impl Allgather {
    /// Returns the number of messages of an allgather among `members` members.
    pub(crate) fn messages(self, members: u64) -> u64 {
        let rounds = match self {
            Self::Ring => members - 1,
            Self::Bruck => members.next_power_of_two().ilog2().into(),
        };
        members * rounds
    }
}

/// Adds an allgather of blocks of `bytes` bytes.
pub fn allgather(program: &mut Program, group: &mut Group, algorithm: Allgather, bytes: u64) {
    match algorithm {
        Allgather::Ring => ring(program, group, |_, _| bytes),
        Allgather::Bruck => bruck(program, group, bytes),
    }
}

/// Sends each block around the ring, block i from member i. Block i has `size(i, blocks)` bytes.
pub(super) fn ring(program: &mut Program, group: &mut Group, size: impl Fn(usize, usize) -> u64) {
    let blocks = group.len();
    for round in 1..blocks {
        let sends = (0..blocks).map(|from| {
            let block = (from + blocks + 1 - round) % blocks;
            Send { from, to: (from + 1) % blocks, bytes: size(block, blocks) }
        });
        group.round(program, sends);
    }
}

fn bruck(program: &mut Program, group: &mut Group, bytes: u64) {
    let blocks = group.len();
    let mut held = 1;
    while held < blocks {
        let sent = held.min(blocks - held);
        let sends =
            (0..blocks).map(|from| Send { from, to: (from + blocks - held) % blocks, bytes: sent as u64 * bytes });
        group.round(program, sends);
        held += sent;
    }
}
