//! State of one virtual cut-through router. A virtual channel has the number `port * vcs + vc`; ports of endpoints come
//! first. A packet is one record, and queues and credits count packets.

use tulle_fabric::Fabric;
use tulle_fabric::memory::Need;

use crate::bits::Bits;
use crate::flit::{Flit, GROUP, Generator, NONE, Pool, Word};
use crate::router::Run;
use crate::routes::Step;
use crate::selector::{Estimate, Queues};
use crate::sources::{Joint, Sources};

use super::VirtualCutThrough;
// The crossbar is a part of the state, and moves what else is in it.
use super::crossbar::Crossbar;

/// A queue of packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    pub head: u32,
    pub tail: u32,
    pub length: u16,
    /// The first cycle in which it can give, or take, the next packet.
    pub busy: u32,
}

impl Queue {
    /// The packet of `word` comes last.
    #[inline]
    pub fn append<const P: usize>(&mut self, pool: &mut Pool<P>, word: u32) {
        if self.length == 0 {
            self.head = word;
        } else {
            pool.link(self.tail, word);
        }
        self.tail = word;
        self.length += 1;
    }

    /// The first packet leaves.
    #[inline]
    pub fn take_first<const P: usize>(&mut self, pool: &Pool<P>) -> u32 {
        let word = self.head;
        self.length -= 1;
        self.head = if self.length == 0 { NONE } else { pool.next(word) };
        word
    }
}

/// Where a packet goes, as its word has it.
#[inline]
pub(super) fn word_of<const P: usize>(step: Step) -> u32 {
    u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP
}

/// The step that is in a word.
#[inline]
pub(super) fn step_of<const P: usize>(word: u32) -> Step {
    Step { port: Word::<P>::port(word) as u8, group: (word >> GROUP & 15) as u8 }
}

/// An output virtual channel beside its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// Packets for which the next buffer has room.
    pub credits: u16,
    /// Who asks in this cycle, and which of them has been drawn.
    pub asking: u16,
    pub drawn: u16,
}

/// A port, both of its sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// Output virtual channels that hold packets, a bit each.
    pub filled: u16,
    /// Where the link's choice among them starts.
    pub token: u8,
    /// The first cycle in which the link is free.
    pub busy: u32,
    /// Flits sent in the window.
    pub sent: u32,
    /// The channel that comes in here.
    pub channel: u32,
    /// Cycles from sending to arrival, less those of a block.
    pub late: u32,
}

/// Something that arrives after this block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Late<T> {
    pub due: u32,
    pub vc: u16,
    pub what: T,
}

/// One router of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const P: usize> {
    pub(super) model: VirtualCutThrough,
    pub(super) switch: u32,
    pub(super) endpoints: usize,
    /// Ports of endpoints whose virtual channels all packets may have, whatever their group: all or none of them.
    open: usize,
    pub(super) vcs: usize,
    pub(super) ranges: Box<[(u8, u8)]>,
    /// Packets that an input and an output virtual channel hold.
    pub(super) room: u16,
    pub(super) output_room: u16,
    pub(super) packet: u16,
    /// Queues of an input virtual channel: one, or one per output port.
    pub(super) fan: usize,
    pub(super) inputs: Box<[Queue]>,
    pub(super) queues: Box<[Queue]>,
    pub(super) outputs: Box<[Output]>,
    pub(super) ports: Box<[Port]>,
    /// Where it is limited.
    pub(super) crossbar: Option<Crossbar<P>>,
    /// Output virtual channels that somebody asks for in this cycle, a bit each.
    pub(super) asked: Box<[u64]>,
    /// Ports whose output virtual channels hold packets, a bit each.
    pub(super) sending: Bits<P>,
    /// Input virtual channels that hold packets, a bit each; where the crossbar has no limit.
    pub(super) waiting: Box<[u64]>,
    pub(super) pool: Pool<P>,
    pub(super) late_flits: Vec<Late<Flit>>,
    pub(super) late_credits: Vec<Late<()>>,
    pub(super) sources: Sources,
    pub(super) generator: Generator,
    pub(super) turns: Vec<u8>,
}

/// What the queues of all routers take beside the routers.
pub(crate) fn need(model: &VirtualCutThrough, fabric: &Fabric) -> Need {
    let of_router = |switch: u32| {
        let ports = (fabric.degree(switch) + fabric.endpoints_of(switch).len()) as u64;
        let (lanes, fan) = (ports * u64::from(model.vcs), if model.voq { ports } else { 1 });
        Need::default().of::<Queue>(lanes * (fan + 1)).of::<Output>(lanes).get()
    };
    Need::default().bytes((0..fabric.num_switches() as u32).map(of_router).sum())
}

