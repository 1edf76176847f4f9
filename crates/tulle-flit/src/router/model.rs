//! Router models: the properties of a model, which are known before a run.

use crate::Error;
use crate::channel_buffer::LONGEST_BLOCK;
use crate::sources::{EndpointLinks, Inject};

/// The maximum number of ports of a switch, endpoints included.
pub(crate) const MAX_PORTS: usize = 64 * PORT_WORDS;
/// Number of 64-bit words of a port set in switches with more than 64 ports. In smaller switches a port set takes one
/// word.
pub(crate) const PORT_WORDS: usize = 4;

/// The properties of a router model with its parameters.
pub(crate) trait Model {
    /// Returns the number of VCs of a port.
    fn vcs(&self) -> u8;

    /// Returns the number of flits that the input buffer of a VC holds.
    fn buffer(&self) -> u16;

    /// Returns the rule that picks the VC of a new packet.
    fn inject(&self) -> Inject;

    /// Returns the delays of the model, for packets of `packet` flits.
    fn timing(&self, packet: u16) -> Timing;

    /// Returns the flit size in bytes and the cycle length in picoseconds, if the model defines them.
    fn units(&self) -> Option<(u32, u64)> {
        None
    }

    /// Checks that the model supports links of `latency` cycles and packets of `packet` flits.
    ///
    /// # Errors
    /// Fails if the links are too short, or if packets are too long for the buffers.
    fn check(&self, _latency: u32, _packet: u32) -> Result<(), Error> {
        Ok(())
    }
}

/// The size of the records that move through routers of a model, and the model's delays. A record is a flit or a whole
/// packet. Delays are in cycles and exclude the latency of links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Whether a packet travels as one record. A record uses one credit and keeps a link busy for the time of all its flits.
    pub whole: bool,
    /// Number of flits of a record. A record is one flit or, if `whole` is set, a whole packet.
    pub record: u16,
    /// Delay from the arrival of a flit at a router until it is in the buffer; pipelined.
    pub delay: u32,
    /// Minimum delay from the buffer to the link, `output` included.
    pub inside: u32,
    /// Delay from the output to the link: 0 or 1. A model with delay 0 must refuse links of latency 0 in
    /// [`Model::check`].
    pub output: u32,
    /// Delay from the arrival of a credit until it can be used, at a router (`credit`) and at an endpoint
    /// (`endpoint_credit`).
    pub credit: u32,
    pub endpoint_credit: u32,
    /// Maximum number of credits that a port returns per cycle.
    pub returns: u8,
}

impl Timing {
    /// Returns the number of credits of a VC: the number of records (flits or whole packets) that its buffer of
    /// `buffer` flits holds.
    pub fn credits(&self, buffer: u16) -> u16 {
        buffer / self.record
    }

    /// Returns what records are called in messages.
    pub fn records(&self) -> &'static str {
        if self.whole { "packets" } else { "flits" }
    }

    /// Returns the number of cycles that a router can run before it needs flits from other routers. `latency` is the latency of the
    /// shortest link.
    pub fn block(&self, latency: u32) -> usize {
        ((latency + self.output) as usize).min(LONGEST_BLOCK)
    }

    /// Returns the minimum number of cycles between two uses of the same credit over a link of latency `latency`. With this many credits, a
    /// sender can send in every cycle. If the speedup of an input-queued router is above 1, the actual minimum can be one cycle less.
    pub fn credit_loop(&self, latency: u32) -> u64 {
        2 * u64::from(latency) + u64::from(self.delay + self.inside + self.output + self.credit)
    }

    /// Returns the minimum delay in cycles from the departure of a packet from its last router to the start of a message that depends on
    /// the packet. Such a message can be sent one cycle after the packet has arrived.
    pub fn reply(&self, endpoint_latency: u32) -> usize {
        (self.output + endpoint_latency) as usize + usize::from(self.record)
    }

    /// Returns the properties of the links between endpoints and their switch, if their cables have the latency
    /// `latency`.
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
