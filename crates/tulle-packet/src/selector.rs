//! Selectors, which choose the layer of a packet and its path in the layer. A selector needs one file and one line in the registry.
//!
//! A selector identifies a path by a layer and an *entropy*. Switches derive their choices among equal-cost ports from the entropy.
//! Acknowledgements and pulls stay in layer 0, usually the layer of shortest paths, unless a failure moves them to another layer. They are
//! small and usually have priority, so only latency matters. The selector `spray` spreads them over the paths of layer 0, and `letflow`
//! chooses their ports per flowlet. Other selectors use one path per flow.
//!
//! With a path set, the paths of a switch pair replace the layers: a selector that would choose layer s chooses path s. A selector that
//! would stay in layer 0 and choose among its equal-cost paths chooses among all paths of the pair. Acknowledgements use the paths
//! of the reverse pair.
//!
//! Some selectors learn: for each packet, they get feedback on its path from the answers that reach the source. An answer is an
//! acknowledgement of a packet or of its trimmed header.

mod choices;
mod journal;
mod permutation;

use tulle_base::random::{fnv1a, mix};
use tulle_spec::{Info, Plugin, Registered, registry};

use crate::Error;
use crate::config::Link;
use crate::forwarding::Forwarding;
use crate::link_table::{ByKind, LinkTable};
use crate::packet::{self, Packet, flag};
pub(crate) use crate::path::Path;
use crate::port::Port;
use crate::transport::ANY_LAYER;
pub(crate) use choices::Choices;
use journal::Journal;

/// A selector with the values of its parameters, for the flows of one simulation.
#[derive(Debug)]
pub(crate) struct Selector {
    kind: Kind,
    choices: Choices,
    seed: u64,
    is_in_switch: bool,
    /// The paths of unanswered packets, if the selector learns from answers.
    journal: Option<Journal>,
}

registry! {
    /// All selectors, in the order of `tulle list selectors`.
    static SELECTORS: Selectors("selector", Flows<'a>) -> Error =
        /// A registered selector.
        #[derive(Debug)]
        enum Kind by each;
    mod ecmp: Ecmp;
    mod spray: Spray;
    mod flowlet: Flowlet;
    mod letflow: LetFlow;
    mod random: Random;
    mod round_robin: RoundRobin;
    mod ksp_adaptive: KspAdaptive;
    mod size_aware: SizeAware;
    mod reps: Reps;
    mod ugal: Ugal;
    mod spritz: Spritz;
    mod recycle: Recycle;
    #[cfg(test)]
    mod toy: Toy;
}

/// The flows that a selector serves, and the layers or paths that it can choose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flows<'a> {
    /// The source endpoint of each flow.
    pub(crate) source: &'a [u32],
    /// The destination endpoint of each flow.
    pub(crate) destination: &'a [u32],
    /// The switch of each endpoint.
    pub(crate) endpoint_switch: &'a [u32],
    /// The payload of each flow in bytes.
    pub(crate) bytes: &'a [u64],
    pub(crate) choices: &'a Choices,
    pub(crate) seed: u64,
}

/// The two switches between which a flow's answers travel: from the switch of the flow's destination to the switch of its source.
pub(crate) struct ReversePath<'a> {
    pub(crate) forwarding: &'a Forwarding<'a>,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The state of a switch that a selector can read when it chooses a path in the switch.
pub(crate) struct View<'a> {
    pub(crate) now: u64,
    pub(crate) switch: u32,
    /// Whether the packet comes from an endpoint of this switch.
    pub(crate) is_first: bool,
    pub(crate) forwarding: &'a Forwarding<'a>,
    links: &'a LinkTable,
    ports: &'a [Port],
    drains: &'a ByKind<u64>,
}

impl<'a> View<'a> {
    pub(crate) fn new(
        now: u64,
        switch: u32,
        is_first: bool,
        forwarding: &'a Forwarding<'a>,
        links: &'a LinkTable,
        ports: &'a [Port],
        drains: &'a ByKind<u64>,
    ) -> Self {
        Self { now, switch, is_first, forwarding, links, ports, drains }
    }

