//! Reader of GOAL schedules (Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS). A schedule has the sends,
//! receives and computations of each rank, and their dependencies.
//!
//! A send ends when its message has arrived. A receive ends when its message has arrived and the receive's own
//! dependencies have ended. A receive matches the first unmatched send of its peer with the same tag, in file order.
//! Processors and network interfaces (`cpu`, `nic`) are parsed but not modelled, so a ready operation starts immediately.

mod binary;
mod text;

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use super::file::File;
use crate::error::Position;
use crate::{Error, Program, Step, Workload};

/// The wildcard for peer and tag.
const ANY: u32 = u32::MAX;

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Send,
    Receive,
    /// A computation; its size is its duration in nanoseconds.
    Compute,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Operation {
    kind: Kind,
    peer: u32,
    size: u64,
    tag: u32,
    at: Position,
}

/// The operations of a rank, with dependencies as pairs (a, b). In `requires`, a starts after the end of b; in
/// `irequires`, a starts after the start of b.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rank {
    operations: Vec<Operation>,
    requires: Vec<(u32, u32)>,
    irequires: Vec<(u32, u32)>,
}

/// A schedule: its ranks.
type Schedule = Vec<Rank>;

/// Reads the text or binary schedule in the file at `path`; rank r runs on endpoint `places[r]`.
///
/// # Errors
/// Fails if the file is not a legal schedule, if it has more ranks than `places` has endpoints, if a send or receive has no counterpart, or
/// if dependencies are cyclic. The error states the line or byte.
pub fn load(path: &Path, places: &[u32]) -> Result<Workload, Error> {
    read(&File::load(path)?, places)
}

fn read(file: &File, places: &[u32]) -> Result<Workload, Error> {
    let binary = file.bytes.starts_with(&binary::MAGIC);
    let schedule = if binary { binary::read(file, places.len())? } else { text::read(file, places.len())? };
    Builder::new(file, &schedule)?.build(places)
}

/// A builder of the workload, with the operations of all ranks, numbered consecutively.
///
/// Every operation has two moments. Moment 2·o is the start of operation o, and moment 2·o + 1 is its end.
struct Builder<'a> {
    file: &'a File,
    operations: Vec<(u32, &'a Operation)>,
    /// The matching send of each receive, and the matching receive of each send.
    partner: Vec<u32>,
    /// Per moment (the start or the end of an operation): the moments that depend on it (`next`), and the number of
    /// unfinished moments that it depends on (`unmet`).
    next: Vec<Vec<u32>>,
    unmet: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(file: &'a File, schedule: &'a Schedule) -> Result<Self, Error> {
        let operations: Vec<(u32, &Operation)> = (0..)
            .zip(schedule)
            .flat_map(|(rank, content)| content.operations.iter().map(move |operation| (rank, operation)))
            .collect();
        if operations.len() as u64 >= 1 << 30 {
            let problem = format!("{} operations are too many; legal: below 2^30", operations.len());
            return Err(file.at(operations[0].1.at, problem));
        }
        let partner = match_messages(file, &operations, schedule.len())?;
        let mut builder = Self {
            file,
            partner,
            next: vec![Vec::new(); 2 * operations.len()],
            unmet: vec![0; 2 * operations.len()],
            operations,
        };
        let mut first = 0;
        for rank in schedule {
            for &(later, earlier) in &rank.requires {
                builder.wait(2 * (first + later), 2 * (first + earlier) + 1);
            }
            for &(later, earlier) in &rank.irequires {
                builder.wait(2 * (first + later), 2 * (first + earlier));
            }
            first += rank.operations.len() as u32;
        }
        for operation in 0..builder.operations.len() as u32 {
            builder.wait(2 * operation + 1, 2 * operation);
            if builder.operations[operation as usize].1.kind == Kind::Receive {
                builder.wait(2 * operation + 1, 2 * builder.partner[operation as usize] + 1);
            }
        }
        Ok(builder)
    }

    fn wait(&mut self, later: u32, earlier: u32) {
        self.next[earlier as usize].push(later);
        self.unmet[later as usize] += 1;
    }

    /// Visits every moment (the start or end of an operation) after all moments that it depends on, and returns the
    /// workload.
    fn build(mut self, places: &[u32]) -> Result<Workload, Error> {
        let mut program = Program::default();
        // Per moment (the start or end of an operation): the steps of the workload that must end before the moment.
        let mut after: Vec<Vec<Step>> = vec![Vec::new(); self.unmet.len()];
        let mut due: VecDeque<u32> = (0..self.unmet.len() as u32).filter(|&at| self.unmet[at as usize] == 0).collect();
        while let Some(moment) = due.pop_front() {
            let steps = std::mem::take(&mut after[moment as usize]);
            let mut steps = match (moment % 2, self.operations[moment as usize / 2]) {
                (0, _) => steps,
                (_, (rank, operation)) => self.end(&mut program, rank, operation, steps, places)?,
            };
            let next = std::mem::take(&mut self.next[moment as usize]);
            // If several moments depend on the same steps, join these steps into one to reduce the number of
            // dependencies.
            if steps.len() > 1 && next.len() > 1 {
                steps = vec![program.compute(0, &steps)];
            }
            for later in next {
                after[later as usize].extend_from_slice(&steps);
                self.unmet[later as usize] -= 1;
                if self.unmet[later as usize] == 0 {
                    due.push_back(later);
                }
            }
        }
        match self.unmet.iter().position(|&unmet| unmet > 0) {
            None => Ok(program.finish()),
            Some(_) => Err(self.cycle_error()),
        }
    }

    /// Returns the steps after which an operation has ended. `after` are the steps after which it has started.
    fn end(
        &self,
        program: &mut Program,
        rank: u32,
        operation: &Operation,
        after: Vec<Step>,
        places: &[u32],
    ) -> Result<Vec<Step>, Error> {
        Ok(match operation.kind {
            Kind::Compute => {
                let time = operation.size.checked_mul(1000).filter(|&time| time <= 1 << 60).ok_or_else(|| {
                    self.file.at(
                        operation.at,
                        format!("calc {} is out of range; legal: 0 to {} ns", operation.size, (1u64 << 60) / 1000),
                    )
                })?;
                if time == 0 { after } else { vec![program.compute(time, &after)] }
            }
            // A message from a rank to itself does not use the network.
            Kind::Send if operation.peer == rank => after,
            Kind::Send => {
                let (from, to) = (places[rank as usize], places[operation.peer as usize]);
                // GOAL's barriers send empty messages, which consist of a header only. A message of 1 byte is nearly
                // the same.
                vec![program.message(from, to, operation.size.max(1), &after)]
            }
            // A receive ends after its own start and after the arrival of its message. `after` already includes these
            // two events.
            Kind::Receive => after,
        })
    }

    /// Creates the error for cyclic dependencies; it names one operation of the cycle.
    fn cycle_error(&self) -> Error {
        // Every unfinished moment (start or end of an operation) depends on another unfinished moment, so following
        // these dependencies backwards leads into a cycle.
        let mut waits_for = vec![u32::MAX; self.unmet.len()];
        for (earlier, later) in self.next.iter().enumerate().flat_map(|(at, next)| next.iter().map(move |&to| (at, to)))
        {
            if self.unmet[earlier] > 0 {
                waits_for[later as usize] = earlier as u32;
            }
        }
        let mut moment = self.unmet.iter().position(|&unmet| unmet > 0).unwrap_or(0) as u32;
        let mut seen = vec![false; self.unmet.len()];
        while !std::mem::replace(&mut seen[moment as usize], true) {
            moment = waits_for[moment as usize];
        }
        let (rank, operation) = self.operations[moment as usize / 2];
        let kind = match operation.kind {
            Kind::Send => "send",
            Kind::Receive => "recv",
            Kind::Compute => "calc",
        };
        let problem = format!(
            "this {kind} of rank {rank} requires itself through other operations; legal: requirements without a cycle"
        );
        self.file.at(operation.at, problem)
    }
}

