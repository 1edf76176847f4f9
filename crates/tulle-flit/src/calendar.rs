//! When messages may be sent, and when they have arrived.
//!
//! Steps are the messages, by their rows, and after them the computations. A step *ends* in the cycle after its last one: a
//! message whose last flit arrives in cycle t in t + 1, a computation after its cycles. What waits for it starts there at
//! the earliest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_traffic::{Dependencies, Workload};

use crate::message_queue::Post;

/// No cycle.
pub(crate) const NEVER: u32 = u32::MAX;

/// The state of the messages and computations of a run.
#[derive(Debug)]
pub(crate) struct Calendar {
    /// Per message the endpoint's switch and port, where it comes from and where it goes.
    from: Vec<u32>,
    to: Vec<u32>,
    /// Per message its packets that have not arrived.
    pub missing: Vec<u32>,
    /// Per message its earliest start; once it starts, that cycle.
    pub start: Vec<u32>,
    /// Per message the cycle in which its last flit arrived, of those that arrived so far; [`NEVER`] before the first.
    pub arrival: Vec<u32>,
    /// Per computation its cycles.
    compute: Vec<u32>,
    /// Per step, those that wait for it, how many it waits for, and the latest end of those that have ended.
    next: Dependencies,
    unmet: Vec<u32>,
    ready: Vec<u32>,
    /// Messages that wait for nothing more, by start and row: those of the beginning, the first `posted` of them posted; and
    /// later ones.
    first: Vec<(u32, u32)>,
    posted: usize,
    later: BinaryHeap<Reverse<(u32, u32)>>,
    /// Messages that have not arrived.
    left: usize,
}

/// The numbers of a workload in the simulator's units; per message and per computation.
pub(crate) struct Units {
    /// Packets of a message.
    pub packets: Vec<u32>,
    /// Cycle of its earliest start.
    pub start: Vec<u32>,
    /// Cycles of a computation.
    pub compute: Vec<u32>,
}

impl Calendar {
    /// The messages of `workload`, which fits the fabric and has no circle of dependencies; `place` has switch and port of
    /// every endpoint.
    pub fn new(workload: &Workload, units: Units, place: &[u32]) -> Self {
        let place_of = |&endpoint: &u32| place[endpoint as usize];
        let of = |endpoints: &[u32]| memory::collect("places of messages", endpoints.iter().map(place_of));
        let dependencies = &workload.dependencies;
        let steps = dependencies.num_steps().unwrap_or(0);
        let mut calendar = Self {
            from: of(&workload.source),
            to: of(&workload.destination),
            arrival: memory::array("arrivals of messages", NEVER, workload.len()),
            missing: units.packets,
            start: units.start,
            compute: units.compute,
            next: dependencies.reversed(),
            unmet: (0..steps).map(|step| dependencies.of(step).len() as u32).collect(),
            ready: memory::array("steps", 0, steps),
            first: Vec::new(),
            posted: 0,
            later: BinaryHeap::new(),
            left: workload.len(),
        };
        let is_free = |step: usize| dependencies.of(step).is_empty();
        let messages = workload.len();
        calendar.first = (0..messages).filter(|&at| is_free(at)).map(|at| (calendar.start[at], at as u32)).collect();
        calendar.first.sort_unstable();
        let computations = (0..calendar.compute.len()).filter(|&at| is_free(messages + at) && steps > 0);
        for at in computations.collect::<Vec<_>>() {
            calendar.end((messages + at) as u32, calendar.compute[at]);
        }
        calendar
    }

    /// Whether any step waits for another.
    pub fn has_dependencies(&self) -> bool {
        !self.unmet.is_empty()
    }

    /// Whether every message has arrived.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Posts what starts before cycle `until`, by start and row: the sender's switch and port, and the message.
    pub fn release(&mut self, until: u32, mut post: impl FnMut(u32, usize, Post)) {
        loop {
            let first = self.first.get(self.posted).copied();
            let later = self.later.peek().map(|&Reverse(later)| later);
            let is_first = match (first, later) {
                (Some(first), Some(later)) => first < later,
                (first, _) => first.is_some(),
            };
            let Some((start, message)) = (if is_first { first } else { later }) else { break };
            if start >= until {
                break;
            }
            if is_first {
                self.posted += 1;
            } else {
                self.later.pop();
            }
            let at = message as usize;
            if self.from[at] == self.to[at] {
                // To oneself: it takes no link, and is there in the cycle in which it starts.
                (self.missing[at], self.arrival[at]) = (0, start);
                self.left -= 1;
                self.end(message, start + 1);
                continue;
            }
            let (place, packets) = (self.to[at], self.missing[at]);
            let from = self.from[at];
            post(from & 0xffff, (from >> 16) as usize, Post { start, message, place, packets });
        }
    }

    /// Takes in what has arrived in the last block: of every packet its message and the cycle of its last flit.
    pub fn collect(&mut self, arrived: &mut Vec<(u32, u32)>) {
        // So many packets ahead: messages lie all over memory.
        const AHEAD: usize = 8;
        for (packet, &(message, arrival)) in arrived.iter().enumerate() {
            if let Some(&(later, _)) = arrived.get(packet + AHEAD) {
                prefetch(&self.missing, later as usize);
                prefetch(&self.arrival, later as usize);
            }
            let at = message as usize;
            self.missing[at] -= 1;
            let last = &mut self.arrival[at];
            *last = if *last == NEVER { arrival } else { arrival.max(*last) };
            if self.missing[at] == 0 {
                self.left -= 1;
                let end = *last + 1;
                self.end(message, end);
            }
        }
        arrived.clear();
    }

    /// Step `step` ends in cycle `now`.
    fn end(&mut self, step: u32, now: u32) {
        let mut ended = vec![(step, now)];
        while let Some((step, now)) = ended.pop() {
            for &waiting in self.next.of(step as usize) {
                let at = waiting as usize;
                self.ready[at] = self.ready[at].max(now);
                self.unmet[at] -= 1;
                if self.unmet[at] > 0 {
                    continue;
                }
                let ready = self.ready[at];
                match at.checked_sub(self.start.len()) {
                    Some(computation) => ended.push((waiting, ready.saturating_add(self.compute[computation]))),
                    None => {
                        self.start[at] = self.start[at].max(ready);
                        self.later.push(Reverse((self.start[at], waiting)));
                    }
                }
            }
        }
    }

    /// Per message the cycle from which it could be sent, and that of its arrival, as known in cycle `now`; else [`NEVER`].
    pub fn into_columns(mut self, now: u32) -> (Vec<u32>, Vec<u32>) {
        for at in 0..self.start.len() {
            if self.unmet.get(at).is_some_and(|&unmet| unmet > 0) || self.start[at] >= now {
                self.start[at] = NEVER;
            }
            if self.missing[at] > 0 {
                self.arrival[at] = NEVER;
            }
        }
        (self.start, self.arrival)
    }
}
