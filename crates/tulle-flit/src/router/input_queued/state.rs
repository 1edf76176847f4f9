//! The state of one input-queued router.
//!
//! An input or output VC has the number `port << shift | vc`. 2^shift is at least the number of VCs of a port, so the
//! VCs of a port are adjacent bits in one u64 of a bit set.

use std::collections::VecDeque;

use crate::bits::{Bits, set};
use crate::flit::{Handle, NONE, Pool};
use crate::router::context::Run;
use crate::router::handle::group_of;
use crate::router::layout::Layout;
use crate::router::model::{MAX_PORTS, PORT_WORDS};
use crate::sources::Ring;
use crate::vc_array::VcArray;

use super::InputQueued;

/// No virtual channel.
pub(super) const NO_VC: u16 = u16::MAX;

/// An input virtual channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input {
    /// The first and last handle of the queue; [`NONE`] if the queue is empty.
    pub head: u32,
    pub tail: u32,
    /// The output VC granted to the first packet of the queue.
    pub output: u16,
    /// The output VC at which the round-robin choice of this input VC starts.
    pub pointer: u16,
}

/// An output virtual channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// The input VC whose packet holds this output VC.
    pub owner: u16,
    /// The input VC at which the round-robin choice of this output VC starts.
    pub pointer: u16,
    pub credits: u16,
}

/// A port, both its input and its output side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// The VCs of the credits to return, one credit per cycle in order. The first 16 VCs take four bits each;
    /// `num_credits` is the number of all credits.
    pub credits: u64,
    pub num_credits: u16,
    /// The starting points of the input side's round-robin choices: among output ports (`next_output`), and among its own VCs (`next_vc`).
    pub next_output: u8,
    pub next_vc: u8,
    /// The starting point of the output side's round-robin choice among input ports.
    pub next_input: u8,
    /// The output queue.
    pub head: u32,
    pub tail: u32,
    pub queued: u32,
}

/// Scratch memory, one per thread.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Flits that were granted in the last step of a cycle, each with its output port and handle.
    pub(super) deferred: Vec<(u8, u32)>,
    /// Per output port: the requesting input ports, as a bit set of P × 64 bits; all sets are empty between
    /// allocations. `chosen` has, per input port, the input VC that the port chose.
    pub(super) requests: Box<[u64; MAX_PORTS * PORT_WORDS]>,
    pub(super) chosen: [u16; MAX_PORTS],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { deferred: Vec::new(), requests: Box::new([0; MAX_PORTS * PORT_WORDS]), chosen: [0; MAX_PORTS] }
    }
}

/// Returns how many VC numbers each port reserves, a power of two.
pub(super) fn stride(vcs: u8) -> usize {
    vcs.next_power_of_two().into()
}

/// The state of a router with at most 64·W VCs in all ports together and 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const W: usize, const P: usize> {
    pub(super) model: InputQueued,
    pub(super) shift: u32,
    /// Output VCs that no packet holds.
    pub(super) free: Bits<W>,
    /// The set of all `port << shift | group` for which an input VC waits.
    pub(super) waiting: Bits<W>,
    /// The set of all `port << shift | group` whose group has a single VC with the same number as the group.
    pub(super) single: Bits<W>,
    /// Input VCs that have a flit and hold an output VC with a credit.
    pub(super) ready: Bits<W>,
    /// Per `port << shift | group`: the input VCs that wait. This array is on the heap. Otherwise, constructing the router would need
    /// megabytes of a thread's stack.
    pub(super) wait: Box<[Bits<W>]>,
    pub(super) inputs: VcArray<Input, W>,
    pub(super) outputs: VcArray<Output, W>,
    pub(super) ports: VcArray<Port, P>,
    pub(super) num_ports: usize,
    /// Ports whose output queue holds flits (`sending`), and ports that have credits to return (`crediting`).
    pub(super) sending: Bits<P>,
    pub(super) crediting: Bits<P>,
    /// Per port: the VCs of the credits to return beyond the first 16.
    pub(super) overflow: Box<[VecDeque<u8>]>,
    /// Credits on their way back from endpoints. Each is stored as the number of its output VC.
    pub(super) ejected: Ring<u16>,
    /// Number of allocation steps so far; used only if routing takes time.
    pub(super) steps: u64,
    /// Input VCs whose first packets wait for their routes, with the steps in which the routes are ready, in ascending
    /// order.
    pub(super) routing: VecDeque<(u64, u16)>,
}

impl<const W: usize, const P: usize> State<W, P> {
    /// Creates the empty state for the switch of `layout`.
    pub fn empty(model: &InputQueued, run: &Run, layout: &Layout) -> Self {
        let Layout { ports, stride, vcs, .. } = *layout;
        assert!(ports <= 64 * P && ports * stride <= 64 * W, "`RunnableModel::run` chose a sufficient size");
        let (mut free, mut single) = ([0; W], [0; W]);
        for port in 0..ports {
            (0..vcs).for_each(|vc| set(&mut free, layout.port_vc(port, vc)));
            for group in (0..layout.num_groups() as u8).filter(|_| !layout.is_unrestricted(port)) {
                if layout.range(port, group) == (group, 1) {
                    set(&mut single, layout.port_vc(port, group));
                }
            }
        }
        let port = Port {
            credits: 0,
            num_credits: 0,
            next_output: 0,
            next_vc: 0,
            next_input: 0,
            head: NONE,
            tail: NONE,
            queued: 0,
        };
        let input = Input { head: NONE, tail: NONE, output: NO_VC, pointer: 0 };
        Self {
            shift: stride.trailing_zeros(),
            free,
            waiting: [0; W],
            single,
            ready: [0; W],
            wait: vec![[0; W]; layout.num_port_vcs()].into(),
            inputs: VcArray::new(input),
            outputs: VcArray::new(Output { owner: NO_VC, pointer: 0, credits: run.credits }),
            ports: VcArray::new(port),
            num_ports: ports,
            sending: [0; P],
            crediting: [0; P],
            overflow: vec![VecDeque::new(); ports].into(),
            ejected: Ring::new(2 * (1 + run.sending.latency) + model.credit, layout.endpoints),
            steps: 0,
            routing: VecDeque::new(),
            model: model.clone(),
        }
    }

    /// Returns how many VC numbers the switch has, including unused ones.
    #[inline(always)]
    pub(super) fn num_port_vcs(&self) -> usize {
        self.num_ports << self.shift
    }

    /// Returns the index in `wait` for the packet of `handle`.
    #[inline(always)]
    pub(super) fn request(&self, handle: u32) -> usize {
        Handle::<P>::port(handle) << self.shift | usize::from(group_of(handle))
    }

    /// Counts the flits in an input buffer.
    pub(super) fn queue_length(&self, pool: &Pool<P>, input: usize) -> usize {
        let queue = &self.inputs[input];
        let mut handle = queue.head;
        let mut length = 0;
        while handle != NONE {
            length += 1;
            handle = if (handle ^ queue.tail) & Handle::<P>::NUMBER == 0 { NONE } else { pool.next(handle) };
        }
        length
    }
}
