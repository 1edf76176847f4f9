//! DCQCN on RoCE: packets paced at a rate that notices of marks reduce, in order or again from the gap (go-back-N).

mod endpoint;
mod flow;
mod rate;

use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_spec::plugin;

use super::{Actions, Event, Flows, Handling, Machine, Tally};
use crate::packet::{HEADER, Kind, Packet};
use crate::port::Class;
use crate::units::{MICROSECOND, SECOND};
use endpoint::Endpoint;
use flow::{Receiver, Sender};
use rate::Control;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Dcqcn(arguments, flows: Flows<'a>) {
        /// control the rate; else every flow sends at the rate of the link
        control: bool = flag(), default "yes";
        /// least time between notices of a flow (N)
        notice: u64 = duration_of(MICROSECOND, SECOND), default "50us";
        rates: Control;
        /// silence after which a flow goes back to what is unacknowledged; doubles each time
        timeout: u64 = duration_of(MICROSECOND, 60 * SECOND), or "as long as 1000 full packets take, at least 1ms" {
            (1000 * flows.slowest().full()).clamp(1000 * MICROSECOND, 60 * SECOND)
        };
        /// most packets in flight while a flow makes up for having gone back, halved each time it does; bdp: what the link
        /// sends in the shortest round trip measured
        window: Option<u32> = or("bdp", &integer(1, 1 << 20)), default "bdp";
        machine: Paced => {
            let mtu = flows.mtu();
            Paced::new(Options { control: control.then_some(rates), notice, timeout, window, mtu }, flows)
        };
    }
    name: "dcqcn",
    summary: "RoCE: go-back-N at rates that notices of marked packets reduce; for lossless queues",
    paper: "Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 §3, §5.2; Flattened Clos §5, \
        §6.2",
    limitations: "A rate that rises while a packet waits for its turn counts from the next one; every packet is \
        acknowledged; before a flow first goes back nothing bounds what it has in flight.",
    examples: ["dcqcn", "dcqcn:control=no", "dcqcn:timer=100us,step=10Mbps,timeout=500us,window=8"],
    rejects: [
        ("dcqcn:gain=2", "gain=2 is out of range"),
        ("dcqcn:timer=1ns", "timer=1ns is out of range; legal: 1us to 1s"),
        ("dcqcn:window=0", "window=0 is out of range; legal: 1 to 1048576"),
        ("dcqcn:least=1Tbps", "least=1Tbps is out of range; legal: 1Kbps to 10Gbps"),
    ],
}

runs!(Dcqcn: Paced, "pfc", BYTES_PER_FLOW);

/// Parameters of the transport.
#[derive(Debug, Clone, Copy)]
struct Options {
    control: Option<Control>,
    notice: u64,
    timeout: u64,
    /// Packets; `None` for the bandwidth-delay product.
    window: Option<u32>,
    mtu: u16,
}

/// Flows, and the endpoints that send them in turn.
#[derive(Debug)]
pub(crate) struct Paced {
    options: Options,
    sources: Vec<u32>,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    endpoints: Vec<Endpoint>,
}

/// Bytes of state for a flow.
const BYTES_PER_FLOW: usize = size_of::<u32>() + size_of::<Sender>() + size_of::<Receiver>();

impl Paced {
    fn new(options: Options, flows: &Flows) -> Self {
        let link = flows.slowest();
        let payload = link.payload();
        let count = |bytes: u64| bytes.div_ceil(payload) as u32;
        let sender = |(flow, &bytes): (usize, &u64)| {
            let last = ((bytes - 1) % payload + 1) as u16 + HEADER;
            let line = flows.source.get(flow).map_or(link, |&source| flows.line(source));
            Sender::new(count(bytes), last, [line.full(), line.time(last)], line.rate)
        };
        Self {
            options,
            sources: flows.source.to_vec(),
            senders: memory::collect("senders", flows.bytes.iter().enumerate().map(sender)),
            receivers: memory::collect("receivers", flows.bytes.iter().map(|&bytes| Receiver::new(count(bytes)))),
            endpoints: vec![Endpoint::default(); flows.endpoints],
        }
    }

    /// Lets the source of `flow` send it, now or in its turn.
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

impl Machine for Paced {
    fn handling(&self) -> Handling {
        // RDMA: no software, no interrupts.
        Handling::AT_ONCE
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
