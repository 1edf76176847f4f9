//! Queue models, which decide what happens to packets that cannot be sent immediately. A model needs one file and one line in the registry.

mod marking;

use tulle_spec::{Info, Plugin, Registered, registry};

use crate::Error;
use crate::config::Link;
use crate::link_table::{ByKind, LinkTable};
use crate::packet::Arena;
use crate::port::Port;
use pfc::Pfc;

registry! {
    /// All queue models, in the order of `tulle list queues`.
    pub(crate) static QUEUES: Models("queue", Link, Facts) -> Error =
        /// A queue model with resolved parameters.
        #[derive(Debug)]
        enum Queue by each;
    mod trim: Trim;
    mod droptail: DropTail;
    mod ecn: Ecn;
    pub(crate) mod pfc: Pfc;
    #[cfg(test)]
    mod toy: Toy;
}

/// The constant properties of a queue model. They are known before the model's spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// Whether full switches pause the ports that send to them.
    pub(crate) lossless: bool,
}

impl Facts {
    const fn of<M: Model>() -> Self {
        Self { lossless: M::LOSSLESS }
    }
}

/// A queue model's decision on an arriving packet. The decision can affect a waiting packet instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The packet overtakes all waiting packets: the engine sends it as soon as the link is free.
    Express,
    /// The packet waits in a queue of the port.
    Stored,
    /// The packet with this id was trimmed. It is the arriving packet or a waiting packet. Its header overtakes all waiting packets.
    Trimmed(u32),
    /// The packet with this id was trimmed. It is the arriving packet or a waiting packet. The queue has no space for the header, so the
    /// engine removes the packet.
    TrimmedAndDropped(u32),
    /// The queue has no space for the packet, so the engine removes the packet.
    Dropped,
}

/// The two ports of a packet at a switch: the port of the link over which the packet arrived, and the port over which it leaves.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Hop {
    pub(crate) from: u32,
    pub(crate) out: u32,
}

/// A queue model, which decides on each packet that arrives at a busy port.
pub(crate) trait Model: Plugin {
    /// Whether full switches pause the ports that send to them.
    const LOSSLESS: bool = false;

    /// Returns the state of the pauses, if the model pauses ports.
    fn pauses(&self) -> Option<&Pfc> {
        None
    }

    /// Returns a mutable reference to the state of the pauses, if the model pauses ports.
    fn pauses_mut(&mut self) -> Option<&mut Pfc> {
        None
    }

    /// Returns whether control packets are queued and paused with data. At switches, they then wait behind earlier data. At endpoints, they
    /// are sent before data that is not urgent.
    fn holds_control(&self) -> bool {
        false
    }

    /// Returns the maximum time in picoseconds between the arrival and the departure of a data packet if its departure time is known on
    /// arrival; 0 if data waits in a queue of the port.
    fn longest_wait(&self) -> u64 {
        0
    }

    /// Returns the time in picoseconds that a port full of data needs to send all of it over `link`; [`u64::MAX`] if ports are never full.
    fn drain(&self, link: &Link) -> u64;

    /// Returns how many consecutive control packets can overtake waiting packets before one waiting packet is sent. 255 means no limit.
    fn max_consecutive_control(&self) -> u8 {
        u8::MAX
    }

    /// Returns whether the model also decides on packets that arrive at an idle port.
    fn decides_when_idle(&self) -> bool {
        false
    }

    /// Decides on packet `id` at `port`, which is the port `hop.out`. Stores the packet in `port` if it has to wait. `draw(n)` returns the
    /// n-th random number of the port.
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

    pub(crate) fn decides_when_idle(&self) -> bool {
        each!(self, model => model.decides_when_idle())
    }
}

/// The queue models of all ports.
///
/// Most models measure queues by transmission time, so each kind of link needs its own copy of the model. A lossless model handles all
/// kinds of links itself.
#[derive(Debug)]
pub(crate) struct Queues {
    pub(crate) first: Queue,
    /// The model of each kind of link, in the order of kinds; empty if all ports use the model `first`.
    of_kind: Vec<Queue>,
    /// The time in picoseconds that a port full of data needs to send all of it; [`u64::MAX`] if ports are never full.
    pub(crate) drains: ByKind<u64>,
}

impl Queues {
    /// Returns the queue model of `spec`.
    pub(crate) fn read(spec: &str, links: &LinkTable) -> Result<Self, Error> {
        let first = read(spec, links.kind(0))?;
        let is_one = links.is_uniform() || first.pauses().is_some();
        let kinds = if is_one { &[] } else { links.kinds() };
        let of_kind: Vec<Queue> = kinds.iter().map(|link| read(spec, link)).collect::<Result<_, _>>()?;
        let mut drains: Vec<u64> = of_kind.iter().zip(kinds).map(|(queue, link)| queue.drain(link)).collect();
        if is_one {
            drains.push(first.drain(links.kind(0)));
        }
        Ok(Self { first, of_kind, drains: ByKind::new(drains) })
    }

    /// Returns the model of a port whose link is of this kind.
    #[inline]
    pub(crate) fn at(&mut self, kind: u8) -> &mut Queue {
        self.of_kind.get_mut(usize::from(kind)).unwrap_or(&mut self.first)
    }

    /// Returns the maximum of [`Model::longest_wait`] over all ports, in picoseconds.
    pub(crate) fn longest_wait(&self) -> u64 {
        self.of_kind.iter().map(Queue::longest_wait).max().unwrap_or_else(|| self.first.longest_wait())
    }

    /// Returns the maximum of [`Model::drain`] over all ports, in picoseconds.
    pub(crate) fn drain(&self, links: &LinkTable) -> u64 {
        let of_kind = self.of_kind.iter().zip(links.kinds()).map(|(queue, link)| queue.drain(link));
        of_kind.max().unwrap_or_else(|| self.first.drain(links.kind(0)))
    }
}

/// Returns the [`Info`] of every registered queue model.
pub fn queues() -> Vec<&'static Info> {
    QUEUES.infos()
}

/// Returns the queue model of `spec` for ports of `link`.
pub(crate) fn read(spec: &str, link: &Link) -> Result<Queue, Error> {
    Ok(QUEUES.read(spec, link)?.1)
}

/// Returns whether the queue model of `spec`, which must be legal, is lossless.
pub(crate) fn is_lossless(spec: &str) -> bool {
    QUEUES.named(spec).is_ok_and(|entry| entry.facts.lossless)
}

/// Returns `spec` with the value of every parameter, including defaults.
pub(crate) fn canonical(spec: &str, link: &Link) -> Result<String, Error> {
    let queue = &read(spec, link)?;
    Ok(each!(queue, model => model.spec()))
}
