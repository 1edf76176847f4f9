//! The state of one virtual cut-through router. A VC has the number `port * vcs + vc`. A packet is one record; queues
//! and credits count packets.

use tulle_base::memory::Need;

use crate::bits::Bits;
use crate::flit::{NONE, Pool};
use crate::router::context::Run;
use crate::router::layout::Layout;

use super::VirtualCutThrough;
// circle: `state` and `crossbar` import each other, because the state contains the crossbar, and the crossbar changes the state.
use super::crossbar::Crossbar;

/// A queue of packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Queue {
    pub head: u32,
    pub tail: u32,
    pub length: u16,
    /// The first cycle in which the queue can send the next packet (input) or accept the next packet (output).
    pub busy: u32,
}

impl Queue {
    /// Appends the packet of `handle`.
    #[inline]
    pub fn append<const P: usize>(&mut self, pool: &mut Pool<P>, handle: u32) {
        if self.length == 0 {
            self.head = handle;
        } else {
            pool.link(self.tail, handle);
        }
        self.tail = handle;
        self.length += 1;
    }

    /// Removes the first packet.
    #[inline]
    pub fn take_first<const P: usize>(&mut self, pool: &Pool<P>) -> u32 {
        let handle = self.head;
        self.length -= 1;
        self.head = if self.length == 0 { NONE } else { pool.next(handle) };
        handle
    }
}

/// An output VC, except for its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// Number of packets for which the next buffer has room.
    pub credits: u16,
    /// The number of input queues that request this output VC in the current cycle, and the queue that is selected among them so far.
    pub requests: u16,
    pub winner: u16,
}

/// A port, both its input and its output side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// A bit mask of the output VCs that hold packets.
    pub filled: u16,
    /// The VC at which the round-robin choice of the link starts.
    pub token: u8,
    /// The first cycle in which the link is free.
    pub busy: u32,
}

/// A router of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const P: usize> {
    pub(super) model: VirtualCutThrough,
    pub(super) vcs: usize,
    /// Maximum number of packets that an input VC (`capacity`) and an output VC (`output_capacity`) can hold.
    pub(super) capacity: u16,
    pub(super) output_capacity: u16,
    pub(super) packet: u16,
    /// Number of queues of an input VC: one, or one per output port.
    pub(super) queues_per_vc: usize,
    pub(super) inputs: Box<[Queue]>,
    pub(super) queues: Box<[Queue]>,
    pub(super) outputs: Box<[Output]>,
    pub(super) ports: Box<[Port]>,
    /// The crossbar; `None` if its speedup is unlimited.
    pub(super) crossbar: Option<Crossbar<P>>,
    /// A bit set of the output VCs that have requests in this cycle.
    pub(super) requested_outputs: Box<[u64]>,
    /// A bit set of the ports whose output VCs hold packets.
    pub(super) sending: Bits<P>,
    /// A bit set of the input VCs that hold packets; used if the crossbar is unlimited.
    pub(super) waiting: Box<[u64]>,
}

impl<const P: usize> State<P> {
    /// Returns the memory of the queues of a router with `ports` ports.
    pub fn queues(model: &VirtualCutThrough, ports: u64) -> Need {
        let (port_vcs, queues_per_vc) = (ports * u64::from(model.vcs), if model.voq { ports } else { 1 });
        let groups = if model.voq { port_vcs * queues_per_vc } else { 0 };
        Need::default().of::<Queue>(port_vcs * (queues_per_vc + 1)).of::<Output>(port_vcs).of::<u8>(groups)
    }

    /// Creates the empty state for the switch of `layout`.
    pub fn empty(model: &VirtualCutThrough, run: &Run, layout: &Layout) -> Self {
        let (ports, port_vcs, packet) = (layout.ports, layout.num_port_vcs(), run.timing.record);
        let queues_per_vc = if model.voq { ports } else { 1 };
        let queue = Queue { head: NONE, tail: NONE, length: 0, busy: 0 };
        Self {
            vcs: layout.vcs.into(),
            capacity: run.credits,
            output_capacity: model.output / packet,
            packet,
            queues_per_vc,
            inputs: vec![queue; port_vcs * queues_per_vc].into(),
            queues: vec![queue; port_vcs].into(),
            outputs: vec![Output { credits: run.credits, requests: 0, winner: 0 }; port_vcs].into(),
            ports: vec![Port { filled: 0, token: 0, busy: 0 }; ports].into(),
            crossbar: Crossbar::new(model, ports, layout.num_groups()),
            requested_outputs: vec![0; port_vcs.div_ceil(64)].into(),
            sending: [0; P],
            waiting: vec![0; port_vcs.div_ceil(64)].into(),
            model: model.clone(),
        }
    }

    /// Returns the queues of input VC `input`.
    pub(super) fn queues_of(&self, input: usize) -> &[Queue] {
        &self.inputs[input * self.queues_per_vc..(input + 1) * self.queues_per_vc]
    }

    /// Returns the number of packets of request group `group` (or of all groups) in virtual output queues for `port`.
    pub(super) fn queued_for(&self, port: usize, group: Option<u8>) -> u32 {
        self.crossbar.as_ref().map_or(0, |crossbar| crossbar.queued_for(port, group))
    }
}
