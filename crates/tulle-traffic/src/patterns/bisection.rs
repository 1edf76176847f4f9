//! Random bisections, for the effective bisection bandwidth.

use rand::seq::SliceRandom;
use tulle_fabric::Fabric;
use tulle_spec::random::stream;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::Group;
use crate::{Error, Program, Ranks, Step, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "bisection",
    summary: "random bisections: halves drawn at random, every rank of one exchanges messages with one of the other",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "1MiB", "size of every message"),
        Parameter::prose("rounds", "1 to 65535", "1", "bisections, one after the other"),
        Parameter::prose("both", "yes, no", "yes", "messages in both directions, or one"),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.2 (effective bisection bandwidth, Netgauge's eBB); Hoefler, Schneider, Lumsdaine, Cluster \
            2008",
    limitations: "A round starts when the one before it has ended everywhere, at no cost. Of an odd number of ranks \
                  one rests.",
    examples: &["bisection:bytes=64KiB", "bisection:rounds=3,both=no,mapping=random"],
    rejects: &[("bisection:rounds=0", "rounds=0 is out of range"), ("bisection:both=2", "legal: yes, no")],
};

struct Bisection {
    bytes: u64,
    rounds: u64,
    both: bool,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Bisection {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        rounds: arguments.integer("rounds", 1..=65_535)?.unwrap_or(1),
        both: arguments.word("both", &["yes", "no"])? != Some("no"),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for Bisection {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().bytes("bytes", self.bytes).integer("rounds", self.rounds);
        self.ranks.write(parameters.word("both", if self.both { "yes" } else { "no" }))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut places = self.ranks.place(INFO.name, fabric, seed)?;
        super::check_count(INFO.name, places.len() as u64 * self.rounds)?;
        let messages = (places.len() as u64 / 2 * if self.both { 2 } else { 1 }).saturating_mul(self.rounds);
        super::check_room(INFO.name, messages, messages)?;
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
