//! Random permutations: every endpoint sends one message and receives one message. Several permutations may run at the same time.

use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

plugin! {
    pub struct Permutation {
        flows: Flows;
        /// number of independent permutations that run at the same time
        count: u64 = integer(1, 65_535), implied "1";
    }
    name: "permutation",
    summary: "every endpoint sends one message to a random other endpoint and receives one message",
    paper: "FatPaths §II-C (random permutation), §IV-A (four random permutations in parallel)",
    limitations: "Every endpoint takes part, and none sends to itself.",
    examples: [
        "permutation:bytes=64KiB", "permutation", "permutation:count=4", "permutation:sizes=websearch,arrivals=300",
    ],
    rejects: [
        ("permutation:bytes=0", "bytes=0 is not a size"),
        ("permutation:size=1", "unknown parameter 'size=1'"),
        ("permutation:count=0", "count=0 is out of range"),
        ("permutation:duration=1ms", "needs arrivals="),
    ],
}

impl Pattern for Permutation {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        self.flows.check(Permutation::INFO.name, endpoints as u64 * self.count)?;
        let drawn: Vec<Vec<u32>> = (0..self.count).map(|number| derangement(endpoints, seed, number)).collect();
        let pairs: Vec<(u32, u32)> =
            (0..endpoints).flat_map(|source| drawn.iter().map(move |to| (source as u32, to[source]))).collect();
        self.flows.send(Permutation::INFO.name, &pairs, seed)
    }
}

/// Returns a random permutation of two or more elements without a fixed point, uniformly among all such permutations.
fn derangement(endpoints: usize, seed: u64, number: u64) -> Vec<u32> {
    let mut rng = stream(seed, "traffic/permutation", number);
    let mut destination: Vec<u32> = (0..endpoints as u32).collect();
    // Rejection sampling: on average, e ≈ 2.7 random permutations are needed to get one without a fixed point.
    while destination.iter().enumerate().any(|(at, &to)| at == to as usize) {
        destination.shuffle(&mut rng);
    }
    destination
}
