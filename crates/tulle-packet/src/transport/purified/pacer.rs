//! The pacer of a receiving endpoint, which sends pulls for all its flows one at a time.

// circle: `pacer` and `receiver` import each other, because receivers wait in the queue of the pacer, which sends their pulls.
use super::receiver::Receiver;
use crate::packet::{HEADER, Kind, NONE, Packet};
use crate::transport::{Action, Actions, Outgoing};

/// The time of an endpoint's next pull, and the queue of flows that wait for pulls.
#[derive(Debug, Clone)]
pub(super) struct Pacer {
    /// Picoseconds between pulls.
    interval: u64,
    /// The earliest time of the next pull.
    free: u64,
    /// The queue of flows with pending pulls, linked through their receivers.
    first: u32,
    last: u32,
    armed: bool,
}

impl Pacer {
    /// Returns the pacer of an endpoint that pulls once in `interval` picoseconds.
    pub(super) fn new(interval: u64) -> Self {
        Self { interval, free: 0, first: NONE, last: NONE, armed: false }
    }

    /// Pulls one packet of the flow of `packet`. Returns whether the pull can be sent immediately; if not, it waits for the pacer.
    pub(super) fn pull(&mut self, receivers: &mut [Receiver], packet: &Packet, now: u64, out: &mut Actions) -> bool {
        let receiver = &mut receivers[packet.flow as usize];
        if self.first == NONE && now >= self.free {
            self.free = now + self.interval;
            receiver.pull();
            return true;
        }
        receiver.pending_pulls += 1;
        if receiver.pending_pulls == 1 {
            self.append(receivers, packet.flow);
        }
        if !self.armed {
            self.armed = true;
            out.push(Action::Pace { endpoint: packet.destination, at: self.free.max(now) });
        }
        false
    }

    /// Sends a pull for the first flow in the queue.
    pub(super) fn fire(&mut self, receivers: &mut [Receiver], endpoint: u32, now: u64, out: &mut Actions) {
        self.armed = false;
        while self.first != NONE {
            let flow = self.first;
            let receiver = &mut receivers[flow as usize];
            self.first = std::mem::replace(&mut receiver.behind, NONE);
            // A flow that completed while it waited has no pending pulls.
            if receiver.pending_pulls > 0 {
                receiver.pending_pulls -= 1;
                let (number, arrivals) = (receiver.pull(), receiver.arrivals());
                if receiver.pending_pulls > 0 {
                    self.append(receivers, flow);
                }
                let pull = Outgoing { number, ..Outgoing::new(flow, Kind::Pull, arrivals, HEADER) };
                out.push(Action::Send(pull));
                self.free = now + self.interval;
                break;
            }
        }
        if self.first != NONE {
            self.armed = true;
            out.push(Action::Pace { endpoint, at: self.free });
        }
    }

    fn append(&mut self, receivers: &mut [Receiver], flow: u32) {
        if self.first == NONE {
            self.first = flow;
        } else {
            receivers[self.last as usize].behind = flow;
        }
        self.last = flow;
    }
}
