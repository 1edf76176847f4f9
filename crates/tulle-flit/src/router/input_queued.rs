//! Input-queued router: BookSim2's pipeline of look-ahead routing, virtual-channel allocation, switch allocation and
//! traversal.

mod allocate;
mod check;
mod pipeline;
mod state;

use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

pub(crate) use state::State;

use super::Resolved;
use crate::sources::Inject;

/// What this model says of itself.
pub(crate) const INFO: Info = Info {
    name: "input-queued",
    summary: "virtual channels with a buffer each at the inputs, separable or iSLIP allocation, internal speedup (BookSim2)",
    parameters: &[
        Parameter::prose("vcs", "1 to 16", "4", "virtual channels per port"),
        Parameter::prose("buffer", "1 to 4096", "32", "flits per virtual channel"),
        Parameter::prose("speedup", "1 to 4", "2", "allocation steps per cycle"),
        Parameter::prose(
            "allocator",
            "separable or islip",
            "separable",
            "separable, inputs first; or iSLIP: outputs grant, inputs accept; one iteration",
        ),
        Parameter::prose("credit", "0 to 64", "2", "cycles from the arrival of a credit to its use"),
        Parameter::prose(
            "delay",
            "0 to 1000",
            "0",
            "further cycles from the arrival of a flit at a router to its buffer, as of routing; pipelined",
        ),
        Parameter::prose(
            "route",
            "0 to 1000",
            "0",
            "cycles that a packet waits for its route once it is first in its queue (BookSim2's routing_delay); not pipelined",
        ),
        Parameter::prose(
            "inject",
            "round-robin or random",
            "round-robin",
            "virtual channel of a new packet: the next with room after the last packet's (BookSim2), or one at random",
        ),
    ],
    nested: false,
    paper: "Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, ISPASS 2013; McKeown: The iSLIP \
            scheduling algorithm, IEEE/ACM ToN 1999; Jellyfish §IV-A (speedup 2, 32 flits)",
    limitations: "At most 256 ports. One packet at a time per input virtual channel is in allocation; output queues have no \
                  limit; no speculation. The output virtual channel is free again once the last flit has won the switch. \
                  Zero-load latency: (1 + d_endpoint) + P·routers + d·hops + d_endpoint with P = 1 + delay + ⌊2/speedup⌋ \
                  (2 with speedup 2, 3 with speedup 1), with a route of 1 or more P = delay + route + ⌊3/speedup⌋, and a \
                  packet's further flits. Of the cycles of the route the last is one allocation step, as in BookSim2.",
    examples: &["input-queued", "input-queued:vcs=8,buffer=16,speedup=1,allocator=islip"],
    rejects: &[
        ("input-queued:vcs=0", "vcs=0 is out of range; legal: 1 to 16"),
        ("input-queued:vcs=17", "vcs=17 is out of range; legal: 1 to 16"),
        ("input-queued:buffer=0", "buffer=0 is out of range; legal: 1 to 4096"),
        ("input-queued:allocator=wavefront", "allocator=wavefront is not a choice; legal: separable, islip"),
        ("input-queued:inject=first", "inject=first is not a choice; legal: round-robin, random"),
        ("input-queued:route=1001", "route=1001 is out of range; legal: 0 to 1000"),
    ],
};

/// How requests are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allocator {
    Separable,
    Islip,
}

/// The model's parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InputQueued {
    pub vcs: u8,
    pub buffer: u16,
    pub speedup: u8,
    pub allocator: Allocator,
    pub credit: u32,
    pub delay: u32,
    pub route: u32,
    pub inject: Inject,
}

impl InputQueued {
    /// Reads and checks the parameters.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let islip = arguments.word("allocator", &["separable", "islip"])? == Some("islip");
        Ok(Self {
            vcs: arguments.integer("vcs", 1..=16)?.unwrap_or(4) as u8,
            buffer: arguments.integer("buffer", 1..=4096)?.unwrap_or(32) as u16,
            speedup: arguments.integer("speedup", 1..=4)?.unwrap_or(2) as u8,
            allocator: if islip { Allocator::Islip } else { Allocator::Separable },
            credit: arguments.integer("credit", 0..=64)?.unwrap_or(2) as u32,
            delay: arguments.integer("delay", 0..=1000)?.unwrap_or(0) as u32,
            route: arguments.integer("route", 0..=1000)?.unwrap_or(0) as u32,
            inject: match arguments.word("inject", &["round-robin", "random"])? {
                Some("random") => Inject::Random,
                _ => Inject::RoundRobin,
            },
        })
    }

    /// Cycles from a head's arrival in an empty buffer to the link, at the least.
    fn in_router(&self) -> u64 {
        let speedup = u64::from(self.speedup);
        match u64::from(self.route) {
            0 => 1 + 2 / speedup,
            route => route + 3 / speedup,
        }
    }

    /// Cycles from the use of a credit to the next use of the same one, over a link of `latency`, at the least.
    pub fn credit_loop(&self, latency: u32) -> u64 {
        let pipeline = 1 + self.in_router() + u64::from(self.delay);
        pipeline + 2 * u64::from(latency) + u64::from(self.credit)
    }
}

impl Resolved for InputQueued {
    fn parameters(&self) -> Parameters {
        Parameters::new()
            .integer("vcs", self.vcs)
            .integer("buffer", self.buffer)
            .integer("speedup", self.speedup)
            .word("allocator", if self.allocator == Allocator::Islip { "islip" } else { "separable" })
            .integer("credit", self.credit)
            .integer("delay", self.delay)
            .integer("route", self.route)
            .word("inject", self.inject.word())
    }
}
