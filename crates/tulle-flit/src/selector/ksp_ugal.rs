//! KSP-UGAL: the shortest path of a pair or another of its paths.

use tulle_spec::{Arguments, Info, Parameters, SpecError};

use super::{Estimate, Over, QUEUE, Queues, Route, Select, Start, queue_word, read_queue};

/// The first path against a random other one.
#[derive(Debug)]
pub(crate) struct KspUgal {
    estimate: Estimate,
}

impl Select for KspUgal {
    const INFO: Info = Info {
        name: "ksp-ugal",
        summary: "the shortest path, or a random other of the pair's paths, by queue times length",
        parameters: &[QUEUE],
        nested: false,
        paper: "Jellyfish §III-B (KSP-UGAL)",
        limitations: "Sees queues of the first switch only. Ties go to the shortest path; the set's first path is taken for it.",
        examples: &["ksp-ugal", "ksp-ugal:queue=output"],
        rejects: &[("ksp-ugal:k=8", "unknown parameter 'k=8'")],
    };
    const OVER: Over = Over::Paths;

    fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(Self { estimate: read_queue(arguments)? })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().word("queue", queue_word(self.estimate))
    }

    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let choices = start.routes.choices(start.from, start.to);
        let minimal = start.routes.numbered(choices.start, start.from, start.to);
        let others = choices.len() as u32 - 1;
        if others == 0 {
            return minimal;
        }
        let number = choices.start + 1 + start.generator.below(others);
        let other = start.routes.numbered(number, start.from, start.to);
        let (queue, minimal) = start.first_port(self.estimate, minimal);
        let (other_queue, other) = start.first_port(self.estimate, other);
        let length = |route: &Route| start.routes.path_hops(route.number);
        if queue * length(&minimal) <= other_queue * length(&other) { minimal } else { other }
    }
}