impl<const P: usize> State<P> {
    /// The router of `switch`, empty.
    pub fn new(model: &VirtualCutThrough, run: &Run, switch: u32) -> Self {
        let endpoints = run.fabric.endpoints_of(switch);
        let channels = run.fabric.channels_of(switch);
        let ports = endpoints.len() + channels.len();
        let vcs = usize::from(model.vcs);
        let packet = run.sending.packet;
        let room = model.packets(packet);
        let fan = if model.voq { ports } else { 1 };
        let port = |at: usize| {
            let channel = at.checked_sub(endpoints.len()).map(|row| run.fabric.reverse()[channels.start + row]);
            let late = channel.map_or(0, |channel| run.latency[channel as usize] - run.block as u32);
            Port { filled: 0, token: 0, busy: 0, sent: 0, channel: channel.unwrap_or(u32::MAX), late }
        };
        let latency = run.sending.latency;
        let joint = Joint {
            there: latency + model.delay,
            back: latency + u32::from(packet) - 1,
            credits: vcs,
            whole: true,
            inject: model.inject,
        };
        let queue = Queue { head: NONE, tail: NONE, length: 0, busy: 0 };
        Self {
            switch,
            endpoints: endpoints.len(),
            open: if run.routes.counts_cables() { 0 } else { endpoints.len() },
            vcs,
            ranges: run.routes.policy().ranges().into(),
            room,
            output_room: model.output / packet,
            packet,
            fan,
            inputs: vec![queue; ports * vcs * fan].into(),
            queues: vec![queue; ports * vcs].into(),
            outputs: vec![Output { credits: room, asking: 0, drawn: 0 }; ports * vcs].into(),
            ports: (0..ports).map(port).collect(),
            crossbar: Crossbar::new(model, ports, run.routes.policy().ranges().len()),
            asked: vec![0; (ports * vcs).div_ceil(64)].into(),
            sending: [0; P],
            waiting: vec![0; (ports * vcs).div_ceil(64)].into(),
            pool: Pool::new(),
            late_flits: Vec::new(),
            late_credits: Vec::new(),
            sources: Sources::new(endpoints, &run.sending, model.vcs, room, joint),
            generator: Generator::new(run.seed, switch),
            turns: if run.routes.counts() { vec![0; run.fabric.num_switches()] } else { Vec::new() },
            model: model.clone(),
        }
    }

    /// The virtual channels of a request group at `port`; toward an endpoint all, unless packets leave on their class.
    #[inline]
    pub(super) fn lanes(&self, port: usize, group: u8) -> std::ops::Range<usize> {
        if port < self.open {
            return port * self.vcs..(port + 1) * self.vcs;
        }
        let (first, count) = self.ranges[usize::from(group)];
        let start = port * self.vcs + usize::from(first);
        start..start + usize::from(count)
    }
}

/// The queues at the outputs and the virtual output queues for them, in packets.
pub(super) struct View<'a, const P: usize> {
    pub outputs: &'a [Output],
    pub queues: &'a [Queue],
    pub ranges: &'a [(u8, u8)],
    pub endpoints: usize,
    pub vcs: usize,
    pub room: u16,
    pub output_room: u16,
    pub crossbar: Option<&'a Crossbar<P>>,
    pub has_voq: bool,
}

impl<const P: usize> View<'_, P> {
    /// Packets in virtual output queues for `port`.
    fn bound(&self, port: u16, group: Option<u8>) -> u32 {
        self.crossbar.map_or(0, |crossbar| crossbar.bound(self.endpoints + usize::from(port), group))
    }
}

impl<const P: usize> Queues for View<'_, P> {
    fn credits(&self, port: u16, group: Option<u8>) -> u32 {
        let (first, count) = group.map_or((0, self.vcs as u8), |group| self.ranges[usize::from(group)]);
        let base = (self.endpoints + usize::from(port)) * self.vcs + usize::from(first);
        let lanes = base..base + usize::from(count);
        let used: u32 = self.outputs[lanes.clone()].iter().map(|output| u32::from(self.room - output.credits)).sum();
        used + self.queues[lanes].iter().map(|queue| u32::from(queue.length)).sum::<u32>() + self.bound(port, group)
    }

    fn output(&self, port: u16) -> u32 {
        let base = (self.endpoints + usize::from(port)) * self.vcs;
        let queued: u32 = self.queues[base..base + self.vcs].iter().map(|queue| u32::from(queue.length)).sum();
        queued + self.bound(port, None)
    }

    fn capacity(&self, estimate: Estimate) -> u32 {
        let next = if estimate == Estimate::Output { 0 } else { u32::from(self.room) };
        // What is bound for a port has its share of every input buffer, which makes one of them.
        let bound = if self.has_voq { u32::from(self.room) } else { 0 };
        self.vcs as u32 * (next + bound + u32::from(self.output_room))
    }
}
