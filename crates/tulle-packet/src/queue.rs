//! Queue models: what a switch does with a packet that cannot be sent at once. One file and one registry line each.

mod droptail;
mod ecn;
mod marking;
pub(crate) mod pfc;
mod trim;

use std::sync::LazyLock;

use tulle_spec::{Arguments, Info, Parameters, find};

use crate::Error;
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::packet::Arena;
use crate::port::Port;

/// A queue model, its parameters resolved.
#[derive(Debug)]
pub(crate) enum Queue {
    Trim(trim::Trim),
    DropTail(droptail::DropTail),
    Ecn(ecn::Ecn),
    Pfc(Box<pfc::Pfc>),
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

/// Where a packet is: the ports of the link it came over and of the link it is to leave by.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hop {
    pub(crate) from: u32,
    pub(crate) out: u32,
}

/// A queue model: decides on each packet that comes to a busy port.
pub(crate) trait Model: Sized {
    /// Name, parameters, paper, limitations, examples and rejects.
    const INFO: Info;

    /// Reads and checks the parameters for a link.
    fn read(arguments: &Arguments, link: &Link) -> Result<Self, Error>;

    /// The resolved parameters in canonical order.
    fn parameters(&self) -> Parameters;

    /// The longest that a packet may wait for its departure once that is known, in picoseconds.
    fn longest_wait(&self) -> u64 {
        0
    }

    /// The picoseconds that all data of a full port takes to be sent over `link`; [`u64::MAX`] where ports are never full.
    fn drain(&self, link: &Link) -> u64;

    /// How many packets in a row may be sent before those that wait; then one of these goes. 255: any number.
    fn most_overtakers(&self) -> u8 {
        u8::MAX
    }

    /// Whether it decides on packets that come to an idle port, too.
    fn watches(&self) -> bool {
        false
    }

    /// Decides on packet `id` at `port`, that of `hop.out`, and stores it there if it is to wait. `coin` turns a number into random bits.
    fn admit(
        &mut self,
        hop: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        coin: impl Fn(u32) -> u64,
    ) -> Verdict;
}

/// Calls the model that `$self` is.
macro_rules! each {
    ($self:ident, $model:ident => $call:expr) => {
        match $self {
            Queue::Trim($model) => $call,
            Queue::DropTail($model) => $call,
            Queue::Ecn($model) => $call,
            Queue::Pfc($model) => $call,
        }
    };
}

impl Queue {
    #[inline]
    pub(crate) fn admit(
        &mut self,
        hop: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        coin: impl Fn(u32) -> u64,
    ) -> Verdict {
        each!(self, model => model.admit(hop, port, packets, id, now, coin))
    }

    pub(crate) fn longest_wait(&self) -> u64 {
        each!(self, model => model.longest_wait())
    }

    pub(crate) fn drain(&self, link: &Link) -> u64 {
        each!(self, model => model.drain(link))
    }

    #[inline]
    pub(crate) fn most_overtakers(&self) -> u8 {
        each!(self, model => model.most_overtakers())
    }

    /// Whether control packets wait with data, and pause with it at endpoints, too.
    #[inline]
    pub(crate) fn holds_control(&self) -> bool {
        matches!(self, Self::Pfc(pfc) if pfc.holds_control())
    }

    pub(crate) fn watches(&self) -> bool {
        each!(self, model => model.watches())
    }

    fn parameters(&self) -> Parameters {
        each!(self, model => model.parameters())
    }
}

/// The queue model of every port: one of its own for every kind of link, as much of a queue is measured in the time that it takes to
/// be sent. A lossless one knows its links itself.
#[derive(Debug)]
pub(crate) struct Queues {
    pub(crate) first: Queue,
    /// Per kind, also of the first; empty where `first` is that of all ports.
    of_kind: Vec<Queue>,
}

impl Queues {
    /// The queue model that `spec` gives.
    pub(crate) fn read(spec: &str, links: &LinkTable) -> Result<Self, Error> {
        let first = read(spec, links.kind(0))?;
        let is_one = links.are_alike() || matches!(first, Queue::Pfc(_));
        let kinds = if is_one { &[] } else { links.kinds() };
        Ok(Self { first, of_kind: kinds.iter().map(|link| read(spec, link)).collect::<Result<_, _>>()? })
    }

    /// That of a port whose link is of this kind.
    #[inline]
    pub(crate) fn at(&mut self, kind: u8) -> &mut Queue {
        self.of_kind.get_mut(usize::from(kind)).unwrap_or(&mut self.first)
    }

    /// The longest that a packet may wait anywhere for its departure once that is known, in picoseconds.
    pub(crate) fn longest_wait(&self) -> u64 {
        self.of_kind.iter().map(Queue::longest_wait).max().unwrap_or_else(|| self.first.longest_wait())
    }

    /// The picoseconds that all data of a full port takes to be sent at most.
    pub(crate) fn drain(&self, links: &LinkTable) -> u64 {
        let of_kind = self.of_kind.iter().zip(links.kinds()).map(|(queue, link)| queue.drain(link));
        of_kind.max().unwrap_or_else(|| self.first.drain(links.kind(0)))
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
    vec![
        Entry {
            info: &const { trim::Trim::INFO },
            read: |arguments, link| Ok(Queue::Trim(Model::read(arguments, link)?)),
        },
        Entry {
            info: &const { droptail::DropTail::INFO },
            read: |arguments, link| Ok(Queue::DropTail(Model::read(arguments, link)?)),
        },
        Entry {
            info: &const { ecn::Ecn::INFO },
            read: |arguments, link| Ok(Queue::Ecn(Model::read(arguments, link)?)),
        },
        Entry {
            info: &const { pfc::Pfc::INFO },
            read: |arguments, link| Ok(Queue::Pfc(Box::new(Model::read(arguments, link)?))),
        },
    ]
});

/// All registered queue models.
pub fn queues() -> &'static [Entry] {
    &QUEUES
}

/// The queue model that `spec` gives, for ports of `link`.
pub(crate) fn read(spec: &str, link: &Link) -> Result<Queue, Error> {
    Ok(entry(spec, link)?.1)
}

/// Whether ports of `spec`, which is legal, ask each other to pause.
pub(crate) fn is_lossless(spec: &str) -> bool {
    Arguments::name(spec).is_ok_and(|name| name == pfc::Pfc::INFO.name)
}

/// `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str, link: &Link) -> Result<String, Error> {
    let (entry, queue) = entry(spec, link)?;
    Ok(queue.parameters().spec(entry.info.name))
}

fn entry(spec: &str, link: &Link) -> Result<(&'static Entry, Queue), Error> {
    let entry = find("queue", Arguments::name(spec)?, queues(), |entry| entry.info)?;
    Ok((entry, (entry.read)(&Arguments::parse(entry.info, spec)?, link)?))
}
