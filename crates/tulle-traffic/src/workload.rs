//! A workload: messages stored as columns.

use tulle_base::memory::{self, Need};
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::Dependencies;

/// The legal alternative in error messages about a [`Workload::misfit`].
pub const MADE_FOR_THIS: &str = "a workload made for this fabric";

/// Messages between endpoints, stored as columns. Row `i` of every column belongs to message (flow) `i`.
///
/// A message may depend on other messages, and on *computations*: steps that take time but run at no particular
/// endpoint. A message ends when its last byte has arrived. A computation ends when its time is over. A message starts
/// when all its dependencies have ended, but not before its earliest start. A computation starts when all its
/// dependencies have ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workload {
    /// The canonical spec.
    pub spec: String,
    /// Number of endpoints of the fabric for which the workload was made; `None` for a workload built from columns.
    pub endpoints: Option<u32>,
    /// The sending endpoint. It equals the destination only in a message from an endpoint to itself. Such a message
    /// uses no link, and not every consumer accepts it.
    pub source: Vec<u32>,
    /// The receiving endpoint.
    pub destination: Vec<u32>,
    /// Payload in bytes, at least 1.
    pub bytes: Vec<u64>,
    /// Earliest start in picoseconds.
    pub start: Vec<u64>,
    /// Per computation: its duration in picoseconds. In the numbering of steps, computations follow the messages.
    pub compute: Vec<u64>,
    /// The dependencies of every step: first the messages, then the computations.
    pub dependencies: Dependencies,
    /// Warnings from reading the file of the messages, one line each.
    pub warnings: Vec<String>,
}

impl Workload {
    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Returns whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Returns the number of steps: messages and computations.
    pub fn num_steps(&self) -> usize {
        self.len() + self.compute.len()
    }

    /// Describes the mismatch if `fabric` and the fabric of the workload have different numbers of endpoints; otherwise returns `None`.
    /// Only the numbers are compared, so one workload can serve to compare several fabrics of equal size.
    pub fn misfit(&self, fabric: &Fabric) -> Option<String> {
        let made_for = self.endpoints.filter(|&endpoints| endpoints as usize != fabric.num_endpoints())?;
        let there = fabric.num_endpoints();
        Some(format!("workload '{}' is for {made_for} endpoints, {} has {there}", self.spec, fabric.spec()))
    }

    /// Returns the sum of all payloads in bytes; the sum saturates at `u64::MAX`.
    pub fn total_bytes(&self) -> u64 {
        self.bytes.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes))
    }

    /// Returns the memory needed for `messages` messages.
    pub fn need(messages: u64) -> Need {
        Need::default().of::<[u32; 2]>(messages).of::<[u64; 2]>(messages)
    }

    /// Adds a message without dependencies. The workload must not contain dependencies or computations yet.
    pub fn push(&mut self, source: u32, destination: u32, bytes: u64, start: u64) {
        debug_assert!(self.num_steps() == self.len() && self.dependencies.is_empty(), "use a Program");
        task::check();
        memory::push("messages", &mut self.source, source);
        memory::push("messages", &mut self.destination, destination);
        memory::push("messages", &mut self.bytes, bytes);
        memory::push("messages", &mut self.start, start);
    }

    /// Adds the messages of `other` after the messages of this workload, and its computations after the computations of this workload.
    /// Dependencies stay within each part.
    pub(crate) fn append(&mut self, other: &Self) {
        let (mut offsets, mut on) = (vec![0], Vec::new());
        // The new numbers of a part's steps are higher by the first shift for messages, and by the second for computations.
        let own = (&*self, [0, other.len()]);
        let others = (other, [self.len(), self.num_steps()]);
        let computations = |part: &Self| part.len()..part.num_steps();
        let rows =
            [(own, 0..self.len()), (others, 0..other.len()), (own, computations(self)), (others, computations(other))];
        for ((part, shifts), steps) in rows {
            for step in steps {
                for &earlier in part.dependencies.of(step) {
                    let shift = shifts[usize::from(earlier as usize >= part.len())];
                    memory::push("dependencies", &mut on, earlier + shift as u32);
                }
                memory::push("dependencies", &mut offsets, on.len());
            }
        }
        self.dependencies = Dependencies::from_rows(offsets, on);
        for (column, added) in [(&mut self.source, &other.source), (&mut self.destination, &other.destination)] {
            added.iter().for_each(|&end| memory::push("messages", column, end));
        }
        let columns =
            [(&mut self.bytes, &other.bytes), (&mut self.start, &other.start), (&mut self.compute, &other.compute)];
        for (column, added) in columns {
            added.iter().for_each(|&value| memory::push("messages", column, value));
        }
        self.warnings.extend_from_slice(&other.warnings);
    }
}

#[cfg(test)]
mod tests;
