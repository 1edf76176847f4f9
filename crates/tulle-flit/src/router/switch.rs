//! The part of a router that all models share: ports, links, endpoints, and the flits inside the router.

mod arrivals;

use tulle_base::prefetch::{prefetch_all, touch};

use super::context::{Cycle, Run};
use super::feedback::Feedback;
use super::layout::Layout;
use super::model::Model;
use crate::flit::{Flit, Generator, HEAD, Handle, Pool};
use crate::sources::Sources;

/// A link to another switch.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The incoming channel.
    channel: u32,
    /// Cycles from the sending of a flit to its arrival, minus the length of a block of cycles.
    late: u32,
    /// Number of flits sent in the measurement window.
    sent: u32,
}

/// A switch of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct Switch<const P: usize> {
    pub layout: Layout,
    pub pool: Pool<P>,
    pub sources: Sources,
    pub generator: Generator,
    /// Per destination switch: a round-robin counter, if the selector needs counters.
    pub turns: Vec<u8>,
    /// What the switch learns from acknowledgements, if the selector uses them.
    pub feedback: Option<Box<Feedback>>,
    /// Per input VC: the flags of the packet that is arriving. All flits of the packet get these flags.
    pub packet_flags: Box<[u8]>,
    /// Per port of a cable: its link.
    links: Box<[Link]>,
    /// Flits that arrive after the current block of cycles, with their cycle and port. `late_credits` has the credits
    /// that arrive after the block, with their cycle and output VC.
    late_flits: Vec<(u32, u8, Flit)>,
    late_credits: Vec<(u32, u16)>,
}

impl<const P: usize> Switch<P> {
    /// Creates the empty switch of `layout`.
    pub fn new(model: &impl Model, run: &Run, layout: Layout) -> Self {
        let timing = &run.timing;
        let incoming = &run.fabric.reverse()[run.fabric.channels_of(layout.switch)];
        let link = |&channel: &u32| {
            let late = run.latency[channel as usize] + timing.output - run.block as u32;
            Link { channel, late, sent: 0 }
        };
        let endpoint_links = timing.endpoint_links(run.sending.latency, model.inject());
        let endpoints = run.fabric.endpoints_of(layout.switch);
        Self {
            pool: Pool::default(),
            sources: Sources::new(endpoints, &run.sending, layout.vcs, run.credits, endpoint_links),
            generator: Generator::new(run.seed, layout.switch),
            turns: if run.routes.needs_turns() { vec![0; run.fabric.num_switches()] } else { Vec::new() },
            feedback: run.idle.is_some().then(|| {
                let switches = run.fabric.num_switches();
                Box::new(Feedback::new(layout.switch, switches, layout.num_port_vcs(), run.block))
            }),
            packet_flags: vec![0; layout.num_port_vcs()].into(),
            links: incoming.iter().map(link).collect(),
            late_flits: Vec::new(),
            late_credits: Vec::new(),
            layout,
        }
    }

    /// Makes the endpoints create packets and send flits for which they have credits.
    #[inline]
    pub fn create<T>(&mut self, cycle: &mut Cycle<T>) {
        self.sources.step(cycle.now, &cycle.run.sending, &mut self.generator, &mut cycle.local.tally);
    }

    /// Sends the record (flit or whole packet) of `handle` through `port` on the port's virtual channel `vc`.
    #[inline(always)]
    pub fn send<T>(&mut self, cycle: &mut Cycle<T>, port: usize, vc: u8, handle: u32) {
        let flit = self.pool.release(handle & Handle::<P>::NUMBER);
        match port.checked_sub(self.layout.endpoints) {
            Some(row) => {
                self.links[row].sent += cycle.counted;
                if let Some(feedback) = &mut self.feedback
                    && flit.hops == 0
                    && flit.flags & HEAD != 0
                {
                    feedback.depart(&flit, cycle.now);
                }
                cycle.out[row].send(Flit { hops: flit.hops + 1, vc, slot: cycle.slot as u8, ..flit });
            }
            None => cycle.eject(&flit),
        }
    }

    /// Returns a credit to the sender, for a record (flit or whole packet) that has left the buffer of virtual channel
    /// `vc` at input `port`.
    #[inline(always)]
    pub fn return_credit<T>(&mut self, cycle: &mut Cycle<T>, port: usize, vc: u8) {
        match port.checked_sub(self.layout.endpoints) {
            Some(row) => cycle.out[row].credit(cycle.slot, vc),
            None => self.sources.credit(cycle.now, port, vc),
        }
    }

    /// Returns the incoming channel of `port`, which must be the port of a cable.
    #[inline]
    pub fn incoming(&self, port: usize) -> u32 {
        self.links[port - self.layout.endpoints].channel
    }

    /// Returns the number of flits sent in the window, for each port of a cable.
    pub fn sent(&self) -> impl Iterator<Item = u32> {
        self.links.iter().map(|link| link.sent)
    }

    /// Reads one entry of each array that a block of cycles uses, to pull it into the CPU cache.
    pub fn touch(&self) {
        touch(&self.links);
        self.sources.touch();
        self.pool.touch();
    }

    /// Prefetches the arrays that a block of cycles uses.
    pub fn prefetch(&self) {
        prefetch_all(&self.links);
        self.sources.prefetch();
    }

    /// Returns the number of records (flits or whole packets) in the switch, on their way to its buffers, and on the
    /// links from its endpoints.
    #[cfg(feature = "conservation")]
    pub fn num_records(&self) -> u64 {
        u64::from(self.pool.len()) + self.late_flits.len() as u64 + self.sources.arriving.all().count() as u64
    }

    /// Returns two numbers for virtual channel `vc` of `port`: the records (flits or whole packets) on their way to its buffer, and the
    /// credits on their way to its output.
    #[cfg(feature = "conservation")]
    pub fn late(&self, port: usize, vc: u8) -> [usize; 2] {
        let port_vc = self.layout.port_vc(port, vc) as u16;
        let flits = self.late_flits.iter().filter(|&&(_, at, flit)| usize::from(at) == port && flit.vc == vc);
        [flits.count(), self.late_credits.iter().filter(|&&(_, at)| at == port_vc).count()]
    }
}
