//! Window-based transports: TCP connections, one per flow or several that share a flow's packets (MPTCP).
//!
//! Sequence numbers count packets. Every data packet is acknowledged at once: the acknowledgement names the packet, the run of
//! packets that ends with it (a SACK block, RFC 2018), the first packet missing, and the packet's mark.

mod options;
mod receiver;
mod sender;

use tulle_fabric::spec::Parameters;

use super::alarm::Alarm;
use super::{ALONE, ANY, Action, Actions, Event, Handling, Machine, Outgoing, Served, Tally};
use crate::outcome::NEVER;
use crate::packet::{HEADER, Kind, Packet, flag};
use crate::prefetch::prefetch;
pub(super) use options::{COMMON, Options, Response};
use receiver::Receiver;
use sender::{Rise, Sender};

/// A flow, beside its connections.
#[derive(Debug, Default)]
struct Flow {
    packets: u32,
    /// Packets that no connection has taken yet, and packets that have arrived.
    unsent: u32,
    arrived: u32,
    /// Bytes on the wire of the last packet.
    last: u16,
    finished: bool,
    alarm: Alarm,
}

/// Connections of all flows; those of a flow follow one another.
#[derive(Debug)]
pub(crate) struct Stream {
    options: Options,
    subflows: u32,
    flows: Vec<Flow>,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
}

impl Stream {
    pub(super) fn new(options: Options, served: &Served) -> Self {
        let payload = served.link.payload();
        let flow = |&bytes: &u64| {
            let packets = bytes.div_ceil(payload) as u32;
            let last = ((bytes - 1) % payload + 1) as u16 + HEADER;
            Flow { packets, unsent: packets, last, ..Flow::default() }
        };
        let subflows = options.subflows();
        let connections = served.bytes.len() * subflows as usize;
        Self {
            options,
            subflows,
            flows: served.bytes.iter().map(flow).collect(),
            senders: vec![Sender::new(&options); connections],
            receivers: vec![Receiver::default(); connections],
        }
    }

    /// The connection of `flow` that is its `subflow`.
    #[inline]
    fn connection(&self, flow: u32, subflow: u32) -> usize {
        flow as usize * self.subflows as usize + subflow as usize
    }

    fn start(&mut self, flow: u32, now: u64, out: &mut Actions) {
        if self.options.handshake {
            self.open(flow, 0, now, out);
        } else {
            for subflow in 0..self.subflows {
                let connection = self.connection(flow, subflow);
                self.senders[connection].opened(None, now);
                self.send(flow, subflow, now, out);
            }
        }
        self.set_alarm(flow, out);
    }

    /// Sends the opening of a connection.
    fn open(&mut self, flow: u32, subflow: u32, now: u64, out: &mut Actions) {
        let connection = self.connection(flow, subflow);
        self.senders[connection].open(now, &self.options);
        out.push(Action::Send(self.label(Outgoing::new(flow, Kind::Syn, 0, HEADER), subflow)));
    }

    /// Puts the subflow into a packet.
    fn label(&self, packet: Outgoing, subflow: u32) -> Outgoing {
        let alone = self.subflows == 1;
        let flags = packet.flags | (subflow as u8) << flag::SUBFLOW_SHIFT;
        Outgoing { flags, subflow: if alone { ALONE } else { subflow as u8 }, ..packet }
    }

    /// Data or an opening is at its destination.
    fn receive(&mut self, packet: &Packet, out: &mut Actions) {
        let (flow, subflow) = (packet.flow, packet.subflow());
        let connection = self.connection(flow, subflow);
        if packet.kind == Kind::Syn {
            let answer = Outgoing::new(flow, Kind::SynAck, 0, HEADER);
            return out.push(Action::Send(self.label(answer, subflow)));
        }
        let receiver = &mut self.receivers[connection];
        if !packet.has_payload() {
            // A trimmed packet is a lost one here.
            receiver.trimmed += 1;
            return;
        }
        let state = &mut self.flows[flow as usize];
        if receiver.note(packet) {
            state.arrived += 1;
            if state.arrived == state.packets {
                out.push(Action::Delivered { flow });
            }
        }
        let complete = if state.arrived == state.packets { flag::COMPLETE } else { 0 };
        let answer = Outgoing {
            number: receiver.next(),
            echo: receiver.run(packet.sequence),
            flags: complete | packet.flags & flag::MARKED,
            ..Outgoing::new(flow, Kind::Ack, packet.sequence, HEADER)
        };
        out.push(Action::Send(self.label(answer, subflow)));
    }