    /// Returns the time in picoseconds until all packets now at `port` have left, if every waiting packet has full size.
    pub(crate) fn backlog(&self, port: u32) -> u64 {
        let port = &self.ports[port as usize];
        port.backlog(self.now, self.links.of(port).full())
    }

    /// Returns the transmission time of a full packet over the link of `port`, in picoseconds.
    pub(crate) fn full(&self, port: u32) -> u64 {
        self.links.of(&self.ports[port as usize]).full()
    }

    /// Returns whether a full packet more would fill the queue of `port` above its limit, if its backlog is `backlog` picoseconds.
    pub(crate) fn is_full(&self, port: u32, backlog: u64) -> bool {
        let port = &self.ports[port as usize];
        backlog.saturating_add(self.links.of(port).full()) > self.drains[port.kind]
    }

    /// Returns the first hop of a packet that takes `path` to another switch, `to`.
    pub(crate) fn first_hop(&self, path: Path, to: u32) -> FirstHop {
        let (layer, entropy) = self.forwarding.enter(path, self.switch, to);
        let port = self.forwarding.next(layer, self.switch, to, &mut entropy.clone());
        FirstHop { layer, entropy, port, backlog: self.backlog(port) }
    }

    /// Returns the number of hops of a path to switch `to` in `layer`, and the picoseconds that a full packet takes over this path on an
    /// idle network.
    pub(crate) fn crossing(&self, layer: u8, to: u32, entropy: u32) -> (u64, u64) {
        let time = |link: &Link| link.full() + link.latency;
        if self.links.is_uniform() {
            let hops = u64::from(self.forwarding.hops(layer, self.switch, to, entropy));
            return (hops, hops * time(self.links.kind(0)));
        }
        let (mut hops, mut sum) = (0, 0);
        self.forwarding.walk(layer, self.switch, to, entropy, |port| {
            hops += 1;
            sum += time(self.links.of(&self.ports[port as usize]));
        });
        (hops, sum)
    }
}

/// The first hop of a path, with its backlog.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstHop {
    /// The layer of a packet that takes the path.
    pub(crate) layer: u8,
    /// The entropy of a packet that takes the path.
    pub(crate) entropy: u32,
    /// The first port of the path.
    pub(crate) port: u32,
    /// The backlog at `port` in picoseconds.
    pub(crate) backlog: u64,
}

impl FirstHop {
    /// Estimates the time in picoseconds until a full packet reaches switch `to`, if all later queues are empty (Multi-Path Routing in the
    /// Jellyfish Network §III-B).
    pub(crate) fn estimate(&self, view: &View, to: u32) -> u64 {
        self.backlog + view.crossing(self.layer, to, self.entropy).1
    }
}

/// The feedback that the source gets for a sent packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PacketStatus {
    /// The packet has arrived.
    Arrived,
    /// The packet has arrived with a congestion mark.
    Marked,
    /// Only the header of the packet has arrived.
    Trimmed,
    /// The source retransmitted the packet before an answer arrived.
    Lost,
}

/// The feedback on one packet, for selectors that learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Feedback {
    /// The path of the packet.
    pub(crate) path: Path,
    pub(crate) status: PacketStatus,
    /// Time in picoseconds since the source sent the packet, or since a switch chose its path.
    pub(crate) after: u64,
    pub(crate) now: u64,
}

/// A selector of layers and paths.
///
/// All random choices are hashes, for example of the seed, the flow and a count per flow. Three places use the state of a selector: the
/// source of a flow (`start`, `data`, `leave` and `on_feedback`), its destination (`control`), and a switch (`at_switch`). These places can
/// be in different partitions, so each one has its own state. Only the flow's first switch can share state with the flow's source.
pub(crate) trait Select: Plugin {
    /// Whether switches also choose paths.
    const IN_SWITCH: bool = false;

