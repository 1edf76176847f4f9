//! The data that routers use: the data that all routers of a run share, the data of one thread, and the arrivals of a block of cycles.

use tulle_fabric::Fabric;

use super::feedback::IdleTimes;
use super::model::Timing;
use crate::SaturationRule;
use crate::channel_buffer::{ChannelBuffer, LONGEST_BLOCK};
use crate::flit::{Flit, MEASURED, MINIMAL, TAIL};
use crate::measure::Tally;
use crate::routes::Routes;
use crate::sources::{Sending, Supply};

/// The data that all routers of a run share.
pub(crate) struct Run<'a> {
    pub fabric: &'a Fabric,
    pub routes: &'a Routes<'a>,
    pub sending: Sending<'a>,
    pub timing: Timing,
    /// Number of credits of a VC: the number of records (flits or whole packets) for which its input buffer has room.
    pub credits: u16,
    /// Per channel: its latency.
    pub latency: Vec<u32>,
    /// Number of cycles in a block. Routers exchange flits after each block.
    pub block: usize,
    pub seed: u64,
    /// The times of routes through empty queues, if the selector learns from acknowledgements.
    pub idle: Option<IdleTimes>,
}

/// The data of one thread; `T` is the scratch memory of the router model.
#[derive(Debug, Default)]
pub(crate) struct Local<T = ()> {
    pub tally: Tally,
    /// Arrivals at the current router, and arrivals at the next router, which are read ahead.
    pub inboxes: [Inbox; 2],
    /// For messages of a workload: every packet that arrived in this block of cycles, as the message and the cycle in which the last flit
    /// arrived.
    pub arrived: Vec<(u32, u32)>,
    /// The flits that left their last switches in this block of cycles, each with its cycle. Empty if the selector does not learn from
    /// acknowledgements.
    pub ejected: Vec<(u32, Flit)>,
    /// A switch that may hold too many flits for their numbers after the next block of cycles.
    pub full: Option<u32>,
    pub scratch: T,
}

impl<T> Local<T> {
    /// Counts `flit`, or the whole packet that it stands for, which left its last switch in cycle `now`.
    #[inline]
    pub fn arrive(&mut self, run: &Run, flit: &Flit, now: u32) {
        let (sending, timing) = (&run.sending, &run.timing);
        let first = now + timing.output + sending.latency;
        self.tally.accepted += u64::from(sending.window.overlap(first, timing.record));
        if sending.rule == SaturationRule::Booksim {
            self.tally.ages.arrive(flit.created, first, timing.record, &sending.window);
        }
        if flit.flags & TAIL != 0 {
            self.deliver(sending, flit, first + u32::from(timing.record) - 1);
        }
    }

    /// Records that the last flit of a packet arrived in cycle `arrival`; `flit` is a flit of the packet.
    #[inline]
    pub fn deliver(&mut self, sending: &Sending, flit: &Flit, arrival: u32) {
        let minimal = flit.flags & MINIMAL != 0;
        match sending.supply {
            Supply::Random(_) => {
                self.tally.deliver(flit.created, arrival, flit.hops, minimal, &sending.window);
                if flit.flags & MEASURED != 0 {
                    self.tally.ages.deliver(flit.created, arrival, &sending.window);
                }
            }
            Supply::Posted(_) => {
                self.arrived.push((flit.created, arrival));
                self.tally.arrive(arrival, flit.hops, minimal);
            }
        }
    }
}

/// The arrivals at one router in one block of cycles.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Flits that arrive over cables, each with its cycle, counted from the start of the block of cycles, and its port.
    pub incoming: Vec<(u8, u8, Flit)>,
    /// For each cycle of a block of cycles: every flit that arrives, as input VC and handle.
    pub flits: [Vec<(u16, u32)>; LONGEST_BLOCK],
    /// For each cycle of a block of cycles: the output VCs that get a credit.
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
    /// The number of the cycle, counted from the start of the block of cycles.
    pub slot: usize,
    /// The outgoing channels of the switch.
    pub out: &'a mut [ChannelBuffer],
    pub local: &'a mut Local<T>,
    /// A record is one flit or a whole packet. If a switch begins to send a record in this cycle, this many of its flits are sent within the
    /// measurement window.
    pub counted: u32,
}

impl<'a, T> Cycle<'a, T> {
    /// Creates cycle `now`, which has number `slot` in its block of cycles.
    #[inline]
    pub fn new(run: &'a Run, now: u32, slot: usize, out: &'a mut [ChannelBuffer], local: &'a mut Local<T>) -> Self {
        Self { run, now, slot, out, local, counted: run.sending.window.overlap(now, run.timing.record) }
    }

    /// Sends `flit`, or the whole packet that it stands for, to its endpoint. An endpoint accepts every flit.
    #[inline]
    pub fn eject(&mut self, flit: &Flit) {
        self.local.tally.delivered_flits += u64::from(self.run.timing.record);
        if self.run.idle.is_some() {
            // The cycle of creation is stored at the first switch.
            self.local.ejected.push((self.now, *flit));
        } else {
            self.local.arrive(self.run, flit, self.now);
        }
    }
}

/// A full input buffer in which the first flit waits for credits; used by the watchdog.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    /// The channel that ends at the buffer, and the VC.
    pub at: (u32, u8),
    /// The channels and VCs for which the flit waits; a credit on any one of them lets it move.
    pub wants: Vec<(u32, u8)>,
}
