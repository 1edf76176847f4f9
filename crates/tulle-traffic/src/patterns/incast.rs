//! Incast: many send to one.

use rand::seq::index::sample;
use tulle_fabric::Fabric;
use tulle_spec::random::stream;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "incast",
    summary: "receivers drawn at random get messages from senders drawn at random, all at once",
    parameters: &[
        Flows::PARAMETERS[0],
        Flows::PARAMETERS[1],
        Flows::PARAMETERS[2],
        Flows::PARAMETERS[3],
        Parameter::prose(
            "senders",
            "1 to endpoints − 1",
            "all but the receiver",
            "endpoints that send to each receiver",
        ),
        Parameter::prose("receivers", "1 to endpoints", "1", "endpoints that receive"),
    ],
    nested: false,
    paper: "FatPaths §VIII-A; Handley et al., NDP, SIGCOMM 2017 §6 (incast)",
    limitations: "Senders of different receivers are drawn apart, so an endpoint may send to several.",
    examples: &["incast:bytes=64KiB", "incast:senders=1,receivers=2"],
    rejects: &[
        ("incast:senders=0", "senders=0 is out of range"),
        ("incast:receivers=0", "receivers=0 is out of range"),
    ],
};

struct Incast {
    flows: Flows,
    senders: Option<u64>,
    receivers: u64,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Incast {
        flows: Flows::read(arguments)?,
        senders: arguments.integer("senders", 1..=u64::from(u32::MAX))?,
        receivers: arguments.integer("receivers", 1..=u64::from(u32::MAX))?.unwrap_or(1),
    }))
}

impl Pattern for Incast {
    fn parameters(&self) -> Parameters {
        let parameters = match self.senders {
            Some(senders) => self.flows.write().integer("senders", senders),
            None => self.flows.write(),
        };
        parameters.integer("receivers", self.receivers)
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let senders = self.senders.unwrap_or(endpoints as u64 - 1);
        for (name, value, most) in [("senders", senders, endpoints - 1), ("receivers", self.receivers, endpoints)] {
            if value > most as u64 {
                let problem = format!("{name}={value} is out of range on {}", fabric.spec());
                return Err(Error::misfit(INFO.name, problem, format!("1 to {most}")));
            }
        }
        self.flows.check(INFO.name, senders * self.receivers)?;
        let receivers = sample(&mut stream(seed, "traffic/incast", 0), endpoints, self.receivers as usize);
        let mut pairs = Vec::new();
        for (number, receiver) in (1..).zip(receivers) {
            let others = sample(&mut stream(seed, "traffic/incast", number), endpoints - 1, senders as usize);
            pairs.extend(others.iter().map(|other| ((other + usize::from(other >= receiver)) as u32, receiver as u32)));
        }
        pairs.sort_unstable();
        self.flows.send(INFO.name, &pairs, seed)
    }
}