    /// An answer is at the source.
    fn answer(&mut self, packet: &Packet, now: u64, out: &mut Actions) {
        let (flow, subflow) = (packet.flow, packet.subflow());
        if self.flows[flow as usize].finished {
            return;
        }
        if packet.flags & flag::COMPLETE != 0 {
            self.flows[flow as usize].finished = true;
            let first = self.connection(flow, 0);
            self.senders[first..first + self.subflows as usize].iter_mut().for_each(Sender::close);
            return out.push(Action::Finished { flow });
        }
        let connection = self.connection(flow, subflow);
        if packet.kind == Kind::SynAck {
            if self.senders[connection].opened(Some(&self.options), now) {
                self.send(flow, subflow, now, out);
                if subflow == 0 {
                    // The others join once the first is there (RFC 8684 §3.2).
                    (1..self.subflows).for_each(|other| self.open(flow, other, now, out));
                }
            }
        } else {
            let rise = self.rise(flow, connection);
            let reduced = self.senders[connection].acknowledge(packet, rise, now, &self.options);
            if reduced && self.options.change {
                out.push(Action::Leave { flow, layer: ANY });
            }
            self.send(flow, subflow, now, out);
        }
        self.set_alarm(flow, out);
    }

    /// How a connection's window grows in congestion avoidance.
    fn rise(&self, flow: u32, connection: usize) -> Rise {
        if self.subflows == 1 || self.senders[connection].window.is_slow_start() {
            return Rise::Alone;
        }
        let first = self.connection(flow, 0);
        let siblings = self.senders[first..first + self.subflows as usize].iter();
        Rise::Coupled(super::mptcp::increase(siblings.filter_map(Sender::rate)))
    }

    /// Sends what the window of a connection allows.
    fn send(&mut self, flow: u32, subflow: u32, now: u64, out: &mut Actions) {
        let connection = self.connection(flow, subflow);
        loop {
            let Flow { unsent, last, .. } = &mut self.flows[flow as usize];
            let Some((sequence, is_last)) = self.senders[connection].next(unsent, now, &self.options) else { return };
            let size = if is_last { *last } else { self.options.mtu };
            out.push(Action::Send(self.label(Outgoing::new(flow, Kind::Data, sequence, size), subflow)));
        }
    }

    fn timer(&mut self, flow: u32, now: u64, out: &mut Actions) {
        self.flows[flow as usize].alarm.fired(now);
        if self.flows[flow as usize].finished {
            return;
        }
        for subflow in 0..self.subflows {
            let connection = self.connection(flow, subflow);
            if self.senders[connection].deadline > now {
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
                out.push(Action::Leave { flow, layer: ANY });
            }
            self.send(flow, subflow, now, out);
        }
        self.set_alarm(flow, out);
    }

    /// Wakes the flow up at the first deadline of its connections.
    fn set_alarm(&mut self, flow: u32, out: &mut Actions) {
        let first = self.connection(flow, 0);
        let senders = &self.senders[first..first + self.subflows as usize];
        let deadline = senders.iter().map(|sender| sender.deadline).min().unwrap_or(NEVER);
        if deadline != NEVER
            && let Some(at) = self.flows[flow as usize].alarm.set(deadline)
        {
            out.push(Action::Timer { flow, at });
        }
    }
}

impl Machine for Stream {
    fn parameters(&self) -> Parameters {
        self.options.parameters()
    }

    fn handling(&self) -> Handling {
        self.options.handling
    }

    fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        match event {
            Event::Start { flow } => self.start(flow, now, out),
            Event::Packet(packet) if packet.kind.is_forward() => self.receive(packet, out),
            Event::Packet(packet) => self.answer(packet, now, out),
            Event::Timer { flow } => self.timer(flow, now, out),
            // There is no pacer, and what is sent during a pause waits at the endpoint.
            Event::Pace { .. } | Event::Pause { .. } => {}
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
        let connections = first..first + self.subflows as usize;
        let (senders, receivers) = (&self.senders[connections.clone()], &self.receivers[connections]);
        let hops: u64 = receivers.iter().map(|receiver| receiver.hops).sum();
        let arrived = self.flows[flow as usize].arrived;
        Tally {
            hops: if arrived == 0 { 0.0 } else { (hops as f64 / f64::from(arrived)) as f32 },
            retransmits: senders.iter().map(|sender| sender.retransmits).sum(),
            trimmed: receivers.iter().map(|receiver| receiver.trimmed).sum(),
            timeouts: senders.iter().map(|sender| sender.timeouts).sum(),
        }
    }
}
