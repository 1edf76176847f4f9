//! Transports: state machines that answer packets and timers with packets and timers. One file and one registry line each.
//!
//! A transport does no input or output: the engine hands it what happened and carries out the [`Actions`] it asks for. What
//! it keeps about the sending end of a flow and what about the receiving end are apart; only packets join the two.

mod purified;

use std::sync::LazyLock;

use tulle_fabric::spec::{Arguments, Info, find};

use crate::Error;
use crate::config::Link;
use crate::packet::{Kind, Packet};

/// A transport, its parameters resolved and its flows known.
#[derive(Debug)]
pub(crate) enum Transport {
    Purified(purified::Purified),
}

/// What the engine tells a transport.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    /// The flow may start.
    Start { flow: u32 },
    /// A packet is at its destination.
    Packet(&'a Packet),
    /// The pacer of an endpoint fires.
    Pace { endpoint: u32 },
    /// The timer of a flow fires.
    Timer { flow: u32 },
}

/// What a transport asks of the engine, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Sends a packet: data from the flow's source, anything else from its destination.
    Send(Outgoing),
    /// Lets the timer of a flow fire at a time; a flow has one timer, set again only once it has fired.
    Timer { flow: u32, at: u64 },
    /// Lets the pacer of an endpoint fire at a time; an endpoint has one pacer, set again only once it has fired.
    Pace { endpoint: u32, at: u64 },
    /// Tells the selector that the receiver of a flow asks to leave a layer.
    Leave { flow: u32, layer: u8 },
    /// The last byte of a flow has arrived.
    Delivered { flow: u32 },
    /// The source of a flow knows that the last byte has arrived.
    Finished { flow: u32 },
}

/// A packet to send; the engine adds where to and the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) flow: u32,
    pub(crate) sequence: u32,
    pub(crate) number: u32,
    pub(crate) size: u16,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    pub(crate) echo: u8,
}

/// The actions of one event; kept between events for its memory.
pub(crate) type Actions = Vec<Action>;

/// What a transport counted for a flow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tally {
    pub(crate) hops: f32,
    pub(crate) retransmits: u32,
    pub(crate) trimmed: u32,
    pub(crate) timeouts: u32,
}

/// Sizes of the flows and the number of endpoints that a transport serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Served<'a> {
    pub(crate) bytes: &'a [u64],
    pub(crate) endpoints: usize,
    pub(crate) link: &'a Link,
}

/// A transport as a state machine.
pub(crate) trait Machine: Sized {
    /// Answers `event`.
    fn on(&mut self, event: Event, now: u64, out: &mut Actions);

    /// Fetches what the arrival of `packet` at its destination will need.
    fn prefetch(&self, packet: &Packet);

    /// What was counted for `flow`.
    fn tally(&self, flow: u32) -> Tally;
}

impl Transport {
    #[inline]
    pub(crate) fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        match self {
            Self::Purified(machine) => machine.on(event, now, out),
        }
    }

    #[inline]
    pub(crate) fn prefetch(&self, packet: &Packet) {
        match self {
            Self::Purified(machine) => machine.prefetch(packet),
        }
    }

    pub(crate) fn tally(&self, flow: u32) -> Tally {
        match self {
            Self::Purified(machine) => machine.tally(flow),
        }
    }
}

/// A registered transport.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments, &Served) -> Result<Transport, Error>,
}

static TRANSPORTS: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        Entry {
            info: &purified::PURIFIED,
            read: |arguments, served| Ok(Transport::Purified(purified::purified(arguments, served)?)),
        },
        Entry {
            info: &purified::NDP,
            read: |arguments, served| Ok(Transport::Purified(purified::ndp(arguments, served)?)),
        },
    ]
});

/// All registered transports.
pub fn transports() -> &'static [Entry] {
    &TRANSPORTS
}

/// The transport that `spec` gives, for the flows of `served`.
pub(crate) fn read(spec: &str, served: &Served) -> Result<Transport, Error> {
    let entry = find("transport", Arguments::name(spec)?, transports(), |entry| entry.info)?;
    (entry.read)(&Arguments::parse(entry.info, spec)?, served)
}
