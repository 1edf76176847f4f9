//! The time that a message takes at its endpoints, in cycles: the time of the software, and the gap between messages (o and g of the LogGP
//! model; Alexandrov et al., SPAA 1995).
//!
//! Every stage of a message is a *request*. Requests are served in the order of (time, stage, message). The scheduler serves the requests
//! of a block of cycles at the start of the next block, when all of these requests are known. The resulting times are exact if a block has
//! only one cycle or is at most as long as `software`. Then every effect of a request comes after the block of the request.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::memory;
use tulle_traffic::Workload;

/// The stage of a message that a request serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// The processor of the sender must handle the message; then the sender's network interface may send the message.
    Send,
    /// The network interface of the receiver has the whole message.
    Receive,
    /// The processor of the receiver must handle the message.
    Handle,
}

/// The processor and the network interface of one endpoint. All times are cycles.
#[derive(Debug, Clone, Copy, Default)]
struct Host {
    /// The first cycle in which the processor is free.
    free: u32,
    /// The first cycle in which the network interface can start another message.
    next_sent: u32,
    /// The first cycle in which the network interface can pass another received message to the processor.
    next_received: u32,
}

impl Host {
    /// Occupies the processor for `software` cycles as soon as it is free. Returns the first cycle in which it is free again.
    fn occupy(&mut self, cycle: u32, software: u32) -> u32 {
        self.free = self.free.max(cycle).saturating_add(software);
        self.free
    }
}

/// The processors and network interfaces of all endpoints.
#[derive(Debug)]
pub(crate) struct Hosts {
    software: u32,
    gap: u32,
    /// Per message: its source and its destination.
    source: Vec<u32>,
    destination: Vec<u32>,
    hosts: Vec<Host>,
    requests: BinaryHeap<Reverse<(u32, Stage, u32)>>,
    /// Messages that their senders have handled, as (first cycle in which the message can be sent, message).
    sent: BinaryHeap<Reverse<(u32, u32)>>,
    /// Messages that their receivers handle, as (first cycle after the handling, message).
    handled: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Hosts {
    /// Creates the hosts of all `endpoints` for the messages of `workload`.
    pub fn new(software: u32, gap: u32, workload: &Workload, endpoints: usize) -> Self {
        Self {
            software,
            gap,
            source: workload.source.clone(),
            destination: workload.destination.clone(),
            hosts: memory::array("endpoints", Host::default(), endpoints),
            requests: BinaryHeap::new(),
            sent: BinaryHeap::new(),
            handled: BinaryHeap::new(),
        }
    }

    /// Returns the maximum length of a block of cycles for which all times are exact.
    pub fn longest_block(&self) -> usize {
        self.software.max(1) as usize
    }

    /// Requests that the endpoint sends `message`, in cycle `start` at the earliest.
    pub fn send(&mut self, message: u32, start: u32) {
        self.requests.push(Reverse((start, Stage::Send, message)));
    }

    /// Records that the last flit of `message` arrives in cycle `arrival`.
    pub fn receive(&mut self, message: u32, arrival: u32) {
        self.requests.push(Reverse((arrival.saturating_add(1), Stage::Receive, message)));
    }

    /// Serves the requests up to cycle `now`.
    pub fn serve(&mut self, now: u32) {
        while let Some(&Reverse((cycle, stage, message))) = self.requests.peek()
            && cycle <= now
        {
            self.requests.pop();
            let endpoints = if stage == Stage::Send { &self.source } else { &self.destination };
            let host = &mut self.hosts[endpoints[message as usize] as usize];
            match stage {
                Stage::Send => {
                    let first = host.occupy(cycle, self.software).max(host.next_sent);
                    host.next_sent = first.saturating_add(self.gap);
                    self.sent.push(Reverse((first, message)));
                }
                Stage::Receive => {
                    let first = cycle.max(host.next_received);
                    host.next_received = first.saturating_add(self.gap);
                    self.requests.push(Reverse((first, Stage::Handle, message)));
                }
                Stage::Handle => {
                    let free = host.occupy(cycle, self.software);
                    self.handled.push(Reverse((free, message)));
                }
            }
        }
    }

    /// Returns the next message that its receiver has handled by cycle `now`, and the first cycle after the handling.
    pub fn take_handled(&mut self, now: u32) -> Option<(u32, u32)> {
        let &Reverse((free, message)) = self.handled.peek()?;
        (free <= now).then(|| {
            self.handled.pop();
            (message, free)
        })
    }

    /// Returns the next message that can be sent before cycle `until`, and the first cycle in which it can be sent.
    pub fn take_sent(&mut self, until: u32) -> Option<(u32, u32)> {
        let &Reverse((first, message)) = self.sent.peek()?;
        (first < until).then(|| {
            self.sent.pop();
            (message, first)
        })
    }
}
