//! The sending end of a flow.

use super::Options;
use crate::packet::{Kind, Packet, flag};
use crate::transport::{Action, Actions, Outgoing};
use crate::units::SECOND;

/// Fates of 64 packets, a bit each.
#[derive(Debug, Clone, Copy, Default)]
struct Fates {
    acknowledged: u64,
    /// To be sent again.
    again: u64,
}

/// A flow as its source sees it.
///
/// A packet is unsent (from `next` on), outstanding, acknowledged, or to be sent again: trimmed, or outstanding for so long
/// that it or its answer must be lost.
#[derive(Debug, Default)]
pub(super) struct Sender {
    /// Empty before the start and after the end.
    fates: Box<[Fates]>,
    packets: u32,
    next: u32,
    acknowledged: u32,
    again: u32,
    /// No packet below is to be sent again.
    lowest: u32,
    /// Packets that pulls have allowed, and how many of those were sent.
    granted: u32,
    spent: u32,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
    /// When an answer or a pull last came.
    heard: u64,
    /// Bytes on the wire of the last packet.
    last: u16,
    /// How often the patience with silence has doubled.
    backoff: u8,
    /// Whether one packet is out to find out if anything still comes through.
    probing: bool,
    finished: bool,
}

impl Sender {
    pub(super) fn new(packets: u32, last: u16) -> Self {
        Self { packets, last, ..Self::default() }
    }

    /// Sends the first window at line rate.
    pub(super) fn start(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        self.fates = vec![Fates::default(); (self.packets as usize).div_ceil(64)].into_boxed_slice();
        for _ in 0..options.window.min(self.packets) {
            self.send(flow, options, out);
        }
        self.heard = now;
        out.push(Action::Timer { flow, at: now + options.timeout });
    }

    /// Takes an acknowledgement or a pull.
    pub(super) fn receive(&mut self, packet: &Packet, now: u64, options: &Options, out: &mut Actions) {
        if self.finished {
            return;
        }
        let flow = packet.flow;
        self.heard = now;
        match packet.kind {
            Kind::Ack if packet.flags & flag::COMPLETE != 0 => {
                self.finished = true;
                self.fates = Box::default();
                out.push(Action::Finished { flow });
                return;
            }
            Kind::Ack => self.acknowledge(packet.sequence, options, flow, out),
            Kind::Nack => self.trimmed(packet, out),
            _ => {}
        }
        self.granted = self.granted.max(packet.number);
        self.spend(flow, options, out);
    }

    /// Sends again what has not been answered for too long, and makes the flow go on if a pull was lost.
    ///
    /// Trimming keeps the news of congestion, so the timer guards against rare losses only: of headers, and on dead links.
    pub(super) fn timer(&mut self, flow: u32, now: u64, options: &Options, out: &mut Actions) {
        /// A flow whose packets are all answered may wait long for its turn to be pulled.
        const TURN: u64 = 16;
        /// Patience doubles up to here at least: a timeout far below the time that packets wait at their source must not fill its
        /// link with what is sent again.
        const LONG: u64 = SECOND / 10;
        const LEAST_DOUBLINGS: u8 = 6;
        if self.finished {
            return;
        }
        let outstanding = self.next - self.acknowledged - self.again;
        let patience = options.timeout << self.backoff;
        let due = self.heard + if outstanding > 0 { patience } else { TURN * patience };
        if now < due {
            out.push(Action::Timer { flow, at: (self.heard + patience).max(now + options.timeout) });
            return;
        }
        self.timeouts += 1;
        if self.backoff < LEAST_DOUBLINGS || options.timeout << self.backoff < LONG {
            self.backoff += 1;
        }
        self.heard = now;
        if outstanding > 0 {
            self.mark_outstanding();
        }
        // One packet now; the rest of the window once an acknowledgement shows that packets get through.
        self.probing = true;
        let before = out.len();
        self.spend(flow, options, out);
        if out.len() == before {
            self.send(flow, options, out);
        }
        out.push(Action::Timer { flow, at: now + (options.timeout << self.backoff) });
    }

