//! Both ends of a go-back-N flow, as in RoCE NICs: after a gap, the source retransmits all packets from the gap on.

use super::Options;
use crate::packet::{HEADER, Kind, Packet, flag};
use crate::transport::alarm::Alarm;
use crate::transport::congestion::{Ack, Connection, Controller, Recovery, Start};
use crate::transport::{Action, Actions, Outgoing};

/// The limit of packets in flight for a flow that is not recovering.
const UNBOUNDED: u32 = u32::MAX;

/// The source's state of a flow.
#[derive(Debug, Clone)]
pub(super) struct Sender<C> {
    packets: u32,
    /// The first unacknowledged packet.
    first: u32,
    /// The next packet to send.
    next: u32,
    /// The first packet that was never sent.
    fresh: u32,
    control: C,
    /// Rate of the source's link in bits per second.
    line: f64,
    /// The limit of unacknowledged packets; [`UNBOUNDED`] if the flow is not recovering.
    most: u32,
    /// The number of acknowledged packets that count towards the next growth of the limit `most`.
    grown: u32,
    /// The first packet that was not yet sent when the flow last went back to an earlier packet. Recovery ends when all packets before this
    /// packet are acknowledged.
    point: u32,
    /// The packet that measures the round-trip time, and its send time.
    timed: Option<(u32, u64)>,
    /// The shortest measured round-trip time in picoseconds.
    shortest: u64,
    /// The earliest time at which the rate allows the next packet.
    earliest: u64,
    /// Whether the flow waits for its turn at the endpoint.
    queued: bool,
    /// Whether a packet of the flow waits at the endpoint's link for the end of a pause. The flow then sends no further packets.
    pub(super) held: bool,
    /// Size of the flow's final packet in bytes.
    last: u16,
    /// Transmission time of the flow's final packet in picoseconds.
    last_time: u64,
    /// Transmission time of a full packet in picoseconds.
    full: u64,
    finished: bool,
    doublings: u8,
    /// The time from which the timeout counts: of the last new acknowledgement, of the last deadline, or of the start of the flow.
    last_progress: u64,
    alarm: Alarm,
    pub(super) retransmits: u32,
    pub(super) timeouts: u32,
}

impl<C: Controller> Sender<C> {
    /// Returns the state of a flow of `packets` packets. The last packet has `last` bytes on the wire.
    ///
    /// `times` are the transmission times of a full packet and of the last packet in picoseconds. `line_rate` is the rate of the
    /// source's link in bits per second.
    pub(super) fn new(packets: u32, last: u16, times: [u64; 2], line_rate: u64, options: &Options<C>) -> Self {
        let [full, last_time] = times;
        // Packets in flight are unlimited until the flow goes back to an earlier packet for the first time.
        let start = Start { window: UNBOUNDED, line_rate };
        Self {
            packets,
            first: 0,
            next: 0,
            fresh: 0,
            most: UNBOUNDED,
            grown: 0,
            point: 0,
            timed: None,
            shortest: u64::MAX,
            control: C::new(&start, &options.control),
            line: line_rate as f64,
            earliest: 0,
            queued: false,
            held: false,
            last,
            full,
            last_time,
            finished: false,
            doublings: 0,
            last_progress: 0,
            alarm: Alarm::default(),
            retransmits: 0,
            timeouts: 0,
        }
    }

    pub(super) fn start(&mut self, flow: u32, now: u64, options: &Options<C>, out: &mut Actions) {
        self.last_progress = now;
        self.set_alarm(flow, options, out);
    }

    /// Returns whether the flow has packets to send and does not wait for its turn yet.
    pub(super) fn wants_turn(&self) -> bool {
        !self.queued && self.may_send()
    }

    fn may_send(&self) -> bool {
        let window = self.most.min(self.control.cwnd() as u32);
        !self.finished && !self.held && self.next < self.packets && self.next - self.first < window
    }

    /// Records that the flow waits for its turn to send. Returns the earliest time of this turn.
    pub(super) fn turn(&mut self, now: u64) -> u64 {
        self.queued = true;
        self.earliest.max(now)
    }

    /// Sends the next packet; returns its transmission time in picoseconds, or `None` if the flow cannot send now.
    pub(super) fn send(&mut self, flow: u32, now: u64, options: &Options<C>, out: &mut Actions) -> Option<u64> {
        self.queued = false;
        if !self.may_send() {
            return None;
        }
        let sequence = self.next;
        let is_last = sequence + 1 == self.packets;
        let (size, time) = if is_last { (self.last, self.last_time) } else { (options.mtu, self.full) };
        self.next += 1;
        if sequence < self.fresh {
            self.retransmits += 1;
        } else if self.timed.is_none() {
            self.timed = Some((sequence, now));
        }
        self.fresh = self.fresh.max(self.next);
        self.control.on_send(size.into(), now, &options.control);
        let gap = self.control.pacing_rate().map_or(time, |rate| (time as f64 * self.line / rate) as u64);
        self.earliest = now + gap.max(time);
        out.push(Action::Send(Outgoing::new(flow, Kind::Data, sequence, size)));
        Some(time)
    }

