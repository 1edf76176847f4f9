//! Virtual cut-through with output buffers: CAMINOS' basic router, and the switch of Kathareios et al. (SC15).

mod arbitrate;
mod crossbar;
mod pipeline;
mod state;

use tulle_spec::plugin;

use state::State;

use super::dispatch::{Dispatch, RunnableModel};
use super::model::{Model, PORT_WORDS, Timing};
use super::{CommonParameters, RouterPlugin};
use crate::Error;
// circle: `router` and `run` import each other, because a router model starts the run of its routers, and the run calls the model.
use crate::run::End;
use crate::sources::Inject;

plugin! {
    /// The parameters of the virtual cut-through model.
    #[derive(Debug, Clone, PartialEq)]
    pub(crate) struct VirtualCutThrough(arguments) {
        common: CommonParameters;
        pub vcs: u8 => common.vcs;
        /// buffer size in flits per input VC
        pub buffer: u16 = integer(1, 65_535), default "32";
        /// buffer size in flits per output VC
        pub output: u16 = integer(1, 65_535), default "32";
        /// delay in cycles through the switch; pipelined
        pub delay: u32 = integer(0, 1000), default "0";
        /// VC of a new packet: the first VC with room, or a random VC, drawn again each cycle until it has room
        pub inject: Inject = word(&["first", "random"]), default "first";
        /// speedup of the crossbar: maximum packets that an input port sends, and an output port accepts, at the same
        /// time; 0 means unlimited
        pub crossbar: u8 = integer(0, 16), default "0";
        /// queues of an input VC: one (fifo), or one per output port (voq: virtual output queues; needs a limited crossbar)
        pub voq "queues": bool = either("voq", "fifo"), default "fifo";
        /// priority in the crossbar: packets from other switches before packets from endpoints (first), or no priority
        /// (equal); needs a limited crossbar
        pub transit_first "transit": bool = either("first", "equal"), default "equal";
        is_preset: bool => false;
    }
    check {
        for (given, value, other) in [(voq, "queues=voq", "queues=fifo"), (transit_first, "transit=first", "transit=equal")] {
            if given && crossbar == 0 {
                let values = format!("{value}, crossbar=0");
                let legal = format!("legal: crossbar=1 to 16, or {other}");
                return Err(arguments.clash(values, "cannot be given together", legal));
            }
        }
    }
    name: "virtual-cut-through",
    summary: "virtual cut-through of whole packets, with buffers at inputs and outputs and random arbitration (CAMINOS' \
        basic router)",
    paper: "Camarero, Postigo, Fuentes: CAMINOS: A modular interconnection network simulator, 2023",
    limitations: "At most 256 ports. Links have a latency of at least one cycle. A buffer holds whole packets. Every \
        output virtual channel accepts one packet at a time, from any input. A waiting packet requests a random virtual channel \
        of its port every cycle. If no virtual channel of the port has room, the packet chooses a new random port for the next \
        cycle. Each output virtual channel accepts a random one of its requests. With a limited \
        crossbar, ports are matched at random every cycle until no more packets can cross. A virtual channel still \
        sends and accepts one packet at a time. In a virtual output queue a packet keeps the port that it chose on \
        arrival. With transit=first, packets from other switches can starve endpoints. Source queues are unbounded. \
        Endpoints accept every packet. Zero-load latency in cycles: 2·d_endpoint + delay·routers + d·hops + the packet's flits − 1, where \
        d is the latency of links between switches, and d_endpoint that of links to endpoints.",
    examples: [
        "virtual-cut-through", "virtual-cut-through:vcs=2,buffer=64,output=16,delay=4,inject=random,crossbar=2",
        "virtual-cut-through:crossbar=1,queues=voq,transit=first",
    ],
    rejects: [
        ("virtual-cut-through:vcs=0", "vcs=0 is out of range; legal: 1 to 16"),
        ("virtual-cut-through:crossbar=17", "crossbar=17 is out of range; legal: 0 to 16"),
        ("virtual-cut-through:queues=voq", "queues=voq, crossbar=0"),
        ("virtual-cut-through:transit=first", "transit=first, crossbar=0"),
        ("virtual-cut-through:inject=last", "inject=last is not a choice; legal: first, random"),
    ],
}

impl RouterPlugin for VirtualCutThrough {
    fn model(&self) -> Box<dyn RunnableModel> {
        Box::new(self.clone())
    }
}

impl Model for VirtualCutThrough {
    fn vcs(&self) -> u8 {
        self.vcs
    }

    fn buffer(&self) -> u16 {
        self.buffer
    }

    fn inject(&self) -> Inject {
        self.inject
    }

    fn timing(&self, packet: u16) -> Timing {
        // The buffer space of a packet is free after its last flit has left.
        let last = u32::from(packet) - 1;
        Timing {
            whole: true,
            record: packet,
            delay: self.delay,
            inside: 0,
            output: 0,
            credit: last,
            endpoint_credit: last,
            returns: self.vcs,
        }
    }

    /// With the preset `diameter-two`, a flit is a packet of 256 bytes, and a cycle is its transmission time at 100 Gb/s.
    fn units(&self) -> Option<(u32, u64)> {
        self.is_preset.then_some((256, 20_480))
    }

    fn check(&self, latency: u32, packet: u32) -> Result<(), Error> {
        if latency == 0 {
            return Err(Error::config("link_latency", latency, "is too short for virtual cut-through", "1 to 10000"));
        }
        let room = u32::from(self.buffer.min(self.output));
        if packet > room {
            let problem = format!("is more than the {room} flits of a buffer, which holds whole packets");
            return Err(Error::config("packet", packet, problem, format!("1 to {room}")));
        }
        Ok(())
    }
}

impl RunnableModel for VirtualCutThrough {
    fn run(&self, dispatch: Dispatch) -> Result<End, Error> {
        match dispatch.is_wide() {
            false => dispatch.run::<State<1>, 1>(self),
            true => dispatch.run::<State<PORT_WORDS>, PORT_WORDS>(self),
        }
    }
}

impl VirtualCutThrough {
    /// Returns the preset `diameter-two`: the switch of Kathareios et al. (SC15).
    pub fn preset(common: CommonParameters) -> Self {
        const PACKETS: u16 = (100_000 / 256) as u16;
        let buffer = PACKETS / u16::from(common.vcs);
        Self {
            common,
            vcs: common.vcs,
            buffer,
            output: buffer,
            delay: 5,
            inject: Inject::Random,
            crossbar: 1,
            voq: true,
            transit_first: true,
            is_preset: true,
        }
    }
}