    /// Whether every packet stays in layer 0.
    const STAYS: bool = false;

    /// Whether the selector uses feedback. The paths of packets are then stored until the packets are answered.
    const LEARNS: bool = false;

    /// Handles the start of a flow, from the switch of its source to the switch of its destination.
    fn start(&mut self, _flow: u32, _forwarding: &Forwarding, _from: u32, _to: u32) {}

    /// Returns the path of the next data packet of `flow`.
    fn data(&mut self, flow: u32, now: u64) -> Path;

    /// Returns the path of the next acknowledgement, pull or other answer of `flow`, from its destination.
    fn control(&mut self, flow: u32, back: &ReversePath) -> Path;

    /// Makes `flow` leave `layer`. If `layer` is [`ANY_LAYER`], the flow leaves its current layer.
    fn leave(&mut self, _flow: u32, _layer: u8) {}

    /// Handles the feedback on a packet of `flow`, when the packet is answered or is about to be retransmitted. Packets of subflows give
    /// no feedback.
    fn on_feedback(&mut self, _flow: u32, _feedback: &Feedback) {}

    /// Changes the layer or entropy of `packet`, which has arrived at a switch and is not routed yet.
    fn at_switch(&mut self, _packet: &mut Packet, _view: &View) {}

    /// Returns how often `flow` has changed its layer; 0 if the selector does not count this.
    fn changes(&self, _flow: u32) -> u32 {
        0
    }
}

impl Selector {
    pub(crate) fn start(&mut self, flow: u32, forwarding: &Forwarding, from: u32, to: u32) {
        let kind = &mut self.kind;
        each!(kind, selector => selector.start(flow, forwarding, from, to));
    }

    /// Returns whether switches also choose paths. If so, a packet can be routed only after it has arrived at the switch.
    #[inline]
    pub(crate) fn is_in_switch(&self) -> bool {
        self.is_in_switch
    }

    pub(crate) fn at_switch(&mut self, packet: &mut Packet, view: &View) {
        let kind = &mut self.kind;
        each!(kind, selector => selector.at_switch(packet, view));
    }

    /// Records the path of `packet` that was chosen at its first switch.
    pub(crate) fn chosen(&mut self, packet: &Packet, now: u64) {
        if let Some(journal) = &mut self.journal
            && packet.kind == packet::Kind::Data
        {
            journal.amend(packet.flow, packet.sequence, Path::of(packet.layer, packet.entropy), now);
        }
    }

