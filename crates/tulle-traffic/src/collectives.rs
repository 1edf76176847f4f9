//! Collective operations as messages that wait for each other.
//!
//! An operation goes in rounds. A member of the group goes on to its next round when what it sent has arrived and what it
//! was to receive has come, as with blocking sends and receives of messages too large to be buffered. Members do not wait
//! for each other beyond that. Reducing takes no time. Where a vector has fewer bytes than there are members, parts of 0
//! bytes are not sent.

mod all_to_all;
mod allgather;
mod allreduce;
mod barrier;
mod broadcast;
mod exchange;
mod reduce_scatter;

pub use all_to_all::all_to_all;
pub use allgather::{Allgather, allgather};
pub use allreduce::{Allreduce, allreduce};
pub use barrier::dissemination;
pub use broadcast::broadcast;
pub use exchange::exchange;
pub use reduce_scatter::{ReduceScatter, reduce_scatter};

use tulle_base::{memory, task};

use crate::{Program, Step};

/// A group of ranks, by their endpoints, and what each waits for before its next action.
#[derive(Debug, Clone)]
pub struct Group {
    /// Per member its endpoint; no two are the same.
    pub members: Vec<u32>,
    /// Per member, the steps that must have ended before it goes on.
    pub ready: Vec<Vec<Step>>,
}

/// A message of a round, from member to member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Send {
    from: usize,
    to: usize,
    bytes: u64,
}

impl Group {
    /// A group in which nobody waits for anything.
    pub fn new(members: Vec<u32>) -> Self {
        let ready = vec![Vec::new(); members.len()];
        Self { members, ready }
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members at these places, with what they wait for.
    pub fn part(&self, places: impl IntoIterator<Item = usize>) -> Self {
        let (members, ready) = places.into_iter().map(|at| (self.members[at], self.ready[at].clone())).unzip();
        Self { members, ready }
    }

    /// Lets the members at `places` do something on their own.
    pub fn among(&mut self, places: &[usize], action: impl FnOnce(&mut Self)) {
        let mut part = self.part(places.iter().copied());
        action(&mut part);
        for (&at, ready) in places.iter().zip(part.ready) {
            self.ready[at] = ready;
        }
    }

    /// Every member waits for what it waits for in `other` as well.
    pub fn await_also(&mut self, other: Self) {
        for (ready, more) in self.ready.iter_mut().zip(other.ready) {
            ready.extend(more);
        }
    }

    /// Every member computes for `time` picoseconds.
    pub fn compute(&mut self, program: &mut Program, time: u64) {
        for ready in &mut self.ready {
            if time > 0 || ready.len() > 1 {
                *ready = vec![program.compute(time, ready)];
            }
        }
    }

    /// Nobody goes on before all have come so far; takes no time and no message.
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

    /// One round: members send when they are ready, and are ready again when their own messages have arrived.
    fn round(&mut self, program: &mut Program, sends: impl IntoIterator<Item = Send>) {
        let mut sent: Vec<(u32, u32, Step)> = Vec::new();
        for Send { from, to, bytes } in sends.into_iter().filter(|send| send.bytes > 0) {
            let step = program.message(self.members[from], self.members[to], bytes, &self.ready[from]);
            memory::push("messages of a round", &mut sent, (from as u32, to as u32, step));
        }
        // What a member waited for is over once a message it sent after that has arrived.
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

/// The bytes of part `part` of `parts` of a vector; the parts differ by 1 byte at most and add up to it.
fn share(bytes: u64, part: usize, parts: usize) -> u64 {
    span(bytes, part, part + 1, parts)
}

/// The bytes of the parts from `first` up to `end` of `parts` of a vector.
fn span(bytes: u64, first: usize, end: usize, parts: usize) -> u64 {
    let cut = |part: usize| (u128::from(bytes) * part as u128 / parts as u128) as u64;
    cut(end) - cut(first)
}

#[cfg(test)]
mod tests;