    fn acknowledge(&mut self, sequence: u32, options: &Options, flow: u32, out: &mut Actions) {
        let fates = &mut self.fates[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if fates.acknowledged & bit != 0 {
            return;
        }
        fates.acknowledged |= bit;
        self.acknowledged += 1;
        if fates.again & bit != 0 {
            fates.again &= !bit;
            self.again -= 1;
        }
        self.backoff = 0;
        if std::mem::take(&mut self.probing) {
            for _ in 1..options.window.min(self.again + 1) {
                self.send(flow, options, out);
            }
        }
    }

    fn trimmed(&mut self, packet: &Packet, out: &mut Actions) {
        self.mark_again(packet.sequence);
        if packet.flags & flag::LEAVE != 0 {
            out.push(Action::Leave { flow: packet.flow, layer: packet.echo });
        }
    }

    /// Marks a packet that was sent and is not acknowledged to be sent again.
    fn mark_again(&mut self, sequence: u32) {
        let fates = &mut self.fates[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if (fates.acknowledged | fates.again) & bit == 0 {
            fates.again |= bit;
            self.again += 1;
            self.lowest = self.lowest.min(sequence);
        }
    }

    /// Marks all packets that are outstanding to be sent again.
    fn mark_outstanding(&mut self) {
        let (full, rest) = (self.next as usize / 64, self.next % 64);
        for (word, fates) in self.fates.iter_mut().enumerate().take(full + 1) {
            let sent = if word < full { !0 } else { (1 << rest) - 1 };
            fates.again |= sent & !fates.acknowledged;
        }
        self.again = self.next - self.acknowledged;
        self.lowest = 0;
    }

    /// Sends what pulls allow.
    fn spend(&mut self, flow: u32, options: &Options, out: &mut Actions) {
        while self.spent < self.granted && self.send(flow, options, out) {
            self.spent += 1;
        }
    }

    /// Sends one packet: the first to be sent again, or else the next new one; false where there is none.
    fn send(&mut self, flow: u32, options: &Options, out: &mut Actions) -> bool {
        let (sequence, flags) = if self.again > 0 {
            self.retransmits += 1;
            (self.take_again(), if options.priority { flag::URGENT } else { 0 })
        } else if self.next < self.packets {
            self.next += 1;
            (self.next - 1, 0)
        } else {
            return false;
        };
        let size = if sequence + 1 == self.packets { self.last } else { options.mtu };
        out.push(Action::Send(Outgoing { flags, ..Outgoing::new(flow, Kind::Data, sequence, size) }));
        true
    }

    /// The first packet to be sent again; there is one.
    fn take_again(&mut self) -> u32 {
        let mut word = self.lowest as usize / 64;
        while self.fates[word].again == 0 {
            word += 1;
        }
        let bit = self.fates[word].again.trailing_zeros();
        self.fates[word].again &= self.fates[word].again - 1;
        self.again -= 1;
        self.lowest = word as u32 * 64 + bit;
        self.lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::data;

    const OPTIONS: Options = Options {
        window: 3,
        interval: 10,
        timeout: 1000,
        priority: true,
        change: true,
        mtu: 1500,
        pace: 1.0,
        is_ndp: false,
    };

    fn answer(kind: Kind, sequence: u32, number: u32, flags: u8) -> Packet {
        Packet { kind, number, ..data(sequence, flags) }
    }

    /// What a sender does at an event: the sequence numbers it sends, those sent again negated less one, and its timer.
    fn did(out: &mut Actions) -> (Vec<i64>, Option<u64>) {
        let (mut sent, mut timer) = (Vec::new(), None);
        for action in out.drain(..) {
            match action {
                Action::Send(packet) if packet.flags & flag::URGENT != 0 => sent.push(-i64::from(packet.sequence) - 1),
                Action::Send(packet) => sent.push(packet.sequence.into()),
                Action::Timer { at, .. } => timer = Some(at),
                _ => {}
            }
        }
        (sent, timer)
    }

    #[test]
    fn pulls_let_trimmed_packets_go_first() {
        let mut out = Actions::new();
        let mut sender = Sender::new(6, 700);
        sender.start(0, 0, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![0, 1, 2], Some(1000)));
        const NOTHING: [i64; 0] = [];
        let mut on = |kind, sequence, number| {
            sender.receive(&answer(kind, sequence, number, 0), 5, &OPTIONS, &mut out);
            did(&mut out).0
        };
        assert_eq!(on(Kind::Nack, 2, 0), NOTHING);
        assert_eq!(on(Kind::Nack, 0, 0), NOTHING);
        assert_eq!(on(Kind::Ack, 1, 1), [-1]);
        // Pull 3 makes up for pull 2, which comes too late to matter.
        assert_eq!(on(Kind::Pull, 0, 3), [-3, 3]);
        assert_eq!(on(Kind::Pull, 0, 2), NOTHING);
        // Pulls that find nothing to send stay good.
        assert_eq!(on(Kind::Pull, 0, 8), [4, 5]);
        assert_eq!(on(Kind::Nack, 4, 0), [-5]);
        // An acknowledgement that overtook a header's: nothing to send again.
        assert_eq!(on(Kind::Ack, 3, 0), NOTHING);
        assert_eq!(on(Kind::Nack, 3, 0), NOTHING);
        sender.receive(&answer(Kind::Ack, 5, 0, flag::COMPLETE), 9, &OPTIONS, &mut out);
        assert_eq!(out, [Action::Finished { flow: 0 }]);
        assert_eq!((sender.retransmits, sender.timeouts), (3, 0));
    }

    #[test]
    fn silence_sends_one_packet_and_an_acknowledgement_the_rest_of_the_window() {
        let mut out = Actions::new();
        let mut sender = Sender::new(9, 1500);
        sender.start(0, 0, &OPTIONS, &mut out);
        sender.receive(&answer(Kind::Pull, 0, 2, 0), 400, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![0, 1, 2, 3, 4], Some(1000)));
        // Not silent for long enough.
        sender.timer(0, 1000, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![], Some(2000)));
        sender.timer(0, 2000, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![-1], Some(4000)));
        // Silence goes on: patience doubles.
        sender.timer(0, 4000, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![-1], Some(8000)));
        sender.receive(&answer(Kind::Ack, 0, 0, 0), 4100, &OPTIONS, &mut out);
        assert_eq!(did(&mut out), (vec![-2, -3], None));
        assert_eq!((sender.timeouts, sender.retransmits), (2, 4));
    }

    #[test]
    fn a_flow_whose_packets_are_answered_waits_long_for_its_turn() {
        let mut out = Actions::new();
        let mut sender = Sender::new(9, 1500);
        sender.start(0, 0, &OPTIONS, &mut out);
        for sequence in 0..3 {
            sender.receive(&answer(Kind::Nack, sequence, 0, 0), 100, &OPTIONS, &mut out);
        }
        did(&mut out);
        let mut now = 1000;
        while now < 16_100 {
            sender.timer(0, now, &OPTIONS, &mut out);
            let (sent, timer) = did(&mut out);
            assert!(sent.is_empty(), "at {now}: {sent:?}");
            now = timer.unwrap();
        }
        sender.timer(0, now, &OPTIONS, &mut out);
        assert_eq!(did(&mut out).0, [-1]);
    }
}
