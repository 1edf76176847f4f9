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
pub(super) enum Rise {
    /// By 1 / window.
    Alone,
    /// By this, and at most by 1 / window (RFC 6356 §3).
    Coupled(f64),
}

/// A loss being repaired: it ends when all sent before it was found is acknowledged (RFC 6582: recover).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Recovery {
    point: u32,
    by_timeout: bool,
    /// What must be acknowledged before another rescue (RFC 6675 §2: RescueRxt), 0 before the first.
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
    pub(super) fn acknowledge(&mut self, packet: &Packet, rise: Rise, now: u64, options: &Options) -> bool {
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
            self.grow(rise);
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
    fn grow(&mut self, rise: Rise) {
        if self.window.is_slow_start() {
            return self.window.grow_exponentially();
        }
        let alone = 1.0 / self.window.size();
        self.window.grow(match rise {
            Rise::Alone => alone,
            Rise::Coupled(share) => share.min(alone),
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
mod tests {
    use super::*;
    use crate::packet::{Kind, data};
    use crate::transport::Handling;
    use crate::transport::rtt::Bounds;

    fn options(response: Response) -> Options {
        Options {
            window: 10,
            limit: 1000,
            handshake: false,
            change: false,
            bounds: Bounds { initial: 1_000_000, least: 1000, most: 60_000_000 },
            handling: Handling::AT_ONCE,
            jitter: 0,
            unsent: None,
            mtu: 1500,
            response,
        }
    }

    fn sent(sender: &mut Sender, unsent: &mut u32, now: u64, options: &Options) -> Vec<u32> {
        let mut take = || {
            *unsent = unsent.checked_sub(1)?;
            Some((0, false))
        };
        std::iter::from_fn(|| sender.next(&mut take, now, options)).map(|(sequence, ..)| sequence).collect()
    }

    fn ack(sequence: u32, number: u32, flags: u8) -> Packet {
        Packet { kind: Kind::Ack, number, echo: u8::from(sequence >= number), ..data(sequence, flags) }
    }

    /// RFC 5681 §3.2, RFC 6675 §5: the third duplicate, not the second, sends the first packet again, and the window halves.
    #[test]
    fn three_duplicates_retransmit_fast() {
        let options = options(Response::Loss);
        let (mut sender, mut unsent) = (Sender::new(&options), 40);
        sender.opened(None, 0);
        assert_eq!(sent(&mut sender, &mut unsent, 0, &options), (0..10).collect::<Vec<_>>());
        for (duplicate, expected) in [(1, vec![10]), (2, vec![11]), (3, vec![0])] {
            let reduced = sender.acknowledge(&ack(duplicate, 0, 0), Rise::Alone, 100, &options);
            assert_eq!(reduced, duplicate == 3);
            // Packets that have left the network let new ones in (RFC 3042); then the lost one goes first.
            assert_eq!(sent(&mut sender, &mut unsent, 100, &options)[..], expected[..usize::from(duplicate < 3)]);
        }
        // Window 12 / 2 = 6, of which 8 are thought to be in the network.
        assert_eq!((sender.window.packets(), sender.board.pipe()), (6, 8));
        for duplicate in 4..7 {
            sender.acknowledge(&ack(duplicate, 0, 0), Rise::Alone, 100, &options);
        }
        assert_eq!(sent(&mut sender, &mut unsent, 100, &options), [0]);
        assert_eq!(sender.retransmits, 1);
        // All that was out is acknowledged: recovery ends at half the window and grows by one per round trip.
        sender.acknowledge(&ack(0, 12, 0), Rise::Alone, 200, &options);
        assert_eq!((sender.recovery, sender.window.packets()), (None, 6));
    }

    /// RFC 6675 §4, NextSeg, rule 4: in recovery, with nothing new to send, the highest packet goes once more.
    #[test]
    fn a_lost_tail_is_rescued() {
        let options = options(Response::Loss);
        let (mut sender, mut unsent) = (Sender::new(&options), 10);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        // 0 is lost, and so are 7 to 9; after three duplicates 0 is sent again as soon as the window allows.
        for duplicate in 1..7 {
            sender.acknowledge(&ack(duplicate, 0, 0), Rise::Alone, 100, &options);
        }
        assert_eq!((sender.window.packets(), sender.board.pipe()), (5, 3));
        assert_eq!(sent(&mut sender, &mut unsent, 100, &options), [0, 9]);
        // Once until all that was out is acknowledged.
        sender.acknowledge(&ack(9, 7, 0), Rise::Alone, 200, &options);
        assert_eq!(sent(&mut sender, &mut unsent, 200, &options), [7, 8]);
        sender.acknowledge(&ack(7, 8, 0), Rise::Alone, 300, &options);
        assert!(sent(&mut sender, &mut unsent, 300, &options).is_empty());
        assert_eq!((sender.retransmits, sender.timeouts), (4, 0));
    }

    /// RFC 6298 §5.5, RFC 5681 §3.1: a timeout leaves one packet and doubles the next.
    #[test]
    fn timeouts_back_off() {
        let options = options(Response::Loss);
        let (mut sender, mut unsent) = (Sender::new(&options), 40);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        let mut now = 0;
        for factor in [1, 2, 4, 8] {
            assert_eq!(sender.deadline, now + factor * 1_000_000);
            now = sender.deadline;
            sender.expire(now, &options);
            assert_eq!(sent(&mut sender, &mut unsent, now, &options), [0]);
        }
        assert_eq!((sender.window.packets(), sender.timeouts, sender.retransmits), (1, 4, 4));
        // Slow start up to half of the ten that were out.
        for number in 1..=10 {
            sender.acknowledge(&ack(number - 1, number, 0), Rise::Alone, now + 50, &options);
            sent(&mut sender, &mut unsent, now + 50, &options);
        }
        assert_eq!(sender.window.packets(), 6);
    }

    /// The timer of a packet sent again runs from then on; that of others does not.
    #[test]
    fn a_retransmission_of_the_first_packet_restarts_the_timer() {
        let options = options(Response::Loss);
        let (mut sender, mut unsent) = (Sender::new(&options), 40);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        let first = sender.deadline;
        for duplicate in 1..7 {
            sender.acknowledge(&ack(duplicate, 0, 0), Rise::Alone, 100, &options);
            assert_eq!(sender.deadline, first);
        }
        assert!(sent(&mut sender, &mut unsent, 900, &options).contains(&0));
        assert_eq!(sender.deadline, 900 + sender.rtt.timeout(&options.bounds));
    }

    /// Karn's algorithm: the answer to a copy measures nothing, one to the first does, though it was sent again; and what is
    /// newly acknowledged ends the back-off.
    #[test]
    fn first_copies_measure_and_news_end_the_back_off() {
        let options = options(Response::Loss);
        for (flags, smoothed) in [(0, Some(700)), (flag::AGAIN, None)] {
            let (mut sender, mut unsent) = (Sender::new(&options), 40);
            sender.opened(None, 0);
            sent(&mut sender, &mut unsent, 0, &options);
            sender.expire(500, &options);
            assert_eq!(sender.next(|| None, 500, &options), Some((0, 0, true)));
            assert_eq!(sender.deadline, 500 + 2_000_000);
            sender.acknowledge(&ack(0, 1, flags), Rise::Alone, 700, &options);
            assert_eq!(sender.rtt.smoothed(), smoothed);
            let timeout = if smoothed.is_some() { 700 + 4 * 350 } else { 1_000_000 };
            assert_eq!(sender.deadline, 700 + timeout);
        }
        // What is measured is not held up by what is missing before it.
        let (mut sender, mut unsent) = (Sender::new(&options), 40);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        sender.timed = Some((4, 0));
        sender.acknowledge(&ack(4, 0, 0), Rise::Alone, 300, &options);
        assert_eq!((sender.rtt.smoothed(), sender.timed), (Some(300), None));
    }

    /// RFC 8257 §3.3: a window whose packets are all marked halves once; one without marks grows.
    #[test]
    fn marks_shrink_the_window_once_per_window() {
        let options = options(Response::Marks { gain: 1.0 / 16.0 });
        let (mut sender, mut unsent) = (Sender::new(&options), 100);
        sender.opened(None, 0);
        sent(&mut sender, &mut unsent, 0, &options);
        let mut reductions = 0;
        for number in 1..=10 {
            reductions +=
                u32::from(sender.acknowledge(&ack(number - 1, number, flag::MARKED), Rise::Alone, 100, &options));
            sent(&mut sender, &mut unsent, 100, &options);
        }
        assert_eq!((reductions, sender.retransmits), (1, 0));
        // Alpha starts at 1 (RFC 8257 §3.3): half.
        assert_eq!(sender.window.packets(), 5);
    }
}
