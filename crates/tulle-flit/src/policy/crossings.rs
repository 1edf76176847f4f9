//! Crossings: the VC class is the number of cables of some channel classes that a packet has crossed.

use tulle_fabric::Fabric;
use tulle_spec::{Registered, plugin};

use super::{Kind, PolicyPlugin};
use crate::Error;
use crate::vc_increments::VcIncrements;

plugin! {
    /// Policy `crossings`: which channels increment the class, and where the new class begins.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Crossings(arguments) {
        /// channel classes whose cables increment the VC class
        classes: String = text("channel classes of the fabric, joined by +"), default "global";
        /// where the next class begins: with the buffer at the end of the crossed cable (BookSim2), or with that of the
        /// next cable
        with_cable "from": bool = either("cable", "next"), default "cable";
    }
    check {
        if classes.split('+').any(str::is_empty) {
            return Err(arguments.bad("classes", classes, "has an empty name", "legal: for example global or local+global"));
        }
    }
    name: "crossings",
    summary: "the class of virtual channels rises with every crossed cable of some channel classes, for example global ones",
    paper: "Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew",
    limitations: "Needs one virtual channel more than a route has such cables at most. Packets leave for their endpoint on \
        the class in which they arrived. A packet that par diverts needs one class more. A test before the run checks \
        fabric, routing and selector for deadlock: local, global, local is safe; a route through an intermediate \
        switch may cross two local cables in its group and is not, a route through an intermediate group is.",
    examples: ["crossings", "crossings:classes=local+global", "crossings:classes=up,from=next"],
    rejects: [
        ("crossings:classes=", "classes="),
        ("crossings:classes=local+", "classes=local+ has an empty name"),
        ("crossings:from=last", "from=last is not a choice; legal: cable, next"),
    ],
}

impl PolicyPlugin for Crossings {
    fn kind(&self) -> Kind {
        Kind::Crossings(self.clone())
    }
}

impl Crossings {
    /// Returns the VC-increment channels of `fabric`.
    ///
    /// # Errors
    /// A class that the fabric does not have.
    pub fn increments(&self, fabric: &Fabric) -> Result<VcIncrements, Error> {
        let names = fabric.class_names();
        let mut counts = vec![false; names.len()];
        for class in self.classes.split('+') {
            let Some(at) = names.iter().position(|name| *name == class) else {
                let problem =
                    format!("policy '{}': '{class}' is not a channel class of {}", self.spec(), fabric.spec());
                return Err(Error::shape(problem, names.join(", ")));
            };
            counts[at] = true;
        }
        let channels = fabric.classes().iter().map(|&class| counts[usize::from(class)]).collect();
        Ok(VcIncrements::new(channels, self.with_cable))
    }
}
