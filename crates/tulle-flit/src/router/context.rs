//! Around routers: the data that all of a run share, the data of a thread, and the arrivals of a block.

use tulle_fabric::Fabric;

use super::model::Timing;
use crate::flit::{Flit, MINIMAL, TAIL};
use crate::measure::Tally;
use crate::routes::Routes;
use crate::sources::{Sending, Supply};
use crate::wires::{LONGEST_BLOCK, Line};

/// The data that all routers of a run share.
pub(crate) struct Run<'a> {
    pub fabric: &'a Fabric,
    pub routes: &'a Routes<'a>,
    pub sending: Sending<'a>,
    pub timing: Timing,
    /// Credits of a virtual channel: records that its input buffer holds.
    pub room: u16,
    /// Per channel its latency.
    pub latency: Vec<u32>,
    /// Cycles per block.
    pub block: usize,
    pub seed: u64,
}

/// The data of one thread; `T` is the memory that the router model works in.
#[derive(Debug, Default)]
pub(crate) struct Local<T = ()> {
    pub tally: Tally,
    /// Arrivals at the router that runs, and at the next: that is read ahead.
    pub inboxes: [Inbox; 2],
    /// Where messages are posted: of every packet that arrived in this block, its message and the cycle of its last flit.
    pub arrived: Vec<(u32, u32)>,
    pub scratch: T,
}

impl<T> Local<T> {
    /// The packet of `flit` has arrived as a whole in cycle `arrival`.
    #[inline]
    pub fn deliver(&mut self, sending: &Sending, flit: &Flit, arrival: u32) {
        let minimal = flit.flags & MINIMAL != 0;
        match sending.supply {
            Supply::Random(_) => self.tally.deliver(flit.created, arrival, flit.hops, minimal, &sending.window),
            Supply::Posted(_) => {
                self.arrived.push((flit.created, arrival));
                self.tally.arrive(arrival, flit.hops, minimal);
            }
        }
    }
}

/// Arrivals at one router in one block.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Flits as they came over the wires: the cycle they arrive in, and the port.
    pub incoming: Vec<(u8, u8, Flit)>,
    /// Per cycle of the block, the input virtual channel and the word of every flit that arrives.
    pub flits: [Vec<(u16, u32)>; LONGEST_BLOCK],
    /// Per cycle of the block, the output virtual channels that get a credit.
    pub credits: [Vec<u16>; LONGEST_BLOCK],
}

impl Inbox {
    pub fn clear(&mut self) {
        self.incoming.clear();
        self.flits.iter_mut().for_each(Vec::clear);
        self.credits.iter_mut().for_each(Vec::clear);
    }
}

/// One cycle of one router.
pub(crate) struct Cycle<'a, T = ()> {
    pub run: &'a Run<'a>,
    pub now: u32,
    /// Which of its block it is.
    pub slot: usize,
    /// The switch's own channels.
    pub out: &'a mut [Line],
    pub local: &'a mut Local<T>,
    /// Flits in the window of a record that is sent now.
    pub counted: u32,
}

impl<'a, T> Cycle<'a, T> {
    /// The cycle of number `slot` in its block.
    #[inline]
    pub fn new(run: &'a Run, now: u32, slot: usize, out: &'a mut [Line], local: &'a mut Local<T>) -> Self {
        Self { run, now, slot, out, local, counted: run.sending.window.share(now, run.timing.record) }
    }

    /// The record of `flit` is sent to its endpoint, which takes what comes.
    #[inline]
    pub fn eject(&mut self, flit: &Flit) {
        let (sending, timing) = (&self.run.sending, &self.run.timing);
        let first = self.now + timing.output + sending.latency;
        let tally = &mut self.local.tally;
        tally.delivered_flits += u64::from(timing.record);
        tally.accepted += u64::from(sending.window.share(first, timing.record));
        if flit.flags & TAIL != 0 {
            self.local.deliver(sending, flit, first + u32::from(timing.record) - 1);
        }
    }
}

/// A full input buffer whose first flit waits for credits, for the watchdog.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    /// The channel it is at the end of, and the virtual channel.
    pub at: (u32, u8),
    /// The channels and virtual channels, a credit of any of which would let it go on.
    pub wants: Vec<(u32, u8)>,
}
