//! The dependency scheduler of a workload: determines when each message may be sent and when it has arrived.
//!
//! Steps are numbered: the messages come first, by row, then the computations. A step *ends* in the cycle after its
//! last active cycle. A message whose last flit arrives in cycle t ends in t + 1. A computation ends when its cycles
//! have passed. Steps that depend on an ended step can start in the cycle of its end at the earliest.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_traffic::{Dependencies, Workload};

use crate::hosts::Hosts;
use crate::message_queue::Post;

/// The time of an event that has not happened.
pub(crate) const NEVER: u32 = u32::MAX;

/// The state of the messages and computations of a run.
#[derive(Debug)]
pub(crate) struct Scheduler {
    /// Source and destination of each message: the endpoint's switch in the lower 16 bits, and the endpoint's port on
    /// that switch in the upper bits.
    from: Vec<u32>,
    to: Vec<u32>,
    /// Per message: number of packets that have not arrived.
    pub packets_left: Vec<u32>,
    /// Per message: the earliest start. After the message has started, this is the actual start.
    pub start: Vec<u32>,
    /// Per message: the cycle in which its latest packet arrived; [`NEVER`] before the first arrival. If messages take time at endpoints,
    /// the value changes when the last packet arrives: first to [`NEVER`], then to the last cycle in which the receiver handles the
    /// message.
    pub arrival: Vec<u32>,
    /// Per computation: its length in cycles.
    compute: Vec<u32>,
    /// Per step: the steps that depend on it (`next`), the number of unfinished steps that it depends on (`unmet`), and the latest end of
    /// the finished steps that it depends on (`ready`).
    next: Dependencies,
    unmet: Vec<u32>,
    ready: Vec<u32>,
    /// Messages without unfinished dependencies, as (start, row). `first` contains the messages that never had a dependency; the first
    /// `posted` of them have been given to their endpoints. `later` contains the other messages.
    first: Vec<(u32, u32)>,
    posted: usize,
    later: BinaryHeap<Reverse<(u32, u32)>>,
    /// Number of messages that have not arrived completely, or that have arrived but have not been handled by their receivers.
    left: usize,
    /// The endpoints, if messages take time there.
    hosts: Option<Hosts>,
}

/// The sizes and times of a workload, in packets and cycles.
pub(crate) struct Units {
    /// Per message: its number of packets.
    pub packets: Vec<u32>,
    /// Per message: its earliest start in cycles.
    pub start: Vec<u32>,
    /// Per computation: its length in cycles.
    pub compute: Vec<u32>,
}

impl Scheduler {
    /// Creates the scheduler of `workload`, which must fit the fabric and have no cyclic dependency. `place` has the
    /// switch and port of every endpoint.
    pub fn new(workload: &Workload, units: Units, place: &[u32], hosts: Option<Hosts>) -> Self {
        let place_of = |&endpoint: &u32| place[endpoint as usize];
        let of = |endpoints: &[u32]| memory::collect("endpoints of messages", endpoints.iter().map(place_of));
        let dependencies = &workload.dependencies;
        let steps = dependencies.num_steps().unwrap_or(0);
        let mut scheduler = Self {
            from: of(&workload.source),
            to: of(&workload.destination),
            arrival: memory::array("arrivals of messages", NEVER, workload.len()),
            packets_left: units.packets,
            start: units.start,
            compute: units.compute,
            next: dependencies.reversed(),
            unmet: (0..steps).map(|step| dependencies.of(step).len() as u32).collect(),
            ready: memory::array("steps", 0, steps),
            first: Vec::new(),
            posted: 0,
            later: BinaryHeap::new(),
            left: workload.len(),
            hosts,
        };
        let is_free = |step: usize| dependencies.of(step).is_empty();
        let messages = workload.len();
        scheduler.first = (0..messages).filter(|&at| is_free(at)).map(|at| (scheduler.start[at], at as u32)).collect();
        scheduler.first.sort_unstable();
        let computations = (0..scheduler.compute.len()).filter(|&at| is_free(messages + at) && steps > 0);
        for at in computations.collect::<Vec<_>>() {
            scheduler.end((messages + at) as u32, scheduler.compute[at]);
        }
        scheduler
    }

    /// Returns whether any step depends on another step.
    pub fn has_dependencies(&self) -> bool {
        !self.unmet.is_empty()
    }

