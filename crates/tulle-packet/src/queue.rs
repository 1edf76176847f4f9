//! Queue models: what a switch does with a packet that cannot be sent at once. One file and one registry line each.

mod trim;

use std::sync::LazyLock;

use tulle_fabric::spec::{Arguments, Info, find};

use crate::Error;
use crate::packet::Arena;
use crate::port::Port;

/// A queue model, its parameters resolved.
#[derive(Debug, Clone)]
pub(crate) enum Queue {
    Trim(trim::Trim),
}

/// What became of the packet that was offered, and perhaps of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It waits.
    Stored,
    /// It or another lost its payload; both wait.
    Trimmed,
    /// It or another lost its payload, and the header with this id found no room either: the caller frees it.
    TrimmedAndDropped(u32),
    /// It found no room and waits nowhere: the caller frees it.
    Dropped,
}

/// A queue model: decides on each packet that comes to a busy port and puts it in the port's queues.
pub(crate) trait Model: Sized {
    /// Name, parameters, paper, limitations, examples and rejects.
    const INFO: Info;

    /// Reads and checks the parameters for packets of `mtu` bytes at most.
    fn read(arguments: &Arguments, mtu: u16) -> Result<Self, Error>;

    /// Stores packet `id` at `port`, trims it or another, or refuses it. `coin` numbers draw the model's random bits.
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
    read: fn(&Arguments, u16) -> Result<Queue, Error>,
}

static QUEUES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![Entry {
        info: &const { trim::Trim::INFO },
        read: |arguments, mtu| Ok(Queue::Trim(Model::read(arguments, mtu)?)),
    }]
});

/// All registered queue models.
pub fn queues() -> &'static [Entry] {
    &QUEUES
}

/// The queue model that `spec` gives, for packets of `mtu` bytes at most.
pub(crate) fn read(spec: &str, mtu: u16) -> Result<Queue, Error> {
    let entry = find("queue", Arguments::name(spec)?, queues(), |entry| entry.info)?;
    (entry.read)(&Arguments::parse(entry.info, spec)?, mtu)
}
