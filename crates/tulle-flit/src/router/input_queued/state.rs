//! State of one input-queued router.
//!
//! An input or output virtual channel has the number `port << shift | vc`, with 2^shift at least the number of virtual
//! channels, so that those of a port are side by side in one word of a bit set. Ports of endpoints come first, then those
//! of channels in the order of the switch's row.

use std::collections::VecDeque;

use crate::bits::{Bits, set};
use crate::flit::{Flit, GROUP, Generator, NONE, Pool, Word};
use crate::lanes::Lanes;
use crate::router::Run;
use crate::selector::{Estimate, Queues};
use crate::sources::{Joint, Ring, Sources};

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
    /// What the packet that is coming in adds to the flags of its flits.
    pub flags: u8,
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

/// A router of at most 64·W virtual channels, port by port, and 64·P ports.
#[derive(Debug)]
pub(crate) struct State<const W: usize, const P: usize> {
    pub(super) model: InputQueued,
    pub(super) switch: u32,
    pub(super) endpoints: usize,
    /// Ports of endpoints whose virtual channels all packets may have, whatever their group: all or none of them.
    pub(super) open: usize,
    pub(super) shift: u32,
    /// Per request group of channels, its first virtual channel and their number.
    pub(super) ranges: Box<[(u8, u8)]>,
    /// Output virtual channels that no packet has.
    pub(super) free: Bits<W>,
    /// `port << shift | group` for which some input virtual channel waits.
    pub(super) waiting: Bits<W>,
    /// Those of them whose group is one virtual channel, which is the group's number.
    pub(super) single: Bits<W>,
    /// Input virtual channels that have an output virtual channel with a credit, and a flit.
    pub(super) ready: Bits<W>,
    /// Per `port << shift | group`, the input virtual channels that wait.
    pub(super) wait: Lanes<Bits<W>, W>,
    pub(super) inputs: Lanes<Input, W>,
    pub(super) outputs: Lanes<Output, W>,
    pub(super) ports: Lanes<Port, P>,
    pub(super) num_ports: usize,
    /// Ports whose output queue holds flits, and those that have credits to return; a bit each.
    pub(super) sending: Bits<P>,
    pub(super) crediting: Bits<P>,
    /// Per port the credits to be returned beyond the first 16.
    pub(super) overflow: Box<[VecDeque<u8>]>,
    pub(super) pool: Pool<P>,
    pub(super) late_flits: Vec<Late<Flit>>,
    pub(super) late_credits: Vec<Late<()>>,
    pub(super) sources: Sources,
    /// Credits of endpoint ports on their way back.
    pub(super) ejected: Ring<u16>,
    pub(super) generator: Generator,
    pub(super) turns: Vec<u8>,
    /// Allocation steps up to now; kept where routes take time.
    pub(super) steps: u64,
    /// Input virtual channels whose first packets wait for their routes, and the steps in which they have them, ascending.
    pub(super) routing: VecDeque<(u64, u16)>,
}

impl<const W: usize, const P: usize> State<W, P> {
    /// The router of `switch`, empty.
    pub fn new(model: &InputQueued, run: &Run, switch: u32) -> Self {
        let endpoints = run.fabric.endpoints_of(switch);
        let channels = run.fabric.channels_of(switch);
        let ports = endpoints.len() + channels.len();
        let shift = model.vcs.next_power_of_two().trailing_zeros();
        let stride = 1 << shift;
        assert!(ports <= 64 * P && ports * stride <= 64 * W, "the run has checked that ports fit");
        let (mut free, mut single) = ([0; W], [0; W]);
        let ranges = run.routes.policy().ranges();
        let open = if run.routes.counts_cables() { 0 } else { endpoints.len() };
        for port in 0..ports {
            (0..usize::from(model.vcs)).for_each(|vc| set(&mut free, port << shift | vc));
            for (group, &range) in ranges.iter().enumerate() {
                if port >= open && range == (group as u8, 1) {
                    set(&mut single, port << shift | group);
                }
            }
        }
        let port = |at: usize| {
            let row = at.checked_sub(endpoints.len()).filter(|_| at < ports);
            let channel = row.map(|row| run.fabric.reverse()[channels.start + row]);
            let latency = channel.map_or(0, |channel| run.latency[channel as usize]);
            Port {
                credits: 0,
                num_credits: 0,
                next_output: 0,
                next_vc: 0,
                next_input: 0,
                head: NONE,
                tail: NONE,
                queued: 0,
                sent: 0,
                channel: channel.unwrap_or(u32::MAX),
                late: if channel.is_some() { latency + 1 - run.block as u32 } else { 0 },
            }
        };
        let back = 1 + run.sending.latency;
        let joint = Joint { there: back + model.delay, back, credits: 1, whole: false, inject: model.inject };
        let input = Input { head: NONE, tail: NONE, output: NO_VC, pointer: 0, flags: 0 };
        Self {
            switch,
            endpoints: endpoints.len(),
            open,
            shift,
            ranges: ranges.into(),
            free,
            waiting: [0; W],
            single,
            ready: [0; W],
            wait: Lanes::new([0; W]),
            inputs: Lanes::new(input),
            outputs: Lanes::new(Output { owner: NO_VC, pointer: 0, credits: model.buffer }),
            ports: Lanes::of(port),
            num_ports: ports,
            sending: [0; P],
            crediting: [0; P],
            overflow: vec![VecDeque::new(); ports].into(),
            pool: Pool::new(),
            late_flits: Vec::new(),
            late_credits: Vec::new(),
            sources: Sources::new(endpoints, &run.sending, model.vcs, model.buffer, joint),
            ejected: Ring::new(2 * (1 + run.sending.latency) + model.credit, endpoints.len()),
            generator: Generator::new(run.seed, switch),
            turns: if run.routes.counts() { vec![0; run.fabric.num_switches()] } else { Vec::new() },
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

    /// Where in [`State::wait`] the head of `word` waits.
    #[inline(always)]
    pub(super) fn request(&self, word: u32) -> usize {
        Word::<P>::port(word) << self.shift | (word >> GROUP & 15) as usize
    }
}

/// The queues at the outputs.
pub(super) struct View<'a, const W: usize, const P: usize> {
    pub outputs: &'a Lanes<Output, W>,
    pub ports: &'a Lanes<Port, P>,
    pub model: &'a InputQueued,
    pub ranges: &'a [(u8, u8)],
    pub shift: u32,
    pub endpoints: usize,
}

impl<const W: usize, const P: usize> Queues for View<'_, W, P> {
    #[inline]
    fn credits(&self, port: u16, group: Option<u8>) -> u32 {
        let (first, count) = group.map_or((0, self.model.vcs), |group| self.ranges[usize::from(group)]);
        let base = (self.endpoints + usize::from(port)) << self.shift | usize::from(first);
        let lanes = base..base + usize::from(count);
        let left: u32 = lanes.map(|lane| u32::from(self.outputs[lane].credits)).sum();
        u32::from(count) * u32::from(self.model.buffer) - left
    }

    #[inline]
    fn output(&self, port: u16) -> u32 {
        self.ports[self.endpoints + usize::from(port)].queued
    }

    #[inline]
    fn capacity(&self, _: Estimate) -> u32 {
        u32::from(self.model.vcs) * u32::from(self.model.buffer)
    }
}
