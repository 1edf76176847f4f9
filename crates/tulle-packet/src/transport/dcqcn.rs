//! DCQCN on RoCE: packets paced at a rate that notices of marks reduce, in order or again from the gap (go-back-N).

mod endpoint;
mod flow;
mod rate;

use tulle_fabric::memory;
use tulle_spec::{Arguments, Info, Parameter, Parameters};

use super::{Actions, Event, Flows, Handling, Machine, Tally};
use crate::Error;
use crate::packet::{HEADER, Kind, Packet};
use crate::port::Class;
use crate::units::{self, MICROSECOND, SECOND};
use endpoint::Endpoint;
use flow::{Receiver, Sender};
use rate::Control;
use tulle_fabric::prefetch::prefetch;

pub(super) const INFO: Info = Info {
    name: "dcqcn",
    summary: "RoCE: go-back-N at rates that notices of marked packets reduce; for lossless queues",
    parameters: &[
        Parameter::prose(
            "control",
            "yes, no",
            "yes",
            "control the rate; else every flow sends at the rate of the link",
        ),
        Parameter::prose("notice", "1us to 1s", "50us", "least time between notices of a flow (N)"),
        Parameter::prose(
            "gain",
            "above 0 and at most 1",
            "0.00390625",
            "weight of a notice in the estimate of congestion (g = 1/256)",
        ),
        Parameter::prose(
            "timer",
            "1us to 1s",
            "55us",
            "time after which the estimate decays and the rate rises (K, T)",
        ),
        Parameter::prose("counter", "1KB to 1TB", "10MB", "bytes sent after which the rate rises (B)"),
        Parameter::prose("step", "1Kbps to 1Tbps", "40Mbps", "additive increase of the target rate (R_AI)"),
        Parameter::prose(
            "leap",
            "1Kbps to 1Tbps",
            "400Mbps",
            "hyper increase of the target rate (R_HAI), ten steps as in QCN",
        ),
        Parameter::prose("least", "1Kbps to the link's", "10Mbps", "least rate of a flow"),
        Parameter::prose(
            "timeout",
            "1us to 60s",
            "as long as 1000 full packets take, at least 1ms",
            "silence after which a flow goes back to what is unacknowledged; doubles each time",
        ),
        Parameter::prose(
            "window",
            "bdp, 1 to 1048576",
            "bdp",
            "most packets in flight while a flow makes up for having gone back, halved each time it does; bdp: what the \
                   link sends in the shortest round trip measured",
        ),
    ],
    nested: false,
    paper: "Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 §3, §5.2; Flattened Clos §5, §6.2",
    limitations: "A rate that rises while a packet waits for its turn counts from the next one; every packet is acknowledged; \
                  before a flow first goes back nothing bounds what it has in flight.",
    examples: &["dcqcn", "dcqcn:control=no", "dcqcn:timer=100us,step=10Mbps,timeout=500us,window=8"],
    rejects: &[
        ("dcqcn:gain=2", "gain=2 is out of range"),
        ("dcqcn:timer=1ns", "timer=1ns is out of range; legal: 1us to 1s"),
        ("dcqcn:window=0", "window=0 is out of range; legal: 1 to 1048576"),
        ("dcqcn:least=1Tbps", "least=1Tbps is out of range; legal: 1Kbps to 10Gbps"),
    ],
};

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
pub(crate) struct Dcqcn {
    options: Options,
    /// What was read, resolved, whether control is on or not.
    parameters: Control,
    sources: Vec<u32>,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    endpoints: Vec<Endpoint>,
}

pub(super) fn read(arguments: &Arguments, flows: &Flows) -> Result<Dcqcn, Error> {
    let link = flows.slowest();
    let (kilobit, terabit) = (1_000, 1_000_000_000_000);
    let duration =
        |name, default| Ok::<_, Error>(units::read_duration(arguments, name, MICROSECOND..=SECOND)?.unwrap_or(default));
    let rate = |name, default: u64, most| {
        Ok::<_, Error>(units::read_rate(arguments, name, kilobit..=most)?.unwrap_or(default))
    };
    let parameters = Control {
        gain: arguments.fraction("gain", false)?.unwrap_or(1.0 / 256.0),
        timer: duration("timer", 55 * MICROSECOND)?,
        counter: units::read_bytes(arguments, "counter", 1_000..=1_000_000_000_000)?.unwrap_or(10_000_000),
        step: rate("step", 40_000_000, terabit)?,
        leap: rate("leap", 400_000_000, terabit)?,
        least: rate("least", 10_000_000.min(link.rate), link.rate)?,
    };
    let usual = (1000 * link.time(link.mtu)).clamp(1000 * MICROSECOND, 60 * SECOND);
    let options = Options {
        control: units::read_choice(arguments, "control", true)?.then_some(parameters),
        notice: duration("notice", 50 * MICROSECOND)?,
        timeout: units::read_duration(arguments, "timeout", MICROSECOND..=60 * SECOND)?.unwrap_or(usual),
        window: match arguments.text("window") {
            None | Some("bdp") => None,
            Some(_) => arguments.integer("window", 1..=1 << 20)?.map(|window| window as u32),
        },
        mtu: link.mtu,
    };
    let payload = link.payload();
    let count = |bytes: u64| bytes.div_ceil(payload) as u32;
    let sender = |(flow, &bytes): (usize, &u64)| {
        let last = ((bytes - 1) % payload + 1) as u16 + HEADER;
        let line = flows.source.get(flow).map_or(link, |&source| flows.line(source));
        Sender::new(count(bytes), last, [line.full(), line.time(last)], line.rate)
    };
    Ok(Dcqcn {
        options,
        parameters,
        sources: flows.source.to_vec(),
        senders: memory::collect("senders", flows.bytes.iter().enumerate().map(sender)),
        receivers: memory::collect("receivers", flows.bytes.iter().map(|&bytes| Receiver::new(count(bytes)))),
        endpoints: vec![Endpoint::default(); flows.endpoints],
    })
}

/// What is kept for a flow.
pub(super) const BYTES_PER_FLOW: usize = size_of::<u32>() + size_of::<Sender>() + size_of::<Receiver>();

impl Dcqcn {
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

impl Machine for Dcqcn {
    fn parameters(&self) -> Parameters {
        let Options { control, notice, timeout, window, .. } = self.options;
        let Control { gain, timer, counter, step, leap, least } = self.parameters;
        let parameters = Parameters::new()
            .word("control", units::choice(control.is_some()))
            .word("notice", units::duration(notice))
            .real("gain", gain)
            .word("timer", units::duration(timer))
            .bytes("counter", counter)
            .word("step", units::rate(step))
            .word("leap", units::rate(leap))
            .word("least", units::rate(least))
            .word("timeout", units::duration(timeout));
        match window {
            Some(window) => parameters.integer("window", window),
            None => parameters.word("window", "bdp"),
        }
    }

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
