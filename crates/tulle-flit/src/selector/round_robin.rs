//! Round robin: the packets of a pair of switches take its paths, or layers, in turn.

use tulle_spec::{Arguments, Info, Parameters, SpecError};

use super::{Over, Queues, Route, Select, Start};

/// One path after the other.
#[derive(Debug)]
pub(crate) struct RoundRobin;

impl Select for RoundRobin {
    const INFO: Info = Info {
        name: "round-robin",
        summary: "packets from one switch to another take its paths, or layers, in turn",
        parameters: &[],
        nested: false,
        paper: "Jellyfish §III-B (round-robin)",
        limitations: "Sees no load. Needs a byte per pair of switches; of more than 255 paths it uses the first 255.",
        examples: &["round-robin"],
        rejects: &[("round-robin:k=8", "unknown parameter 'k=8'; it takes none")],
    };
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;
    const COUNTS: bool = true;

    fn read(_: &Arguments) -> Result<Self, SpecError> {
        Ok(Self)
    }

    fn parameters(&self) -> Parameters {
        Parameters::new()
    }

    #[inline]
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Route {
        let choices = start.routes.choices(start.from, start.to);
        let turn = &mut start.turns[start.to as usize];
        let number = choices.start + u32::from(*turn);
        let count = choices.len().min(usize::from(u8::MAX)) as u8;
        *turn = (*turn + 1) % count;
        start.routes.numbered(number, start.from, start.to)
    }
}
