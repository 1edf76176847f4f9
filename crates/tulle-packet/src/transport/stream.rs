//! Window-based transports: TCP connections, either one per flow or several that share a flow's packets (MPTCP).
//!
//! Congestion control is a type parameter; see [`super::congestion`].
//!
//! Sequence numbers count packets. Every data packet with payload is acknowledged immediately. An acknowledgement contains the sequence
//! number of the acknowledged packet and the packet's congestion mark. It also contains the sequence number of the first missing packet,
//! and the length of the gapless run of received packets that ends with the acknowledged packet (a SACK block, RFC 2018).
//!
//! Each connection of a flow has its own sequence numbers. With several connections, a data packet also contains its position in the flow
//! (RFC 8684 §3.3: data sequence mapping). The data of a stale connection can therefore be sent on another connection.

mod options;
mod receiver;
mod reinjection;
mod ring;
mod sender;

use tulle_base::memory;

use super::alarm::Alarm;
use super::congestion::{Controller, Start};
use super::{ANY_LAYER, Action, Actions, Event, Flows, Handling, Machine, NO_SUBFLOW, Outgoing, Sending, Tally};
use crate::outcome::NEVER;
use crate::packet::{HEADER, Kind, Packet, flag};
pub(super) use options::{Common, Options};
use receiver::{Arrivals, Receiver};
use reinjection::Reinjection;
use sender::Sender;
use tulle_base::prefetch::prefetch;

/// The source's state of a flow, without the states of its connections.
#[derive(Debug, Default)]
struct Flow {
    packets: u32,
    /// Number of the flow's packets that have been assigned to connections.
    taken: u32,
    /// Size of the last packet on the wire in bytes.
    last: u16,
    finished: bool,
    /// The subflow whose turn it is when there is space at the endpoint.
    turn: u8,
    /// Bytes of the flow that wait at the endpoint; counted only if they are limited.
    unsent: u64,
    /// Whether connections wait for space at the endpoint.
    held: bool,
    alarm: Alarm,
    /// Packets to reinject, once a subflow is stale.
    stuck: Option<Box<Reinjection>>,
}

impl Flow {
    /// Returns the position in the flow of the next packet for `subflow`, and whether another subflow has sent it before.
    fn take(&mut self, subflow: u32) -> Option<(u32, bool)> {
        if let Some(place) = self.stuck.as_mut().and_then(|stuck| stuck.take(subflow)) {
            return Some((place, true));
        }
        if self.taken == self.packets {
            return None;
        }
        self.taken += 1;
        Some((self.taken - 1, false))
    }
}

/// The connections of all flows. The connections of a flow are adjacent.
#[derive(Debug)]
pub(crate) struct Stream<C: Controller> {
    options: Options<C>,
    flows: Vec<Flow>,
    senders: Vec<Sender<C>>,
    /// The receiving end of each flow.
    arrivals: Vec<Arrivals>,
    /// The receiving end of each connection.
    receivers: Vec<Receiver>,
}

impl<C: Controller> Stream<C> {
    pub(super) fn new(options: Options<C>, flows: &Flows) -> Self {
        let payload = flows.payload();
        let packets = |bytes: u64| bytes.div_ceil(payload) as u32;
        let flow = |&bytes: &u64| {
            let last = ((bytes - 1) % payload + 1) as u16 + HEADER;
            Flow { packets: packets(bytes), last, ..Flow::default() }
        };
        let subflows = options.subflows as usize;
        let connections = flows.bytes.len() * subflows;
        let sender = |connection: usize| {
            let line_rate = flows.line(flows.source[connection / subflows]).rate;
            Sender::new(Start { window: options.window, line_rate }, &options)
        };
        Self {
            flows: memory::collect("flows", flows.bytes.iter().map(flow)),
            senders: memory::collect("senders", (0..connections).map(sender)),
            arrivals: memory::collect("arrivals", flows.bytes.iter().map(|&bytes| Arrivals::new(packets(bytes)))),
            receivers: memory::array("receivers", Receiver::default(), connections),
            options,
        }
    }

    /// Returns the number of the connection that is subflow `subflow` of `flow`.
    #[inline]
    fn connection(&self, flow: u32, subflow: u32) -> usize {
        flow as usize * self.options.subflows as usize + subflow as usize
    }

    fn start(&mut self, flow: u32, now: u64, out: &mut Actions) {
        if self.options.handshake {
            self.open(flow, 0, now, out);
        } else {
            for subflow in 0..self.options.subflows {
                let connection = self.connection(flow, subflow);
                self.senders[connection].opened(None, now);
                self.send(flow, subflow, now, out);
            }
        }
        self.set_alarm(flow, out);
    }

    /// Sends the opening packet of a connection.
    fn open(&mut self, flow: u32, subflow: u32, now: u64, out: &mut Actions) {
        let connection = self.connection(flow, subflow);
        self.senders[connection].open(now, &self.options);
        out.push(Action::Send(label(Outgoing::new(flow, Kind::Syn, 0, HEADER), subflow, self.options.subflows)));
    }

