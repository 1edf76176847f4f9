//! The figures of a router model, known before anything runs.

use crate::Error;
use crate::sources::{Inject, Joint};
use crate::wires::LONGEST_BLOCK;

/// The most ports of a switch, endpoints included: a bit each in so many words.
pub(crate) const MAX_PORTS: usize = 64 * PORT_WORDS;
/// Routers have sets of ports of one word, or of so many.
pub(crate) const PORT_WORDS: usize = 4;

/// The figures of a router model, its parameters resolved.
pub(crate) trait Model {
    /// Virtual channels of a port.
    fn vcs(&self) -> u8;

    /// Flits of a virtual channel's input buffer.
    fn buffer(&self) -> u16;

    /// The virtual channel of a new packet.
    fn inject(&self) -> Inject;

    /// The cycles that things take, with packets of `packet` flits.
    fn timing(&self, packet: u16) -> Timing;

    /// Bytes of a flit and picoseconds of a cycle, for models that say it.
    fn units(&self) -> Option<(u32, u64)> {
        None
    }

    /// Whether it can have links of `latency` cycles and packets of `packet` flits.
    ///
    /// # Errors
    /// Links that the model cannot have, or packets too long for its buffers.
    fn check(&self, _latency: u32, _packet: u32) -> Result<(), Error> {
        Ok(())
    }
}

/// The records that move through the routers of a model, and the cycles that they take beside those on links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Whether packets go whole: as one record that takes one credit and keeps a link busy for all of its flits.
    pub whole: bool,
    /// Flits of a record: those of a packet, or one.
    pub record: u16,
    /// From the arrival of a flit at a router to its buffer; pipelined.
    pub delay: u32,
    /// From there to the output, at the least.
    pub inside: u32,
    /// From the output to the link: 0 or 1. Where it is 0, [`Model::check`] refuses links of no cycle.
    pub output: u32,
    /// From the arrival of a credit at a router to its use, and of one at an endpoint.
    pub credit: u32,
    pub endpoint_credit: u32,
    /// Credits that a port returns in a cycle at the most.
    pub returns: u8,
}

impl Timing {
    /// Records that a virtual channel's buffer of `buffer` flits holds: its credits.
    pub fn room(&self, buffer: u16) -> u16 {
        buffer / self.record
    }

    /// Cycles that routers can run before they need what others send, where the shortest link has `latency`.
    pub fn block(&self, latency: u32) -> usize {
        ((latency + self.output) as usize).min(LONGEST_BLOCK)
    }

    /// Cycles from the use of a credit to the next use of the same one, over a link of `latency`, at the least: so many flits must
    /// a sender be able to have on their way, so that it can send in every cycle.
    pub fn credit_loop(&self, latency: u32) -> u64 {
        2 * u64::from(latency) + u64::from(self.delay + self.inside + self.output + self.credit)
    }

    /// Cycles from a block's first to the earliest in which an endpoint can send what waits for a packet that leaves its last
    /// router in that block: the cycle after the packet's arrival.
    pub fn reply(&self, endpoint_latency: u32) -> usize {
        (self.output + endpoint_latency) as usize + usize::from(self.record)
    }

    /// The joint of endpoints and their switch by links of `latency`.
    pub fn joint(&self, latency: u32, inject: Inject) -> Joint {
        Joint {
            there: self.output + latency + self.delay,
            back: self.output + latency + self.endpoint_credit,
            credits: self.returns.into(),
            whole: self.whole,
            inject,
        }
    }
}
