//! Congestion control: limits a connection's outstanding packets and its rate.
//!
//! A transport delivers packets and recovers losses; its [`Controller`] decides the window and the rate. The transports `stream` (TCP
//! with selective acknowledgements) and `go_back_n` (RoCE) work with any controller. A new controller needs one file in `transport/`
//! with its plug-in, and one line in the registry of `transport.rs`. The shortest example is `toy_controller.rs`.
//!
//! The controller is a generic parameter of a transport and not a trait object, because it is called for every packet.

mod window;

use std::fmt::Debug;

pub(super) use window::Window;

/// The inputs of a controller when its connection begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start {
    /// Packets that the transport sends before the first acknowledgement; 1 if the opening packet was lost (RFC 5681 §3.1).
    pub(super) window: u32,
    /// Rate of the source's link in bits per second.
    pub(super) line_rate: u64,
}

/// The state of a connection at an event. Sequence numbers and sizes count packets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connection {
    /// The current time in picoseconds.
    pub(super) now: u64,
    /// The first unacknowledged packet (SND.UNA).
    pub(super) first: u32,
    /// The next packet to send in sequence (SND.NXT).
    pub(super) next: u32,
    /// Packets sent and not acknowledged (FlightSize of RFC 5681).
    pub(super) flight: u32,
    /// The recovery state. If the event is a loss or a timeout, this is the state before the event. If the event is an acknowledgement or a
    /// mark, this is the state after the event.
    pub(super) recovery: Recovery,
}

/// Whether a connection is recovering from a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// The connection is not recovering from a loss.
    None,
    /// The connection is recovering from a loss that acknowledgements revealed.
    Fast,
    /// The connection is recovering from a loss that a timeout revealed.
    Timeout,
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ack {
    /// The number of packets that are cumulatively acknowledged for the first time; 0 for a duplicate acknowledgement.
    pub(super) news: u32,
    /// A new measurement of the round-trip time in picoseconds, if the acknowledged packet was timed.
    #[allow(dead_code, reason = "only delay-based controllers use the round-trip time")]
    pub(super) rtt: Option<u64>,
    /// Whether the acknowledgement echoes a congestion mark. If it does, the transport also calls [`Controller::on_ecn`].
    pub(super) marked: bool,
    /// Whether the connection had sent less than its window allows. In this case, the window must not grow (RFC 7661 §1).
    pub(super) application_limited: bool,
    /// The maximum growth of the window for this acknowledgement, in packets, because of the flow's other subflows. Infinity if there
    /// are no other subflows.
    pub(super) increase_limit: f64,
}

impl Ack {
    /// Returns whether the window of a loss-based controller may grow (RFC 5681 §3.1, RFC 6582 §3.2).
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

    /// Handles the sending of a packet with `bytes` on the wire.
    #[inline]
    fn on_send(&mut self, _bytes: u64, _now: u64, _parameters: &Self::Parameters) {}

    /// Handles an acknowledgement. If it reveals a loss, [`Self::on_loss`] is called first.
    fn on_ack(&mut self, ack: &Ack, connection: &Connection, parameters: &Self::Parameters);

    /// Handles a congestion mark or a congestion notification. If a mark is echoed by an acknowledgement, [`Self::on_ack`] is called first.
    /// Returns whether the window or the rate was reduced.
    #[inline]
    fn on_ecn(&mut self, _connection: &Connection, _parameters: &Self::Parameters) -> bool {
        false
    }

    /// Handles a loss that acknowledgements revealed. The transport `stream` calls this method once per recovery, and `go_back_n` once per
    /// reported gap.
    fn on_loss(&mut self, connection: &Connection, parameters: &Self::Parameters);

    /// Handles the expiry of the retransmission timer.
    fn on_timeout(&mut self, connection: &Connection, parameters: &Self::Parameters);

    /// Returns the congestion window in packets, at least 1. Transports send whole packets, so they round it down.
    fn cwnd(&self) -> f64;

    /// Returns the rate in bits per second at which packets are sent; `None` if only the window limits the connection.
    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// Returns the [`Ack::increase_limit`] of a subflow. `subflows` are the flow's subflows that have measured a round-trip time, each with
    /// its window in packets and its smoothed round-trip time in picoseconds.
    #[inline]
    fn increase_limit(&self, _subflows: impl Iterator<Item = (f64, f64)>) -> f64 {
        f64::INFINITY
    }
}
