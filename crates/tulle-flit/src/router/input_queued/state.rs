//! State of one input-queued router.
//!
//! An input or output virtual channel has the number `port << shift | vc`, with 2^shift at least the number of virtual
//! channels, so that those of a port are side by side in one word of a bit set.

use std::collections::VecDeque;

use crate::bits::{Bits, set};
use crate::flit::{NONE, Pool, Word};
use crate::lanes::Lanes;
use crate::router::context::Run;
use crate::router::layout::Layout;
use crate::router::model::{MAX_PORTS, PORT_WORDS};
use crate::router::word::group_of;
use crate::sources::Ring;

use super::InputQueued;

/// No virtual channel.
pub(super) const NO_VC: u16 = u16::MAX;

/// An input virtual channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input {
    /// The first and the last word of its queue; [`NONE`] where it is empty.
    pub head: u32,
    pub tail: u32,
    /// The output virtual channel that its packet has been granted.
    pub output: u16,
    /// Where its choice among output virtual channels starts.
    pub pointer: u16,
}

/// An output virtual channel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output {
    /// The input virtual channel whose packet has it.
    pub owner: u16,
    /// Where its choice among input virtual channels starts.
    pub pointer: u16,
    pub credits: u16,
}

/// A port, both of its sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port {
    /// Credits to be returned, one a cycle in order: the first 16, four bits each, and how many there are in all.
    pub credits: u64,
    pub num_credits: u16,
    /// Where the input's choice among outputs starts, and that among its virtual channels.
    pub next_output: u8,
    pub next_vc: u8,
    /// Where the output's choice among inputs starts.
    pub next_input: u8,
    /// The output queue.
    pub head: u32,
    pub tail: u32,
    pub queued: u32,
}

/// Memory to work in, one per thread.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// Flits granted in the last step of a cycle: output port and word.
    pub(super) deferred: Vec<(u8, u32)>,
    /// Per output port the input ports that ask for it, in as many words as the router's sets of ports have, between allocations
    /// none; per input port the input virtual channel it asks for.
    pub(super) requests: Box<[u64; MAX_PORTS * PORT_WORDS]>,
    pub(super) chosen: [u16; MAX_PORTS],
}

impl Default for Scratch {
    fn default() -> Self {
        Self { deferred: Vec::new(), requests: Box::new([0; MAX_PORTS * PORT_WORDS]), chosen: [0; MAX_PORTS] }
    }
}

/// Numbers of virtual channels per port, a power of two.
pub(super) fn stride(vcs: u8) -> usize {
    vcs.next_power_of_two().into()
}

/// A router of at most 64·W virtual channels, port by port, and 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const W: usize, const P: usize> {
    pub(super) model: InputQueued,
    pub(super) shift: u32,
    /// Output virtual channels that no packet has.
    pub(super) free: Bits<W>,
    /// `port << shift | group` for which some input virtual channel waits.
    pub(super) waiting: Bits<W>,
    /// Those of them whose group is one virtual channel, which is the group's number.
    pub(super) single: Bits<W>,
    /// Input virtual channels that have an output virtual channel with a credit, and a flit.
    pub(super) ready: Bits<W>,
    /// Per `port << shift | group`, the input virtual channels that wait: not in the router itself, where they would be
    /// megabytes of a thread's stack while it is made.
    pub(super) wait: Box<[Bits<W>]>,
    pub(super) inputs: Lanes<Input, W>,
    pub(super) outputs: Lanes<Output, W>,
    pub(super) ports: Lanes<Port, P>,
    pub(super) num_ports: usize,
    /// Ports whose output queue holds flits, and those that have credits to return; a bit each.
    pub(super) sending: Bits<P>,
    pub(super) crediting: Bits<P>,
    /// Per port the credits to be returned beyond the first 16.
    pub(super) overflow: Box<[VecDeque<u8>]>,
    /// Credits of endpoint ports on their way back.
    pub(super) ejected: Ring<u16>,
    /// Allocation steps up to now; kept where routes take time.
    pub(super) steps: u64,
    /// Input virtual channels whose first packets wait for their routes, and the steps in which they have them, ascending.
    pub(super) routing: VecDeque<(u64, u16)>,
}

impl<const W: usize, const P: usize> State<W, P> {
    /// The empty state in the switch of `layout`.
    pub fn empty(model: &InputQueued, run: &Run, layout: &Layout) -> Self {
        let Layout { ports, stride, vcs, .. } = *layout;
        assert!(ports <= 64 * P && ports * stride <= 64 * W, "the run has checked that ports fit");
        let (mut free, mut single) = ([0; W], [0; W]);
        for port in 0..ports {
            (0..vcs).for_each(|vc| set(&mut free, layout.lane(port, vc)));
            for group in (0..layout.num_groups() as u8).filter(|_| !layout.is_open(port)) {
                if layout.range(port, group) == (group, 1) {
                    set(&mut single, layout.lane(port, group));
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
            wait: vec![[0; W]; layout.num_lanes()].into(),
            inputs: Lanes::new(input),
            outputs: Lanes::new(Output { owner: NO_VC, pointer: 0, credits: run.room }),
            ports: Lanes::new(port),
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

    /// The number of virtual channels, those in between that ports do not have included.
    #[inline(always)]
    pub(super) fn num_lanes(&self) -> usize {
        self.num_ports << self.shift
    }

    /// Where in `wait` the head of `word` waits.
    #[inline(always)]
    pub(super) fn request(&self, word: u32) -> usize {
        Word::<P>::port(word) << self.shift | usize::from(group_of(word))
    }

    /// Flits in an input buffer.
    pub(super) fn queue_length(&self, pool: &Pool<P>, input: usize) -> usize {
        let queue = &self.inputs[input];
        let mut word = queue.head;
        let mut length = 0;
        while word != NONE {
            length += 1;
            word = if (word ^ queue.tail) & Word::<P>::NUMBER == 0 { NONE } else { pool.next(word) };
        }
        length
    }
}
