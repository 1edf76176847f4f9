//! The fault `drop`: links and switches lose packets silently.

use tulle_spec::plugin;

use super::{FaultKind, FaultScope};
use crate::Error;

plugin! {
    pub(crate) struct Drop(arguments) -> Error {
        scope: FaultScope;
        /// fraction of the packets that each link loses; above 50%, the fault needs until= or the run needs a time limit
        loss: f64 = fraction(), default "100%";
    }
    name: "drop",
    summary: "links or switches lose packets silently",
    paper: "gray failures: Guo et al., Pingmesh, SIGCOMM 2015 §5 (silent drops, black holes)",
    limitations: "Endpoints are not notified. A flow leaves lossy links only if its transport or selector changes paths \
        anyway, for example after a loss or a flowlet gap.",
    examples: [
        "drop:links=ids:0,at=50us,until=1ms",
        "drop:switches=1,loss=1%",
    ],
    rejects: [
        ("drop:links=1,until=1ms,loss=0", "loss=0 is out of range"),
        ("drop:links=1", "drop: loss=1 without until= may keep the run from ending; legal: until=, loss= of at most 50%"),
        ("drop:links=1,until=1ms,detect=1us", "unknown parameter 'detect=1us'"),
    ],
}

impl super::FaultModel for Drop {
    fn scope(&self) -> &FaultScope {
        &self.scope
    }

    fn kind(&self) -> FaultKind {
        FaultKind::Drop { loss: self.loss }
    }
}
