//! The fault `down`: links and switches are down, and endpoints are notified.

use tulle_spec::plugin;

use super::LATEST;
use super::{FaultKind, FaultScope};
use crate::Error;

plugin! {
    pub(crate) struct Down(arguments) -> Error {
        scope: FaultScope;
        /// delay after which all endpoints are notified that links are down or up again
        detect: u64 = duration_of(0, LATEST), default "100us";
    }
    name: "down",
    summary: "links or switches go down, and endpoints are notified",
    paper: "FatPaths §V-G (flows move to other layers); the detection delay is tulle's addition, because the paper \
        leaves the detection of failures to other mechanisms",
    limitations: "All endpoints are notified at the same time. Switches continue to send to links that are down. Only \
        selectors that choose paths in switches (recycle, ugal, ksp-adaptive, letflow) avoid these links in switches, \
        after the detection delay. If a link comes back before this delay is over, endpoints never learn that it was \
        down.",
    examples: [
        "down:links=ids:0,at=50us,until=1ms",
        "down:switches=1,at=10us,until=300us,detect=0",
        "down:links=5%",
    ],
    rejects: [
        ("down:at=50us", "down: needs links= or switches=; for example down:links=ids:0,at=50us,until=1ms"),
        ("down:links=1,at=50us,until=50us", "down: at=50us, until=50us is an empty period; legal: until= later than at="),
        ("down:links=1,at=50", "at=50 has no unit; did you mean 50us or 50ns?"),
        ("down:links=ids:1000000", "links=ids:1000000 does not exist"),
        ("down:switches=ids:1000000", "switches=ids:1000000 does not exist"),
        ("down:links=200%", "links=200% is out of range"),
        ("down:links=1,loss=1%", "unknown parameter 'loss=1%'"),
    ],
}

impl super::FaultModel for Down {
    fn scope(&self) -> &FaultScope {
        &self.scope
    }

    fn kind(&self) -> FaultKind {
        FaultKind::Down { detect: self.detect }
    }
}
