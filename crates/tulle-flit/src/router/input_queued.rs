//! The input-queued router: BookSim2's pipeline of look-ahead routing, VC allocation, switch allocation and traversal.

mod allocate;
mod pipeline;
mod state;

use tulle_spec::{plugin, words};

use state::State;

use super::dispatch::{Dispatch, RunnableModel};
use super::model::{Model, PORT_WORDS, Timing};
use super::{CommonParameters, RouterPlugin};
use crate::Error;
// circle: `router` and `run` import each other, because a router model starts the run of its routers, and the run calls the model.
use crate::run::End;
use crate::sources::Inject;

words! {
    /// The algorithm that matches requests with VCs and output ports.
    pub(crate) enum Allocator {
        /// Separable allocation: inputs pick first, then outputs grant.
        Separable = "separable",
        /// iSLIP: outputs grant first, then inputs accept.
        Islip = "islip",
    }
}

plugin! {
    /// The parameters of the input-queued model.
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct InputQueued {
        common: CommonParameters;
        pub vcs: u8 => common.vcs;
        /// buffer size in flits per VC
        pub buffer: u16 = integer(1, 4096), default "32";
        /// allocation steps per cycle
        pub speedup: u8 = integer(1, 4), default "2";
        /// allocator: separable (inputs first) or iSLIP (outputs grant, inputs accept); one iteration per step
        pub allocator: Allocator = word(Allocator::WORDS), default "separable";
        /// cycles from the arrival of a credit until it can be used
        pub credit: u32 = integer(0, 64), default "2";
        /// extra cycles from the arrival of a flit at a router until it is in the buffer, for example for routing;
        /// pipelined
        pub delay: u32 = integer(0, 1000), default "0";
        /// cycles that a packet waits for its route at the head of its queue (BookSim2's routing_delay); not pipelined
        pub route: u32 = integer(0, 1000), default "0";
        /// VC of a new packet: round-robin over the VCs with room (BookSim2), or a random VC, drawn again each cycle until
        /// it has room
        pub inject: Inject = word(&["round-robin", "random"]), default "round-robin";
    }
    name: "input-queued",
    summary: "a buffer per virtual channel at the inputs, separable or iSLIP allocation, internal speedup \
        (BookSim2)",
    paper: "Jiang et al.: A detailed and flexible cycle-accurate network-on-chip simulator, ISPASS 2013; McKeown: The \
        iSLIP scheduling algorithm, IEEE/ACM ToN 1999; Multi-Path Routing in the Jellyfish Network §IV-A (speedup 2, \
        32 flits)",
    limitations: "At most 256 ports. Only the first packet of an input virtual channel takes part in allocation. Output \
        queues are unbounded. There is no speculation. An output virtual channel is free again when the last flit of \
        its packet has been granted the crossbar. Zero-load latency in cycles: (1 + d_endpoint) + P·routers + d·hops + d_endpoint, plus \
        one cycle per further flit. d is the latency of links between switches, and d_endpoint that of links to endpoints. P is the \
        number of cycles per router. With route=0, P = 1 + delay + ⌊2/speedup⌋ (with delay=0: 2 at speedup 2, 3 at speedup 1). Otherwise \
        P = delay + route + ⌊3/speedup⌋, because the last cycle of the routing delay takes one allocation step, as in BookSim2.",
    examples: ["input-queued", "input-queued:vcs=8,buffer=16,speedup=1,allocator=islip"],
    rejects: [
        ("input-queued:vcs=0", "vcs=0 is out of range; legal: 1 to 16"),
        ("input-queued:vcs=17", "vcs=17 is out of range; legal: 1 to 16"),
        ("input-queued:buffer=0", "buffer=0 is out of range; legal: 1 to 4096"),
        ("input-queued:allocator=wavefront", "allocator=wavefront is not a choice; legal: separable, islip"),
        ("input-queued:inject=first", "inject=first is not a choice; legal: round-robin, random"),
        ("input-queued:route=1001", "route=1001 is out of range; legal: 0 to 1000"),
    ],
}

impl RouterPlugin for InputQueued {
    fn model(&self) -> Box<dyn RunnableModel> {
        Box::new(self.clone())
    }
}

impl Model for InputQueued {
    fn vcs(&self) -> u8 {
        self.vcs
    }

    fn buffer(&self) -> u16 {
        self.buffer
    }

    fn inject(&self) -> Inject {
        self.inject
    }

    fn timing(&self, _: u16) -> Timing {
        let speedup = u32::from(self.speedup);
        let inside = match self.route {
            0 => 1 + 2 / speedup,
            route => route + 3 / speedup,
        };
        Timing {
            whole: false,
            record: 1,
            delay: self.delay,
            inside,
            output: 1,
            credit: self.credit,
            endpoint_credit: 0,
            returns: 1,
        }
    }
}

impl RunnableModel for InputQueued {
    /// Runs the simulation with the smallest compiled `State<W, P>` that has room for the largest switch: at most 64·W VCs in all ports
    /// together, and 64·P ports.
    fn run(&self, dispatch: Dispatch) -> Result<End, Error> {
        let port_vcs = dispatch.radix() * state::stride(self.vcs);
        match (port_vcs.div_ceil(64), dispatch.is_wide()) {
            (..=1, false) => dispatch.run::<State<1, 1>, 1>(self),
            (2, false) => dispatch.run::<State<2, 1>, 1>(self),
            (3, false) => dispatch.run::<State<3, 1>, 1>(self),
            (4, false) => dispatch.run::<State<4, 1>, 1>(self),
            (..=8, false) => dispatch.run::<State<8, 1>, 1>(self),
            (_, false) => dispatch.run::<State<16, 1>, 1>(self),
            (..=4, true) => dispatch.run::<State<4, PORT_WORDS>, PORT_WORDS>(self),
            (..=16, true) => dispatch.run::<State<16, PORT_WORDS>, PORT_WORDS>(self),
            (_, true) => dispatch.run::<State<64, PORT_WORDS>, PORT_WORDS>(self),
        }
    }
}