    /// Handles data or an opening packet at its destination.
    fn receive(&mut self, packet: &Packet, out: &mut Actions) {
        let (flow, subflow) = (packet.flow, packet.subflow());
        let connection = self.connection(flow, subflow);
        if packet.kind == Kind::Syn {
            let answer = Outgoing::new(flow, Kind::SynAck, 0, HEADER);
            return out.push(Action::Send(label(answer, subflow, self.options.subflows)));
        }
        let receiver = &mut self.receivers[connection];
        if !packet.has_payload() {
            // This transport treats a trimmed packet as lost.
            receiver.trimmed += 1;
            return;
        }
        let arrivals = &mut self.arrivals[flow as usize];
        if receiver.ring.note(packet.sequence) && arrivals.note(packet, self.options.subflows == 1) {
            out.push(Action::Delivered { flow });
        }
        let complete = if arrivals.is_complete() { flag::COMPLETE } else { 0 };
        let answer = Outgoing {
            number: receiver.ring.next(),
            echo: receiver.ring.run(packet.sequence),
            flags: complete | packet.flags & (flag::MARKED | flag::RETRANSMITTED),
            ..Outgoing::new(flow, Kind::Ack, packet.sequence, HEADER)
        };
        out.push(Action::Send(label(answer, subflow, self.options.subflows)));
    }

    /// Handles an acknowledgement or the answer to an opening packet at the source.
    fn answer(&mut self, packet: &Packet, now: u64, out: &mut Actions) {
        let (flow, subflow) = (packet.flow, packet.subflow());
        if self.flows[flow as usize].finished {
            return;
        }
        if packet.flags & flag::COMPLETE != 0 {
            self.flows[flow as usize].finished = true;
            let first = self.connection(flow, 0);
            self.senders[first..first + self.options.subflows as usize].iter_mut().for_each(Sender::close);
            return out.push(Action::Finished { flow });
        }
        let connection = self.connection(flow, subflow);
        if packet.kind == Kind::SynAck {
            if self.senders[connection].opened(Some(&self.options), now) {
                self.send(flow, subflow, now, out);
                if subflow == 0 {
                    // The other subflows join after the first subflow is open (RFC 8684 §3.2).
                    (1..self.options.subflows).for_each(|other| self.open(flow, other, now, out));
                }
            }
        } else {
            if let Some(stuck) = &mut self.flows[flow as usize].stuck {
                self.senders[connection].covered(packet).for_each(|place| stuck.acknowledge(place));
            }
            let limit = self.increase_limit(flow, connection);
            let reduced = self.senders[connection].acknowledge(packet, limit, now, &self.options);
            if reduced && self.options.change {
                out.push(Action::Leave { flow, layer: ANY_LAYER });
            }
            self.send(flow, subflow, now, out);
        }
        self.set_alarm(flow, out);
    }

    /// Returns how much the window of `connection` may grow per acknowledgement, in packets. The flow's other subflows limit this growth.
    fn increase_limit(&self, flow: u32, connection: usize) -> f64 {
        if self.options.subflows == 1 {
            return f64::INFINITY;
        }
        let first = self.connection(flow, 0);
        let subflows = self.senders[first..first + self.options.subflows as usize].iter();
        self.senders[connection].control.increase_limit(subflows.filter_map(Sender::window_and_rtt))
    }

    /// Sends as much as the window of a connection and the space at the endpoint allow.
    fn send(&mut self, flow: u32, subflow: u32, now: u64, out: &mut Actions) {
        let connection = self.connection(flow, subflow);
        let state = &mut self.flows[flow as usize];
        while self.options.has_room(state.unsent) {
            let Some((sequence, place, again)) =
                self.senders[connection].next(|| state.take(subflow), now, &self.options)
            else {
                return;
            };
            let size = if place + 1 == state.packets { state.last } else { self.options.mtu };
            if self.options.unsent.is_some() {
                state.unsent += u64::from(size);
            }
            let number = if self.options.subflows == 1 { 0 } else { place };
            let flags = if again { flag::RETRANSMITTED } else { 0 };
            self.senders[connection].pace(size, now, &self.options);
            let data = Outgoing { number, flags, ..Outgoing::new(flow, Kind::Data, sequence, size) };
            out.push(Action::Send(label(data, subflow, self.options.subflows)));
        }
        state.held = true;
    }

    /// Sends data after space has become free at the endpoint. The connections of the flow take turns.
    fn refill(&mut self, flow: u32, now: u64, out: &mut Actions) {
        let state = &mut self.flows[flow as usize];
        if state.finished {
            return;
        }
        let first = u32::from(state.turn);
        state.turn = ((first + 1) % self.options.subflows) as u8;
        (0..self.options.subflows).for_each(|place| self.send(flow, (first + place) % self.options.subflows, now, out));
        self.set_alarm(flow, out);
    }

