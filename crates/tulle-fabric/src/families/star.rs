//! The star: one switch with all endpoints, the reference without a network between switches.

use crate::{Diameter, Error, Expect, Fabric, FabricBuilder, Family};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

/// A single switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Star {
    endpoints: u32,
}

impl Family for Star {
    const INFO: Info = Info {
        name: "star",
        summary: "star: a single crossbar switch with all endpoints, an upper bound on performance",
        parameters: &[Parameter { name: "endpoints", legal: "1 to 16777216", default: "", help: "endpoints, N" }],
        nested: false,
        paper: "FatPaths (SC20) App. D (baseline)",
        limitations: "No switch has that many ports: a reference point, not a product.",
        examples: &["star:endpoints=8", "star:endpoints=1"],
        rejects: &[
            ("star", "needs endpoints="),
            ("star:endpoints=0", "endpoints=0 is out of range; legal: 1 to 16777216"),
        ],
    };

    fn read(arguments: &Arguments) -> Result<Self, Error> {
        let endpoints = arguments.required_integer("endpoints", 1..=1 << 24)?;
        Ok(Self { endpoints: endpoints as u32 })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().integer("endpoints", self.endpoints)
    }

    fn expect(&self) -> Expect {
        Expect {
            switches: 1,
            endpoints: u64::from(self.endpoints),
            cables: 0,
            network_radix: 0,
            concentration: u64::from(self.endpoints),
            diameter: Diameter::Exactly(0),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(1);
        builder.endpoints_each(self.endpoints as usize);
        builder.finish(Self::INFO.name, Family::parameters(self))
    }
}