    /// Returns whether `message` is unfinished: it has not arrived, or its receiver has not handled it.
    pub fn is_missing(&self, message: usize) -> bool {
        self.packets_left[message] > 0 || self.arrival[message] == NEVER
    }

    /// Returns whether every message has arrived and has been handled.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Calls `post(switch, port, message)` for every message that can be sent in the next block of cycles, which lasts from `now` to before
    /// `until`. The calls are ordered by the first cycle in which the message can be sent, then by row.
    pub fn release(&mut self, now: u32, until: u32, mut post: impl FnMut(u32, usize, Post)) {
        self.start_messages(until, &mut post);
        // A message that was just handled can start messages that are due now.
        while self.serve_hosts(now) {
            self.start_messages(until, &mut post);
        }
        while let Some((message, first)) = self.hosts.as_mut().and_then(|hosts| hosts.take_sent(until)) {
            self.post(message, first, &mut post);
        }
    }

    /// Serves the endpoints up to cycle `now`. Returns whether any message was handled.
    fn serve_hosts(&mut self, now: u32) -> bool {
        self.hosts.as_mut().into_iter().for_each(|hosts| hosts.serve(now));
        self.end_handled(now)
    }

    /// Ends the messages that their receivers have handled by cycle `now`. Returns whether there are any.
    pub fn end_handled(&mut self, now: u32) -> bool {
        let mut any = false;
        while let Some((message, free)) = self.hosts.as_mut().and_then(|hosts| hosts.take_handled(now)) {
            self.arrival[message as usize] = free - 1;
            self.left -= 1;
            self.end(message, free);
            any = true;
        }
        any
    }

    fn post(&self, message: u32, start: u32, post: &mut impl FnMut(u32, usize, Post)) {
        let at = message as usize;
        let (from, place, packets) = (self.from[at], self.to[at], self.packets_left[at]);
        post(from & 0xffff, (from >> 16) as usize, Post { start, message, place, packets });
    }

    /// Gives messages that start before cycle `until` to their endpoints. If messages take time at endpoints, the endpoints handle them
    /// first.
    fn start_messages(&mut self, until: u32, post: &mut impl FnMut(u32, usize, Post)) {
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
                // A message from an endpoint to itself uses no link and arrives in the cycle in which it starts.
                (self.packets_left[at], self.arrival[at]) = (0, start);
                self.left -= 1;
                self.end(message, start + 1);
                continue;
            }
            match &mut self.hosts {
                Some(hosts) => hosts.send(message, start),
                None => self.post(message, start, post),
            }
        }
    }

    /// Records the packets that arrived in the last block of cycles. `arrived` has, for each packet, its message and the cycle in which its
    /// last flit arrived.
    pub fn collect(&mut self, arrived: &mut Vec<(u32, u32)>) {
        // Prefetch distance in packets. Prefetching saves time here, because arriving messages are scattered over memory.
        const AHEAD: usize = 8;
        for (packet, &(message, arrival)) in arrived.iter().enumerate() {
            if let Some(&(later, _)) = arrived.get(packet + AHEAD) {
                prefetch(&self.packets_left, later as usize);
                prefetch(&self.arrival, later as usize);
            }
            let at = message as usize;
            self.packets_left[at] -= 1;
            let last = &mut self.arrival[at];
            *last = if *last == NEVER { arrival } else { arrival.max(*last) };
            if self.packets_left[at] > 0 {
                continue;
            }
            if let Some(hosts) = &mut self.hosts {
                hosts.receive(message, std::mem::replace(last, NEVER));
            } else {
                self.left -= 1;
                let end = *last + 1;
                self.end(message, end);
            }
        }
        arrived.clear();
    }

    /// Records that step `step` ends in cycle `now`, and starts the steps that have no other unfinished dependency.
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

    /// Returns the start and arrival of each message, as known in cycle `now`; [`NEVER`] if the message has not started
    /// or arrived.
    pub fn into_columns(mut self, now: u32) -> (Vec<u32>, Vec<u32>) {
        for at in 0..self.start.len() {
            if self.unmet.get(at).is_some_and(|&unmet| unmet > 0) || self.start[at] >= now {
                self.start[at] = NEVER;
            }
            if self.packets_left[at] > 0 {
                self.arrival[at] = NEVER;
            }
        }
        (self.start, self.arrival)
    }
}
