//! A workload: messages as columns.

use tulle_base::memory::{self, Need};
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::Dependencies;

/// The legal alternative to a workload with a [`Workload::misfit`].
pub const MADE_FOR_THIS: &str = "a workload made for this fabric";

/// Messages between endpoints; row `i` of every column is message (flow) `i`.
///
/// A message may wait for others, and for *computations*: steps that take time at no endpoint in particular. A message ends
/// when its last byte has arrived, a computation when its time is over. A message starts when everything that it waits for
/// has ended, but not before its earliest start; a computation starts when everything that it waits for has ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Workload {
    /// The canonical spec.
    pub spec: String,
    /// The endpoints of the fabric that it was made for; `None` where it was made for none, from columns.
    pub endpoints: Option<u32>,
    /// The endpoint that sends; differs from the destination, but for a message to oneself, which takes no link and is for
    /// what says that it takes such.
    pub source: Vec<u32>,
    /// The endpoint that receives.
    pub destination: Vec<u32>,
    /// Payload in bytes, at least 1.
    pub bytes: Vec<u64>,
    /// Earliest start in picoseconds.
    pub start: Vec<u64>,
    /// Per computation, how long it takes in picoseconds; as steps they follow the messages.
    pub compute: Vec<u64>,
    /// The dependencies of every message, and after the messages of every computation.
    pub dependencies: Dependencies,
}

impl Workload {
    /// The number of messages.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// The number of steps: messages and computations.
    pub fn num_steps(&self) -> usize {
        self.len() + self.compute.len()
    }

    /// The mismatch between the endpoints of `fabric` and messages made for a fabric with more or fewer; `None` where
    /// there is none. Over fabrics with as many endpoints a workload may be compared.
    pub fn misfit(&self, fabric: &Fabric) -> Option<String> {
        let made_for = self.endpoints.filter(|&endpoints| endpoints as usize != fabric.num_endpoints())?;
        let there = fabric.num_endpoints();
        Some(format!("workload '{}' is for {made_for} endpoints, {} has {there}", self.spec, fabric.spec()))
    }

    /// The sum of payloads in bytes; the largest number where it is larger.
    pub fn total_bytes(&self) -> u64 {
        self.bytes.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes))
    }

    /// The memory that so many messages take.
    pub fn need(messages: u64) -> Need {
        Need::default().of::<[u32; 2]>(messages).of::<[u64; 2]>(messages)
    }

    /// Adds a message that waits for nothing, to a workload in which none does.
    pub fn push(&mut self, source: u32, destination: u32, bytes: u64, start: u64) {
        debug_assert!(self.num_steps() == self.len() && self.dependencies.is_empty(), "use a Program");
        task::check();
        memory::push("messages", &mut self.source, source);
        memory::push("messages", &mut self.destination, destination);
        memory::push("messages", &mut self.bytes, bytes);
        memory::push("messages", &mut self.start, start);
    }
}

#[cfg(test)]
mod tests;
