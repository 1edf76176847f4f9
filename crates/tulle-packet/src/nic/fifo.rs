//! First in, first out: the data of all flows goes in the order in which they handed it over.

use tulle_spec::plugin;

use super::Order;

plugin! {
    pub(crate) struct Fifo {}
    name: "fifo",
    summary: "what the flows of an endpoint send goes first come, first served",
    paper: "folklore; one queue without limit, as Linux' pfifo",
    limitations: "A short flow waits for all that long ones have handed over.",
    examples: ["fifo"],
    rejects: [("fifo:packets=1", "unknown parameter 'packets=1'")],
}

impl Order for Fifo {
    const TURNS: bool = false;
}
