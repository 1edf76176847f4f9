//! Packets that leave one part of the network for another.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Engine;
use super::barrier::Barrier;
use crate::Progress;
use crate::calendar::Event;
use crate::outcome::NEVER;
use crate::packet::Packet;
use crate::port::HERE;

/// A packet on a link into another part, and its arrival there.
#[derive(Debug, Clone, Copy)]
struct Parcel {
    arrival: Event,
    packet: Packet,
}

/// The packets that leave a part, by the part they go to, until the next exchange.
#[derive(Debug)]
pub(super) struct Border {
    outgoing: Vec<Vec<Parcel>>,
    /// The earliest arrival among them.
    earliest: u64,
}

impl Border {
    pub(super) fn new(parts: usize) -> Self {
        Self { outgoing: (0..parts).map(|_| Vec::new()).collect(), earliest: NEVER }
    }

    /// Whether there is no other part.
    pub(super) fn is_closed(&self) -> bool {
        self.outgoing.len() == 1
    }

    /// Lets `packet` leave for part `to`.
    #[inline]
    pub(super) fn leave(&mut self, to: u8, arrival: Event, packet: Packet) {
        debug_assert_ne!(to, HERE);
        self.earliest = self.earliest.min(arrival.time());
        self.outgoing[usize::from(to)].push(Parcel { arrival, packet });
    }

    /// Packets on their way out.
    pub(super) fn leaving(&self) -> u64 {
        self.outgoing.iter().map(|parcels| parcels.len() as u64).sum()
    }
}

/// Where the parts meet after every window of time.
///
/// Data written before meeting number n is read after it and written again before meeting n + 2, which is after all
/// have read it; so there are two of everything.
#[derive(Debug)]
pub(super) struct Exchange {
    parts: usize,
    pub(super) barrier: Barrier,
    /// By turn, sender and receiver.
    boxes: [Vec<Mutex<Vec<Parcel>>>; 2],
    /// By turn and part.
    reports: [Vec<Report>; 2],
    stop: [AtomicBool; 2],
}

/// How far a part is.
#[derive(Debug, Default)]
struct Report {
    /// Its next event, or the next that it has caused elsewhere.
    next: AtomicU64,
    now: AtomicU64,
    events: AtomicU64,
    link_hops: AtomicU64,
    finished: AtomicU64,
    delivered: AtomicU64,
}

impl Exchange {
    pub(super) fn new(parts: usize) -> Self {
        let two = || [(); 2];
        Self {
            parts,
            barrier: Barrier::new(parts),
            boxes: two().map(|()| (0..parts * parts).map(|_| Mutex::default()).collect()),
            reports: two().map(|()| (0..parts).map(|_| Report::default()).collect()),
            stop: two().map(|()| AtomicBool::new(false)),
        }
    }

    /// Hands over what leaves the part of `engine`, whose next event is at `next`.
    pub(super) fn hand_over(&self, turn: usize, part: usize, engine: &mut Engine, next: u64) {
        let border = &mut engine.state.border;
        for (to, parcels) in border.outgoing.iter_mut().enumerate().filter(|(_, parcels)| !parcels.is_empty()) {
            std::mem::swap(&mut *self.mailbox(turn, part, to).lock().expect("no thread panics with it"), parcels);
        }
        let next = next.min(std::mem::replace(&mut border.earliest, NEVER));
        let Progress { now, events, link_hops, finished, delivered, .. } = engine.progress();
        let report = &self.reports[turn][part];
        for (cell, value) in [
            (&report.next, next),
            (&report.now, now),
            (&report.events, events),
            (&report.link_hops, link_hops),
            (&report.finished, finished as u64),
            (&report.delivered, delivered),
        ] {
            cell.store(value, Ordering::Relaxed);
        }
    }

    /// Takes in what came for the part of `engine`.
    pub(super) fn take_in(&self, turn: usize, part: usize, engine: &mut Engine) {
        let super::State { packets, calendar, .. } = &mut engine.state;
        for from in 0..self.parts {
            let mut parcels = self.mailbox(turn, from, part).lock().expect("no thread panics with it");
            for Parcel { arrival, packet } in parcels.drain(..) {
                let id = packets.insert(packet);
                calendar.push(Event::new(arrival.time(), arrival.kind(), arrival.id(), id));
            }
        }
    }

    fn mailbox(&self, turn: usize, from: usize, to: usize) -> &Mutex<Vec<Parcel>> {
        &self.boxes[turn][from * self.parts + to]
    }

    /// The next event anywhere.
    pub(super) fn next(&self, turn: usize) -> u64 {
        self.reports[turn].iter().map(|report| report.next.load(Ordering::Relaxed)).min().unwrap_or(NEVER)
    }

    /// How far the simulation is whose part `engine` is.
    pub(super) fn progress(&self, turn: usize, engine: &Engine) -> Progress {
        let values = |cell: fn(&Report) -> &AtomicU64| {
            self.reports[turn].iter().map(move |report| cell(report).load(Ordering::Relaxed))
        };
        Progress {
            now: values(|report| &report.now).max().unwrap_or(0),
            events: values(|report| &report.events).sum(),
            link_hops: values(|report| &report.link_hops).sum(),
            finished: values(|report| &report.finished).sum::<u64>() as usize,
            delivered: values(|report| &report.delivered).sum(),
            ..engine.progress()
        }
    }

    /// Asks all to stop after the meeting of `turn`.
    pub(super) fn ask_to_stop(&self, turn: usize) {
        self.stop[turn].store(true, Ordering::Relaxed);
    }

    pub(super) fn is_to_stop(&self, turn: usize) -> bool {
        self.stop[turn].load(Ordering::Relaxed)
    }
}
