//! Random bisections, which measure the effective bisection bandwidth.

use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::Group;
use crate::{Error, Program, Ranks, Step, Workload};

plugin! {
    pub struct Bisection {
        /// size of every message
        bytes: u64 = bytes(), default "1MiB";
        /// number of bisections; they run one after the other
        rounds: u64 = integer(1, 65_535), default "1";
        /// send in both directions between the halves, not only in one
        both: bool = flag(), default "yes";
        ranks: Ranks;
    }
    name: "bisection",
    summary: "random bisections: ranks of one random half exchange messages with ranks of the other half",
    paper: "Slim Fly deployment (NSDI24) §7.2 (effective bisection bandwidth, Netgauge's eBB); Hoefler, Schneider, \
        Lumsdaine, Cluster 2008",
    limitations: "A bisection starts when all messages of the previous bisection have arrived; no messages are sent for this \
        synchronisation. If the number of ranks is odd, each bisection leaves out one random rank.",
    examples: ["bisection:bytes=64KiB", "bisection:rounds=3,both=no,mapping=random"],
    rejects: [("bisection:rounds=0", "rounds=0 is out of range"), ("bisection:both=2", "legal: yes, no")],
}

impl Pattern for Bisection {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut places = self.ranks.place(Bisection::INFO.name, fabric, seed)?;
        super::check_count(Bisection::INFO.name, places.len() as u64 * self.rounds)?;
        let messages = (places.len() as u64 / 2 * if self.both { 2 } else { 1 }).saturating_mul(self.rounds);
        super::check_memory(Bisection::INFO.name, messages, messages)?;
        let mut program = Program::default();
        let mut group = Group::new(places.clone());
        for round in 0..self.rounds {
            places.shuffle(&mut stream(seed, "traffic/bisection", round));
            let after: Vec<Step> = group.ready[0].clone();
            let (left, right) = places.split_at(places.len() / 2);
            let mut sent = Vec::new();
            for (&left, &right) in left.iter().zip(right) {
                sent.push(program.message(left, right, self.bytes, &after));
                if self.both {
                    sent.push(program.message(right, left, self.bytes, &after));
                }
            }
            group.ready[0] = sent;
            if round + 1 < self.rounds {
                group.join(&mut program);
            }
        }
        Ok(program.finish())
    }
}
