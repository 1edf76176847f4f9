//! Congestion control: limits a connection's outstanding packets and its rate.
//!
//! A transport delivers packets and repairs losses; its [`Controller`] decides the window and the rate. `stream` (TCP with selective
//! acknowledgements) and `go_back_n` (RoCE) run with any controller and depend on none. A controller is one file in `transport/`, beside
//! its plug-in, and one line in the registry of `transport.rs`; `toy_controller.rs` is the shortest.
//!
//! Transports are generic over the controller, not over a trait object, because it is called for every packet.

mod window;

use std::fmt::Debug;

pub(super) use window::Window;

/// The inputs of a controller when its connection begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    /// Packets that the transport sends before the first acknowledgement; 1 if the opening was lost (RFC 5681 §3.1).
    pub(super) window: u32,
    /// Rate of the source's link in bits per second.
    pub(super) line_rate: u64,
}

/// The state of a connection at an event. Sequence numbers and sizes count packets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connection {
    /// Picoseconds.
    pub(super) now: u64,
    /// The first packet that is not acknowledged (SND.UNA).
    pub(super) first: u32,
    /// The next packet that was never sent (SND.NXT).
    pub(super) next: u32,
    /// Packets sent and not acknowledged (FlightSize of RFC 5681).
    pub(super) flight: u32,
    /// For losses and timeouts, the state before them; for acknowledgements and marks, the state after them.
    pub(super) recovery: Recovery,
}

/// Whether a connection is recovering from a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// No.
    None,
    /// A loss that acknowledgements revealed.
    Fast,
    /// A loss that a timeout revealed.
    Timeout,
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ack {
    /// Packets that it acknowledges cumulatively for the first time; 0 for a duplicate.
    pub(super) news: u32,
    /// A new measurement of the round-trip time in picoseconds, if the acknowledged packet was timed.
    #[allow(dead_code, reason = "for delay-based controllers; those of the RFCs need none")]
    pub(super) rtt: Option<u64>,
    /// Whether the acknowledgement echoes a congestion mark. Then [`Controller::on_ecn`] follows.
    pub(super) marked: bool,
    /// Whether the connection had sent less than its window allows: then the window must not grow (RFC 7661 §1).
    pub(super) application_limited: bool,
    /// Maximum growth of the window now, in packets, because of the flow's other subflows; infinity if there are none.
    pub(super) increase_limit: f64,
}

impl Ack {
    /// Whether the window of a loss-based controller may grow (RFC 5681 §3.1, RFC 6582 §3.2).
    pub(super) fn may_grow(&self, connection: &Connection) -> bool {
        self.news > 0 && connection.recovery != Recovery::Fast && !self.application_limited
    }
}

/// The congestion controller of one connection.
pub(crate) trait Controller: Debug + Clone {
    /// The parameters, which all connections of a simulation share.
    type Parameters: Debug + Copy;

    /// Starts a connection, or restarts it after a lost opening packet.
    fn new(start: &Start, parameters: &Self::Parameters) -> Self;

    /// `bytes` on the wire are sent.
    #[inline]
    fn on_send(&mut self, _bytes: u64, _now: u64, _parameters: &Self::Parameters) {}

    /// Called at an acknowledgement; after [`Self::on_loss`] if it reveals a loss.
    fn on_ack(&mut self, ack: &Ack, connection: &Connection, parameters: &Self::Parameters);

    /// Called if the acknowledgement just passed to [`Self::on_ack`] echoes a mark, or a congestion notification has come. Returns whether
    /// the window shrank.
    #[inline]
    fn on_ecn(&mut self, _connection: &Connection, _parameters: &Self::Parameters) -> bool {
        false
    }

    /// Called when acknowledgements have revealed a loss; once per recovery.
    fn on_loss(&mut self, connection: &Connection, parameters: &Self::Parameters);

    /// The retransmission timer has expired.
    fn on_timeout(&mut self, connection: &Connection, parameters: &Self::Parameters);

    /// The congestion window in packets, at least 1. Transports send whole packets, so they round it down.
    fn cwnd(&self) -> f64;

    /// The rate in bits per second at which packets leave; `None` if the window alone limits the connection.
    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// Returns the [`Ack::increase_limit`] of a flow's subflow, given each measured subflow's window in packets and smoothed round-trip
    /// time in picoseconds.
    #[inline]
    fn increase_limit(&self, _subflows: impl Iterator<Item = (f64, f64)>) -> f64 {
        f64::INFINITY
    }
}
