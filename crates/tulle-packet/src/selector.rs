//! Selectors: which layer, and which path of it, a packet takes. One file and one registry line each.
//!
//! A selector names a path by a layer and an *entropy*, from which the switches take their choices among equal-cost ports.
//! Acknowledgements and pulls stay in layer 0, the one of shortest paths: they are small and go first everywhere, so what
//! matters to them is latency. `spray` spreads them over that layer's paths, the others keep them on one per flow.

mod ecmp;
mod flowlet;
mod permutation;
mod spray;

use std::sync::LazyLock;

use tulle_fabric::spec::{Arguments, Info, find};

use crate::Error;
use crate::forwarding::Forwarding;

/// The way a packet goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) layer: u8,
    /// A fraction of 2³²; see [`Forwarding`].
    pub(crate) entropy: u32,
}

/// A selector, its parameters resolved and its flows known.
#[derive(Debug)]
pub(crate) enum Selector {
    Ecmp(ecmp::Ecmp),
    Spray(spray::Spray),
    Flowlet(flowlet::Flowlet),
}

/// What a selector chooses for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen<'a> {
    /// Per flow, the endpoint it comes from.
    pub(crate) source: &'a [u32],
    /// Per flow, the endpoint it goes to.
    pub(crate) destination: &'a [u32],
    pub(crate) layers: u32,
    pub(crate) seed: u64,
}

/// A selector at the endpoints.
///
/// All its random choices are hashes of the seed, the flow and a count kept for the flow.
pub(crate) trait Select: Sized {
    /// Name, parameters, paper, limitations, examples and rejects.
    const INFO: Info;

    /// Reads and checks the parameters.
    fn read(arguments: &Arguments, chosen: &Chosen) -> Result<Self, Error>;

    /// A flow starts between these switches.
    fn start(&mut self, _flow: u32, _forwarding: &Forwarding, _from: u32, _to: u32) {}

    /// The path of the next data packet of `flow`.
    fn data(&mut self, flow: u32, now: u64) -> Path;

    /// The path of the next acknowledgement or pull of `flow`.
    fn control(&mut self, flow: u32) -> Path;

    /// The receiver of `flow` asks to leave `layer`.
    fn leave(&mut self, _flow: u32, _layer: u8) {}

    /// How often `flow` has left a layer.
    fn changes(&self, _flow: u32) -> u32 {
        0
    }
}

/// Calls the selector that `$self` is.
macro_rules! each {
    ($self:ident, $selector:ident => $call:expr) => {
        match $self {
            Selector::Ecmp($selector) => $call,
            Selector::Spray($selector) => $call,
            Selector::Flowlet($selector) => $call,
        }
    };
}

impl Selector {
    pub(crate) fn start(&mut self, flow: u32, forwarding: &Forwarding, from: u32, to: u32) {
        each!(self, selector => selector.start(flow, forwarding, from, to));
    }

    #[inline]
    pub(crate) fn data(&mut self, flow: u32, now: u64) -> Path {
        each!(self, selector => selector.data(flow, now))
    }

    #[inline]
    pub(crate) fn control(&mut self, flow: u32) -> Path {
        each!(self, selector => selector.control(flow))
    }

    pub(crate) fn leave(&mut self, flow: u32, layer: u8) {
        each!(self, selector => selector.leave(flow, layer));
    }

    pub(crate) fn changes(&self, flow: u32) -> u32 {
        each!(self, selector => selector.changes(flow))
    }
}

/// A registered selector.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments, &Chosen) -> Result<Selector, Error>,
}

static SELECTORS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry {
            info: &const { ecmp::Ecmp::INFO },
            read: |arguments, chosen| Ok(Selector::Ecmp(Select::read(arguments, chosen)?)),
        },
        Entry {
            info: &const { spray::Spray::INFO },
            read: |arguments, chosen| Ok(Selector::Spray(Select::read(arguments, chosen)?)),
        },
        Entry {
            info: &const { flowlet::Flowlet::INFO },
            read: |arguments, chosen| Ok(Selector::Flowlet(Select::read(arguments, chosen)?)),
        },
    ]
});

/// All registered selectors.
pub fn selectors() -> &'static [Entry] {
    &SELECTORS
}

/// The selector that `spec` gives, for the flows of `chosen`.
pub(crate) fn read(spec: &str, chosen: &Chosen) -> Result<Selector, Error> {
    let entry = find("selector", Arguments::name(spec)?, selectors(), |entry| entry.info)?;
    (entry.read)(&Arguments::parse(entry.info, spec)?, chosen)
}
