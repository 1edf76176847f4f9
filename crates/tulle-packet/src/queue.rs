//! Queue models decide on packets that cannot be sent at once. One file and one registry line each.

mod marking;

use tulle_spec::{Info, Plugin, Registered, registry};

use crate::Error;
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::packet::Arena;
use crate::port::Port;
use pfc::Pfc;

registry! {
    /// All queue models, in the order of `tulle list queues`.
    pub(crate) static QUEUES: Models("queue", Link, Facts) -> Error =
        /// A queue model, its parameters resolved.
        #[derive(Debug)]
        enum Queue by each;
    mod trim: Trim;
    mod droptail: DropTail;
    mod ecn: Ecn;
    pub(crate) mod pfc: Pfc;
    #[cfg(test)]
    mod toy: Toy;
}

/// Constants of a queue model, known before its spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// Whether ports ask each other to pause.
    pub(crate) lossless: bool,
}

impl Facts {
    const fn of<M: Model>() -> Self {
        Self { lossless: M::LOSSLESS }
    }
}

/// The decision on a packet, and possibly on another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The packet goes before all waiting ones: the engine sends it once the link is free.
    Express,
    /// It waits in a queue of the port.
    Stored,
    /// The packet with this id, possibly another one, was trimmed; its header goes before all waiting packets.
    Trimmed(u32),
    /// The packet with this id, possibly another one, was trimmed, and its header finds no space: the engine frees it.
    TrimmedAndDropped(u32),
    /// The packet finds no space: the engine frees it.
    Dropped,
}

/// The input and output of a packet at a switch: the ports of the link over which it came, and of the next one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hop {
    pub(crate) from: u32,
    pub(crate) out: u32,
}

/// A queue model, which decides on each packet that comes to a busy port.
pub(crate) trait Model: Plugin {
    /// Whether ports ask each other to pause.
    const LOSSLESS: bool = false;

    /// Returns the state of pauses, if ports use them.
    fn pauses(&self) -> Option<&Pfc> {
        None
    }

    /// As [`Model::pauses`].
    fn pauses_mut(&mut self) -> Option<&mut Pfc> {
        None
    }

    /// Whether control packets wait with data, and are paused with it, also at endpoints.
    fn holds_control(&self) -> bool {
        false
    }

    /// Returns the maximum time from the moment a packet's departure is known to the departure, in picoseconds.
    fn longest_wait(&self) -> u64 {
        0
    }

    /// Returns the transmission time of a full port's data over `link`, in picoseconds; [`u64::MAX`] if ports are never full.
    fn drain(&self, link: &Link) -> u64;

    /// Maximum number of consecutive packets that go before waiting ones; then a waiting one is sent. 255: no limit.
    fn max_consecutive_control(&self) -> u8 {
        u8::MAX
    }

    /// Whether it also decides on packets that come to an idle port.
    fn watches(&self) -> bool {
        false
    }

    /// Decides on packet `id`, which leaves by `port` (`hop.out`), and stores it there if it must wait. `draw` turns a number into random
    /// bits.
    fn admit(
        &mut self,
        hop: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        draw: impl Fn(u32) -> u64,
    ) -> Verdict;
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
        draw: impl Fn(u32) -> u64,
    ) -> Verdict {
        each!(self, model => model.admit(hop, port, packets, id, now, draw))
    }

    pub(crate) fn longest_wait(&self) -> u64 {
        each!(self, model => model.longest_wait())
    }

    pub(crate) fn drain(&self, link: &Link) -> u64 {
        each!(self, model => model.drain(link))
    }

    #[inline]
    pub(crate) fn max_consecutive_control(&self) -> u8 {
        each!(self, model => model.max_consecutive_control())
    }

    #[inline]
    pub(crate) fn holds_control(&self) -> bool {
        each!(self, model => model.holds_control())
    }

    #[inline]
    pub(crate) fn pauses(&self) -> Option<&Pfc> {
        each!(self, model => model.pauses())
    }

    #[inline]
    pub(crate) fn pauses_mut(&mut self) -> Option<&mut Pfc> {
        each!(self, model => model.pauses_mut())
    }

    pub(crate) fn watches(&self) -> bool {
        each!(self, model => model.watches())
    }
}

/// The queue model of every port: one model per kind of link, because queue capacities are measured in transmission time. A lossless model
/// knows its links itself.
#[derive(Debug)]
pub(crate) struct Queues {
    pub(crate) first: Queue,
    /// The model per kind of link, including the first; empty if all ports have `first`.
    of_kind: Vec<Queue>,
}

impl Queues {
    /// Returns the queue model of `spec`.
    pub(crate) fn read(spec: &str, links: &LinkTable) -> Result<Self, Error> {
        let first = read(spec, links.kind(0))?;
        let is_one = links.are_alike() || first.pauses().is_some();
        let kinds = if is_one { &[] } else { links.kinds() };
        Ok(Self { first, of_kind: kinds.iter().map(|link| read(spec, link)).collect::<Result<_, _>>()? })
    }

    /// Returns the model of a port whose link is of this kind.
    #[inline]
    pub(crate) fn at(&mut self, kind: u8) -> &mut Queue {
        self.of_kind.get_mut(usize::from(kind)).unwrap_or(&mut self.first)
    }

    /// Returns the maximum over all ports of the time from a known departure to the departure, in picoseconds.
    pub(crate) fn longest_wait(&self) -> u64 {
        self.of_kind.iter().map(Queue::longest_wait).max().unwrap_or_else(|| self.first.longest_wait())
    }

    /// Returns the maximum transmission time of a full port's data, in picoseconds.
    pub(crate) fn drain(&self, links: &LinkTable) -> u64 {
        let of_kind = self.of_kind.iter().zip(links.kinds()).map(|(queue, link)| queue.drain(link));
        of_kind.max().unwrap_or_else(|| self.first.drain(links.kind(0)))
    }
}

/// The [`Info`] of every registered queue model.
pub fn queues() -> Vec<&'static Info> {
    QUEUES.infos()
}

/// Returns the queue model of `spec` for ports of `link`.
pub(crate) fn read(spec: &str, link: &Link) -> Result<Queue, Error> {
    Ok(QUEUES.read(spec, link)?.1)
}

/// Whether ports with the queue `spec`, which must be legal, pause each other.
pub(crate) fn is_lossless(spec: &str) -> bool {
    QUEUES.named(spec).is_ok_and(|entry| entry.facts.lossless)
}

/// Returns `spec` with every parameter resolved.
pub(crate) fn canonical(spec: &str, link: &Link) -> Result<String, Error> {
    let queue = &read(spec, link)?;
    Ok(each!(queue, model => model.spec()))
}
