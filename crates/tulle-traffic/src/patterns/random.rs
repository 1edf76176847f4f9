//! Random destinations: every endpoint, or every switch, sends to a few others drawn at random.

use rand::seq::index::sample;
use tulle_fabric::Fabric;
use tulle_spec::random::stream;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

plugin! {
    pub struct Random {
        flows: Flows;
        /// destinations X of each
        destinations: u64 = integer(1, u32::MAX as u64), note "below the senders";
        /// parts that draw: endpoints, or switches, of which the i-th endpoints send to the i-th ones
        switches "of": bool = either("switches", "endpoints"), default "endpoints";
    }
    name: "random",
    summary: "every endpoint (or switch) sends to so many different others, drawn at random",
    paper: "Multi-Path Routing in the Jellyfish Network §IV (Random(X)); Flattened Clos §4 (uniform random)",
    limitations: "Senders have the same number of destinations, receivers differ in how many send to them. Where \
        switches differ in endpoints, those of the smaller serve several.",
    examples: ["random:destinations=3", "random:destinations=1,of=switches,bytes=64KiB"],
    rejects: [
        ("random", "needs destinations="),
        ("random:destinations=0", "destinations=0 is out of range"),
        ("random:destinations=3,of=cables", "legal: switches, endpoints"),
    ],
}

impl Pattern for Random {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let edge = fabric.endpoint_switches();
        let (senders, what) = if self.switches { (edge.len(), "switches") } else { (endpoints, "endpoints") };
        if self.destinations >= senders as u64 {
            let problem = format!("destinations={} among {senders} {what} of {}", self.destinations, fabric.spec());
            return Err(Error::misfit(Random::INFO.name, problem, format!("below {senders}")));
        }
        self.flows.check(Random::INFO.name, endpoints as u64 * self.destinations)?;
        let mut pairs = Vec::new();
        for sender in 0..senders {
            let drawn = others(sender, senders, self.destinations as usize, seed);
            if !self.switches {
                pairs.extend(drawn.iter().map(|&to| (sender as u32, to as u32)));
                continue;
            }
            for (place, &endpoint) in fabric.endpoints_of(edge[sender]).iter().enumerate() {
                pairs.extend(drawn.iter().map(|&to| {
                    let there = fabric.endpoints_of(edge[to]);
                    (endpoint, there[place % there.len()])
                }));
            }
        }
        self.flows.send(Random::INFO.name, &pairs, seed)
    }
}

/// So many different ones of `senders` that are not `sender`, ascending; a stream per sender.
fn others(sender: usize, senders: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = stream(seed, "traffic/random", sender as u64);
    let mut drawn = sample(&mut rng, senders - 1, count).into_vec();
    drawn.sort_unstable();
    drawn.iter_mut().for_each(|other| *other += usize::from(*other >= sender));
    drawn
}