    /// Reinjects the packets of the stale `subflow` into the other subflows.
    fn reinject(&mut self, flow: u32, subflow: u32, now: u64, out: &mut Actions) {
        let stuck = self.flows[flow as usize].stuck.get_or_insert_default();
        let connection = flow as usize * self.options.subflows as usize + subflow as usize;
        self.senders[connection].stuck().for_each(|place| stuck.add(place, subflow));
        (0..self.options.subflows).filter(|&other| other != subflow).for_each(|other| self.send(flow, other, now, out));
    }

    fn timer(&mut self, flow: u32, now: u64, out: &mut Actions) {
        self.flows[flow as usize].alarm.fired(now);
        if self.flows[flow as usize].finished {
            return;
        }
        for subflow in 0..self.options.subflows {
            let connection = self.connection(flow, subflow);
            if self.senders[connection].deadline > now {
                if self.senders[connection].wakes_at() <= now {
                    self.send(flow, subflow, now, out);
                }
                continue;
            }
            if self.senders[connection].is_opening() {
                self.senders[connection].timeouts += 1;
                self.senders[connection].rtt.back_off();
                self.open(flow, subflow, now, out);
                continue;
            }
            self.senders[connection].expire(now, &self.options);
            if self.options.change {
                out.push(Action::Leave { flow, layer: ANY_LAYER });
            }
            self.send(flow, subflow, now, out);
            if self.senders[connection].rtt.expiries() >= self.options.stale {
                self.reinject(flow, subflow, now, out);
            }
        }
        self.set_alarm(flow, out);
    }

    /// Schedules a wake-up of the flow at the earliest deadline or paced packet of its connections.
    fn set_alarm(&mut self, flow: u32, out: &mut Actions) {
        let first = self.connection(flow, 0);
        let senders = &self.senders[first..first + self.options.subflows as usize];
        let deadline = senders.iter().map(Sender::wakes_at).min().unwrap_or(NEVER);
        if deadline != NEVER
            && let Some(at) = self.flows[flow as usize].alarm.set(deadline)
        {
            out.push(Action::Timer { flow, at });
        }
    }
}

/// Returns `packet` as a packet of `subflow`, for a flow with `subflows` subflows. If the flow has only one subflow, the packet's field
/// `subflow` is [`NO_SUBFLOW`].
fn label(packet: Outgoing, subflow: u32, subflows: u32) -> Outgoing {
    let flags = packet.flags | (subflow as u8) << flag::SUBFLOW_SHIFT;
    Outgoing { flags, subflow: if subflows == 1 { NO_SUBFLOW } else { subflow as u8 }, ..packet }
}

impl<C: Controller> Machine for Stream<C> {
    const BYTES_PER_FLOW: usize =
        size_of::<Flow>() + size_of::<Sender<C>>() + size_of::<Arrivals>() + size_of::<Receiver>();

    fn handling(&self) -> Handling {
        self.options.handling
    }

    fn has_subflows(&self) -> bool {
        self.options.subflows > 1
    }

    fn sending(&self) -> Sending {
        Sending { bounded: self.options.unsent.is_some(), jitter: self.options.jitter, stops: false }
    }

    fn left(&mut self, flow: u32, size: u16) -> bool {
        let state = &mut self.flows[flow as usize];
        state.unsent -= u64::from(size);
        std::mem::take(&mut state.held)
    }

    fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        match event {
            Event::Start { flow } => self.start(flow, now, out),
            Event::Packet(packet) if packet.kind.is_forward() => self.receive(packet, out),
            Event::Packet(packet) => self.answer(packet, now, out),
            Event::Timer { flow, .. } => self.timer(flow, now, out),
            Event::Room { flow } => self.refill(flow, now, out),
            // These events need no action: flows pace themselves by their timers, and packets sent during a pause wait at the endpoint.
            Event::Pace { .. } | Event::Pause { .. } | Event::Held { .. } => {}
        }
    }

    #[inline]
    fn prefetch(&self, packet: &Packet) {
        let connection = self.connection(packet.flow, packet.subflow());
        match packet.kind {
            Kind::Data | Kind::Syn => prefetch(&self.receivers, connection),
            _ => prefetch(&self.senders, connection),
        }
    }

    fn tally(&self, flow: u32) -> Tally {
        let first = self.connection(flow, 0);
        let connections = first..first + self.options.subflows as usize;
        let (senders, receivers) = (&self.senders[connections.clone()], &self.receivers[connections]);
        Tally {
            bytes: self.arrivals[flow as usize].bytes,
            hops: self.arrivals[flow as usize].hops(),
            retransmits: senders.iter().map(|sender| sender.retransmits).sum(),
            trimmed: receivers.iter().map(|receiver| receiver.trimmed).sum(),
            timeouts: senders.iter().map(|sender| sender.timeouts).sum(),
        }
    }
}

#[cfg(test)]
mod tests;
