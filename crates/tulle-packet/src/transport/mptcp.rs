//! MPTCP: subflows on layers whose windows grow together (RFC 6356, RFC 8684).

use tulle_spec::{Arguments, Info, Parameter};

use super::Flows;
use super::dctcp::{DEFAULT_GAIN, GAIN};
use super::stream::{COMMON, Options, Response, Stream};
use crate::packet::flag::MAX_SUBFLOWS;
use crate::{Error, units};

const PARAMETERS: &[Parameter] = &{
    let [a, b, c, d, e, f, g, h, i, j] = COMMON;
    let subflows =
        Parameter::prose("subflows", "1 to 8", "4", "connections per flow; the s-th takes layer s modulo the layers");
    let ecn = Parameter::prose(
        "ecn",
        "yes, no",
        "yes",
        "marks shrink a subflow's window once per round trip (FatPaths §VIII-A2)",
    );
    let stale = Parameter::prose(
        "stale",
        "1 to 16",
        "4",
        "timeouts of a subflow in a row after which others send what it has outstanding, too (Linux' stale_loss_cnt)",
    );
    [a, b, c, d, e, f, g, h, i, j, subflows, stale, ecn, GAIN]
};

pub(super) const INFO: Info = Info {
    name: "mptcp",
    summary: "several connections per flow, one per layer, whose windows grow together",
    parameters: PARAMETERS,
    nested: false,
    paper: "RFC 6356 §3 (linked increases), RFC 8684 (§3.3.6: data sent again on other subflows); FatPaths §VIII-A2 (marks in place of losses)",
    limitations: "As tcp. What is outstanding on a stale subflow is sent on others, too, and that subflow goes on trying. Subflows open over the first one's layer: while that is dead from the start the flow waits. The \
                  selector does not choose for data. The formula of §VIII-A2 is missing from the paper's text: marks are heeded as by DCTCP.",
    examples: &[
        "mptcp:subflows=4",
        "mptcp",
        "mptcp:subflows=8,ecn=no,handshake=no",
        "mptcp:subflows=1,gain=0.25",
        "mptcp:stale=1",
    ],
    rejects: &[
        ("mptcp:subflows=9", "subflows=9 is out of range; legal: 1 to 8"),
        ("mptcp:stale=0", "stale=0 is out of range; legal: 1 to 16"),
        ("mptcp:ecn=maybe", "ecn=maybe is not a choice; legal: yes, no"),
        ("mptcp:ecn=no,gain=0.1", "exclude each other"),
    ],
};

pub(super) fn read(arguments: &Arguments, flows: &Flows) -> Result<Stream, Error> {
    let subflows = arguments.integer("subflows", 1..=MAX_SUBFLOWS.into())?.unwrap_or(4) as u32;
    let ecn = units::read_choice(arguments, "ecn", true)?;
    let gain = arguments.fraction("gain", false)?;
    if !ecn && gain.is_some() {
        return Err(arguments.clash("ecn=no, gain=", "exclude each other", "legal: one of them").into());
    }
    let marks = ecn.then(|| gain.unwrap_or(DEFAULT_GAIN));
    let stale = arguments.integer("stale", 1..=16)?.unwrap_or(4) as u32;
    let response = Response::Coupled { subflows, marks, stale };
    Ok(Stream::new(Options::read(arguments, flows, response, false)?, flows))
}

/// The linked increase per acknowledged packet: alpha / total window, where alpha makes the flow as fast as one connection on
/// its best path (RFC 6356 §3, with alpha of equation 2 and windows in packets).
pub(super) fn increase(subflows: impl Iterator<Item = (f64, f64)>) -> f64 {
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

    /// RFC 6356 §3: on paths alike, n subflows together grow as one connection does.
    #[test]
    fn subflows_together_grow_as_one_connection() {
        // Before the first round trip is known nothing is shared.
        assert_eq!(increase([].into_iter()), f64::INFINITY);
        let one = increase([(12.0, 5.0)].into_iter());
        assert!((one - 1.0 / 12.0).abs() < 1e-12);
        // Four windows of 3 grow by a sixteenth of 1/3 each: per round trip 12 acknowledgements, a quarter packet each.
        let four = increase([(3.0, 5.0); 4].into_iter());
        assert!((four * 12.0 - 0.25).abs() < 1e-12, "{four}");
        // A slow path does not make the flow faster than the fast one alone would be.
        let mixed = increase([(10.0, 1.0), (10.0, 100.0)].into_iter());
        assert!(mixed < 1.0 / 10.0 && mixed > 0.09, "{mixed}");
    }
}
