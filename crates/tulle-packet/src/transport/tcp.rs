//! TCP: NewReno's windows with selective acknowledgements (RFC 5681, RFC 6582, RFC 6675, RFC 6298).

use tulle_spec::{Arguments, Info, Parameter};

use super::Flows;
use super::stream::{COMMON, Options, Response, Stream};
use crate::{Error, units};

/// Whether reductions of the window change the layer.
pub(super) const fn change(default: &'static str) -> Parameter {
    Parameter::prose(
        "change",
        "yes, no",
        default,
        "a flow asks its selector for another layer whenever its window is reduced",
    )
}

const PARAMETERS: &[Parameter] = &{
    let [a, b, c, d, e, f, g, h, i, j] = COMMON;
    [a, b, c, d, e, f, g, h, i, j, change("no")]
};

pub(super) const INFO: Info = Info {
    name: "tcp",
    summary: "NewReno with selective acknowledgements",
    parameters: PARAMETERS,
    nested: false,
    paper: "RFC 5681, RFC 6582, RFC 6675, RFC 6298; FatPaths §VII-A6, appendix D-C (timeouts, interrupts)",
    limitations: "Counts packets, not bytes; acknowledges every packet; an acknowledgement carries one SACK block, not up to four \
                  (RFC 2018 §3), of at most 255 packets; no heed of marks, no closing handshake.",
    examples: &["tcp", "tcp:window=10,handshake=no,interrupt=0", "tcp:rto_min=1ms,software=2us,change=yes"],
    rejects: &[
        ("tcp:window=0", "window=0 is out of range; legal: 1 to 65535"),
        ("tcp:rto_min=2ms,rto_max=1ms", "rto_max=1ms is out of range; legal: 2ms to 3600s"),
        ("tcp:interrupt=1s", "interrupt=1s is out of range; legal: 0 to 10ms"),
        ("tcp:gain=0.1", "unknown parameter 'gain=0.1'"),
    ],
};

pub(super) fn read(arguments: &Arguments, flows: &Flows) -> Result<Stream, Error> {
    let change = units::read_choice(arguments, "change", false)?;
    Ok(Stream::new(Options::read(arguments, flows, Response::Loss, change)?, flows))
}
