//! Crossings: the class of virtual channels is the number of cables of some classes that a packet has crossed.

use tulle_fabric::Fabric;
use tulle_spec::{Registered, plugin};

use super::{Gives, Kind};
use crate::Error;
use crate::counted::Counted;

plugin! {
    /// Which channels count, and from where on.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Crossings(arguments) {
        /// which channels count
        classes: String = text("channel classes of the fabric, joined by +"), default "global";
        /// where the next class begins: with the buffer at the end of the cable that counts (BookSim2), or with that of
        /// the next cable
        with_cable "from": bool = either("cable", "next"), default "cable";
    }
    check {
        if classes.split('+').any(str::is_empty) {
            return Err(arguments.bad("classes", classes, "has an empty name", "legal: as global, or local+global"));
        }
    }
    name: "crossings",
    summary: "a class of virtual channels per crossed cable of some channel classes, as the global ones of a Dragonfly",
    paper: "Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew",
    limitations: "Needs a virtual channel more than the most such cables that a route crosses; packets leave for their \
        endpoint on the class that they arrived in. A packet that par diverts counts one more. Whether a fabric, \
        routing and selector are free of deadlock by it is tested before a run: local, global, local is; a route by \
        an intermediate switch meets two local cables in its group, one by an intermediate group does not.",
    examples: ["crossings", "crossings:classes=local+global", "crossings:classes=up,from=next"],
    rejects: [
        ("crossings:classes=", "classes="),
        ("crossings:classes=local+", "classes=local+ has an empty name"),
        ("crossings:from=last", "from=last is not a choice; legal: cable, next"),
    ],
}

impl Gives for Crossings {
    fn kind(&self) -> Kind {
        Kind::Crossings(self.clone())
    }
}

impl Crossings {
    /// The channels that count in `fabric`.
    ///
    /// # Errors
    /// A class that the fabric does not have.
    pub fn count(&self, fabric: &Fabric) -> Result<Counted, Error> {
        let names = fabric.class_names();
        let mut counts = vec![false; names.len()];
        for class in self.classes.split('+') {
            let Some(at) = names.iter().position(|name| *name == class) else {
                let problem = format!("policy '{}': '{class}' is no channel class of {}", self.spec(), fabric.spec());
                return Err(Error::shape(problem, names.join(", ")));
            };
            counts[at] = true;
        }
        let channels = fabric.classes().iter().map(|&class| counts[usize::from(class)]).collect();
        Ok(Counted::new(channels, self.with_cable))
    }
}
