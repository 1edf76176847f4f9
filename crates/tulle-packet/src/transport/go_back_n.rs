//! The go-back-N transport of RoCE NICs. Packets are paced at a rate. After a gap, the source retransmits all packets from the gap on.
//!
//! Congestion control is a type parameter; see [`super::congestion`].

mod endpoint;
mod flow;

use tulle_base::memory;
use tulle_spec::parameters;

use super::congestion::Controller;
use super::{Actions, Event, Flows, Handling, Machine, Sending, Tally};
use crate::packet::{HEADER, Kind, Packet};
use crate::port::Class;
use crate::units::{MICROSECOND, SECOND};
use endpoint::Endpoint;
use flow::{Receiver, Sender};
use tulle_base::prefetch::prefetch;

parameters! {
    /// Parameters of loss recovery.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct GoBack(arguments, flows: Flows<'a>) {
        /// time without progress after which a flow goes back to its first unacknowledged packet; doubles with every consecutive timeout
        timeout: u64 = duration_of(MICROSECOND, 60 * SECOND), or "transmission time of 1000 full packets, 1ms to 60s" {
            (1000 * flows.slowest().full()).clamp(1000 * MICROSECOND, 60 * SECOND)
        };
        /// limit of packets in flight while a flow recovers after going back; a gap halves the limit, and a timeout reduces it to 1; bdp:
        /// the packets that the link sends in the shortest measured round trip
        window: Option<u32> = or("bdp", &integer(1, 1 << 20)), default "bdp";
    }
}

/// The resolved options of the transport with controllers of type `C`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<C: Controller> {
    /// Parameters of congestion control.
    control: C::Parameters,
    /// Minimum time between congestion notifications of a flow, in picoseconds.
    notice: u64,
    timeout: u64,
    /// Limit of outstanding packets after going back; `None`: the bandwidth-delay product.
    window: Option<u32>,
    mtu: u16,
}

impl<C: Controller> Options<C> {
    pub(super) fn new(recovery: GoBack, notice: u64, control: C::Parameters, flows: &Flows) -> Self {
        let GoBack { timeout, window } = recovery;
        Self { control, notice, timeout, window, mtu: flows.mtu() }
    }
}

/// The transport: the two ends of all flows, and the endpoints, whose flows send in turn.
#[derive(Debug)]
pub(crate) struct GoBackN<C: Controller> {
    options: Options<C>,
    sources: Vec<u32>,
    senders: Vec<Sender<C>>,
    receivers: Vec<Receiver>,
    endpoints: Vec<Endpoint>,
}

impl<C: Controller> GoBackN<C> {
    pub(super) fn new(options: Options<C>, flows: &Flows) -> Self {
        let link = flows.slowest();
        let payload = link.payload();
        let count = |bytes: u64| bytes.div_ceil(payload) as u32;
        let sender = |(flow, &bytes): (usize, &u64)| {
            let last = ((bytes - 1) % payload + 1) as u16 + HEADER;
            let line = flows.source.get(flow).map_or(link, |&source| flows.line(source));
            Sender::new(count(bytes), last, [line.full(), line.time(last)], line.rate, &options)
        };
        Self {
            sources: flows.source.to_vec(),
            senders: memory::collect("senders", flows.bytes.iter().enumerate().map(sender)),
            receivers: memory::collect("receivers", flows.bytes.iter().map(|&bytes| Receiver::new(count(bytes)))),
            endpoints: vec![Endpoint::default(); flows.endpoints],
            options,
        }
    }

    /// Schedules `flow` at its source. The flow sends now or when its turn comes.
    fn enqueue(&mut self, flow: u32, now: u64, out: &mut Actions) {
        let endpoint = self.sources[flow as usize];
        let sender = &mut self.senders[flow as usize];
        if sender.wants_turn() {
            self.endpoints[endpoint as usize].add(sender.turn(now), flow);
        }
        self.pace(endpoint, now, out);
    }

    fn pace(&mut self, endpoint: u32, now: u64, out: &mut Actions) {
        self.endpoints[endpoint as usize].pace(&mut self.senders, endpoint, now, &self.options, out);
    }
}

impl<C: Controller> Machine for GoBackN<C> {
    const BYTES_PER_FLOW: usize = size_of::<u32>() + size_of::<Sender<C>>() + size_of::<Receiver>();

    fn handling(&self) -> Handling {
        // RDMA NICs handle packets in hardware, without software delays and interrupts.
        Handling::AT_ONCE
    }

    fn sending(&self) -> Sending {
        Sending { stops: true, ..Sending::AT_ONCE }
    }

    fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        match event {
            Event::Start { flow } => {
                self.senders[flow as usize].start(flow, now, &self.options, out);
                self.enqueue(flow, now, out);
            }
            Event::Packet(packet) if packet.kind == Kind::Data => {
                self.receivers[packet.flow as usize].receive(packet, now, &self.options, out);
            }
            Event::Packet(packet) => {
                self.senders[packet.flow as usize].receive(packet, now, &self.options, out);
                self.enqueue(packet.flow, now, out);
            }
            Event::Pace { endpoint } => {
                self.endpoints[endpoint as usize].fired(now);
                self.pace(endpoint, now, out);
            }
            Event::Timer { flow, .. } => {
                self.senders[flow as usize].timer(flow, now, &self.options, out);
                self.enqueue(flow, now, out);
            }
            Event::Room { .. } => {}
            Event::Held { flow, held } => {
                self.senders[flow as usize].held = held;
                self.enqueue(flow, now, out);
            }
            Event::Pause { endpoint, class, paused } => {
                if class == Class::Bulk {
                    self.endpoints[endpoint as usize].paused = paused;
                    self.pace(endpoint, now, out);
                }
            }
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
