//! Exchanges packets that cross from one partition of the network to another when several threads share a simulation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Engine;
use super::barrier::Barrier;
use crate::Progress;
use crate::calendar::Event;
use crate::outcome::NEVER;
use crate::packet::Packet;
use crate::port::SAME_PARTITION;

/// A packet on a link into another partition, with its arrival event.
#[derive(Debug, Clone, Copy)]
struct CrossPartitionPacket {
    arrival: Event,
    packet: Packet,
}

/// The packets that leave a partition, by destination partition, until the threads meet at the barrier.
#[derive(Debug)]
pub(super) struct PartitionOutbox {
    outgoing: Vec<Vec<CrossPartitionPacket>>,
    /// The earliest arrival time of the packets in this outbox.
    earliest: u64,
}

impl PartitionOutbox {
    pub(super) fn new(parts: usize) -> Self {
        Self { outgoing: (0..parts).map(|_| Vec::new()).collect(), earliest: NEVER }
    }

    /// Returns whether there is only one partition.
    pub(super) fn is_closed(&self) -> bool {
        self.outgoing.len() == 1
    }

    /// Sends `packet` to partition `to`.
    #[inline]
    pub(super) fn leave(&mut self, to: u8, arrival: Event, packet: Packet) {
        debug_assert_ne!(to, SAME_PARTITION);
        self.earliest = self.earliest.min(arrival.time());
        self.outgoing[usize::from(to)].push(CrossPartitionPacket { arrival, packet });
    }

    /// Returns the number of packets in this outbox.
    pub(super) fn leaving(&self) -> u64 {
        self.outgoing.iter().map(|packets| packets.len() as u64).sum()
    }
}

/// The mailboxes through which partitions exchange packets when their threads meet at the barrier after every time window.
///
/// Every mailbox and report exists twice, and the two copies alternate between windows. A partition writes copy n mod 2 before barrier n,
/// and the other partitions read this copy after barrier n. All partitions have read the copy before barrier n + 1, so it can then be
/// written again.
#[derive(Debug)]
pub(super) struct BarrierMailbox {
    parts: usize,
    pub(super) barrier: Barrier,
    /// Packets by copy (0 or 1), sending partition and receiving partition.
    boxes: [Vec<Mutex<Vec<CrossPartitionPacket>>>; 2],
    /// Reports by copy (0 or 1) and partition.
    reports: [Vec<Report>; 2],
    stop: [AtomicBool; 2],
}

/// The progress of a partition.
#[derive(Debug, Default)]
struct Report {
    /// The time of the partition's next event, or of an earlier event that this partition caused in another partition.
    next: AtomicU64,
    now: AtomicU64,
    events: AtomicU64,
    link_hops: AtomicU64,
    /// The number of finished ends (source or destination) of flows; see [`super::State::ends_per_flow`].
    finished: AtomicU64,
    delivered: AtomicU64,
}

impl BarrierMailbox {
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

    /// Posts the packets that leave partition `part` of `engine`, and its progress. `next` is the time of the next event in this partition.
    pub(super) fn hand_over(&self, turn: usize, part: usize, engine: &mut Engine, next: u64) {
        let outbox = &mut engine.state.outbox;
        for (to, packets) in outbox.outgoing.iter_mut().enumerate().filter(|(_, packets)| !packets.is_empty()) {
            std::mem::swap(&mut *self.mailbox(turn, part, to).lock().expect("no thread panics with it"), packets);
        }
        let next = next.min(std::mem::replace(&mut outbox.earliest, NEVER));
        let Progress { now, events, link_hops, delivered, .. } = engine.progress();
        let report = &self.reports[turn][part];
        for (cell, value) in [
            (&report.next, next),
            (&report.now, now),
            (&report.events, events),
            (&report.link_hops, link_hops),
            (&report.finished, engine.state.finished as u64),
            (&report.delivered, delivered),
        ] {
            cell.store(value, Ordering::Relaxed);
        }
    }

    /// Takes the packets that other partitions sent to partition `part` of `engine`.
    pub(super) fn take_in(&self, turn: usize, part: usize, engine: &mut Engine) {
        let super::State { packets, calendar, .. } = &mut engine.state;
        for from in 0..self.parts {
            let mut came = self.mailbox(turn, from, part).lock().expect("no thread panics with it");
            for CrossPartitionPacket { arrival, packet } in came.drain(..) {
                let id = packets.insert(packet);
                calendar.push(Event::new(arrival.time(), arrival.kind(), arrival.id(), id));
            }
        }
    }

    fn mailbox(&self, turn: usize, from: usize, to: usize) -> &Mutex<Vec<CrossPartitionPacket>> {
        &self.boxes[turn][from * self.parts + to]
    }

    /// Returns the time of the next event in any partition.
    pub(super) fn next(&self, turn: usize) -> u64 {
        self.reports[turn].iter().map(|report| report.next.load(Ordering::Relaxed)).min().unwrap_or(NEVER)
    }

    /// Returns the total progress of all partitions.
    pub(super) fn progress(&self, turn: usize, engine: &Engine) -> Progress {
        let values = |cell: fn(&Report) -> &AtomicU64| {
            self.reports[turn].iter().map(move |report| cell(report).load(Ordering::Relaxed))
        };
        Progress {
            now: values(|report| &report.now).max().unwrap_or(0),
            events: values(|report| &report.events).sum(),
            link_hops: values(|report| &report.link_hops).sum(),
            finished: values(|report| &report.finished).sum::<u64>() as usize / engine.state.ends_per_flow(),
            delivered: values(|report| &report.delivered).sum(),
            ..engine.progress()
        }
    }

    /// Makes all partitions stop after the next barrier that uses copy `turn`.
    pub(super) fn ask_to_stop(&self, turn: usize) {
        self.stop[turn].store(true, Ordering::Relaxed);
    }

    pub(super) fn is_to_stop(&self, turn: usize) -> bool {
        self.stop[turn].load(Ordering::Relaxed)
    }
}
