//! UGAL-G: minimal or by way of an intermediate switch, whichever has less queued along all of the way.

use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::{Estimate, Over, Queues, Route, Select, Start};

/// Compares the minimal route with some indirect ones, all of their queues known.
#[derive(Debug)]
pub(crate) struct UgalG {
    candidates: u32,
}

impl Select for UgalG {
    const INFO: Info = Info {
        name: "ugal-g",
        summary: "minimal, or the best of some indirect routes, by the queues of all switches (UGAL-G): the unattainable reference",
        parameters: &[Parameter::prose("candidates", "1 to 64", "1", "indirect routes drawn per packet, n_I")],
        nested: false,
        paper: "Singh: Load-balanced routing in interconnection networks, 2005; diameter-two §3.3 (the global variant)",
        limitations: "Queues are credits in use over all virtual channels. Those of other switches are known as of at most a link \
                      latency ago. Of several shortest next hops a candidate draws one per switch; the packet keeps to it at \
                      the first switch and draws anew at others. Ties are minimal.",
        examples: &["ugal-g", "ugal-g:candidates=4"],
        rejects: &[("ugal-g:candidates=65", "candidates=65 is out of range; legal: 1 to 64")],
    };
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;
    const GLOBAL: bool = true;

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self { candidates: arguments.integer("candidates", 1..=64)?.unwrap_or(1) as u32 })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().integer("candidates", self.candidates)
    }

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let cost = |start: &mut Start<'_, Q>, route: Route| {
            let (queue, route) = start.first_port(Estimate::All, route);
            let port = route.port.unwrap_or_default();
            (queue + start.routes.queues_along(&route, port, start.from, start.to, start.generator), route)
        };
        let (mut least, mut best) = cost(start, Route::minimal());
        for _ in 0..self.candidates {
            let route = start.routes.indirect(start.from, start.to, start.generator);
            let (sum, route) = cost(start, route);
            if sum < least {
                (least, best) = (sum, route);
            }
        }
        best
    }
}