/// Returns the matching receive of each send and the matching send of each receive; `u32::MAX` for computations.
fn match_messages(file: &File, operations: &[(u32, &Operation)], ranks: usize) -> Result<Vec<u32>, Error> {
    let mut sends: HashMap<(u32, u32, u32), VecDeque<u32>> = HashMap::new();
    let mut partner = vec![u32::MAX; operations.len()];
    for (number, &(rank, operation)) in (0..).zip(operations) {
        if operation.kind == Kind::Compute {
            continue;
        }
        if operation.peer == ANY || operation.tag == ANY {
            let problem = "a receive from any rank or with any tag has no known sender before the run; legal: a receive \
                from a given rank with a given tag";
            return Err(file.at(operation.at, problem));
        }
        if operation.peer as usize >= ranks {
            let problem = format!("rank {} is out of range; legal: 0 to {}", operation.peer, ranks - 1);
            return Err(file.at(operation.at, problem));
        }
        if operation.kind == Kind::Send {
            sends.entry((rank, operation.peer, operation.tag)).or_default().push_back(number);
        }
    }
    for (number, &(rank, operation)) in (0..).zip(operations) {
        if operation.kind == Kind::Receive {
            let key = (operation.peer, rank, operation.tag);
            let Some(send) = sends.get_mut(&key).and_then(VecDeque::pop_front) else {
                let problem =
                    format!("rank {} does not send this message; legal: a send for every recv", operation.peer);
                return Err(file.at(operation.at, problem));
            };
            let (sent, size) = (operations[send as usize].1.size, operation.size);
            if sent != size {
                let problem =
                    format!("recv of {size} bytes, but rank {} sends {sent}; legal: equal sizes", operation.peer);
                return Err(file.at(operation.at, problem));
            }
            partner[number as usize] = send;
            partner[send as usize] = number;
        }
    }
    let left = sends.into_values().filter_map(|mut left| left.pop_front()).min();
    if let Some(send) = left {
        let operation = operations[send as usize].1;
        let problem = format!("rank {} does not receive this message; legal: a recv for every send", operation.peer);
        return Err(file.at(operation.at, problem));
    }
    Ok(partner)
}

#[cfg(test)]
mod tests;
