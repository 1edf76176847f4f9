//! The off-diagonal: rank s sends to s + c.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "off-diagonal",
    summary: "rank s sends to rank s + offset, around the end",
    parameters: &[
        Flows::PARAMETERS[0],
        Flows::PARAMETERS[1],
        Flows::PARAMETERS[2],
        Flows::PARAMETERS[3],
        Parameter {
            name: "offset",
            legal: "1 to ranks − 1",
            default: "1",
            help: "distance c from a rank to its destination",
        },
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "FatPaths §II-C (off-diagonals); diameter-two §4.2 (shift)",
    limitations: "One offset; skewed has the default of FatPaths' adversarial pattern.",
    examples: &["off-diagonal:bytes=64KiB", "off-diagonal:offset=1,mapping=random,arrivals=5000,duration=1ms"],
    rejects: &[
        ("off-diagonal:offset=0", "offset=0 is out of range"),
        ("off-diagonal:ranks=1", "ranks=1 is out of range"),
    ],
};

struct OffDiagonal {
    flows: Flows,
    offset: u64,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(OffDiagonal {
        flows: Flows::read(arguments)?,
        offset: arguments.integer("offset", 1..=u64::from(u32::MAX))?.unwrap_or(1),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for OffDiagonal {
    fn parameters(&self) -> Parameters {
        self.ranks.write(self.flows.write().integer("offset", self.offset))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.ranks.place(INFO.name, fabric, seed)?;
        self.flows.send(INFO.name, &shifted(INFO.name, fabric, &places, self.offset)?, seed)
    }
}

/// The pairs of `pattern` in which the rank at place s sends to the one at s + `offset`.
///
/// # Errors
/// An offset of as many places as there are, or more.
pub(super) fn shifted(pattern: &str, fabric: &Fabric, places: &[u32], offset: u64) -> Result<Vec<(u32, u32)>, Error> {
    if offset >= places.len() as u64 {
        let problem = format!("offset={offset} is out of range on {}", fabric.spec());
        return Err(Error::misfit(pattern, problem, format!("1 to {}", places.len() - 1)));
    }
    let offset = offset as usize;
    Ok((0..places.len()).map(|rank| (places[rank], places[(rank + offset) % places.len()])).collect())
}
