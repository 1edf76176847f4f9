//! State of one virtual cut-through router. A VC has the number `port * vcs + vc`. A packet is one record, and queues
//! and credits count packets.

use tulle_base::memory::Need;

use crate::bits::Bits;
use crate::flit::{NONE, Pool};
use crate::router::context::Run;
use crate::router::layout::Layout;

use super::VirtualCutThrough;
// The crossbar is part of the state and also modifies the rest of it.
use super::crossbar::Crossbar;

/// A queue of packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    pub head: u32,
    pub tail: u32,
    pub length: u16,
    /// The first cycle in which it can send, or accept, the next packet.
    pub busy: u32,
}

impl Queue {
    /// Appends the packet of `handle`.
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

    /// Removes the first packet.
    #[inline]
    pub fn take_first<const P: usize>(&mut self, pool: &Pool<P>) -> u32 {
        let word = self.head;
        self.length -= 1;
        self.head = if self.length == 0 { NONE } else { pool.next(word) };
        word
    }
}

/// An output VC, except for its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// Packets for which the next buffer has room.
    pub credits: u16,
    /// Number of requests in this cycle, and the input queue drawn so far.
    pub asking: u16,
    pub drawn: u16,
}

/// A port, both its input and its output side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// Output VCs that hold packets, one bit each.
    pub filled: u16,
    /// The VC at which the link's round-robin choice starts.
    pub token: u8,
    /// The first cycle in which the link is free.
    pub busy: u32,
}

/// A router of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const P: usize> {
    pub(super) model: VirtualCutThrough,
    pub(super) vcs: usize,
    /// Packets that an input VC, and an output VC, can hold.
    pub(super) room: u16,
    pub(super) output_room: u16,
    pub(super) packet: u16,
    /// Queues of an input VC: one, or one per output port.
    pub(super) fan: usize,
    pub(super) inputs: Box<[Queue]>,
    pub(super) queues: Box<[Queue]>,
    pub(super) outputs: Box<[Output]>,
    pub(super) ports: Box<[Port]>,
    /// `None` if the crossbar is unlimited.
    pub(super) crossbar: Option<Crossbar<P>>,
    /// Output VCs with requests in this cycle, one bit each.
    pub(super) asked: Box<[u64]>,
    /// Ports whose output VCs hold packets.
    pub(super) sending: Bits<P>,
    /// Input VCs that hold packets, one bit each; used if the crossbar is unlimited.
    pub(super) waiting: Box<[u64]>,
}

impl<const P: usize> State<P> {
    /// Returns the memory of the queues of a router with `ports` ports.
    pub fn queues(model: &VirtualCutThrough, ports: u64) -> Need {
        let (lanes, fan) = (ports * u64::from(model.vcs), if model.voq { ports } else { 1 });
        let groups = if model.voq { lanes * fan } else { 0 };
        Need::default().of::<Queue>(lanes * (fan + 1)).of::<Output>(lanes).of::<u8>(groups)
    }

    /// Creates the empty state for the switch of `layout`.
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

    /// Returns the input queues of VC `input`.
    pub(super) fn queues_of(&self, input: usize) -> &[Queue] {
        &self.inputs[input * self.fan..(input + 1) * self.fan]
    }

    /// Returns the packets in virtual output queues for `port`.
    pub(super) fn bound(&self, port: usize, group: Option<u8>) -> u32 {
        self.crossbar.as_ref().map_or(0, |crossbar| crossbar.bound(port, group))
    }
}
