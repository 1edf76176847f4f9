//! Skewed off-diagonal: by default, all endpoints of a switch send to the endpoints of one other switch.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::{Pattern, off_diagonal};
use crate::arrivals::Flows;
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct Skewed {
        flows: Flows;
        /// distance c from a rank to its destination
        offset: Option<u64> = integer(1, u32::MAX as u64), note "below the number of endpoints",
            or "p times half the number of switches with endpoints; p is the number of endpoints per switch";
        mapping: Mapping;
    }
    name: "skewed",
    summary: "skewed off-diagonal: rank s sends to s + offset, so by default all endpoints of a switch send to one other switch",
    paper: "FatPaths §II-C and §VII-B2 (adversarial: a skewed off-diagonal with a large offset, p-way collisions)",
    limitations: "FatPaths does not state its offsets. With mapping=random the pattern is a random permutation, with \
        no more collisions than any other random permutation.",
    examples: ["skewed:bytes=64KiB", "skewed:offset=1", "skewed:mapping=random", "skewed:sizes=websearch,arrivals=300"],
    rejects: [("skewed:offset=0", "offset=0 is out of range"), ("skewed:mapping=best", "legal: linear, random")],
}

impl Pattern for Skewed {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.mapping.place(fabric, seed)?;
        if places.len() < 2 {
            return Err(Error::misfit(
                Skewed::INFO.name,
                format!("the number of ranks is {}", places.len()),
                "2 or more",
            ));
        }
        let edge = fabric.endpoint_switches().len() as u64;
        // If only one switch has endpoints, the offset is 1.
        let half = (edge / 2 * fabric.concentration() as u64).clamp(1, places.len() as u64 - 1);
        let pairs = off_diagonal::shifted(Skewed::INFO.name, fabric, &places, self.offset.unwrap_or(half))?;
        self.flows.send(Skewed::INFO.name, &pairs, seed)
    }
}
