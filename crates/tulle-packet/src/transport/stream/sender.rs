//! The sending end of a connection: SACK-based loss recovery (RFC 6675) over NewReno's windows (RFC 5681, RFC 6582).

use std::collections::VecDeque;

use super::options::{Options, Response};
use crate::outcome::NEVER;
use crate::packet::{Packet, flag};
use crate::transport::dctcp::Alpha;
use crate::transport::rtt::Rtt;
use crate::transport::scoreboard::Scoreboard;
use crate::transport::window::Window;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Closed,
    Opening,
    Open,
}

/// How a window grows in congestion avoidance per acknowledged packet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Increase {
    /// By 1 / window.
    Own,
    /// By this, and at most by 1 / window (RFC 6356 §3).
    Coupled(f64),
}

/// A loss being repaired: it ends when all sent before it was found is acknowledged (RFC 6582: recover).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Recovery {
    point: u32,
    by_timeout: bool,
    /// The number of packets from the first on that must be acknowledged before another rescue (RFC 6675 §2:
    /// RescueRxt), 0 before the first rescue.
    rescued: u32,
}

/// A connection as its source sees it.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    phase: Phase,
    /// The first packet not acknowledged, and the next new one.
    first: u32,
    next: u32,
    /// Per outstanding packet its place in the flow; empty where the connection is the only one, and its numbers are places.
    places: VecDeque<u32>,
    board: Scoreboard,
    pub(super) window: Window,
    pub(super) rtt: Rtt,
    alpha: Alpha,
    recovery: Option<Recovery>,
    /// The packet that measures the round-trip time, and when it was sent first.
    timed: Option<(u32, u64)>,
    /// When the retransmission timer expires; [`NEVER`] while it is off.
    pub(super) deadline: u64,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
}

