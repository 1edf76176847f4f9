//! Policy `plan`: uses the VCs that a deadlock scheme assigns.

use tulle_deadlock::canonical;
use tulle_spec::plugin;

use super::{Kind, PolicyPlugin};
use crate::Error;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Plan(arguments) -> Error {
        /// deadlock scheme that assigns the virtual channels
        pub scheme "spec": String = spec("deadlock scheme");
    }
    check {
        scheme = canonical(&scheme)?;
    }
    name: "plan",
    summary: "the virtual channels of a deadlock scheme, for example plan:dfsssp:vcs=4",
    paper: "the papers of the schemes",
    limitations: "A packet may use exactly one virtual channel per hop. Routes with an intermediate switch need a scheme \
        for two phases.",
    examples: ["plan:one-vc", "plan:dfsssp", "plan:hops"],
    rejects: [("plan", "another spec must follow its colon"), ("plan:dfs", "dfs")],
}

impl PolicyPlugin for Plan {
    fn kind(&self) -> Kind {
        Kind::Plan(self.scheme.clone())
    }
}
