//! Queue models: what a switch does with a packet that cannot be sent at once. One file and one registry line each.

mod trim;

use std::sync::LazyLock;

use tulle_fabric::spec::{Arguments, Info, find};

use crate::Error;
use crate::config::Link;
use crate::packet::Arena;
use crate::port::Port;

/// A queue model, its parameters resolved.
#[derive(Debug, Clone)]
pub(crate) enum Queue {
    Trim(trim::Trim),
}

/// What becomes of the packet that was offered, and perhaps of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It goes before all that waits: the engine sends it once the link is free.
    Express,
    /// It waits in a queue of the port.
    Stored,
    /// The packet with this id, it or another, lost its payload; what is left of it goes before all that waits.
    Trimmed(u32),
    /// The packet with this id, it or another, lost its payload, and what is left finds no room: the engine frees it.
    TrimmedAndDropped(u32),
    /// It finds no room: the engine frees it.
    Dropped,
}

/// A queue model: decides on each packet that comes to a busy port.
pub(crate) trait Model: Sized {
    /// Name, parameters, paper, limitations, examples and rejects.
    const INFO: Info;

    /// Reads and checks the parameters for a link.
    fn read(arguments: &Arguments, link: &Link) -> Result<Self, Error>;

    /// Decides on packet `id` at `port`, and stores it there if it is to wait. `coin` turns a number into random bits.
    fn admit(&self, port: &mut Port, packets: &mut Arena, id: u32, now: u64, coin: impl Fn(u32) -> u64) -> Verdict;
}

impl Queue {
    #[inline]
    pub(crate) fn admit(
        &self,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        coin: impl Fn(u32) -> u64,
    ) -> Verdict {
        match self {
            Self::Trim(model) => model.admit(port, packets, id, now, coin),
        }
    }
}

/// A registered queue model.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments, &Link) -> Result<Queue, Error>,
}

static QUEUES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![Entry {
        info: &const { trim::Trim::INFO },
        read: |arguments, link| Ok(Queue::Trim(Model::read(arguments, link)?)),
    }]
});

/// All registered queue models.
pub fn queues() -> &'static [Entry] {
    &QUEUES
}

/// The queue model that `spec` gives, for ports of `link`.
pub(crate) fn read(spec: &str, link: &Link) -> Result<Queue, Error> {
    let entry = find("queue", Arguments::name(spec)?, queues(), |entry| entry.info)?;
    (entry.read)(&Arguments::parse(entry.info, spec)?, link)
}
