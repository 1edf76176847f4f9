//! GOAL schedules (Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS): per rank sends, receives and computations,
//! and which of them requires which.
//!
//! A send ends when its message has arrived, a receive when its message has come and what it requires is over. A receive
//! takes the first send from its peer, in the order of the file, of the same tag. Processors
//! and network interfaces (`cpu`, `nic`) are read and not modelled: what is ready goes on at once.

mod binary;
mod text;

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use super::file::File;
use crate::error::Position;
use crate::{Error, Program, Step, Workload};

/// The peer or tag that stands for any.
const ANY: u32 = u32::MAX;

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Send,
    Receive,
    /// For as many nanoseconds as its size.
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

/// The operations of a rank; pairs (a, b) where a requires that b has ended, and where a requires that b has started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Rank {
    operations: Vec<Operation>,
    requires: Vec<(u32, u32)>,
    irequires: Vec<(u32, u32)>,
}

/// A schedule: its ranks.
type Schedule = Vec<Rank>;

/// Reads the schedule at `path`, text or binary; rank r runs on `places[r]`.
///
/// # Errors
/// A file that cannot be read as a schedule, with its line or byte; more ranks than places; a send or receive without its
/// counterpart; operations that require each other in a circle.
pub fn load(path: &Path, places: &[u32]) -> Result<Workload, Error> {
    read(&File::load(path)?, places)
}

fn read(file: &File, places: &[u32]) -> Result<Workload, Error> {
    let binary = file.bytes.starts_with(&binary::MAGIC);
    let schedule = if binary { binary::read(file, places.len())? } else { text::read(file, places.len())? };
    Builder::new(file, &schedule)?.build(places)
}

/// The operations of all ranks numbered through, and what they wait for.
///
/// Every operation has two moments, start and end: moment 2·o is the start of operation o and 2·o + 1 its end.
struct Builder<'a> {
    file: &'a File,
    operations: Vec<(u32, &'a Operation)>,
    /// Per receive its send, and per send its receive.
    partner: Vec<u32>,
    /// Per moment, those that wait for it, and how many it waits for.
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
        let partner = matched(file, &operations, schedule.len())?;
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

    /// Goes through the moments, each after all that it waits for.
    fn build(mut self, places: &[u32]) -> Result<Workload, Error> {
        let mut program = Program::default();
        // Per moment, the steps after which it comes.
        let mut after: Vec<Vec<Step>> = vec![Vec::new(); self.unmet.len()];
        let mut due: VecDeque<u32> = (0..self.unmet.len() as u32).filter(|&at| self.unmet[at as usize] == 0).collect();
        while let Some(moment) = due.pop_front() {
            let steps = std::mem::take(&mut after[moment as usize]);
            let mut steps = match (moment % 2, self.operations[moment as usize / 2]) {
                (0, _) => steps,
                (_, (rank, operation)) => self.end(&mut program, rank, operation, steps, places)?,
            };
            let next = std::mem::take(&mut self.next[moment as usize]);
            // What several wait for is one step.
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
            Some(_) => Err(self.circle()),
        }
    }

    /// The steps after which an operation has ended, given those after which it has started.
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
            // To itself: nothing goes over the network.
            Kind::Send if operation.peer == rank => after,
            Kind::Send => {
                let (from, to) = (places[rank as usize], places[operation.peer as usize]);
                // The empty message of a barrier is a header, as one of 1 byte nearly is.
                vec![program.message(from, to, operation.size.max(1), &after)]
            }
            // After its own start and after its message.
            Kind::Receive => after,
        })
    }

    /// The error for operations that wait for each other, at one of them.
    fn circle(&self) -> Error {
        // What has not come waits for something that has not come: going back along that ends in a circle.
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
        let problem =
            format!("this {kind} of rank {rank} requires itself, over others; legal: requirements without a circle");
        self.file.at(operation.at, problem)
    }
}

/// Per send its receive and per receive its send; `u32::MAX` for computations.
fn matched(file: &File, operations: &[(u32, &Operation)], ranks: usize) -> Result<Vec<u32>, Error> {
    let mut sends: HashMap<(u32, u32, u32), VecDeque<u32>> = HashMap::new();
    let mut partner = vec![u32::MAX; operations.len()];
    for (number, &(rank, operation)) in (0..).zip(operations) {
        if operation.kind == Kind::Compute {
            continue;
        }
        if operation.peer == ANY || operation.tag == ANY {
            let problem = "a receive of any rank or tag has no sender before it is run; legal: a rank and a tag";
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
                let problem = format!("rank {} does not send this; legal: a send for every recv", operation.peer);
                return Err(file.at(operation.at, problem));
            };
            let (sent, size) = (operations[send as usize].1.size, operation.size);
            if sent != size {
                let problem =
                    format!("recv of {size} bytes where rank {} sends {sent}; legal: the same", operation.peer);
                return Err(file.at(operation.at, problem));
            }
            partner[number as usize] = send;
            partner[send as usize] = number;
        }
    }
    let left = sends.into_values().filter_map(|mut left| left.pop_front()).min();
    if let Some(send) = left {
        let operation = operations[send as usize].1;
        let problem = format!("rank {} does not receive this; legal: a recv for every send", operation.peer);
        return Err(file.at(operation.at, problem));
    }
    Ok(partner)
}

#[cfg(test)]
mod tests;