    /// Handles an acknowledgement, a report of a gap, or a congestion notification.
    pub(super) fn receive(&mut self, packet: &Packet, now: u64, options: &Options<C>, out: &mut Actions) {
        if self.finished {
            return;
        }
        if packet.kind == Kind::Cnp {
            self.control.on_ecn(&self.connection(now), &options.control);
            return;
        }
        if packet.flags & flag::COMPLETE != 0 {
            self.finished = true;
            return out.push(Action::Finished { flow: packet.flow });
        }
        let mut rtt = None;
        if let Some((timed, sent)) = self.timed
            && packet.sequence >= timed
        {
            self.shortest = self.shortest.min(now - sent);
            self.timed = None;
            rtt = Some(now - sent);
        }
        let news = packet.number.saturating_sub(self.first);
        if news > 0 {
            self.first = packet.number;
            self.last_progress = now;
            self.doublings = 0;
            self.grow(news, options);
        }
        self.next = self.next.max(self.first);
        if packet.kind == Kind::Nack {
            self.control.on_loss(&self.connection(now), &options.control);
            let most = self.most.min(self.window(options)) / 2;
            self.go_back(most.max(1));
        }
        // Congestion marks reach the source in congestion notifications, not in acknowledgements. A source is never application-limited,
        // because all data of a flow is available when the flow starts.
        let ack = Ack { news, rtt, marked: false, application_limited: false, increase_limit: f64::INFINITY };
        self.control.on_ack(&ack, &self.connection(now), &options.control);
        self.set_alarm(packet.flow, options, out);
    }

    /// Goes back to the first unacknowledged packet if the flow has made no progress for the duration of a timeout.
    pub(super) fn timer(&mut self, flow: u32, now: u64, options: &Options<C>, out: &mut Actions) {
        self.alarm.fired(now);
        if self.finished {
            return;
        }
        if now >= self.deadline(options) {
            // A flow that waits for its turn or for the end of a pause does not have to go back.
            if !self.held && (self.next == self.packets || !self.queued) {
                self.timeouts += 1;
                self.control.on_timeout(&self.connection(now), &options.control);
                // Only one packet is sent, as a probe of the path.
                self.go_back(1);
            }
            self.doublings = (self.doublings + 1).min(10);
            self.last_progress = now;
        }
        self.set_alarm(flow, options, out);
    }

    /// Restarts at the first unacknowledged packet, with at most `most` packets in flight.
    ///
    /// Without this limit, a flow whose packets are reordered fills queues with packets that the receiver will drop. The flow then
    /// retransmits nearly all packets again and again. NICs restart slowly after losses and can limit the packets in flight (NVIDIA's
    /// register ROCE_ACCL: slow restart, transmission window). Li et al., HPCC, SIGCOMM 2019 §5.1, use a window of the bandwidth-delay
    /// product for DCQCN. Halving the limit and growing it by one per window, as in TCP (RFC 5681 §3.1), finds the number of packets that
    /// the paths keep in order.
    fn go_back(&mut self, most: u32) {
        self.next = self.first;
        self.point = self.fresh;
        (self.most, self.grown) = (most, 0);
        // Karn's algorithm: acknowledgements of retransmitted packets do not measure the round-trip time.
        self.timed = None;
    }

    /// Raises the limit of packets in flight by one per window. `news` is the number of newly acknowledged packets.
    ///
    /// The limit no longer applies when it has grown to the full window and all packets sent before going back are acknowledged.
    fn grow(&mut self, news: u32, options: &Options<C>) {
        if self.most == UNBOUNDED {
            return;
        }
        self.grown += news;
        while self.grown >= self.most {
            self.grown -= self.most;
            self.most += 1;
        }
        let window = self.window(options);
        if self.most >= window {
            self.most = if self.first >= self.point { UNBOUNDED } else { window };
        }
    }

    /// Returns the full window: the maximum of the limit `most` while the flow recovers after going back.
    fn window(&self, options: &Options<C>) -> u32 {
        let product = || match self.shortest {
            u64::MAX => 1,
            shortest => shortest.div_ceil(self.full).min(1 << 20) as u32,
        };
        options.window.unwrap_or_else(product)
    }

    /// Returns the state of the connection for its controller.
    #[inline]
    fn connection(&self, now: u64) -> Connection {
        let recovery = if self.most == UNBOUNDED { Recovery::None } else { Recovery::Fast };
        Connection { now, first: self.first, next: self.next, flight: self.next - self.first, recovery }
    }

    fn deadline(&self, options: &Options<C>) -> u64 {
        self.last_progress + (options.timeout << self.doublings)
    }

    fn set_alarm(&mut self, flow: u32, options: &Options<C>, out: &mut Actions) {
        let deadline = self.deadline(options);
        if let Some(at) = self.alarm.set(deadline) {
            out.push(Action::Timer { flow, at });
        }
    }
}

/// The destination's state of a flow.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    packets: u32,
    /// The next expected packet.
    next: u32,
    /// Whether the receiver has already reported the current gap to the source.
    has_reported_gap: bool,
    /// The earliest time of the next congestion notification.
    next_cnp: u64,
    hops: u64,
    /// Payload that has arrived in order, in bytes.
    pub(super) bytes: u64,
    pub(super) trimmed: u32,
}

