//! FatPaths' transport, which its paper calls purified (§III-C), and NDP, on which it is based. Both are receiver-driven transports for
//! switches that trim packets.
//!
//! A sender sends its first window at line rate and then one packet per pull. A receiver immediately acknowledges every packet (ACK) and
//! every trimmed header (NACK). For each packet or header, the receiver pulls one packet, paced at a fraction (`pace`) of the rate of its
//! link. If the pacer is free, the pull is part of the acknowledgement. Otherwise, the pull waits for its turn (round robin over the flows
//! of the endpoint).
//! Pulls are numbered, so a pull also replaces earlier lost pulls. Acknowledgements carry the number of arrivals. From this number, the
//! source learns which credits were lost with packets, headers and acknowledgements (see `sender` and `loss_detector`).

mod loss_detector;
mod pacer;
mod receiver;
mod scoreboard;
mod sender;

use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_spec::{parameters, plugin};

use super::{Actions, Credits, Event, Flows, Machine, Tally};
use crate::packet::{HEADER, Kind, Packet};
use crate::units::{MICROSECOND, SECOND};
use pacer::Pacer;
use receiver::Receiver;
use sender::Sender;

parameters! {
    /// The parameters of receiver-driven transports.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Pull(arguments, flows: Flows<'a>) {
        /// time without an answer after which unanswered packets are retransmitted; measured round-trip times shorten it,
        /// and consecutive timeouts double it, up to a limit
        timeout: u64 = duration_of(MICROSECOND, SECOND), or "transmission time of 1000 full packets, 1ms to 1s" {
            // The default is long because a packet can wait at the source behind many windows of packets of other flows.
            (1000 * flows.slowest().full()).clamp(1000 * MICROSECOND, SECOND)
        };
        /// rate at which receivers pull, as a fraction of the link rate
        pace: f64 = fraction(), default "0.99";
    }
}

plugin! {
    #[derive(Debug)]
    pub(crate) struct Purified(arguments, flows: Flows<'a>) {
        /// packets that a flow sends before the first pull
        window: u32 = integer(1, 65_535), default "8";
        pull: Pull;
        /// whether switches send retransmissions before other data
        priority: bool = flag(), default "yes";
        /// whether the receiver asks the flow to leave a layer if packets of this layer arrive trimmed
        change: bool = flag(), default "yes";
        machine: ReceiverDriven => ReceiverDriven::new(Options { priority, change, ..Options::new(window, pull, flows) }, flows);
    }
    name: "purified",
    summary: "FatPaths: NDP with priority for retransmissions and changes of layer on trimming",
    paper: "FatPaths §III-C, §V-F, §VII-A6; Handley et al., NDP, SIGCOMM 2017",
    limitations: "Every packet is acknowledged separately.",
    examples: ["purified:window=8", "purified", "purified:window=16,timeout=500us,priority=no,change=no"],
    rejects: [
        ("purified:window=0", "window=0 is out of range; legal: 1 to 65535"),
        ("purified:timeout=1ns", "timeout=1ns is out of range; legal: 1us to 1s"),
        ("purified:pace=2", "pace=2 is out of range"),
        ("purified:priority=maybe", "priority=maybe is not a choice; legal: yes, no"),
    ],
}

plugin! {
    #[derive(Debug)]
    pub(crate) struct Ndp(arguments, flows: Flows<'a>) {
        /// packets that a flow sends before the first pull
        window: u32 = integer(1, 65_535), default "30";
        pull: Pull;
        machine: ReceiverDriven => ReceiverDriven::new(Options::new(window, pull, flows), flows);
    }
    name: "ndp",
    summary: "receiver-driven transport over trimming switches",
    paper: "Handley et al., Re-architecting datacenter networks and stacks for low latency and high performance (NDP), \
        SIGCOMM 2017 §3",
    limitations: "Return-to-sender and path penalties are not implemented.",
    examples: ["ndp:window=30", "ndp"],
    rejects: [("ndp:window=65536", "window=65536 is out of range"), ("ndp:change=yes", "unknown parameter")],
}

runs!(Purified: ReceiverDriven, "trim", "recycle");
runs!(Ndp: ReceiverDriven, "trim", "recycle");

