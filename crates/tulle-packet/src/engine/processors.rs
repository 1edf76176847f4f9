//! Processors of endpoints: the time that software takes per message, and the gap between messages (LogGP's o and g; Alexandrov et al.,
//! SPAA 1995).
//!
//! A message passes four stages. Every stage serves messages in the order in which they reach the stage:
//!
//! 1. The sender's processor handles the message for the time `software`.
//! 2. The sender's network interface waits until at least `gap` has passed since the previous message. Then the transport starts.
//! 3. The receiver's network interface passes complete messages to the processor, at least `gap` apart.
//! 4. The receiver's processor handles the message for the time `software`.
//!
//! An endpoint has one processor, so it cannot handle a message to send and a received message at the same time.

use super::{Engine, State};
use crate::Config;
use crate::calendar::{Event, EventKind};

/// The stage that a message has completed. The data field of a `Start` event holds this value.
///
/// A message has at most one pending `Start` event. Computations use only `Released`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Stage {
    /// The earliest start time of the message has been reached.
    Due,
    /// All steps that the message waits for have ended.
    Released,
    /// The sender's processor has handled the message, and the gap to the previous message has passed. The transport starts to send it.
    Sent,
    /// The receiver's network interface has passed the whole message to the processor.
    Received,
    /// The receiver's processor has handled the message.
    Handled,
}

impl Stage {
    const ALL: [Self; 5] = [Self::Due, Self::Released, Self::Sent, Self::Received, Self::Handled];

    /// Returns the stage that `data`, the data field of a `Start` event, stands for.
    pub(super) fn of(data: u32) -> Self {
        Self::ALL[data as usize]
    }
}

/// The processors and network interfaces of all endpoints.
#[derive(Debug)]
pub(super) struct Processors {
    software: u64,
    gap: u64,
    /// One entry per endpoint; empty if endpoints take no time per message.
    endpoints: Vec<Processor>,
}

/// The processor and the network interface of one endpoint.
#[derive(Debug, Clone, Copy, Default)]
struct Processor {
    /// The time until which the processor is busy.
    busy: u64,
    /// The earliest time at which the network interface can start another message.
    next_sent: u64,
    /// The earliest time at which the network interface can pass another received message to the processor.
    next_received: u64,
}

impl Processor {
    /// Occupies the processor for `software` picoseconds as soon as it is free. Returns the time at which it is free again.
    fn occupy(&mut self, now: u64, software: u64) -> u64 {
        self.busy = self.busy.max(now) + software;
        self.busy
    }
}

impl Processors {
    pub(super) fn new(config: &Config, endpoints: usize) -> Self {
        let &Config { software, gap, .. } = config;
        let count = if takes_time(config) { endpoints } else { 0 };
        Self { software, gap, endpoints: vec![Processor::default(); count] }
    }

    #[inline]
    pub(super) fn takes_time(&self) -> bool {
        !self.endpoints.is_empty()
    }

    /// Returns the time at which the transport starts to send a message that reaches the processor of `endpoint` at `now`.
    fn send(&mut self, endpoint: u32, now: u64) -> u64 {
        let processor = &mut self.endpoints[endpoint as usize];
        let sent = processor.occupy(now, self.software).max(processor.next_sent);
        processor.next_sent = sent + self.gap;
        sent
    }

    /// Returns the time at which the network interface of `endpoint` passes a message to the processor, if the message is complete at
    /// `now`.
    fn receive(&mut self, endpoint: u32, now: u64) -> u64 {
        let processor = &mut self.endpoints[endpoint as usize];
        let received = now.max(processor.next_received);
        processor.next_received = received + self.gap;
        received
    }

    /// Returns the time at which the processor of `endpoint` has handled a message that it received at `now`.
    fn handle(&mut self, endpoint: u32, now: u64) -> u64 {
        self.endpoints[endpoint as usize].occupy(now, self.software)
    }
}

/// Returns whether endpoints take time per message.
pub(super) fn takes_time(config: &Config) -> bool {
    config.software > 0 || config.gap > 0
}

impl Engine<'_> {
    /// Sends the message `flow` after its endpoint has handled it.
    #[inline]
    pub(super) fn post(&mut self, flow: u32) {
        let State { processors, begun, now, .. } = &mut self.state;
        if let Some(begun) = begun.get_mut(flow as usize) {
            *begun = *now;
        }
        if !processors.takes_time() {
            return self.start(flow);
        }
        let sent = processors.send(self.source[flow as usize], *now);
        self.pass(flow, Stage::Sent, sent);
    }

    /// Records that the last byte of the message `flow` has arrived at its destination.
    #[inline]
    pub(super) fn arrived(&mut self, flow: u32) {
        let State { processors, delivered, now, .. } = &mut self.state;
        delivered[flow as usize] = *now;
        if let Some(faults) = &mut self.faults {
            faults.delivered(flow, *now);
        }
        if processors.takes_time() {
            let received = processors.receive(self.destination[flow as usize], *now);
            self.pass(flow, Stage::Received, received);
        } else if self.dependencies.is_needed() {
            self.ended(flow);
        }
    }

    /// Ends `stage` of the message `flow` at `time`.
    fn pass(&mut self, flow: u32, stage: Stage, time: u64) {
        if time > self.state.now {
            return self.state.calendar.push(Event::new(time, EventKind::Start, flow, stage as u32));
        }
        self.passed(flow, stage);
    }

    /// Continues the message `flow`, which has completed `stage`.
    pub(super) fn passed(&mut self, flow: u32, stage: Stage) {
        match stage {
            Stage::Due => {
                self.schedule_start();
                self.post(flow);
            }
            Stage::Released => self.post(flow),
            Stage::Sent => self.start(flow),
            Stage::Received => {
                let State { processors, now, .. } = &mut self.state;
                let handled = processors.handle(self.destination[flow as usize], *now);
                self.pass(flow, Stage::Handled, handled);
            }
            Stage::Handled => {
                let State { handled, finished, now, .. } = &mut self.state;
                handled[flow as usize] = *now;
                *finished += 1;
                if self.dependencies.is_needed() {
                    self.ended(flow);
                }
            }
        }
    }
}
