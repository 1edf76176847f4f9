//! The sending end of a connection: SACK-based loss recovery (RFC 6675, RFC 6582). A congestion controller decides the window.

use std::collections::VecDeque;

use super::options::Options;
use crate::outcome::NEVER;
use crate::packet::{Packet, flag};
use crate::transport::congestion::{Ack, Connection, Controller, Recovery, Start};
use crate::transport::rtt::Rtt;
use crate::transport::scoreboard::Scoreboard;
use crate::units::SECOND;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Closed,
    Opening,
    Open,
}

/// A loss recovery. It ends when every packet sent before the loss was detected is acknowledged (RFC 6582: recover).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Repair {
    /// The first packet that was not yet sent when the loss was detected.
    point: u32,
    by_timeout: bool,
    /// The packet up to which all packets must be acknowledged before another rescue retransmission (RFC 6675 §2: RescueRxt). It is 0
    /// before the first one.
    rescued: u32,
}

/// The source's state of a connection.
#[derive(Debug, Clone)]
pub(super) struct Sender<C> {
    phase: Phase,
    /// The first unacknowledged packet.
    first: u32,
    /// The next new packet.
    next: u32,
    /// The position in the flow of each outstanding packet. Empty if the flow has a single connection, because sequence numbers are
    /// then positions.
    places: VecDeque<u32>,
    board: Scoreboard,
    pub(super) control: C,
    start: Start,
    pub(super) rtt: Rtt,
    recovery: Option<Repair>,
    /// The packet that measures the round-trip time, and the time of its first transmission.
    timed: Option<(u32, u64)>,
    /// The time at which the retransmission timer expires; [`NEVER`] while it is off.
    pub(super) deadline: u64,
    /// The time from which the pacing rate allows the next packet.
    earliest: u64,
    /// Whether a packet waits for the time `earliest`.
    paced: bool,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
}

impl<C: Controller> Sender<C> {
    pub(super) fn new(start: Start, options: &Options<C>) -> Self {
        Self {
            phase: Phase::Closed,
            first: 0,
            next: 0,
            places: VecDeque::new(),
            board: Scoreboard::default(),
            control: C::new(&start, &options.control),
            start,
            rtt: Rtt::default(),
            recovery: None,
            timed: None,
            deadline: NEVER,
            earliest: 0,
            paced: false,
            retransmits: 0,
            timeouts: 0,
        }
    }

    /// Records that the opening packet is sent.
    pub(super) fn open(&mut self, now: u64, options: &Options<C>) {
        self.timed = (self.phase == Phase::Closed).then_some((0, now));
        self.phase = Phase::Opening;
        self.deadline = now + self.rtt.timeout(&options.bounds);
    }

    pub(super) fn is_opening(&self) -> bool {
        self.phase == Phase::Opening
    }

    /// Opens the connection. Returns false if it was already open. `answered` contains the options if the answer to an opening packet
    /// opens the connection, and `None` without a handshake.
    pub(super) fn opened(&mut self, answered: Option<&Options<C>>, now: u64) -> bool {
        if self.phase == Phase::Open {
            return false;
        }
        self.phase = Phase::Open;
        self.deadline = NEVER;
        if let Some((_, sent)) = self.timed.take() {
            self.rtt.measure(now - sent);
        } else if let Some(options) = answered {
            // The opening packet was lost, so the initial window is one packet (RFC 5681 §3.1).
            self.control = C::new(&Start { window: 1, ..self.start }, &options.control);
        }
        true
    }

    /// Frees the state of the connection, because the flow is finished.
    pub(super) fn close(&mut self) {
        (self.deadline, self.paced) = (NEVER, false);
        self.board = Scoreboard::default();
        self.places = VecDeque::new();
    }

