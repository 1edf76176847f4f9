//! The skewed off-diagonal: all endpoints of a switch send to those of one other switch.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "skewed",
    summary: "skewed off-diagonal: process s sends to s + offset, so p messages collide on every switch pair",
    parameters: &[
        Parameter { name: "bytes", legal: "1 byte or more", default: "1MiB", help: "size of every message" },
        Parameter {
            name: "offset",
            legal: "1 to endpoints − 1",
            default: "half of the switches with endpoints, times p",
            help: "distance c from a process to the one it sends to",
        },
        Mapping::PARAMETER,
    ],
    nested: false,
    paper: "FatPaths §II-C and §VII-B2 (adversarial: a skewed off-diagonal with a large offset, p-way collisions)",
    limitations: "The paper does not give its offsets; with mapping=random it is a permutation drawn anew and collides no more than one.",
    examples: &["skewed:bytes=64KiB", "skewed:offset=1", "skewed:mapping=random"],
    rejects: &[("skewed:offset=0", "offset=0 is out of range"), ("skewed:mapping=best", "legal: linear, random")],
};

struct Skewed {
    bytes: u64,
    offset: Option<u64>,
    mapping: Mapping,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Skewed {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        offset: arguments.integer("offset", 1..=u64::from(u32::MAX))?,
        mapping: Mapping::read(arguments)?,
    }))
}

impl Pattern for Skewed {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().integer("bytes", self.bytes);
        let parameters = match self.offset {
            Some(offset) => parameters.integer("offset", offset),
            None => parameters,
        };
        parameters.word("mapping", self.mapping.word())
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints() as u64;
        let edge = fabric.endpoint_switches().len() as u64;
        let offset = match self.offset {
            Some(offset) if offset >= endpoints => {
                return Err(Error::Fabric {
                    pattern: INFO.name.to_owned(),
                    problem: format!("offset={offset} is out of range on {}", fabric.spec()),
                    legal: format!("legal: 1 to {}", endpoints - 1),
                });
            }
            Some(offset) => offset,
            // One switch with endpoints has no other to send to: its endpoints then send to their neighbours.
            None => (edge / 2 * fabric.concentration() as u64).clamp(1, endpoints - 1),
        };
        let place = self.mapping.place(endpoints as usize, seed);
        let mut workload = Workload::default();
        for process in 0..endpoints {
            let partner = (process + offset) % endpoints;
            workload.push(place[process as usize], place[partner as usize], self.bytes, 0);
        }
        Ok(workload)
    }
}
