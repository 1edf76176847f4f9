//! Collective operations as messages that depend on each other.
//!
//! An operation consists of rounds. A member of the group starts its next round when its sends and receives of the
//! round have completed. Blocking MPI calls behave like this for messages that are too large to be buffered. There is
//! no other synchronisation between members. Reductions take no time. If a vector has fewer bytes than the group has
//! members, its empty parts are not sent.

mod all_to_all;
mod allgather;
mod allreduce;
mod barrier;
mod broadcast;
mod neighbours;
mod reduce_scatter;

pub use all_to_all::all_to_all;
pub use allgather::{Allgather, allgather};
pub use allreduce::{Allreduce, allreduce};
pub use barrier::dissemination;
pub use broadcast::broadcast;
pub use neighbours::send_to_neighbours;
pub use reduce_scatter::{ReduceScatter, reduce_scatter};

use tulle_base::{memory, task};

use crate::{Program, Step};

/// A group of ranks, represented by their endpoints. For each rank, the group stores the steps that must end before the rank's next action.
#[derive(Debug, Clone)]
pub struct Group {
    /// The endpoint of each member; all are different.
    pub members: Vec<u32>,
    /// Per member: the steps that must end before the member proceeds.
    pub ready: Vec<Vec<Step>>,
}

/// A message of a round, between two members of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Send {
    from: usize,
    to: usize,
    bytes: u64,
}

impl Group {
    /// Creates a group in which no member has to wait.
    pub fn new(members: Vec<u32>) -> Self {
        let ready = vec![Vec::new(); members.len()];
        Self { members, ready }
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the group has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the group of the members at positions `places`, with the steps that they wait for.
    pub fn part(&self, places: impl IntoIterator<Item = usize>) -> Self {
        let (members, ready) = places.into_iter().map(|at| (self.members[at], self.ready[at].clone())).unzip();
        Self { members, ready }
    }

    /// Runs `action` on the group of the members at positions `places`.
    pub fn among(&mut self, places: &[usize], action: impl FnOnce(&mut Self)) {
        let mut part = self.part(places.iter().copied());
        action(&mut part);
        for (&at, ready) in places.iter().zip(part.ready) {
            self.ready[at] = ready;
        }
    }

    /// Makes every member also wait for the steps that it waits for in `other`, a group with the same members.
    pub fn await_also(&mut self, other: Self) {
        for (ready, more) in self.ready.iter_mut().zip(other.ready) {
            ready.extend(more);
        }
    }

    /// Makes every member compute for `time` picoseconds.
    pub fn compute(&mut self, program: &mut Program, time: u64) {
        for ready in &mut self.ready {
            if time > 0 || ready.len() > 1 {
                *ready = vec![program.compute(time, ready)];
            }
        }
    }

    /// Makes all members wait for each other; this takes no messages and no time.
    pub fn join(&mut self, program: &mut Program) {
        let mut all: Vec<Step> = self.ready.concat();
        all.sort_unstable_by_key(|step| match *step {
            Step::Message(row) => (0, row),
            Step::Compute(place) => (1, place),
        });
        all.dedup();
        if !all.is_empty() {
            self.ready.fill(vec![program.compute(0, &all)]);
        }
    }

    /// Runs one round: each member sends its messages when it is ready, and is ready again when all messages that it
    /// sends or receives have arrived.
    fn round(&mut self, program: &mut Program, sends: impl IntoIterator<Item = Send>) {
        let mut sent: Vec<(u32, u32, Step)> = Vec::new();
        for Send { from, to, bytes } in sends.into_iter().filter(|send| send.bytes > 0) {
            let step = program.message(self.members[from], self.members[to], bytes, &self.ready[from]);
            memory::push("messages of a round", &mut sent, (from as u32, to as u32, step));
        }
        // A sender's next message waits only for the messages of this round, because these start after the sender's earlier steps.
        for &(from, ..) in &sent {
            self.ready[from as usize].clear();
        }
        for (from, to, step) in sent {
            task::check();
            self.ready[from as usize].push(step);
            self.ready[to as usize].push(step);
        }
    }
}

/// Returns the size in bytes of part number `part` when a vector of `bytes` bytes is cut into `parts` parts. The sizes
/// differ by at most 1 byte.
fn share(bytes: u64, part: usize, parts: usize) -> u64 {
    span(bytes, part, part + 1, parts)
}

/// Returns the total size in bytes of the parts `first` to `end` (exclusive) when a vector of `bytes` bytes is cut into
/// `parts` parts.
fn span(bytes: u64, first: usize, end: usize, parts: usize) -> u64 {
    let cut = |part: usize| (u128::from(bytes) * part as u128 / parts as u128) as u64;
    cut(end) - cut(first)
}

#[cfg(test)]
mod tests;
