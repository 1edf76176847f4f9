//! Transports: state machines that react to packets and timers. A transport needs one file and one line in the registry.
//!
//! A transport does no input or output: the engine passes [`Event`]s to it and carries out the [`Actions`] that it returns. The states
//! of the sending end and of the receiving end of a flow are separate and communicate only through packets.

/// Implements the transport plug-in `$plugin` through its field `machine`. `$queue` and `$selector` are its default queue and selector.
macro_rules! runs {
    ($plugin:ty: $machine:ty, $queue:literal, $selector:literal) => {
        impl std::ops::Deref for $plugin {
            type Target = $machine;

            #[inline]
            fn deref(&self) -> &$machine {
                &self.machine
            }
        }

        impl std::ops::DerefMut for $plugin {
            #[inline]
            fn deref_mut(&mut self) -> &mut $machine {
                &mut self.machine
            }
        }

        impl $crate::transport::Protocol for $plugin {
            const QUEUE: &'static str = $queue;
            const SELECTOR: &'static str = $selector;
            const BYTES_PER_FLOW: usize = <$machine as $crate::transport::Machine>::BYTES_PER_FLOW;
        }
    };
}

mod alarm;
mod congestion;
mod go_back_n;
mod rtt;
mod scoreboard;
mod stream;

use tulle_spec::{Info, Plugin, Registered, registry};

use crate::Error;
use crate::config::Link;
use crate::link_table::LinkTable;
use crate::packet::{Kind, Packet};
use crate::port::Class;

registry! {
    /// All transports, in the order of `tulle list transports`.
    pub(crate) static TRANSPORTS: Transports("transport", Flows<'a>, Facts) -> Error =
        /// A transport with the values of its parameters, for the flows of one simulation.
        #[derive(Debug)]
        enum Transport by each;
    mod purified: Purified, Ndp;
    mod tcp: Tcp;
    mod dctcp: Dctcp;
    mod mptcp: Mptcp;
    mod dcqcn: Dcqcn;
    #[cfg(test)]
    mod toy: Toy;
    #[cfg(test)]
    mod toy_controller: ToyController;
}

/// A transport as a plug-in, which dereferences to its [`Machine`].
pub(crate) trait Protocol: Plugin {
    /// The queue that the transport is made for, which is the default with this transport.
    const QUEUE: &'static str;
    /// The selector that is the default with this transport.
    const SELECTOR: &'static str;
    /// See [`Machine::BYTES_PER_FLOW`].
    const BYTES_PER_FLOW: usize;
}

/// The constant properties of a transport. They are known before the transport's spec is parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    queue: &'static str,
    selector: &'static str,
    bytes_per_flow: usize,
}

impl Facts {
    const fn of<P: Protocol>() -> Self {
        Self { queue: P::QUEUE, selector: P::SELECTOR, bytes_per_flow: P::BYTES_PER_FLOW }
    }
}

/// The layer number that stands for the current layer of a flow.
pub(crate) const ANY_LAYER: u8 = u8::MAX;

/// The value that stands for "no subflow".
pub(crate) const NO_SUBFLOW: u8 = u8::MAX;

/// Delays of a packet on its way from the link of an endpoint to the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handling {
    /// Time of the receiving software per packet, in picoseconds.
    pub(crate) software: u64,
    /// Minimum time between interrupts in picoseconds; packets wait for the next interrupt. 0: no interrupt coalescing.
    pub(crate) interrupt: u64,
}

impl Handling {
    pub(crate) const AT_ONCE: Self = Self { software: 0, interrupt: 0 };
}

/// The limit and the delay of data on its way from the transport to the link of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sending {
    /// Whether the transport limits the data that waits at the endpoint. If so, the engine notifies the transport when data leaves.
    pub(crate) bounded: bool,
    /// Upper limit of the random delay before a data packet is sent on an idle link, in picoseconds.
    pub(crate) jitter: u64,
    /// Whether a flow stops while one of its packets waits for a paused virtual lane. If so, the engine sends [`Event::Held`].
    pub(crate) stops: bool,
}

impl Sending {
    pub(crate) const AT_ONCE: Self = Self { bounded: false, jitter: 0, stops: false };
}

