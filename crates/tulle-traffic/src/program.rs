//! A builder of workloads in which messages depend on other messages.

use tulle_base::memory;

use crate::{Dependencies, Workload};

/// A message or a computation of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A message, by its row in the workload.
    Message(u32),
    /// A computation, by its index in [`Workload::compute`].
    Compute(u32),
}

/// A workload under construction. Every new step names the earlier steps that it depends on.
///
/// ```
/// use tulle_traffic::Program;
///
/// let mut program = Program::default();
/// let request = program.message(0, 5, 1000, &[]);
/// let work = program.compute(2_000_000, &[request]);
/// program.message(5, 0, 1000, &[work]);
/// let workload = program.finish();
/// // Message 1 depends on the computation, step 2, which depends on message 0.
/// assert_eq!(workload.dependencies.pairs().collect::<Vec<_>>(), [(1, 2), (2, 0)]);
/// ```
#[derive(Debug, Default)]
pub struct Program {
    workload: Workload,
    times: Vec<u64>,
    messages: Rows,
    computations: Rows,
}

/// The dependencies of all messages, or of all computations.
#[derive(Debug, Default)]
struct Rows {
    ends: Vec<usize>,
    on: Vec<Step>,
}

impl Rows {
    fn push(&mut self, after: &[Step]) {
        after.iter().for_each(|&step| memory::push("dependencies of messages", &mut self.on, step));
        memory::push("messages", &mut self.ends, self.on.len());
    }
}

impl Program {
    /// Adds a message of at least 1 byte that starts when all steps of `after` have ended.
    pub fn message(&mut self, source: u32, destination: u32, bytes: u64, after: &[Step]) -> Step {
        self.workload.push(source, destination, bytes, 0);
        self.messages.push(after);
        Step::Message(self.workload.len() as u32 - 1)
    }

    /// Adds a computation that starts when all steps of `after` have ended and takes `time` picoseconds. If it takes no
    /// time and depends on a single step, returns that step instead.
    pub fn compute(&mut self, time: u64, after: &[Step]) -> Step {
        if let (0, &[only]) = (time, after) {
            return only;
        }
        memory::push("computations", &mut self.times, time);
        self.computations.push(after);
        Step::Compute(self.times.len() as u32 - 1)
    }

    /// Returns the number of messages so far.
    pub fn len(&self) -> usize {
        self.messages.ends.len()
    }

    /// Returns whether there are no messages yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the workload, with messages and computations in the order in which they were added.
    pub fn finish(self) -> Workload {
        let Self { mut workload, times, messages, computations } = self;
        let count = messages.ends.len() as u32;
        let id = |step: &Step| match *step {
            Step::Message(row) => row,
            Step::Compute(place) => count + place,
        };
        let shift = messages.on.len();
        let steps = messages.ends.len() + computations.ends.len();
        let mut offsets = memory::must(memory::reserved(|| format!("{steps} steps"), steps + 1));
        offsets.push(0);
        offsets.extend_from_slice(&messages.ends);
        offsets.extend(computations.ends.iter().map(|end| end + shift));
        let waits = shift + computations.on.len();
        let mut on = memory::must(memory::reserved(|| format!("{waits} dependencies"), waits));
        on.extend(messages.on.iter().chain(&computations.on).map(id));
        workload.compute = times;
        workload.dependencies = Dependencies::from_rows(offsets, on);
        workload
    }
}
