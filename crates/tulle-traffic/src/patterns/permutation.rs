//! A random permutation: every endpoint sends one message and receives one.

use rand::seq::SliceRandom;
use tulle_fabric::Fabric;
use tulle_fabric::random::stream;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::{Error, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "permutation",
    summary: "every endpoint sends one message to another and receives one, paired at random",
    parameters: &[Parameter { name: "bytes", legal: "1 byte or more", default: "1MiB", help: "size of every message" }],
    nested: false,
    paper: "FatPaths §II-C (random permutation)",
    limitations: "All messages start at time 0; no endpoint is left out or sends to itself.",
    examples: &["permutation:bytes=64KiB", "permutation"],
    rejects: &[("permutation:bytes=0", "bytes=0 is not a size"), ("permutation:size=1", "unknown parameter 'size=1'")],
};

struct Permutation {
    bytes: u64,
}

/// Reads the parameters.
///
/// # Errors
/// An illegal size.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Permutation { bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20) }))
}

impl Pattern for Permutation {
    fn parameters(&self) -> Parameters {
        Parameters::new().integer("bytes", self.bytes)
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let mut rng = stream(seed, "traffic/permutation", 0);
        let mut destination: Vec<u32> = (0..endpoints as u32).collect();
        // Uniform over permutations without a fixed point: draw until there is none, e times on average.
        while destination.iter().enumerate().any(|(at, &to)| at == to as usize) {
            destination.shuffle(&mut rng);
        }
        let mut workload = Workload::default();
        for (source, &destination) in destination.iter().enumerate() {
            workload.push(source as u32, destination, self.bytes, 0);
        }
        Ok(workload)
    }
}
