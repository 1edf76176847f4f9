//! Policy `crossings`: the VC class of a packet counts the cables of certain channel classes that the packet has crossed.

use tulle_fabric::Fabric;
use tulle_spec::{Registered, plugin};

use super::{Kind, PolicyPlugin};
use crate::Error;
use crate::vc_levels::VcIncrements;

plugin! {
    /// The parameters of policy `crossings`: the classes of cables that increment the VC class, and the first buffer with the new VC class.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(crate) struct Crossings(arguments) {
        /// channel classes whose cables increment the VC class
        classes: String = text("channel classes of the fabric, joined by +"), default "global";
        /// where the next class begins: at the buffer at the end of the crossed cable (BookSim2), or at the buffer at
        /// the end of the next cable
        with_cable "from": bool = either("cable", "next"), default "cable";
    }
    check {
        if classes.split('+').any(str::is_empty) {
            return Err(arguments.bad("classes", classes, "has an empty name", "legal: for example global or local+global"));
        }
    }
    name: "crossings",
    summary: "the class of virtual channels rises with every crossed cable of some channel classes, for example global cables",
    paper: "Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew",
    limitations: "Needs one virtual channel more than the maximum number of cables of these classes on a route, and one \
        more with the selector par for diverted packets. On the link to its endpoint, a packet uses the class in which it arrived. A test \
        before the run checks fabric, routing and selector for deadlock. On a dragonfly, minimal routes (local, global, \
        local) and routes through an intermediate group are safe. Routes through an intermediate switch are not safe, \
        because they may cross two local cables in that switch's group.",
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
    /// Fails if the fabric does not have one of the classes.
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
