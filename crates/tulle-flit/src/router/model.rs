//! The properties of a router model, known before a run.

use crate::Error;
use crate::channel_buffer::LONGEST_BLOCK;
use crate::sources::{EndpointLinks, Inject};

/// The maximum number of ports of a switch, endpoints included.
pub(crate) const MAX_PORTS: usize = 64 * PORT_WORDS;
/// Port sets take 64 bits, or this multiple of them in switches with more than 64 ports.
pub(crate) const PORT_WORDS: usize = 4;

/// The properties of a router model with its parameters.
pub(crate) trait Model {
    /// VCs of a port.
    fn vcs(&self) -> u8;

    /// Flits that the input buffer of a VC holds.
    fn buffer(&self) -> u16;

    /// The VC of a new packet.
    fn inject(&self) -> Inject;

    /// The delays, with packets of `packet` flits.
    fn timing(&self, packet: u16) -> Timing;

    /// Bytes of a flit and picoseconds of a cycle, if the model defines them.
    fn units(&self) -> Option<(u32, u64)> {
        None
    }

    /// Checks that the model supports links of `latency` cycles and packets of `packet` flits.
    ///
    /// # Errors
    /// Links that are too short, or packets too long for the buffers.
    fn check(&self, _latency: u32, _packet: u32) -> Result<(), Error> {
        Ok(())
    }
}

/// The records that move through routers of a model, and their delays apart from those of links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Whether a packet travels as one record, which takes one credit and keeps a link busy for all its flits.
    pub whole: bool,
    /// Flits of a record: those of a packet, or one.
    pub record: u16,
    /// Delay from the arrival of a flit at a router to its buffer; pipelined.
    pub delay: u32,
    /// Minimum delay from the buffer to the output.
    pub inside: u32,
    /// Delay from the output to the link: 0 or 1. If it is 0, [`Model::check`] must refuse links of latency 0.
    pub output: u32,
    /// Delay from the arrival of a credit to its use, at a router and at an endpoint.
    pub credit: u32,
    pub endpoint_credit: u32,
    /// Maximum credits that a port returns per cycle.
    pub returns: u8,
}

impl Timing {
    /// Returns the records that a VC's buffer of `buffer` flits holds: its credits.
    pub fn room(&self, buffer: u16) -> u16 {
        buffer / self.record
    }

    /// Returns how many cycles routers can run before they need each other's flits, if the shortest link takes
    /// `latency`.
    pub fn block(&self, latency: u32) -> usize {
        ((latency + self.output) as usize).min(LONGEST_BLOCK)
    }

    /// Returns the minimum cycles between two uses of the same credit over a link of `latency`. A sender needs this
    /// many credits to send in every cycle.
    pub fn credit_loop(&self, latency: u32) -> u64 {
        2 * u64::from(latency) + u64::from(self.delay + self.inside + self.output + self.credit)
    }

    /// Returns the cycles from the start of a block until an endpoint can send a message that depends on a packet that
    /// leaves its last router in that block: one cycle after the packet's arrival.
    pub fn reply(&self, endpoint_latency: u32) -> usize {
        (self.output + endpoint_latency) as usize + usize::from(self.record)
    }

    /// Returns the links between endpoints and switch, for cables of `latency`.
    pub fn endpoint_links(&self, latency: u32, inject: Inject) -> EndpointLinks {
        EndpointLinks {
            delay: self.output + latency + self.delay,
            credit_delay: self.output + latency + self.endpoint_credit,
            credits: self.returns.into(),
            whole: self.whole,
            inject,
        }
    }
}
