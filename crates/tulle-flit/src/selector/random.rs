//! Random: every packet takes one of the paths, or layers, at random.

use tulle_spec::{Arguments, Info, Parameters, SpecError};

use super::{Over, Queues, Route, Select, Start};

/// Any path.
#[derive(Debug)]
pub(crate) struct Random;

impl Select for Random {
    const INFO: Info = Info {
        name: "random",
        summary: "every packet on one of the paths of its pair, or layers, at random",
        parameters: &[],
        nested: false,
        paper: "Jellyfish §III-B (random)",
        limitations: "Sees no load.",
        examples: &["random"],
        rejects: &[("random:k=8", "unknown parameter 'k=8'; it takes none")],
    };
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;

    fn read(_: &Arguments) -> Result<Self, SpecError> {
        Ok(Self)
    }

    fn parameters(&self) -> Parameters {
        Parameters::new()
    }

    #[inline]
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let choices = start.routes.choices(start.from, start.to);
        let number = choices.start + start.generator.below(choices.len() as u32);
        start.routes.numbered(number, start.from, start.to)
    }
}
