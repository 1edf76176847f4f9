//! Where the time of a simulation goes: the packets' in the network, and that of the threads that simulate it.

use std::time::{Duration, Instant};

use super::{Engine, State};
use crate::calendar::EventKind;

/// One event in so many is timed. A prime, or a rhythm of the events may beat with it.
const TIMED: u32 = 61;

/// The profile of a thread, by kinds of events.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Events, those timed, and their time.
    pub(crate) kinds: [(u64, u64, Duration); EventKind::ALL.len()],
    /// Time in the event loop.
    pub(crate) running: Duration,
    /// Time spent waiting for other threads.
    pub(crate) waiting: Duration,
    until_next: u32,
}

impl Meter {
    /// An event of `kind` is about to happen; when it began, if it is timed.
    #[inline]
    pub(super) fn begin(&mut self, kind: EventKind) -> Option<Instant> {
        self.kinds[kind as usize].0 += 1;
        let timed = self.until_next == 0;
        self.until_next = if timed { TIMED - 1 } else { self.until_next - 1 };
        timed.then(Instant::now)
    }

    /// It has happened.
    #[cold]
    pub(super) fn end(&mut self, kind: EventKind, began: Instant) {
        let (_, timed, time) = &mut self.kinds[kind as usize];
        *timed += 1;
        *time += began.elapsed();
    }
}

/// Picoseconds of packets so far, of every kind; what waits counts from when it leaves. Sums are modulo 2¹²⁸ in between.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spent {
    /// At the ports of endpoints and of switches.
    pub(crate) waiting: [u128; 2],
    pub(crate) sending: u128,
    /// On links behind the last bit, where these are unlike; otherwise it is a multiple of the hops.
    pub(crate) travelling: u128,
    /// With the software of endpoints.
    pub(crate) handling: u128,
}

impl Engine<'_> {
    /// Whether `port` is one of an endpoint.
    #[inline]
    pub(super) fn is_of_endpoint(&self, port: u32) -> bool {
        (self.first_up()..self.first_down()).contains(&port)
    }

    /// A packet begins to wait at `port`.
    #[inline]
    pub(super) fn waits(&mut self, port: u32) {
        let waiting = &mut self.state.spent.waiting[usize::from(!self.is_of_endpoint(port))];
        *waiting = waiting.wrapping_sub(self.state.now.into());
    }

    /// A packet no longer waits at `port`: it is about to be sent.
    #[inline]
    pub(super) fn waited(&mut self, port: u32) {
        let waiting = &mut self.state.spent.waiting[usize::from(!self.is_of_endpoint(port))];
        *waiting = waiting.wrapping_add(self.state.now.into());
    }

    /// A packet waits `wait` at `port` and is then sent for `sending`.
    #[inline]
    pub(super) fn sends(&mut self, port: u32, wait: u64, sending: u64) {
        let is_of_switch = !self.is_of_endpoint(port);
        let State { spent, .. } = &mut self.state;
        let waiting = &mut spent.waiting[usize::from(is_of_switch)];
        *waiting = waiting.wrapping_add(wait.into());
        spent.sending += u128::from(sending);
    }
}
