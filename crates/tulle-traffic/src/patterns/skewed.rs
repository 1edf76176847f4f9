//! The skewed off-diagonal: all endpoints of a switch send to those of one other switch.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::{Pattern, off_diagonal};
use crate::arrivals::Flows;
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "skewed",
    summary: "skewed off-diagonal: rank s sends to s + offset, so p messages collide on every switch pair",
    parameters: &[
        Flows::PARAMETERS[0],
        Flows::PARAMETERS[1],
        Flows::PARAMETERS[2],
        Flows::PARAMETERS[3],
        Parameter::prose(
            "offset",
            "1 to endpoints − 1",
            "half of the switches with endpoints, times p",
            "distance c from a rank to the one it sends to",
        ),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ],
    nested: false,
    paper: "FatPaths §II-C and §VII-B2 (adversarial: a skewed off-diagonal with a large offset, p-way collisions)",
    limitations: "The paper does not give its offsets; with mapping=random it is a permutation drawn anew and collides \
                  no more than one.",
    examples: &[
        "skewed:bytes=64KiB",
        "skewed:offset=1",
        "skewed:mapping=random",
        "skewed:sizes=websearch,arrivals=300",
    ],
    rejects: &[("skewed:offset=0", "offset=0 is out of range"), ("skewed:mapping=best", "legal: linear, random")],
};

struct Skewed {
    flows: Flows,
    offset: Option<u64>,
    mapping: Mapping,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Skewed {
        flows: Flows::read(arguments)?,
        offset: arguments.integer("offset", 1..=u64::from(u32::MAX))?,
        mapping: Mapping::read(arguments)?,
    }))
}

impl Pattern for Skewed {
    fn parameters(&self) -> Parameters {
        let parameters = match self.offset {
            Some(offset) => self.flows.write().integer("offset", offset),
            None => self.flows.write(),
        };
        self.mapping.write(parameters)
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.mapping.place(fabric, seed)?;
        if places.len() < 2 {
            return Err(Error::misfit(INFO.name, format!("{} rank is placed", places.len()), "2 or more"));
        }
        let edge = fabric.endpoint_switches().len() as u64;
        // One switch with endpoints has no other to send to: its endpoints then send to their neighbours.
        let half = (edge / 2 * fabric.concentration() as u64).clamp(1, places.len() as u64 - 1);
        let pairs = off_diagonal::shifted(INFO.name, fabric, &places, self.offset.unwrap_or(half))?;
        self.flows.send(INFO.name, &pairs, seed)
    }
}
