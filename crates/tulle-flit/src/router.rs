//! Router models: one file and one registry line each.

pub(crate) mod input_queued;
#[cfg(test)]
mod rig;
pub(crate) mod virtual_cut_through;

use std::sync::LazyLock;

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameters, SpecError, find};

use crate::Error;
use crate::flit::{Flit, MINIMAL};
use crate::measure::Tally;
use crate::routes::Routes;
use crate::sources::{Sending, Sources, Supply};
use crate::wires::{LONGEST_BLOCK, Line};

use input_queued::InputQueued;
use virtual_cut_through::VirtualCutThrough;

/// The most ports of a switch, endpoints included: a bit each in so many words.
pub(crate) const MAX_PORTS: usize = 64 * PORT_WORDS;
/// Routers have sets of ports of one word, or of so many.
pub(crate) const PORT_WORDS: usize = 4;

/// A router model, its parameters resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Model {
    InputQueued(InputQueued),
    VirtualCutThrough(VirtualCutThrough),
}

impl Model {
    /// Virtual channels of a port.
    pub fn vcs(&self) -> u8 {
        match self {
            Self::InputQueued(model) => model.vcs,
            Self::VirtualCutThrough(model) => model.vcs,
        }
    }

    /// The canonical spec.
    pub fn spec(&self) -> String {
        match self {
            Self::InputQueued(model) => model.parameters().spec(input_queued::INFO.name),
            Self::VirtualCutThrough(model) => model.parameters().spec(model.name()),
        }
    }

    /// Flits that a sender must be able to have on their way, so that it can send in every cycle over a link of `latency`.
    pub fn credit_loop(&self, latency: u32, packet: u32) -> u64 {
        match self {
            Self::InputQueued(model) => model.credit_loop(latency),
            Self::VirtualCutThrough(model) => model.credit_loop(latency, packet),
        }
    }

    /// Flits of a virtual channel's buffer.
    pub fn buffer(&self) -> u64 {
        match self {
            Self::InputQueued(model) => model.buffer.into(),
            Self::VirtualCutThrough(model) => model.buffer.into(),
        }
    }

    /// Credits of a virtual channel, for packets of `packet` flits.
    #[cfg(feature = "conservation")]
    pub fn credits(&self, packet: u16) -> usize {
        match self {
            Self::InputQueued(model) => model.buffer.into(),
            Self::VirtualCutThrough(model) => model.packets(packet).into(),
        }
    }

    /// Cycles from a block's first to the earliest in which an endpoint can send what waits for a packet that leaves its last
    /// router in that block: the cycle after the packet's arrival.
    pub fn reply(&self, endpoint_latency: u32, packet: u32) -> usize {
        match self {
            Self::InputQueued(_) => endpoint_latency as usize + 2,
            Self::VirtualCutThrough(_) => (endpoint_latency + packet) as usize,
        }
    }

    /// What a flit and a cycle are, for models that say it: bytes, and picoseconds.
    pub fn units(&self) -> Option<(u32, u64)> {
        match self {
            Self::VirtualCutThrough(model) => model.units(),
            Self::InputQueued(_) => None,
        }
    }

    /// Cycles that routers can run before they need what others send, where the shortest link has `latency`.
    ///
    /// # Errors
    /// Links that the model cannot have, or packets too long for its buffers.
    pub fn block(&self, latency: u32, packet: u32) -> Result<usize, Error> {
        match self {
            Self::InputQueued(_) => Ok((latency as usize + 1).min(LONGEST_BLOCK)),
            Self::VirtualCutThrough(model) => {
                if latency == 0 {
                    return Err(Error::config(
                        "link_latency",
                        latency,
                        "is too short for virtual cut-through",
                        "1 to 10000",
                    ));
                }
                let room = u32::from(model.buffer.min(model.output));
                if packet > room {
                    let problem = format!("is more than the {room} flits of a buffer, which holds whole packets");
                    return Err(Error::config("packet", packet, problem, format!("1 to {room}")));
                }
                Ok((latency as usize).min(LONGEST_BLOCK))
            }
        }
    }
}

/// What all routers of a run share.
pub(crate) struct Run<'a> {
    pub fabric: &'a Fabric,
    pub routes: &'a Routes<'a>,
    pub sending: Sending<'a>,
    /// Per channel its latency.
    pub latency: Vec<u32>,
    /// Cycles per block.
    pub block: usize,
    pub seed: u64,
    /// Credits of a virtual channel.
    #[cfg(feature = "conservation")]
    pub buffer: usize,
}

