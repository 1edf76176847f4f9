//! Valiant, or indirect random: minimally to a random intermediate switch, then minimally to the destination.

use tulle_fabric::spec::{Arguments, Info, Parameters, SpecError};

use super::{Over, Queues, Select, Start, Way};

/// By way of any switch that has endpoints.
#[derive(Debug)]
pub(crate) struct Valiant;

impl Select for Valiant {
    const INFO: Info = Info {
        name: "valiant",
        summary: "by way of a random intermediate switch, minimally to it and from it on",
        parameters: &[],
        nested: false,
        paper: "diameter-two §3.2 (indirect random, INR)",
        limitations: "Intermediate switches are those with endpoints, other than source and destination; packets within a \
                      switch go straight. Layer 0 only.",
        examples: &["valiant"],
        rejects: &[("valiant:via=3", "unknown parameter 'via=3'; it takes none")],
    };
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;

    fn read(_: &Arguments) -> Result<Self, SpecError> {
        Ok(Self)
    }

    fn parameters(&self) -> Parameters {
        Parameters::new()
    }

    #[inline]
    fn start<Q: Queues>(&self, start: &mut Start<'_, Q>) -> Way {
        start.ways.indirect(start.from, start.to, start.generator)
    }
}
