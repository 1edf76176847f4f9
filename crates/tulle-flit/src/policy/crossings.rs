//! Crossings: the class of virtual channels is the number of cables of some classes that a packet has crossed.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::Error;

/// What this policy says of itself.
pub(crate) const INFO: Info = Info {
    name: "crossings",
    summary: "a class of virtual channels per crossed cable of some channel classes, as the global ones of a Dragonfly",
    parameters: &[
        Parameter::prose("classes", "channel classes of the fabric, joined by +", "global", "which channels count"),
        Parameter::prose(
            "from",
            "cable or next",
            "cable",
            "where the next class begins: with the buffer at the end of the cable that counts (BookSim2), or with that of \
                   the next cable",
        ),
    ],
    nested: false,
    paper: "Kim et al.: Technology-driven, highly-scalable Dragonfly topology (ISCA08) §4.1; BookSim2's dragonflynew",
    limitations: "Needs a virtual channel more than the most such cables that a route crosses; packets leave for their endpoint on \
                  the class that they arrived in. A packet that par diverts counts one more. Whether a fabric, routing and \
                  selector are free of deadlock by it is tested before a run: local, global, local is; a route by an \
                  intermediate switch meets two local cables in its group, one by an intermediate group does not.",
    examples: &["crossings", "crossings:classes=local+global", "crossings:classes=up,from=next"],
    rejects: &[
        ("crossings:classes=", "classes="),
        ("crossings:classes=local+", "classes=local+ has an empty name"),
        ("crossings:from=last", "from=last is not a choice; legal: cable, next"),
    ],
};

/// Which channels count, and from where on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crossings {
    classes: String,
    /// Whether a channel that counts is itself of the next class.
    with_cable: bool,
}

impl Crossings {
    /// Reads the parameters.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let classes = arguments.text("classes").unwrap_or("global").to_owned();
        if classes.split('+').any(str::is_empty) {
            return Err(arguments.bad("classes", classes, "has an empty name", "legal: as global, or local+global"));
        }
        Ok(Self { classes, with_cable: arguments.word("from", &["cable", "next"])? != Some("next") })
    }

    /// The canonical spec.
    pub fn spec(&self) -> String {
        let from = if self.with_cable { "cable" } else { "next" };
        Parameters::new().word("classes", self.classes.as_str()).word("from", from).spec(INFO.name)
    }

    /// What counts in `fabric`.
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
        Ok(Counted { channels, with_cable: self.with_cable })
    }
}

/// The channels that count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counted {
    /// Per channel; empty where none does.
    channels: Vec<bool>,
    with_cable: bool,
}

impl Counted {
    /// Whether any counts.
    #[inline]
    pub fn is_any(&self) -> bool {
        !self.channels.is_empty()
    }

    /// How many are counted once `channel` has been crossed after `before`.
    #[inline]
    pub fn after(&self, before: u8, channel: u32) -> u8 {
        before + u8::from(self.channels[channel as usize])
    }

    /// The class on `channel` itself.
    #[inline]
    pub fn on(&self, before: u8, channel: u32) -> u8 {
        if self.with_cable { self.after(before, channel) } else { before }
    }
}
