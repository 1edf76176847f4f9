//! Virtual cut-through with output buffers: CAMINOS' basic router, and the switch of the diameter-two paper.

mod arbitrate;
mod check;
mod crossbar;
mod pipeline;
mod state;

use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

pub(crate) use state::{State, need};

use super::Resolved;
use crate::sources::Inject;

const VCS: Parameter = Parameter::prose("vcs", "1 to 16", "4", "virtual channels per port");

/// What this model says of itself.
pub(crate) const INFO: Info = Info {
    name: "virtual-cut-through",
    summary: "buffers at inputs and outputs, whole packets, random arbitration (CAMINOS' basic router)",
    parameters: &[
        VCS,
        Parameter::prose("buffer", "1 to 65535", "32", "flits per input virtual channel"),
        Parameter::prose("output", "1 to 65535", "32", "flits per output virtual channel"),
        Parameter::prose("delay", "0 to 1000", "0", "cycles through the switch; pipelined"),
        Parameter::prose(
            "inject",
            "first or random",
            "first",
            "virtual channel of a new packet: the first with room, or one at random",
        ),
        Parameter::prose(
            "crossbar",
            "0 to 16",
            "0",
            "packets that an input port gives and an output port takes at a time (speedup); 0: no limit",
        ),
        Parameter::prose(
            "queues",
            "fifo or voq",
            "fifo",
            "an input virtual channel is one queue, or one per output port (virtual output queues; needs a crossbar)",
        ),
        Parameter::prose(
            "transit",
            "equal or first",
            "equal",
            "whether packets from other switches cross before those of endpoints (needs a crossbar)",
        ),
    ],
    nested: false,
    paper: "Camarero, Postigo, Fuentes: CAMINOS: A modular interconnection network simulator, 2023",
    limitations: "At most 256 ports; links of at least one cycle. A buffer holds whole packets. Every output virtual channel takes a \
                  packet at a time, whatever input it comes from; who waits draws among its ports and virtual channels anew \
                  every cycle, and each output virtual channel draws among who asks. Ports of a limited crossbar are matched \
                  every cycle, at random until no more can cross; a virtual channel gives and takes a packet at a time there, \
                  too, and in a virtual output queue a packet keeps the port that it drew on arrival. Transit that goes first can \
                  starve endpoints. Sources queue without limit. Endpoints take what comes. Zero-load latency: \
                  2·d_endpoint + delay·routers + d·hops + the packet's flits − 1.",
    examples: &[
        "virtual-cut-through",
        "virtual-cut-through:vcs=2,buffer=64,output=16,delay=4,inject=random,crossbar=2",
        "virtual-cut-through:crossbar=1,queues=voq,transit=first",
    ],
    rejects: &[
        ("virtual-cut-through:vcs=0", "vcs=0 is out of range; legal: 1 to 16"),
        ("virtual-cut-through:crossbar=17", "crossbar=17 is out of range; legal: 0 to 16"),
        ("virtual-cut-through:queues=voq", "queues=voq, crossbar=0"),
        ("virtual-cut-through:transit=first", "transit=first, crossbar=0"),
        ("virtual-cut-through:inject=last", "inject=last is not a choice; legal: first, random"),
    ],
};

/// What the preset says of itself.
pub(crate) const DIAMETER_TWO: Info = Info {
    name: "diameter-two",
    summary: "the switch of the diameter-two paper: virtual cut-through, 100 KB per port and direction, 100 ns",
    parameters: &[VCS],
    nested: false,
    paper: "diameter-two §4.1: 100 KB per port and direction, 100 ns, links of 100 Gb/s and 50 ns, packets of 256 bytes",
    limitations: "A cycle is a packet of 256 bytes at 100 Gb/s, 20.48 ns: 100 ns are 5 cycles, 50 ns nearest 2 (set latency=2, \
                  endpoint_latency=2 and packet=1), together 143 for 150 ns. A port's 390 packets are shared out evenly among \
                  its virtual channels. The paper says of the switch that it has buffers at inputs and outputs. The rest is our reading: \
                  virtual output queues, a crossbar of speedup 1, matched until no more can cross, and transit before new \
                  packets. One queue per virtual channel loses too much at speedup 1; at speedup 2 no channel bound is \
                  missed, where the paper's larger Slim Fly misses its by 5%; and where transit has no priority, indirect \
                  random routing has less than half of what minimal has.",
    examples: &["diameter-two", "diameter-two:vcs=2"],
    rejects: &[("diameter-two:buffer=3", "unknown parameter 'buffer=3'")],
};