    /// Returns the positions in the flow of the outstanding packets that `packet` acknowledges.
    pub(super) fn covered(&self, packet: &Packet) -> impl Iterator<Item = u32> + '_ {
        let run = (packet.sequence + 1).saturating_sub(packet.echo.into()).max(self.first)..=packet.sequence;
        let places = (self.first..packet.number).chain(run);
        places.filter_map(|sequence| self.places.get((sequence - self.first) as usize).copied())
    }

    /// Returns the positions in the flow of the outstanding packets that are not selectively acknowledged.
    pub(super) fn stuck(&self) -> impl Iterator<Item = u32> + '_ {
        self.places.iter().copied().zip(0..).filter(|&(_, at)| !self.board.is_sacked(at)).map(|(place, _)| place)
    }

    /// Returns the window in packets and the smoothed round-trip time in picoseconds; `None` before the first measurement.
    pub(super) fn window_and_rtt(&self) -> Option<(f64, f64)> {
        Some((self.control.cwnd(), self.rtt.smoothed()? as f64))
    }

    /// Returns the window in whole packets, since only whole packets are sent (FatPaths §VIII-A3).
    #[inline]
    fn window(&self) -> u32 {
        self.control.cwnd() as u32
    }

    /// Returns the state of the connection for its controller.
    #[inline]
    fn connection(&self, now: u64) -> Connection {
        let recovery = match self.recovery {
            None => Recovery::None,
            Some(Repair { by_timeout: false, .. }) => Recovery::Fast,
            Some(Repair { by_timeout: true, .. }) => Recovery::Timeout,
        };
        Connection { now, first: self.first, next: self.next, flight: self.board.outstanding(), recovery }
    }

    /// Returns the time of the next wake-up: the deadline, or earlier to send a paced packet.
    pub(super) fn wakes_at(&self) -> u64 {
        if self.paced { self.deadline.min(self.earliest) } else { self.deadline }
    }

    /// Tells the controller that a packet of `size` bytes is sent, and delays the next packet according to the pacing rate.
    #[inline]
    pub(super) fn pace(&mut self, size: u16, now: u64, options: &Options<C>) {
        self.control.on_send(size.into(), now, &options.control);
        if let Some(rate) = self.control.pacing_rate() {
            let gap = f64::from(size) * (8 * SECOND) as f64 / rate;
            self.earliest = self.earliest.max(now).saturating_add(gap as u64);
        }
    }

    /// Handles an acknowledgement. Because of the flow's other subflows, the window can grow by at most `increase_limit` packets. Returns
    /// whether the window was reduced.
    pub(super) fn acknowledge(&mut self, packet: &Packet, increase_limit: f64, now: u64, options: &Options<C>) -> bool {
        let application_limited = self.board.pipe() < self.window();
        let news = self.board.acknowledge(packet.number);
        self.first += news;
        self.places.drain(..self.places.len().min(news as usize));
        if packet.sequence >= packet.number {
            self.board.sack(packet.sequence, packet.echo.into());
        }
        let rtt = self.measure(packet, now);
        if self.recovery.is_some_and(|recovery| self.first >= recovery.point) {
            self.recovery = None;
        }
        // Loss recovery starts (RFC 6675 §5 step 4). After a timeout, it does not start until all packets that were outstanding at the
        // timeout are acknowledged (RFC 6582 §3.2, step 1).
        let mut reduced = self.recovery.is_none() && self.board.is_first_lost();
        if reduced {
            self.control.on_loss(&self.connection(now), &options.control);
            self.recovery = Some(Repair { point: self.next, by_timeout: false, rescued: 0 });
        }
        let marked = packet.flags & flag::MARKED != 0;
        let connection = self.connection(now);
        let ack = Ack { news, rtt, marked, application_limited, increase_limit };
        self.control.on_ack(&ack, &connection, &options.control);
        if marked {
            reduced |= self.control.on_ecn(&connection, &options.control);
        }
        if news > 0 {
            self.rtt.advance();
            // RFC 6298 §5.2, §5.3.
            let outstanding = self.board.outstanding() > 0;
            self.deadline = if outstanding { now + self.rtt.timeout(&options.bounds) } else { NEVER };
        }
        reduced
    }

    /// Measures the round-trip time if `packet` acknowledges the first copy of the timed packet, even if an earlier packet is missing.
    /// Returns the measurement.
    ///
    /// This is Karn's algorithm (RFC 6298 §3). A flag in the acknowledgement tells which copy it acknowledges, like timestamps do.
    fn measure(&mut self, packet: &Packet, now: u64) -> Option<u64> {
        let (timed, sent) = self.timed?;
        let is_answer = packet.sequence == timed;
        let sample = (is_answer && packet.flags & flag::RETRANSMITTED == 0).then(|| now - sent);
        if let Some(sample) = sample {
            self.rtt.measure(sample);
        }
        if is_answer || timed < self.first {
            self.timed = None;
        }
        sample
    }

    /// Handles the expiry of the retransmission timer (RFC 6298 §5.4 to §5.6, RFC 6675 §5.1).
    pub(super) fn expire(&mut self, now: u64, options: &Options<C>) {
        self.timeouts += 1;
        self.rtt.back_off();
        self.control.on_timeout(&self.connection(now), &options.control);
        self.board.expire();
        self.recovery = Some(Repair { point: self.next, by_timeout: true, rescued: 0 });
        self.deadline = now + self.rtt.timeout(&options.bounds);
    }

    /// Returns the next packet to send, its position in the flow, and whether this connection has sent it before.
    ///
    /// Returns `None` if the connection is not open, the window is full, the pacing rate allows no packet yet, or no packet is left. `take`
    /// returns the position of the flow's next packet, and whether another connection has sent it before.
    pub(super) fn next(
        &mut self,
        take: impl FnOnce() -> Option<(u32, bool)>,
        now: u64,
        options: &Options<C>,
    ) -> Option<(u32, u32, bool)> {
        self.paced = false;
        if self.phase != Phase::Open || self.board.pipe() >= self.window() {
            return None;
        }
        if self.control.pacing_rate().is_some() && now < self.earliest {
            self.paced = true;
            return None;
        }
        let new = |sender: &mut Self| {
            let (place, again) = (sender.board.outstanding() < options.limit).then(take)??;
            sender.board.push();
            if options.subflows > 1 {
                sender.places.push_back(place);
            }
            sender.next += 1;
            sender.retransmits += u32::from(again);
            // A packet that another connection has sent before is new on this connection, so it can measure the round-trip time.
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
            // The retransmission of the first outstanding packet restarts the timer, as in Linux (tcp_xmit_retransmit_queue). Otherwise,
            // with small windows, the timer of the first copy would expire before the second copy is acknowledged. All outstanding packets
            // would then be retransmitted.
            self.deadline = now + self.rtt.timeout(&options.bounds);
        }
        Some(self.sent(sequence, true, now, options))
    }

    /// Returns the highest outstanding packet for a rescue retransmission, in case the last sent packets were lost.
    ///
    /// A rescue retransmission happens only once until all packets that were outstanding at the loss are acknowledged. It does not happen
    /// after a timeout, because a timeout retransmits all packets anyway.
    fn rescue(&mut self) -> Option<u32> {
        let recovery =
            self.recovery.as_mut().filter(|recovery| !recovery.by_timeout && self.first >= recovery.rescued)?;
        let sequence = self.board.highest()?;
        recovery.rescued = recovery.point;
        Some(sequence)
    }

    /// Records that packet `sequence` is sent. `again` says whether it was sent before. Returns the packet, its position in the flow, and
    /// `again`.
    fn sent(&mut self, sequence: u32, again: bool, now: u64, options: &Options<C>) -> (u32, u32, bool) {
        if self.deadline == NEVER {
            // RFC 6298 §5.1.
            self.deadline = now + self.rtt.timeout(&options.bounds);
        }
        (sequence, self.places.get((sequence - self.first) as usize).copied().unwrap_or(sequence), again)
    }
}

#[cfg(test)]
mod tests;
