//! First in, first out: data of all flows is sent in the order in which the flows passed it to the interface.

use tulle_spec::plugin;

use super::Order;

plugin! {
    pub(crate) struct Fifo {}
    name: "fifo",
    summary: "data of an endpoint's flows is sent first come, first served",
    paper: "common practice, no paper; like Linux's pfifo, but without a limit on the queue length",
    limitations: "A short flow waits for all data that long flows have queued earlier.",
    examples: ["fifo"],
    rejects: [("fifo:packets=1", "unknown parameter 'packets=1'")],
}

impl Order for Fifo {
    const TURNS: bool = false;
}