/// The credits of a flow of a receiver-driven transport, as counted at both ends of the flow. A retransmitted packet counts every time it
/// is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Credits {
    /// Packets of the first window.
    pub(crate) window: u64,
    /// Packets that the source may send now.
    pub(crate) left: u64,
    /// Packets declared lost, whose credit has been returned.
    pub(crate) returned: u64,
    /// Packets and trimmed headers that have arrived.
    pub(crate) arrived: u64,
    /// Pulls that the receiver has sent.
    pub(crate) pulled: u64,
    /// Pulls that wait for the receiver's pacer.
    pub(crate) pending_pulls: u64,
    /// The numbers of arrivals and of pulls that the source knows about.
    pub(crate) acked: (u64, u64),
}

/// An event that the engine passes to a transport.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    /// A flow starts.
    Start { flow: u32 },
    /// A packet has arrived at its destination.
    Packet(&'a Packet),
    /// The pacer of an endpoint fires.
    Pace { endpoint: u32 },
    /// The timer of a flow has fired. `held` is true if data waits at the link of the flow's source.
    Timer { flow: u32, held: bool },
    /// A flow that waited for space at its endpoint can now send more data.
    Room { flow: u32 },
    /// The switch of an endpoint pauses or resumes the endpoint's data of a class.
    Pause { endpoint: u32, class: Class, paused: bool },
    /// A packet of the flow has begun to wait at the link of its source because its virtual lane is paused (`held`), or has left. With
    /// virtual lanes, this event replaces [`Event::Pause`]. Only transports with [`Sending::stops`] get it.
    Held { flow: u32, held: bool },
}

impl Event<'_> {
    /// Returns the flow of the event, if it has one.
    pub(crate) fn flow(&self) -> Option<u32> {
        match *self {
            Event::Start { flow } | Event::Timer { flow, .. } | Event::Room { flow } | Event::Held { flow, .. } => {
                Some(flow)
            }
            Event::Packet(packet) => Some(packet.flow),
            Event::Pace { .. } | Event::Pause { .. } => None,
        }
    }
}

/// A request of a transport to the engine, which executes requests in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// Sends a packet: data and opening packets from the flow's source, all other packets from its destination.
    Send(Outgoing),
    /// Sets the timer of a flow. The same time is never set twice.
    Timer { flow: u32, at: u64 },
    /// Sets the pacer of an endpoint. The same time is never set twice.
    Pace { endpoint: u32, at: u64 },
    /// Tells the selector that a flow must leave a layer, or its current layer ([`ANY_LAYER`]).
    Leave { flow: u32, layer: u8 },
    /// The last byte of a flow has arrived.
    Delivered { flow: u32 },
    /// The source of a flow knows that the last byte has arrived.
    Finished { flow: u32 },
}

/// A packet to send; the engine adds destination and path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outgoing {
    pub(crate) flow: u32,
    pub(crate) sequence: u32,
    pub(crate) number: u32,
    pub(crate) size: u16,
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    pub(crate) echo: u8,
    /// The subflow, or [`NO_SUBFLOW`].
    pub(crate) subflow: u8,
}

impl Outgoing {
    /// Returns a packet whose optional fields are empty.
    pub(crate) fn new(flow: u32, kind: Kind, sequence: u32, size: u16) -> Self {
        Self { flow, sequence, number: 0, size, kind, flags: 0, echo: 0, subflow: NO_SUBFLOW }
    }
}

/// The actions of one event; the buffer is reused between events.
pub(crate) type Actions = Vec<Action>;

/// The counts of a transport for a flow.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tally {
    /// Payload that has arrived in bytes, without duplicates.
    pub(crate) bytes: u64,
    pub(crate) hops: f32,
    pub(crate) retransmits: u32,
    pub(crate) trimmed: u32,
    pub(crate) timeouts: u32,
}

/// The flows, endpoints and links that a transport serves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flows<'a> {
    /// The source endpoint of each flow.
    pub(crate) source: &'a [u32],
    pub(crate) bytes: &'a [u64],
    pub(crate) endpoints: usize,
    pub(crate) links: &'a LinkTable,
    /// The kind of each endpoint's link; empty if all links are of the first kind.
    pub(crate) lines: &'a [u8],
    /// The time to transmit all data of a full switch port, in picoseconds.
    pub(crate) drain: u64,
}

impl Flows<'_> {
    /// Returns the link of `endpoint`.
    pub(crate) fn line(&self, endpoint: u32) -> &Link {
        self.links.kind(self.lines.get(endpoint as usize).copied().unwrap_or(0))
    }

    /// Returns the slowest link. Transports derive waiting times from it, because they do not know paths.
    pub(crate) fn slowest(&self) -> &Link {
        self.links.slowest()
    }

    /// Returns the fastest link of an endpoint.
    pub(crate) fn quickest_line(&self) -> &Link {
        let lines = self.lines.iter().map(|&kind| self.links.kind(kind));
        lines.min_by_key(|link| link.full()).unwrap_or(self.links.kind(0))
    }

    /// Returns the payload of a full packet in bytes.
    pub(crate) fn payload(&self) -> u64 {
        self.links.kind(0).payload()
    }

    /// Returns the size of a full packet on the wire in bytes.
    pub(crate) fn mtu(&self) -> u16 {
        self.links.kind(0).mtu
    }
}

