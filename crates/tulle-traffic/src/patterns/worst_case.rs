//! The worst-case pattern for minimal routing, on topologies whose paper defines it.

mod overlap;

use tulle_fabric::{Fabric, WorstCase as Permutation};
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

plugin! {
    pub struct WorstCase {
        flows: Flows;
    }
    name: "worst-case",
    summary: "the permutation of switches that is the worst case for minimal routing on the topology",
    paper: "Kathareios et al. (SC15) §4.2: on a Slim Fly, pairs of switches at distance 2 with overlapping paths \
        (throughput 1/(2p)); on an MLFM and an OFT, shifts by one switch (throughput 1/h and 1/k); \
        FatPaths §II-C (worst case)",
    limitations: "Only for Slim Fly, MLFM and OFT. On other fabrics longest-matching is near the worst case. On a Slim Fly a \
        few switches are in no overlapping pair; they are paired with each other, and one switch may have no partner.",
    examples: ["worst-case:bytes=64KiB", "worst-case"],
    rejects: [("worst-case:bytes=0", "bytes=0 is not a size"), ("worst-case:p=1", "unknown parameter 'p=1'")],
}

impl Pattern for WorstCase {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let partner = match fabric.shape().worst_case {
            Some(Permutation::OverlappingPairs) => overlap::partners(fabric, seed),
            Some(Permutation::Shift) => shift(fabric),
            None => {
                let problem = format!("no paper defines the worst case for {}", fabric.family());
                let legal = "a topology whose paper defines a worst case, for example slimfly; longest-matching fits any fabric";
                return Err(Error::misfit(WorstCase::INFO.name, problem, legal));
            }
        };
        let mut pairs = Vec::new();
        for (source, &to) in partner.iter().enumerate() {
            let receivers = fabric.endpoints_of(to);
            if to as usize != source && !receivers.is_empty() {
                let senders = fabric.endpoints_of(source as u32);
                pairs.extend(senders.iter().zip(receivers.iter().cycle()).map(|(&from, &to)| (from, to)));
            }
        }
        self.flows.send(WorstCase::INFO.name, &pairs, seed)
    }
}

/// Pairs every switch that has endpoints with the next switch that has endpoints. This is a shift by p endpoints.
fn shift(fabric: &Fabric) -> Vec<u32> {
    let edge = fabric.endpoint_switches();
    let mut partner: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    for (at, &switch) in edge.iter().enumerate() {
        partner[switch as usize] = edge[(at + 1) % edge.len()];
    }
    partner
}
