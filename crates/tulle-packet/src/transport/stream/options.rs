//! Parameters of window-based transports.

use tulle_spec::{Arguments, Parameter, Parameters};

use crate::Error;
use crate::packet::HEADER;
use crate::transport::rtt::Bounds;
use crate::transport::{Flows, Handling};
use crate::units::{self, MICROSECOND, SECOND};

/// How a window answers congestion.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) enum Response {
    /// Losses alone.
    Loss,
    /// Marks in proportion, with this gain of the estimate, and losses.
    Marks { gain: f64 },
    /// Windows of so many subflows grow together; marks are heeded with a gain, or not. One whose timer has expired so often in a
    /// row is stale.
    Coupled { subflows: u32, marks: Option<f64>, stale: u32 },
}

/// What window-based transports let users choose.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) struct Options {
    /// Packets before the first acknowledgement.
    pub(super) window: u32,
    /// Most packets outstanding: the receiver's window.
    pub(super) limit: u32,
    pub(super) handshake: bool,
    /// Whether the flow leaves its layer when the window is reduced.
    pub(super) change: bool,
    pub(super) bounds: Bounds,
    pub(super) handling: Handling,
    /// Picoseconds; see [`crate::transport::Sending`].
    pub(super) jitter: u64,
    /// Bytes of a flow that may wait at its endpoint; any number where there is none.
    pub(super) unsent: Option<u64>,
    pub(super) mtu: u16,
    pub(super) response: Response,
}

/// Of Linux (Dumazet, tcp: TCP Small Queues, commit 46d3ceabd8d9, 2012): two segments of 64 KiB.
const UNSENT: u64 = 128 << 10;

pub(in crate::transport) const COMMON: [Parameter; 10] = [
    Parameter::prose(
        "window",
        "1 to 65535",
        "2 to 4 by the size of packets (RFC 5681 §3.1)",
        "packets that a flow sends before the first acknowledgement",
    ),
    Parameter::prose("limit", "1 to 1048576", "1024", "most packets outstanding per connection, the receiver's window"),
    Parameter::prose("handshake", "yes, no", "yes", "connections are opened by a round trip of their own"),
    Parameter::prose(
        "rto_initial",
        "1us to 60s",
        "1s; with handshake=no 10 times rto_min, at most rto_max",
        "retransmission timeout before the first measurement (RFC 6298 §2.1)",
    ),
    Parameter::prose("rto_min", "1us to 60s", "200us", "least retransmission timeout (FatPaths, appendix D-C)"),
    Parameter::prose("rto_max", "rto_min to 3600s", "60s", "most that it backs off to (RFC 6298 §2.5)"),
    Parameter::prose(
        "interrupt",
        "0 to 10ms",
        "10us",
        "least time between interrupts of an endpoint: 100 kHz (FatPaths §VII-A6); 0: each packet one",
    ),
    Parameter::prose("software", "0 to 10ms", "0", "time that software takes for a packet that came"),
    Parameter::prose(
        "jitter",
        "0 to 10ms",
        "as long as a full packet takes",
        "what an endpoint takes at most, at random, before data that finds its link idle, and 1/1024 of it before other data (Floyd and \
               Jacobson, 1992)",
    ),
    Parameter::prose(
        "unsent",
        "1 byte to 1TB, or none",
        "128KiB",
        "bytes of a flow that may wait at its endpoint, one packet at least (TCP small queues); none: a window",
    ),
];

impl Options {
    pub(in crate::transport) fn read(
        arguments: &Arguments,
        flows: &Flows,
        response: Response,
        change: bool,
    ) -> Result<Self, Error> {
        // RFC 5681 §3.1: by the payload of a packet.
        let usual = match flows.mtu() - HEADER {
            ..=1095 => 4,
            1096..=2190 => 3,
            _ => 2,
        };
        let least = units::read_duration(arguments, "rto_min", MICROSECOND..=60 * SECOND)?.unwrap_or(200 * MICROSECOND);
        let most = units::read_duration(arguments, "rto_max", least..=3600 * SECOND)?.unwrap_or(60 * SECOND);
        let handshake = units::read_choice(arguments, "handshake", true)?;
        // RFC 6298's second is for ends that know nothing of each other. A connection that needs no opening was opened before and
        // has measured its path; how long that took is not known here, but that it is no second.
        let initial = if handshake { SECOND } else { (10 * least).min(most).min(SECOND) };
        let bounds = Bounds {
            initial: units::read_duration(arguments, "rto_initial", MICROSECOND..=60 * SECOND)?.unwrap_or(initial),
            least,
            most,
        };
        let latest = 10_000 * MICROSECOND;
        let handling = Handling {
            software: units::read_duration(arguments, "software", 0..=latest)?.unwrap_or(0),
            interrupt: units::read_duration(arguments, "interrupt", 0..=latest)?.unwrap_or(10 * MICROSECOND),
        };
        let unsent = match arguments.text("unsent") {
            Some("none") => None,
            _ => Some(units::read_bytes(arguments, "unsent", 1..=1_000_000_000_000)?.unwrap_or(UNSENT)),
        };
        Ok(Self {
            window: arguments.integer("window", 1..=65_535)?.unwrap_or(usual) as u32,
            limit: arguments.integer("limit", 1..=1 << 20)?.unwrap_or(1024) as u32,
            handshake,
            change,
            bounds,
            handling,
            jitter: units::read_duration(arguments, "jitter", 0..=latest)?.unwrap_or(flows.quickest_line().full()),
            unsent,
            mtu: flows.mtu(),
            response,
        })
    }

    pub(super) fn subflows(&self) -> u32 {
        match self.response {
            Response::Coupled { subflows, .. } => subflows,
            _ => 1,
        }
    }

    /// How often in a row a subflow's timer expires until others send what it has outstanding.
    pub(super) fn stale(&self) -> u32 {
        match self.response {
            Response::Coupled { subflows: 2.., stale, .. } => stale,
            // There are no others.
            _ => u32::MAX,
        }
    }

    /// Whether a packet may join so many bytes at the endpoint.
    #[inline]
    pub(super) fn has_room(&self, unsent: u64) -> bool {
        unsent == 0 || self.unsent.is_none_or(|most| unsent + u64::from(self.mtu) <= most)
    }

    /// The resolved parameters, those of the transport alone last.
    pub(super) fn parameters(&self) -> Parameters {
        let common = Parameters::new()
            .integer("window", self.window)
            .integer("limit", self.limit)
            .word("handshake", units::choice(self.handshake))
            .word("rto_initial", units::duration(self.bounds.initial))
            .word("rto_min", units::duration(self.bounds.least))
            .word("rto_max", units::duration(self.bounds.most))
            .word("interrupt", units::duration(self.handling.interrupt))
            .word("software", units::duration(self.handling.software))
            .word("jitter", units::duration(self.jitter));
        let common = match self.unsent {
            Some(bytes) => common.bytes("unsent", bytes),
            None => common.word("unsent", "none"),
        };
        let change = units::choice(self.change);
        match self.response {
            Response::Loss => common.word("change", change),
            Response::Marks { gain } => common.word("change", change).real("gain", gain),
            Response::Coupled { subflows, marks, stale } => {
                let common = common.integer("subflows", subflows).integer("stale", stale);
                let common = common.word("ecn", units::choice(marks.is_some()));
                marks.into_iter().fold(common, |common, gain| common.real("gain", gain))
            }
        }
    }
}