/// A transport as a state machine.
pub(crate) trait Machine: Sized {
    /// The bytes of state of a flow with one connection, before the flow starts. Further connections of the flow need less.
    const BYTES_PER_FLOW: usize;

    /// Returns the delays of packets between the link of an endpoint and the transport.
    fn handling(&self) -> Handling {
        Handling::AT_ONCE
    }

    /// Returns how data passes from the transport to the link of an endpoint.
    fn sending(&self) -> Sending {
        Sending::AT_ONCE
    }

    /// Returns whether the transport spreads the data of a flow over layers itself. Selectors then choose no layer for data.
    fn has_subflows(&self) -> bool {
        false
    }

    /// Records that `size` bytes of data of `flow` no longer wait at its endpoint. Returns whether the flow waits for [`Event::Room`].
    ///
    /// The engine calls this method only if [`Sending::bounded`] is set.
    fn left(&mut self, _flow: u32, _size: u16) -> bool {
        false
    }

    /// Handles `event`, and appends the resulting actions to `out`.
    fn on(&mut self, event: Event, now: u64, out: &mut Actions);

    /// Prefetches the data that the arrival of `packet` at its destination needs.
    fn prefetch(&self, packet: &Packet);

    /// Returns the counts of `flow`.
    fn tally(&self, flow: u32) -> Tally;

    /// Returns the credits of `flow`; `None` if the transport has no credits or all of the flow has arrived.
    fn credits(&self, _flow: u32) -> Option<Credits> {
        None
    }
}

impl Transport {
    #[inline]
    pub(crate) fn on(&mut self, event: Event, now: u64, out: &mut Actions) {
        each!(self, machine => machine.on(event, now, out));
    }

    #[inline]
    pub(crate) fn prefetch(&self, packet: &Packet) {
        each!(self, machine => machine.prefetch(packet));
    }

    pub(crate) fn tally(&self, flow: u32) -> Tally {
        each!(self, machine => machine.tally(flow))
    }

    pub(crate) fn handling(&self) -> Handling {
        each!(self, machine => machine.handling())
    }

    pub(crate) fn sending(&self) -> Sending {
        each!(self, machine => machine.sending())
    }

    pub(crate) fn has_subflows(&self) -> bool {
        each!(self, machine => machine.has_subflows())
    }

    pub(crate) fn left(&mut self, flow: u32, size: u16) -> bool {
        each!(self, machine => machine.left(flow, size))
    }

    /// Returns the credits of `flow`; `None` if the transport has no credits or all of the flow has arrived.
    pub(crate) fn credits(&self, flow: u32) -> Option<Credits> {
        each!(self, machine => machine.credits(flow))
    }
}

/// Returns the [`Info`] of every registered transport.
pub fn transports() -> Vec<&'static Info> {
    TRANSPORTS.infos()
}

/// Returns the queue that the transport of `spec` is made for.
///
/// # Errors
/// Fails if the name in `spec` is unknown.
pub fn default_queue(spec: &str) -> Result<&'static str, Error> {
    Ok(TRANSPORTS.named(spec)?.facts.queue)
}

/// Returns the default selector with the transport of `spec`.
///
/// # Errors
/// Fails if the name in `spec` is unknown.
pub fn default_selector(spec: &str) -> Result<&'static str, Error> {
    Ok(TRANSPORTS.named(spec)?.facts.selector)
}

/// Returns the transport of `spec` for `flows`.
pub(crate) fn read(spec: &str, flows: &Flows) -> Result<Transport, Error> {
    Ok(TRANSPORTS.read(spec, flows)?.1)
}

/// Returns the bytes of state per flow of the transport of `spec`.
pub(crate) fn bytes_per_flow(spec: &str) -> Result<u64, Error> {
    Ok(TRANSPORTS.named(spec)?.facts.bytes_per_flow as u64)
}

/// Returns `spec` with the value of every parameter, including defaults.
pub(crate) fn canonical(spec: &str, flows: &Flows) -> Result<String, Error> {
    let transport = &read(spec, flows)?;
    Ok(each!(transport, plugin => plugin.spec()))
}