/// The resolved parameters of the transport.
#[derive(Debug, Clone, Copy)]
struct Options {
    /// The number of packets that a flow sends before the first pull.
    window: u32,
    /// The time in picoseconds without an answer after which unanswered packets are retransmitted. It applies while the round-trip
    /// time is unknown or data waits at the flow's source.
    timeout: u64,
    /// The minimum reordering window in picoseconds. After the answer to a packet, earlier packets must be answered within the reordering
    /// window. Otherwise, they count as lost.
    reordering_window: u64,
    /// Whether retransmissions are marked urgent.
    priority: bool,
    /// Whether receivers ask flows to leave layers.
    change: bool,
    /// Size of a full packet on the wire in bytes.
    mtu: u16,
    /// Rate of pulls as a fraction of the link rate.
    pace: f64,
}

/// The flows of a receiver-driven transport.
#[derive(Debug)]
pub(crate) struct ReceiverDriven {
    options: Options,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    pacers: Vec<Pacer>,
}

impl Options {
    /// Returns the options of NDP.
    fn new(window: u32, Pull { timeout, pace }: Pull, flows: &Flows) -> Self {
        // A path in a three-level fat tree has five queues, so the delays of two paths differ by at most five full queues. The constant is
        // one queue larger.
        const QUEUES: u64 = 6;
        const MIN_PACKETS: u64 = 128;
        let least = MIN_PACKETS * flows.slowest().full();
        let reordering_window = flows.drain.saturating_mul(QUEUES).max(least).min(timeout);
        Self { window, timeout, reordering_window, priority: false, change: false, mtu: flows.mtu(), pace }
    }
}

impl ReceiverDriven {
    fn new(options: Options, flows: &Flows) -> Self {
        let payload = flows.payload();
        let count = |bytes: u64| bytes.div_ceil(payload) as u32;
        let senders = flows.bytes.iter().map(|&bytes| {
            let last = (bytes - 1) % payload + 1;
            Sender::new(count(bytes), last as u16 + HEADER)
        });
        Self {
            options,
            senders: memory::collect("senders", senders),
            receivers: memory::collect("receivers", flows.bytes.iter().map(|&bytes| Receiver::new(count(bytes)))),
            // With a pace of 1, a receiver pulls one packet per transmission time of a full packet, so the pulled packets just fill its
            // link.
            pacers: (0..flows.endpoints as u32)
                .map(|endpoint| Pacer::new((flows.line(endpoint).full() as f64 / options.pace) as u64))
                .collect(),
        }
    }
}

impl Machine for ReceiverDriven {
    const BYTES_PER_FLOW: usize = size_of::<Sender>() + size_of::<Receiver>();

    fn credits(&self, flow: u32) -> Option<Credits> {
        let (sender, receiver) = (&self.senders[flow as usize], &self.receivers[flow as usize]);
        (!receiver.is_complete()).then(|| sender.credits(receiver))
    }

    fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        let options = &self.options;
        match event {
            Event::Start { flow } => self.senders[flow as usize].start(flow, now, options, out),
            Event::Packet(packet) if packet.kind == Kind::Data => {
                let pacer = &mut self.pacers[packet.destination as usize];
                receiver::receive(&mut self.receivers, pacer, packet, now, options, out);
            }
            Event::Packet(packet) => self.senders[packet.flow as usize].receive(packet, now, options, out),
            Event::Pace { endpoint } => {
                self.pacers[endpoint as usize].fire(&mut self.receivers, endpoint, now, out);
            }
            Event::Timer { flow, held } => self.senders[flow as usize].timer(flow, held, now, options, out),
            // Packets sent during a pause wait at the endpoint.
            Event::Pause { .. } | Event::Held { .. } | Event::Room { .. } => {}
        }
    }

    #[inline]
    fn prefetch(&self, packet: &Packet) {
        match packet.kind {
            Kind::Data => prefetch(&self.receivers, packet.flow as usize),
            _ => prefetch(&self.senders, packet.flow as usize),
        }
    }

    fn tally(&self, flow: u32) -> Tally {
        let (sender, receiver) = (&self.senders[flow as usize], &self.receivers[flow as usize]);
        Tally {
            bytes: receiver.bytes,
            hops: receiver.hops(),
            retransmits: sender.retransmits,
            trimmed: receiver.trimmed,
            timeouts: sender.timeouts,
        }
    }
}
