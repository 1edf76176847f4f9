//! PAR, progressive adaptive routing: UGAL that may change its mind once, after the first hop.

use tulle_fabric::spec::{Arguments, Info, Parameters, SpecError};

use super::ugal::{PARAMETERS, Ugal};
use super::{Over, Queues, Select, Start, Way};

/// Decides as UGAL does, at the source and again at the second switch.
#[derive(Debug)]
pub(crate) struct Par(Ugal);

impl Select for Par {
    const INFO: Info = Info {
        name: "par",
        summary: "UGAL whose minimal decision is taken again after a first hop within the source's group (progressive adaptive \
                  routing)",
        parameters: &PARAMETERS,
        nested: false,
        paper: "Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks (ISCA09) §3.3; CAMINOS",
        limitations: "Fabrics with groups: dragonfly, megafly. A packet that begins on a minimal way to another group and whose \
                      first hop stays in the group of its source compares queues again at the switch there, if that has \
                      endpoints (on a megafly it has none: there it is ugal), and may take an indirect way from it. That needs \
                      a virtual channel more than ugal: one more of crossings or phases, a hop more of hops. Else as ugal.",
        examples: &["par", "par:via=group", "par:cost=constant,c=2,bias=30,via=group"],
        rejects: &[
            ("par:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
            ("par:via=2", "via=2 is not a choice"),
        ],
    };
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 3;
    const DISTANCES: bool = true;
    const REVISES: bool = true;

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self(Ugal::read(arguments)?))
    }

    fn parameters(&self) -> Parameters {
        self.0.parameters()
    }

    fn one_port(&self) -> bool {
        self.0.one_port()
    }

    fn by_group(&self) -> bool {
        self.0.by_group()
    }

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Way {
        self.0.start(start)
    }

    fn revise<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Way {
        self.0.start(start)
    }
}
