//! Valiant, or indirect random: minimally to a random intermediate switch, then minimally to the destination.

use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::{Over, Queues, Route, Select, Start};

/// By way of any switch that has endpoints.
#[derive(Debug)]
pub(crate) struct Valiant {
    /// Whether it may be the source's or the destination's switch.
    any: bool,
    /// Whether a packet leaves where it passes its destination's switch on the way to the intermediate one.
    ends: bool,
}

impl Select for Valiant {
    const INFO: Info = Info {
        name: "valiant",
        summary: "by way of a random intermediate switch, minimally to it and from it on",
        parameters: &[
            Parameter::prose(
                "via",
                "other or any",
                "other",
                "the intermediate switch: other than source and destination (diameter-two), or any (BookSim2, CAMINOS), and \
                       of these two straight on",
            ),
            Parameter::prose(
                "passing",
                "on or end",
                "on",
                "a packet that passes its destination on the way to the intermediate switch goes on (BookSim2), or ends \
                       there (CAMINOS)",
            ),
        ],
        nested: false,
        paper: "diameter-two §3.2 (indirect random, INR)",
        limitations: "Intermediate switches are those with endpoints; packets within a switch go straight. Layer 0 only.",
        examples: &["valiant", "valiant:via=any", "valiant:via=any,passing=end"],
        rejects: &[
            ("valiant:via=3", "via=3 is not a choice; legal: other, any"),
            ("valiant:passing=by", "passing=by is not a choice; legal: on, end"),
        ],
    };
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self {
            any: arguments.word("via", &["other", "any"])? == Some("any"),
            ends: arguments.word("passing", &["on", "end"])? == Some("end"),
        })
    }

    fn parameters(&self) -> Parameters {
        let words = (if self.any { "any" } else { "other" }, if self.ends { "end" } else { "on" });
        Parameters::new().word("via", words.0).word("passing", words.1)
    }

    fn ends_in_passing(&self) -> bool {
        self.ends
    }

    #[inline]
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        match self.any {
            true => start.routes.by_any(start.from, start.to, start.generator),
            false => start.routes.indirect(start.from, start.to, start.generator),
        }
    }
}