    /// Returns the path of a subflow, for transports that spread their flows themselves.
    ///
    /// Subflow s takes entry s (modulo the length) of the flow's list of choices (see [`Choices`]): a layer, and a hashed path in this
    /// layer, or an explicit path.
    pub(crate) fn subflow(&self, flow: u32, subflow: u8) -> Path {
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(subflow));
        let layer = self.choices.layer(flow, u32::from(subflow) % self.choices.of(flow));
        Path::of(layer, (hash >> 32) as u32)
    }

    /// Returns the path of a packet that opens a connection: a fixed path of layer 0, or a fixed explicit path.
    ///
    /// The source of the flow calls this function, so it must not use the state for answers, which belongs to the destination.
    pub(crate) fn opening(&self, flow: u32) -> Path {
        Path::any((mix(!self.seed ^ u64::from(flow)) >> 32) as u32)
    }

    /// Returns the path of packet `sequence` of `flow`. If an earlier copy of the packet was sent and not answered, that copy
    /// counts as lost.
    #[inline]
    pub(crate) fn data(&mut self, flow: u32, sequence: u32, now: u64) -> Path {
        if self.journal.is_some() {
            self.report(flow, sequence, PacketStatus::Lost, now);
        }
        let kind = &mut self.kind;
        each!(kind, selector => selector.data(flow, now))
    }

    /// Records that packet `sequence` of `flow` takes `path`, from [`Self::data`] or from path failover.
    #[inline]
    pub(crate) fn sent(&mut self, flow: u32, sequence: u32, path: Path, now: u64) {
        if let Some(journal) = &mut self.journal {
            journal.note(flow, sequence, path, now);
        }
    }

    /// Handles the arrival of `packet` at an endpoint. An answer gives feedback on a sent packet.
    #[inline]
    pub(crate) fn arrived(&mut self, packet: &Packet, now: u64) {
        if self.journal.is_none() {
            return;
        }
        let status = match packet.kind {
            packet::Kind::Ack if packet.flags & flag::MARKED != 0 => PacketStatus::Marked,
            packet::Kind::Ack => PacketStatus::Arrived,
            packet::Kind::Nack => PacketStatus::Trimmed,
            _ => return,
        };
        self.report(packet.flow, packet.sequence, status, now);
    }

    /// Handles the end of `flow`, when its source knows that all data has arrived.
    #[inline]
    pub(crate) fn finished(&mut self, flow: u32) {
        if let Some(journal) = &mut self.journal {
            journal.end(flow);
        }
    }

    fn report(&mut self, flow: u32, sequence: u32, status: PacketStatus, now: u64) {
        let Some(sent) = self.journal.as_mut().and_then(|journal| journal.take(flow, sequence)) else { return };
        let feedback = Feedback { path: sent.path, status, after: now - sent.at, now };
        let kind = &mut self.kind;
        each!(kind, selector => selector.on_feedback(flow, &feedback));
    }

    #[inline]
    pub(crate) fn control(&mut self, flow: u32, back: &ReversePath) -> Path {
        let kind = &mut self.kind;
        each!(kind, selector => selector.control(flow, back))
    }

    pub(crate) fn leave(&mut self, flow: u32, layer: u8) {
        let kind = &mut self.kind;
        each!(kind, selector => selector.leave(flow, layer));
    }

    /// Returns whether every packet stays in layer 0.
    pub(crate) fn stays(&self) -> bool {
        const fn of<S: Select>(_: &S) -> bool {
            S::STAYS
        }
        let kind = &self.kind;
        each!(kind, selector => of(selector))
    }

    pub(crate) fn changes(&self, flow: u32) -> u32 {
        let kind = &self.kind;
        each!(kind, selector => selector.changes(flow))
    }
}

/// Returns the [`Info`] of every registered selector.
pub fn selectors() -> Vec<&'static Info> {
    SELECTORS.infos()
}

/// Returns the selector of `spec` for `flows`.
///
/// If `has_subflows` is true, the transport chooses the layers of data packets. Switches then keep the layer of a packet and choose only
/// among the ports of this layer.
pub(crate) fn read(spec: &str, flows: &Flows, has_subflows: bool) -> Result<Selector, Error> {
    const fn facts<S: Select>(_: &S) -> (bool, bool, bool) {
        (S::LEARNS, S::IN_SWITCH, S::STAYS)
    }
    let (_, kind) = SELECTORS.read(spec, flows)?;
    let (learns, in_switch, stays) = {
        let kind = &kind;
        each!(kind, selector => facts(selector))
    };
    Ok(Selector {
        kind,
        choices: flows.choices.clone(),
        seed: mix(flows.seed ^ fnv1a(b"packet/subflow")),
        is_in_switch: in_switch && (stays || !has_subflows),
        journal: learns.then(|| Journal::new(flows.source.len())),
    })
}

/// Returns `spec` with the value of every parameter, including defaults.
pub(crate) fn canonical(spec: &str, flows: &Flows) -> Result<String, Error> {
    let (_, kind) = SELECTORS.read(spec, flows)?;
    let kind = &kind;
    Ok(each!(kind, selector => selector.spec()))
}

/// Returns `hash` scaled to the range 0..n, where n is at most 256.
fn scale(hash: u32, n: u32) -> u8 {
    ((u64::from(hash) * u64::from(n)) >> 32) as u8
}
