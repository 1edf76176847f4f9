//! MPTCP: several subflows per flow, spread over the layers, with coupled windows (RFC 6356, RFC 8684).

use tulle_spec::plugin;

use super::Flows;
use super::congestion::{Ack, Connection, Controller, Start};
// Marks shrink a subflow's window in the same way as in DCTCP (FatPaths §VIII-A2).
use super::dctcp::{Gain, Proportional};
use super::stream::{Common, Options, Stream};
use crate::packet::flag::MAX_SUBFLOWS;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Mptcp(arguments, flows: Flows<'a>) {
        common: Common;
        /// subflows per flow; subflow s uses layer s modulo the number of layers; if the routing sets weights, subflows use layers in turn
        /// by their weights
        subflows: u32 = integer(1, MAX_SUBFLOWS as u64), default "4";
        /// consecutive timeouts of a subflow after which other subflows also send its outstanding packets (Linux' stale_loss_cnt)
        stale: u32 = integer(1, 16), default "4";
        /// whether marks shrink a subflow's window, once per round trip (FatPaths §VIII-A2)
        ecn: bool = flag(), default "yes";
        gain: Gain;
        machine: Stream<Linked> => {
            if !ecn {
                if arguments.has("gain") {
                    return Err(arguments.clash("ecn=no, gain=", "exclude each other", "legal: one of them"));
                }
                gain = Gain { gain: None };
            }
            let options = Options::new(&common, false, gain, flows).with_subflows(subflows, stale);
            Stream::new(options, flows)
        };
    }
    name: "mptcp",
    summary: "several connections per flow, spread over the layers, with coupled windows",
    paper: "RFC 6356 §3 (linked increases), RFC 8684 (§3.3.6: data sent again on other subflows); FatPaths §VIII-A2 \
        (marks instead of losses)",
    limitations: "The limitations of tcp apply, except that congestion marks are used. The outstanding packets of a \
        stale subflow are also sent on other subflows, and the stale subflow continues to retry. Opening packets of \
        all subflows take the same path of layer 0, or the same explicit path. If this path is down when the flow \
        starts, the flow waits until its endpoint is notified of the failure or the path works again. With several \
        subflows, the selector does not choose layers for data. The formula of FatPaths §VIII-A2 is missing from the \
        paper's text, so a subflow reacts to marks as in DCTCP.",
    examples: [
        "mptcp:subflows=4",
        "mptcp",
        "mptcp:subflows=8,ecn=no,handshake=no",
        "mptcp:subflows=1,gain=0.25",
        "mptcp:stale=1",
    ],
    rejects: [
        ("mptcp:subflows=9", "subflows=9 is out of range; legal: 1 to 8"),
        ("mptcp:stale=0", "stale=0 is out of range; legal: 1 to 16"),
        ("mptcp:ecn=maybe", "ecn=maybe is not a choice; legal: yes, no"),
        ("mptcp:ecn=no,gain=0.1", "exclude each other"),
    ],
}

runs!(Mptcp: Stream<Linked>, "ecn", "recycle");

/// A controller with the linked increases of RFC 6356 §3. It handles marks, losses and timeouts like DCTCP.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linked(Proportional);

impl Controller for Linked {
    type Parameters = Gain;

    fn new(start: &Start, parameters: &Gain) -> Self {
        Self(Proportional::new(start, parameters))
    }

    fn on_ack(&mut self, ack: &Ack, connection: &Connection, parameters: &Gain) {
        self.0.on_ack(ack, connection, parameters);
    }

    fn on_ecn(&mut self, connection: &Connection, parameters: &Gain) -> bool {
        self.0.on_ecn(connection, parameters)
    }

    fn on_loss(&mut self, connection: &Connection, parameters: &Gain) {
        self.0.on_loss(connection, parameters);
    }

    fn on_timeout(&mut self, connection: &Connection, parameters: &Gain) {
        self.0.on_timeout(connection, parameters);
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.0.cwnd()
    }

    fn increase_limit(&self, subflows: impl Iterator<Item = (f64, f64)>) -> f64 {
        // Slow start is not coupled (RFC 6356 §3).
        if self.0.is_slow_start() { f64::INFINITY } else { linked_increase(subflows) }
    }
}

/// Returns the linked increase per acknowledged packet, alpha / total window, from the windows in packets and round-trip times.
///
/// Alpha makes the flow as fast as one connection on its best path (RFC 6356 §3, with alpha of equation 2).
fn linked_increase(subflows: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut best, mut sum) = (0.0f64, 0.0);
    for (window, rtt) in subflows {
        best = best.max(window / (rtt * rtt));
        sum += window / rtt;
    }
    if sum > 0.0 { best / (sum * sum) } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6356 §3: on n identical paths, n subflows together are as fast as one connection. Per round trip, their total window grows by
    /// 1/n packet, not by one packet, because a loss halves only one of the n windows.
    #[test]
    fn subflows_together_are_as_fast_as_one_connection() {
        // Without a measured round-trip time, windows are not coupled.
        assert_eq!(linked_increase([].into_iter()), f64::INFINITY);
        let one = linked_increase([(12.0, 5.0)].into_iter());
        assert!((one - 1.0 / 12.0).abs() < 1e-12);
        // Each of four windows of 3 packets grows by 1/48 per acknowledgement. The 12 acknowledgements of a round trip add 1/4 packet.
        let four = linked_increase([(3.0, 5.0); 4].into_iter());
        assert!((four * 12.0 - 0.25).abs() < 1e-12, "{four}");
        // With a slow path in addition, the flow is not faster than on the fast path alone.
        let mixed = linked_increase([(10.0, 1.0), (10.0, 100.0)].into_iter());
        assert!(mixed < 1.0 / 10.0 && mixed > 0.09, "{mixed}");
    }
}
