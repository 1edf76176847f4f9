//! The part of a router that does not depend on its model: its ports, its links and endpoints, and the flits in it.

mod arrivals;

use tulle_base::prefetch::{prefetch_all, touch};

use super::context::{Cycle, Run};
use super::layout::Layout;
use super::model::Model;
use crate::flit::{Flit, Generator, Pool, Word};
use crate::sources::Sources;

/// A link to another switch.
#[derive(Debug, Clone, Copy)]
struct Link {
    /// The channel that comes in here.
    channel: u32,
    /// Cycles from sending to arrival, less those of a block.
    late: u32,
    /// Flits sent in the window.
    sent: u32,
}

/// A switch of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct Switch<const P: usize> {
    pub layout: Layout,
    pub pool: Pool<P>,
    pub sources: Sources,
    pub generator: Generator,
    /// Per destination switch a count, where the selector keeps one.
    pub turns: Vec<u8>,
    /// Per input lane what the packet that is coming in adds to the flags of its flits.
    pub marks: Box<[u8]>,
    /// Per port of a channel its link.
    links: Box<[Link]>,
    /// Arrivals after this block: the cycle, and the port with the flit, or the output lane that gets a credit.
    late_flits: Vec<(u32, u8, Flit)>,
    late_credits: Vec<(u32, u16)>,
}

impl<const P: usize> Switch<P> {
    /// The switch of `layout`, empty.
    pub fn new(model: &impl Model, run: &Run, layout: Layout) -> Self {
        let timing = &run.timing;
        let incoming = &run.fabric.reverse()[run.fabric.channels_of(layout.switch)];
        let link = |&channel: &u32| {
            let late = run.latency[channel as usize] + timing.output - run.block as u32;
            Link { channel, late, sent: 0 }
        };
        let joint = timing.joint(run.sending.latency, model.inject());
        let endpoints = run.fabric.endpoints_of(layout.switch);
        Self {
            pool: Pool::default(),
            sources: Sources::new(endpoints, &run.sending, layout.vcs, run.room, joint),
            generator: Generator::new(run.seed, layout.switch),
            turns: if run.routes.counts() { vec![0; run.fabric.num_switches()] } else { Vec::new() },
            marks: vec![0; layout.num_lanes()].into(),
            links: incoming.iter().map(link).collect(),
            late_flits: Vec::new(),
            late_credits: Vec::new(),
            layout,
        }
    }

    /// Its endpoints create packets and send what there are credits for.
    #[inline]
    pub fn create<T>(&mut self, cycle: &mut Cycle<T>) {
        self.sources.step(cycle.now, &cycle.run.sending, &mut self.generator, &mut cycle.local.tally);
    }

    /// The record of `word` leaves by `port` on its virtual channel `vc`.
    #[inline(always)]
    pub fn send<T>(&mut self, cycle: &mut Cycle<T>, port: usize, vc: u8, word: u32) {
        let flit = self.pool.release(word & Word::<P>::NUMBER);
        match port.checked_sub(self.layout.endpoints) {
            Some(row) => {
                self.links[row].sent += cycle.counted;
                cycle.out[row].send(Flit { hops: flit.hops + 1, vc, slot: cycle.slot as u8, ..flit });
            }
            None => cycle.eject(&flit),
        }
    }

    /// A record has left the buffer of virtual channel `vc` at input `port`: its credit goes back.
    #[inline(always)]
    pub fn return_credit<T>(&mut self, cycle: &mut Cycle<T>, port: usize, vc: u8) {
        match port.checked_sub(self.layout.endpoints) {
            Some(row) => cycle.out[row].credit(cycle.slot, vc),
            None => self.sources.credit(cycle.now, port, vc),
        }
    }

    /// The channel that comes in at `port`, which is no endpoint's.
    #[inline]
    pub fn incoming(&self, port: usize) -> u32 {
        self.links[port - self.layout.endpoints].channel
    }

    /// Per port of a channel the flits sent in the window.
    pub fn sent(&self) -> impl Iterator<Item = u32> {
        self.links.iter().map(|link| link.sent)
    }

    /// Reads a little of everything that a block reads.
    pub fn touch(&self) {
        touch(&self.links);
        self.sources.touch();
        self.pool.touch();
    }

    /// Asks for what a block reads.
    pub fn prefetch(&self) {
        prefetch_all(&self.links);
        self.sources.prefetch();
    }

    /// Records in the switch, on their way to its buffers, and on the links from its endpoints.
    #[cfg(feature = "conservation")]
    pub fn num_records(&self) -> u64 {
        u64::from(self.pool.len()) + self.late_flits.len() as u64 + self.sources.arriving.all().count() as u64
    }

    /// Of virtual channel `vc` of `port`, the records on their way to its buffer, and the credits on their way to its output.
    #[cfg(feature = "conservation")]
    pub fn late(&self, port: usize, vc: u8) -> [usize; 2] {
        let lane = self.layout.lane(port, vc) as u16;
        let flits = self.late_flits.iter().filter(|&&(_, at, flit)| usize::from(at) == port && flit.vc == vc);
        [flits.count(), self.late_credits.iter().filter(|&&(_, at)| at == lane).count()]
    }
}