impl Receiver {
    pub(super) fn new(packets: u32) -> Self {
        Self { packets, next: 0, has_reported_gap: false, next_cnp: 0, hops: 0, bytes: 0, trimmed: 0 }
    }

    /// Returns the mean number of links crossed per packet.
    pub(super) fn hops(&self) -> f32 {
        if self.next == 0 { 0.0 } else { (self.hops as f64 / f64::from(self.next)) as f32 }
    }

    pub(super) fn receive<C: Controller>(
        &mut self,
        packet: &Packet,
        now: u64,
        options: &Options<C>,
        out: &mut Actions,
    ) {
        let flow = packet.flow;
        if !packet.has_payload() {
            self.trimmed += 1;
            return;
        }
        if packet.flags & flag::MARKED != 0 && now >= self.next_cnp {
            self.next_cnp = now + options.notice;
            out.push(Action::Send(Outgoing::new(flow, Kind::Cnp, packet.sequence, HEADER)));
        }
        let mut kind = Kind::Ack;
        if packet.sequence == self.next {
            self.next += 1;
            self.has_reported_gap = false;
            self.hops += u64::from(packet.echo);
            self.bytes += packet.payload();
            if self.next == self.packets {
                out.push(Action::Delivered { flow });
            }
        } else if packet.sequence > self.next {
            if self.has_reported_gap {
                return;
            }
            self.has_reported_gap = true;
            kind = Kind::Nack;
        }
        let flags = if self.next == self.packets { flag::COMPLETE } else { 0 };
        let answer = Outgoing { number: self.next, flags, ..Outgoing::new(flow, kind, packet.sequence, HEADER) };
        out.push(Action::Send(answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::data;
    use crate::transport::dcqcn::{RateControl, Rates};

    const LINE: u64 = 12_000_000_000_000;
    const OPTIONS: Options<RateControl> = Options { control: None, notice: 50, timeout: 1000, window: None, mtu: 1500 };

    /// A flow that waits for its turn or for the end of a pause does not time out. A flow that waits only for acknowledgements does time
    /// out.
    #[test]
    fn flows_that_wait_for_their_turns_do_not_go_back() {
        let (mut sender, mut out) = (Sender::new(3, 1500, [1, 1], LINE, &OPTIONS), Actions::new());
        sender.start(0, 0, &OPTIONS, &mut out);
        sender.turn(0);
        sender.send(0, 0, &OPTIONS, &mut out);
        sender.turn(1);
        sender.timer(0, 1000, &OPTIONS, &mut out);
        assert_eq!((sender.timeouts, sender.next), (0, 1));
        // The second timeout is twice as long as the first one.
        sender.send(0, 2999, &OPTIONS, &mut out);
        sender.timer(0, 2999, &OPTIONS, &mut out);
        assert_eq!((sender.timeouts, sender.next), (0, 2));
        sender.timer(0, 3000, &OPTIONS, &mut out);
        assert_eq!((sender.timeouts, sender.next, sender.most), (1, 0, 1));
        // All packets were sent, so the flow no longer waits for a turn and times out.
        for now in [3000, 3001, 3002] {
            sender.most = UNBOUNDED;
            sender.send(0, now, &OPTIONS, &mut out);
        }
        sender.timer(0, 7000, &OPTIONS, &mut out);
        assert_eq!((sender.timeouts, sender.next, sender.retransmits), (2, 0, 2));
        let timers: Vec<u64> = out
            .iter()
            .filter_map(|action| if let Action::Timer { at, .. } = action { Some(*at) } else { None })
            .collect();
        assert_eq!(timers, [1000, 3000, 7000, 15_000]);
    }

    /// The time between congestion notifications is at least the minimum, even if more packets are marked. The time between data packets
    /// follows the reduced rate.
    #[test]
    fn notifications_and_packets_keep_their_distances() {
        let (mut receiver, mut out) = (Receiver::new(9), Actions::new());
        let noticed = [10, 59, 60, 109, 110].map(|now| {
            receiver.receive(&data(0, flag::MARKED), now, &OPTIONS, &mut out);
            out.drain(..).any(|action| matches!(action, Action::Send(Outgoing { kind: Kind::Cnp, .. })))
        });
        assert_eq!(noticed, [true, false, true, false, true]);

        let control = Rates { gain: 0.5, timer: 1_000_000, counter: 1_000_000, step: 1, leap: 1, least: 1 };
        let options = Options { control: Some(control), ..OPTIONS };
        let mut sender = Sender::new(9, 1500, [1000, 1000], LINE, &options);
        let mut earliest = |cut: bool, now: u64| {
            if cut {
                sender.receive(&Packet { kind: Kind::Cnp, ..data(0, 0) }, now, &options, &mut out);
            }
            sender.send(0, now, &options, &mut out);
            sender.turn(now)
        };
        // The first congestion notification halves the rate, and the second one halves it again.
        assert_eq!((earliest(false, 0), earliest(true, 1000), earliest(true, 3000)), (1000, 3000, 7000));
    }
}