/// The model's parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VirtualCutThrough {
    pub vcs: u8,
    pub buffer: u16,
    pub output: u16,
    pub delay: u32,
    pub inject: Inject,
    /// Packets through the crossbar per port and direction at a time; 0: no limit.
    pub crossbar: u8,
    /// Whether an input virtual channel has a queue per output port.
    pub voq: bool,
    /// Whether packets from other switches cross before those of endpoints.
    pub transit_first: bool,
    is_preset: bool,
}

impl VirtualCutThrough {
    /// Reads and checks the parameters.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let crossbar = arguments.integer("crossbar", 0..=16)?.unwrap_or(0) as u8;
        let voq = arguments.word("queues", &["fifo", "voq"])? == Some("voq");
        let transit_first = arguments.word("transit", &["equal", "first"])? == Some("first");
        for (given, value, other) in
            [(voq, "queues=voq", "queues=fifo"), (transit_first, "transit=first", "transit=equal")]
        {
            if given && crossbar == 0 {
                let problem = "the first needs a crossbar";
                return Err(arguments.clash(
                    format!("{value}, crossbar=0"),
                    problem,
                    format!("crossbar=1 to 16, or {other}"),
                ));
            }
        }
        Ok(Self {
            vcs: arguments.integer("vcs", 1..=16)?.unwrap_or(4) as u8,
            buffer: arguments.integer("buffer", 1..=65_535)?.unwrap_or(32) as u16,
            output: arguments.integer("output", 1..=65_535)?.unwrap_or(32) as u16,
            delay: arguments.integer("delay", 0..=1000)?.unwrap_or(0) as u32,
            inject: match arguments.word("inject", &["first", "random"])? {
                Some("random") => Inject::Random,
                _ => Inject::First,
            },
            crossbar,
            voq,
            transit_first,
            is_preset: false,
        })
    }

    /// Reads the parameters of the preset.
    pub fn read_preset(arguments: &Arguments) -> Result<Self, SpecError> {
        const PACKETS: u16 = (100_000 / 256) as u16;
        let vcs = arguments.integer("vcs", 1..=16)?.unwrap_or(4) as u8;
        let buffer = PACKETS / u16::from(vcs);
        Ok(Self {
            vcs,
            buffer,
            output: buffer,
            delay: 5,
            inject: Inject::Random,
            crossbar: 1,
            voq: true,
            transit_first: true,
            is_preset: true,
        })
    }

    pub fn name(&self) -> &'static str {
        if self.is_preset { DIAMETER_TWO.name } else { INFO.name }
    }

    /// What a flit and a cycle are, in the preset: a packet of 256 bytes at 100 Gb/s.
    pub fn units(&self) -> Option<(u32, u64)> {
        self.is_preset.then_some((256, 20_480))
    }

    /// Packets of `flits` that an input virtual channel holds.
    pub fn packets(&self, flits: u16) -> u16 {
        self.buffer / flits
    }

    /// Cycles from the use of a credit to the next use of the same one, over a link of `latency`, at the least.
    pub fn credit_loop(&self, latency: u32, packet: u32) -> u64 {
        2 * u64::from(latency) + u64::from(self.delay) + u64::from(packet) - 1
    }
}

impl Resolved for VirtualCutThrough {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().integer("vcs", self.vcs);
        if self.is_preset {
            return parameters;
        }
        parameters
            .integer("buffer", self.buffer)
            .integer("output", self.output)
            .integer("delay", self.delay)
            .word("inject", self.inject.word())
            .integer("crossbar", self.crossbar)
            .word("queues", if self.voq { "voq" } else { "fifo" })
            .word("transit", if self.transit_first { "first" } else { "equal" })
    }
}
