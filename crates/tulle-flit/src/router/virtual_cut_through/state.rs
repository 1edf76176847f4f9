//! State of one virtual cut-through router. A virtual channel has the number `port * vcs + vc`. A packet is one record, and
//! queues and credits count packets.

use tulle_base::memory::Need;

use crate::bits::Bits;
use crate::flit::{NONE, Pool};
use crate::router::context::Run;
use crate::router::layout::Layout;

use super::VirtualCutThrough;
// circle: the crossbar is a part of the state, and moves what else is in it.
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
}

/// One router of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const P: usize> {
    pub(super) model: VirtualCutThrough,
    pub(super) vcs: usize,
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
}

impl<const P: usize> State<P> {
    /// The memory of the queues of a router of `ports` ports.
    pub fn queues(model: &VirtualCutThrough, ports: u64) -> Need {
        let (lanes, fan) = (ports * u64::from(model.vcs), if model.voq { ports } else { 1 });
        let groups = if model.voq { lanes * fan } else { 0 };
        Need::default().of::<Queue>(lanes * (fan + 1)).of::<Output>(lanes).of::<u8>(groups)
    }

    /// The empty state in the switch of `layout`.
    pub fn empty(model: &VirtualCutThrough, run: &Run, layout: &Layout) -> Self {
        let (ports, lanes, packet) = (layout.ports, layout.num_lanes(), run.timing.record);
        let fan = if model.voq { ports } else { 1 };
        let queue = Queue { head: NONE, tail: NONE, length: 0, busy: 0 };
        Self {
            vcs: layout.vcs.into(),
            room: run.room,
            output_room: model.output / packet,
            packet,
            fan,
            inputs: vec![queue; lanes * fan].into(),
            queues: vec![queue; lanes].into(),
            outputs: vec![Output { credits: run.room, asking: 0, drawn: 0 }; lanes].into(),
            ports: vec![Port { filled: 0, token: 0, busy: 0 }; ports].into(),
            crossbar: Crossbar::new(model, ports, layout.num_groups()),
            asked: vec![0; lanes.div_ceil(64)].into(),
            sending: [0; P],
            waiting: vec![0; lanes.div_ceil(64)].into(),
            model: model.clone(),
        }
    }

    /// The input queues of the virtual channel `input`.
    pub(super) fn queues_of(&self, input: usize) -> &[Queue] {
        &self.inputs[input * self.fan..(input + 1) * self.fan]
    }

    /// Packets in virtual output queues for `port`.
    pub(super) fn bound(&self, port: usize, group: Option<u8>) -> u32 {
        self.crossbar.as_ref().map_or(0, |crossbar| crossbar.bound(port, group))
    }
}
