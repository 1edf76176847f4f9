//! Measures how long packets wait, are sent, travel and are handled, and how long the simulating threads spend on each kind of event.

use std::time::{Duration, Instant};

use super::{Engine, State};
use crate::calendar::EventKind;

/// One out of this number of events is timed. The number is prime, so that no periodic pattern of events biases the sample.
const TIMED: u32 = 61;

/// The profile of a thread, by kinds of events.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Per kind of event: the number of events, the number of timed events, and the total time of the timed events.
    pub(crate) kinds: [(u64, u64, Duration); EventKind::ALL.len()],
    /// Time in the event loop.
    pub(crate) running: Duration,
    /// Time spent waiting for other threads.
    pub(crate) waiting: Duration,
    /// The number of events until the next timed event.
    until_next: u32,
}

impl Meter {
    /// Counts an event of `kind`; returns the start time if the event is timed.
    #[inline]
    pub(super) fn begin(&mut self, kind: EventKind) -> Option<Instant> {
        self.kinds[kind as usize].0 += 1;
        let timed = self.until_next == 0;
        self.until_next = if timed { TIMED - 1 } else { self.until_next - 1 };
        timed.then(Instant::now)
    }

    /// Records the end of a timed event that started at `began`.
    #[cold]
    pub(super) fn end(&mut self, kind: EventKind, began: Instant) {
        let (_, timed, time) = &mut self.kinds[kind as usize];
        *timed += 1;
        *time += began.elapsed();
    }
}

/// The time that packets of all kinds have spent so far, in picoseconds.
///
/// When a packet begins to wait, the sum of waiting times decreases by the current time. When the wait ends, the sum increases by the
/// current time. So a sum can be negative during the run; it is stored modulo 2¹²⁸.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spent {
    /// Waiting time at ports of endpoints (first value) and at ports of switches (second value).
    pub(crate) waiting: [u128; 2],
    pub(crate) sending: u128,
    /// Total latency of the crossed links, if links differ. If all links are alike, this field is 0, because the number of hops determines
    /// the latency.
    pub(crate) travelling: u128,
    /// Time in the software of endpoints.
    pub(crate) handling: u128,
}

impl Engine<'_> {
    /// Returns whether `port` belongs to an endpoint.
    #[inline]
    pub(super) fn is_of_endpoint(&self, port: u32) -> bool {
        (self.first_up()..self.first_down()).contains(&port)
    }

    /// Records that a packet begins to wait at `port`.
    #[inline]
    pub(super) fn waits(&mut self, port: u32) {
        let waiting = &mut self.state.spent.waiting[usize::from(!self.is_of_endpoint(port))];
        *waiting = waiting.wrapping_sub(self.state.now.into());
    }

    /// Records that a packet no longer waits at `port`, because it is about to be sent.
    #[inline]
    pub(super) fn waited(&mut self, port: u32) {
        let waiting = &mut self.state.spent.waiting[usize::from(!self.is_of_endpoint(port))];
        *waiting = waiting.wrapping_add(self.state.now.into());
    }

    /// Records that a packet waits for `wait` picoseconds at `port` and is then transmitted for `sending` picoseconds.
    #[inline]
    pub(super) fn sends(&mut self, port: u32, wait: u64, sending: u64) {
        let is_of_switch = !self.is_of_endpoint(port);
        let State { spent, .. } = &mut self.state;
        let waiting = &mut spent.waiting[usize::from(is_of_switch)];
        *waiting = waiting.wrapping_add(wait.into());
        spent.sending += u128::from(sending);
    }
}
