//! The parameters of window-based transports.

use tulle_spec::parameters;

use crate::packet::HEADER;
use crate::transport::congestion::Controller;
use crate::transport::rtt::Bounds;
use crate::transport::{Flows, Handling};
use crate::units::{MICROSECOND, SECOND};

/// The resolved options of a window-based transport with controllers of type `C`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options<C: Controller> {
    /// Initial window in packets.
    pub(super) window: u32,
    /// Limit of outstanding packets: the receiver's window.
    pub(super) limit: u32,
    pub(super) handshake: bool,
    /// Whether the flow leaves its layer when its window is reduced.
    pub(super) change: bool,
    pub(super) bounds: Bounds,
    pub(super) handling: Handling,
    /// The maximum random delay before data in picoseconds; see [`crate::transport::Sending`].
    pub(super) jitter: u64,
    /// Limit of a flow's bytes that wait at its endpoint; `None`: no limit.
    pub(super) unsent: Option<u64>,
    pub(super) mtu: u16,
    pub(super) subflows: u32,
    /// Consecutive timeouts of a subflow after which the other subflows also send its outstanding packets.
    pub(super) stale: u32,
    /// The parameters of congestion control.
    pub(super) control: C::Parameters,
}

/// Upper limit of the times of interrupts, software and jitter.
const LATEST: u64 = 10_000 * MICROSECOND;

parameters! {
    /// The parameters that all window-based transports have.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Common(arguments, flows: Flows<'a>) {
        /// packets that a connection sends before the first acknowledgement
        window: u32 = integer(1, 65_535), or "2 to 4, depending on the packet size (RFC 5681 §3.1)" {
            // The limits of RFC 5681 §3.1 are payload sizes in bytes.
            match flows.mtu() - HEADER {
                ..=1095 => 4,
                1096..=2190 => 3,
                _ => 2,
            }
        };
        /// limit of outstanding packets per connection (the receiver's window)
        limit: u32 = integer(1, 1 << 20), default "1024";
        /// whether connections are opened by a handshake of one round trip
        handshake: bool = flag(), default "yes";
        /// retransmission timeout before the first measurement (RFC 6298 §2.1)
        rto_initial: u64 = duration_of(MICROSECOND, 60 * SECOND),
            or "1s; with handshake=no 10 times rto_min, at most rto_max and 1s" {
                // In RFC 6298, the initial timeout of one second is for endpoints without a measurement. A connection without a handshake
                // was opened earlier and has measured its round-trip time. The simulator does not know this value, only that it is far
                // below a second.
                let (least, most): (u64, u64) = (arguments.get("rto_min")?, arguments.get("rto_max")?);
                if handshake { SECOND } else { (10 * least).min(most).min(SECOND) }
            };
        /// minimum retransmission timeout (FatPaths, appendix D-C)
        rto_min: u64 = duration_of(MICROSECOND, 60 * SECOND), default "200us";
        /// maximum retransmission timeout after exponential back-off (RFC 6298 §2.5)
        rto_max: u64 = duration_of(MICROSECOND, 3600 * SECOND), note "rto_min or more", default "60s";
        /// minimum time between interrupts of an endpoint; 10us is 100 kHz (FatPaths §VII-A6); 0: one interrupt per packet
        interrupt: u64 = duration_of(0, LATEST), default "10us";
        /// time of the receiving software per packet
        software: u64 = duration_of(0, LATEST), default "0";
        /// maximum random delay before an endpoint sends data over an idle link; other data is delayed by at most 1/1024 of this delay
        /// (Floyd and Jacobson, 1992)
        jitter: u64 = duration_of(0, LATEST), or "the transmission time of a full packet" { flows.quickest_line().full() };
        /// limit of a flow's bytes that wait at its endpoint, at least one packet (TCP small queues: Dumazet, Linux commit 46d3ceabd8d9,
        /// 2012); none: only the window limits these bytes
        unsent: Option<u64> = or("none", &bytes_of(1, 1_000_000_000_000)), default "128KiB";
    }
    check {
        arguments.check("rto_max", rto_max, rto_min..=3600 * SECOND)?;
    }
}

impl<C: Controller> Options<C> {
    /// Returns the options of one connection per flow. With `change`, a flow leaves its layer when its window shrinks.
    pub(in crate::transport) fn new(common: &Common, change: bool, control: C::Parameters, flows: &Flows) -> Self {
        let &Common { window, limit, handshake, rto_initial, rto_min, rto_max, interrupt, software, jitter, unsent } =
            common;
        Self {
            window,
            limit,
            handshake,
            change,
            bounds: Bounds { initial: rto_initial, least: rto_min, most: rto_max },
            handling: Handling { software, interrupt },
            jitter,
            unsent,
            mtu: flows.mtu(),
            subflows: 1,
            stale: u32::MAX,
            control,
        }
    }

    /// Sets the number of connections per flow, and the number of consecutive timeouts after which a connection is stale.
    pub(in crate::transport) fn with_subflows(self, subflows: u32, stale: u32) -> Self {
        // If a flow has only one connection, no other connection can take over its packets.
        Self { subflows, stale: if subflows > 1 { stale } else { u32::MAX }, ..self }
    }

    /// Returns whether another packet can wait at the endpoint if `unsent` bytes of the flow already wait.
    #[inline]
    pub(super) fn has_room(&self, unsent: u64) -> bool {
        unsent == 0 || self.unsent.is_none_or(|most| unsent + u64::from(self.mtu) <= most)
    }
}