/// What one thread keeps between routers.
#[derive(Debug)]
pub(crate) struct Local {
    pub tally: Tally,
    /// What arrives at the router that runs, and at the next: that is read ahead.
    pub inboxes: [Inbox; 2],
    /// Flits granted in the last step of a cycle: output port and word.
    pub deferred: Vec<(u8, u32)>,
    /// Per output port the input ports that ask for it, in as many words as the router's sets of ports have, between allocations
    /// none; per input port the input virtual channel it asks for.
    pub requests: Box<[u64; MAX_PORTS * PORT_WORDS]>,
    pub chosen: [u16; MAX_PORTS],
    /// Where messages are posted: of every packet that arrived in this block, its message and the cycle of its last flit.
    pub arrived: Vec<(u32, u32)>,
}

impl Default for Local {
    fn default() -> Self {
        Self {
            tally: Tally::default(),
            inboxes: Default::default(),
            deferred: Vec::new(),
            requests: Box::new([0; MAX_PORTS * PORT_WORDS]),
            chosen: [0; MAX_PORTS],
            arrived: Vec::new(),
        }
    }
}

impl Local {
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

/// What arrives at one router in one block.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Flits as they came over the wires: the cycle they arrive in, and the input buffer.
    pub incoming: Vec<(u8, u16, Flit)>,
    /// Per cycle of the block, the input buffer and the word of every flit that arrives.
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

/// A full input buffer whose first flit waits for credits, for the watchdog.
#[derive(Debug, Clone)]
pub(crate) struct Waiting {
    /// The channel it is at the end of, and the virtual channel.
    pub at: (u32, u8),
    /// The channels and virtual channels, a credit of any of which would let it go on.
    pub wants: Vec<(u32, u8)>,
}

/// A router: one switch in some model.
pub(crate) trait Router: Send + Sync {
    /// Reads the wires, which are all channels of the last block, ahead of a block of cycles from `start` on: what arrives in
    /// it goes into `inbox`, what comes later is kept. Asks for what routing will read.
    fn gather(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox);

    /// Runs that block; `out` are the switch's own channels.
    fn block(&mut self, run: &Run, start: u32, inbox: &mut Inbox, out: &mut [Line], local: &mut Local);

    /// Reads a little of everything that a block reads; before [`Router::prefetch`].
    fn touch(&self);

    /// Asks for what a block reads, but for the wires.
    fn prefetch(&self);

    /// What the switch's endpoints send.
    fn sources(&self) -> &Sources;

    /// The same, to post messages to.
    fn sources_mut(&mut self) -> &mut Sources;

    /// Per network port the flits sent in the window.
    fn sent(&self) -> Vec<u32>;

    /// Everything that there is, for the count.
    #[cfg(feature = "conservation")]
    fn census(&self, run: &Run) -> crate::conservation::Census;

    /// What cannot move for want of credits: the full buffers whose first flit has none, and what it waits for.
    fn stuck(&self, run: &Run) -> Vec<Waiting>;
}

/// A registered router model.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments) -> Result<Model, SpecError>,
}

static ROUTERS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry {
            info: &const { input_queued::INFO },
            read: |arguments| Ok(Model::InputQueued(InputQueued::read(arguments)?)),
        },
        Entry {
            info: &const { virtual_cut_through::INFO },
            read: |arguments| Ok(Model::VirtualCutThrough(VirtualCutThrough::read(arguments)?)),
        },
        Entry {
            info: &const { virtual_cut_through::DIAMETER_TWO },
            read: |arguments| Ok(Model::VirtualCutThrough(VirtualCutThrough::read_preset(arguments)?)),
        },
    ]
});

/// All registered router models.
pub fn routers() -> &'static [Entry] {
    &ROUTERS
}

/// The router model that `spec` gives.
pub(crate) fn read(spec: &str) -> Result<Model, SpecError> {
    let entry = find("router", Arguments::name(spec)?, routers(), |entry| entry.info)?;
    (entry.read)(&Arguments::parse(entry.info, spec)?)
}

/// The resolved parameters of a model.
pub(crate) trait Resolved {
    /// In canonical order.
    fn parameters(&self) -> Parameters;
}