impl Sender {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            phase: Phase::Closed,
            first: 0,
            next: 0,
            places: VecDeque::new(),
            board: Scoreboard::default(),
            window: Window::new(options.window),
            rtt: Rtt::default(),
            alpha: Alpha::default(),
            recovery: None,
            timed: None,
            deadline: NEVER,
            retransmits: 0,
            timeouts: 0,
        }
    }

    /// The opening is sent.
    pub(super) fn open(&mut self, now: u64, options: &Options) {
        self.timed = (self.phase == Phase::Closed).then_some((0, now));
        self.phase = Phase::Opening;
        self.deadline = now + self.rtt.timeout(&options.bounds);
    }

    pub(super) fn is_opening(&self) -> bool {
        self.phase == Phase::Opening
    }

    /// The connection is open, by an answer where there are options; false where it was already.
    pub(super) fn opened(&mut self, answered: Option<&Options>, now: u64) -> bool {
        if self.phase == Phase::Open {
            return false;
        }
        self.phase = Phase::Open;
        self.deadline = NEVER;
        if let Some((_, sent)) = self.timed.take() {
            self.rtt.measure(now - sent);
        } else if let Some(options) = answered {
            // The opening was lost: one packet is enough to begin with (RFC 5681 §3.1).
            self.window = Window::new(options.window.min(1));
        }
        true
    }

    /// The flow is over.
    pub(super) fn close(&mut self) {
        self.deadline = NEVER;
        self.board = Scoreboard::default();
        self.places = VecDeque::new();
    }

    /// The places in the flow of the outstanding packets that `packet` acknowledges.
    pub(super) fn covered(&self, packet: &Packet) -> impl Iterator<Item = u32> + '_ {
        let run = (packet.sequence + 1).saturating_sub(packet.echo.into()).max(self.first)..=packet.sequence;
        let places = (self.first..packet.number).chain(run);
        places.filter_map(|sequence| self.places.get((sequence - self.first) as usize).copied())
    }

    /// The places in the flow of what is outstanding and not acknowledged selectively.
    pub(super) fn stuck(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.iter().copied().zip(0..).filter(|&(_, at)| !self.board.is_sacked(at)).map(|(place, _)| place)
    }

    /// Window and smoothed round-trip time, once there is one, for coupling.
    pub(super) fn rate(&self) -> Option<(f64, f64)> {
        Some((self.window.size(), self.rtt.smoothed()? as f64))
    }

    /// Takes an acknowledgement; whether the window was reduced.
    pub(super) fn acknowledge(&mut self, packet: &Packet, increase: Increase, now: u64, options: &Options) -> bool {
        let limited = self.board.pipe() < self.window.packets();
        let news = self.board.acknowledge(packet.number);
        self.first += news;
        self.places.drain(..self.places.len().min(news as usize));
        if packet.sequence >= packet.number {
            self.board.sack(packet.sequence, packet.echo.into());
        }
        self.measure(packet, now);
        if self.recovery.is_some_and(|recovery| self.first >= recovery.point) {
            self.recovery = None;
        }
        // An acknowledgement of a marked packet does not let the window grow (RFC 3168 §6.1.2).
        let marked = packet.flags & flag::MARKED != 0 && options.response.gain().is_some();
        let mut reduced = self.heed_mark(marked, options);
        if self.recovery.is_none() && self.board.is_first_lost() {
            // RFC 6675 §5 step 4. Not again before all that was out at a timeout is acknowledged (RFC 6582 §3.2, step 1).
            self.window.halve(self.board.outstanding());
            self.recovery = Some(Recovery { point: self.next, by_timeout: false, rescued: 0 });
            reduced = true;
        } else if news > 0 && self.recovery.is_none_or(|recovery| recovery.by_timeout) && !limited && !marked {
            self.grow(increase);
        }
        if news > 0 {
            self.rtt.advance();
            // RFC 6298 §5.2, §5.3.
            let outstanding = self.board.outstanding() > 0;
            self.deadline = if outstanding { now + self.rtt.timeout(&options.bounds) } else { NEVER };
        }
        reduced
    }

    /// Measures the round-trip time by the answer to the packet that is timed, if that is to its first copy (Karn's algorithm,
    /// RFC 6298 §3; as with timestamps copies can be told apart), whether or not something before it is missing.
    fn measure(&mut self, packet: &Packet, now: u64) {
        let Some((timed, sent)) = self.timed else { return };
        let is_answer = packet.sequence == timed;
        if is_answer && packet.flags & flag::AGAIN == 0 {
            self.rtt.measure(now - sent);
        }
        if is_answer || timed < self.first {
            self.timed = None;
        }
    }

    /// One step of growth per acknowledgement of new packets, however many (RFC 5681 §3.1: at most one SMSS).
    fn grow(&mut self, increase: Increase) {
        if self.window.is_slow_start() {
            return self.window.grow_exponentially();
        }
        let alone = 1.0 / self.window.size();
        self.window.grow(match increase {
            Increase::Own => alone,
            Increase::Coupled(share) => share.min(alone),
        });
    }

    /// Takes in whether an acknowledged packet was marked; whether the window was reduced.
    fn heed_mark(&mut self, marked: bool, options: &Options) -> bool {
        let Some(gain) = options.response.gain() else { return false };
        let Some(factor) = self.alpha.note(marked, self.first, self.next, gain) else { return false };
        if self.recovery.is_some() {
            return false;
        }
        self.window.shrink(factor);
        true
    }

    /// The timer has expired (RFC 6298 §5.4 to §5.6, RFC 6675 §5.1).
    pub(super) fn expire(&mut self, now: u64, options: &Options) {
        self.timeouts += 1;
        self.rtt.back_off();
        if self.recovery.is_some_and(|recovery| recovery.by_timeout) {
            self.window.collapse_again();
        } else {
            self.window.collapse(self.board.outstanding());
        }
        self.board.expire();
        self.recovery = Some(Recovery { point: self.next, by_timeout: true, rescued: 0 });
        self.deadline = now + self.rtt.timeout(&options.bounds);
    }

    /// The next packet to send, its place in the flow, and whether it was sent before; `take` gives the place of the next new one, and whether that is sent
    /// again. `None` where the window is full or nothing is left.
    pub(super) fn next(
        &mut self,
        take: impl FnOnce() -> Option<(u32, bool)>,
        now: u64,
        options: &Options,
    ) -> Option<(u32, u32, bool)> {
        if self.phase != Phase::Open || self.board.pipe() >= self.window.packets() {
            return None;
        }
        let new = |sender: &mut Self| {
            let (place, again) = (sender.board.outstanding() < options.limit).then(take)??;
            sender.board.push();
            if options.subflows() > 1 {
                sender.places.push_back(place);
            }
            sender.next += 1;
            sender.retransmits += u32::from(again);
            // A copy measures its own path all the same.
            sender.timed = sender.timed.or(Some((sender.next - 1, now)));
            Some(sender.next - 1)
        };
        // RFC 6675 §4, NextSeg: rules 1 to 4.
        let again = self.board.take_lost();
        let sequence = match again {
            Some(sequence) => sequence,
            None => match new(self) {
                Some(sequence) => return Some(self.sent(sequence, false, now, options)),
                None if self.recovery.is_some() => self.board.take_hole().or_else(|| self.rescue())?,
                None => return None,
            },
        };
        self.retransmits += 1;
        if sequence == self.first {
            // As Linux does (tcp_xmit_retransmit_queue): or, where windows are small, the timer of the first copy expires before
            // the answer to the second is here, and all that is out is sent again.
            self.deadline = now + self.rtt.timeout(&options.bounds);
        }
        Some(self.sent(sequence, true, now, options))
    }

    /// The highest outstanding packet once more, in case the end of what was sent is lost: once until all that was out is
    /// acknowledged, and not after a timeout, which sends everything again anyway.
    fn rescue(&mut self) -> Option<u32> {
        let recovery =
            self.recovery.as_mut().filter(|recovery| !recovery.by_timeout && self.first >= recovery.rescued)?;
        let sequence = self.board.highest()?;
        recovery.rescued = recovery.point;
        Some(sequence)
    }

    /// Packet `sequence` is sent, for the first time or `again`: itself, its place in the flow, and that.
    fn sent(&mut self, sequence: u32, again: bool, now: u64, options: &Options) -> (u32, u32, bool) {
        if self.deadline == NEVER {
            // RFC 6298 §5.1.
            self.deadline = now + self.rtt.timeout(&options.bounds);
        }
        (sequence, self.places.get((sequence - self.first) as usize).copied().unwrap_or(sequence), again)
    }
}

impl Response {
    /// The gain of the estimate of marks, where they are heeded.
    fn gain(&self) -> Option<f64> {
        match *self {
            Self::Loss => None,
            Self::Marks { gain } => Some(gain),
            Self::Coupled { marks, .. } => marks,
        }
    }
}

#[cfg(test)]
mod tests;
