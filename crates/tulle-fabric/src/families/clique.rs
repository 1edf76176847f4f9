//! The complete graph: every switch has a cable to every other.

use crate::{Diameter, Error, Expect, Fabric, FabricBuilder, Family};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

/// A clique of `degree + 1` switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clique {
    degree: u32,
    concentration: u32,
}

impl Family for Clique {
    const INFO: Info = Info {
        name: "clique",
        summary: "complete graph: every switch has a cable to every other",
        parameters: &[
            Parameter { name: "degree", legal: "1 to 8191", default: "", help: "network radix k'; k' + 1 switches" },
            Parameter { name: "p", legal: "0 to 8191", default: "degree", help: "endpoints per switch" },
        ],
        nested: false,
        paper: "FatPaths App. A-G (fully-connected graphs; p = k')",
        limitations: "Cables grow with the square of the switches: a reference point, not a product.",
        examples: &["clique:degree=6", "clique:degree=1,p=3"],
        rejects: &[
            ("clique", "needs degree="),
            ("clique:degree=0", "degree=0 is out of range; legal: 1 to 8191"),
            ("clique:degree=6,p=-1", "p=-1 is not a whole number"),
        ],
    };

    fn read(arguments: &Arguments) -> Result<Self, Error> {
        let degree = arguments.required_integer("degree", 1..=8191)?;
        let concentration = arguments.integer("p", 0..=8191)?.unwrap_or(degree);
        Ok(Self { degree: degree as u32, concentration: concentration as u32 })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().integer("degree", self.degree).integer("p", self.concentration)
    }

    fn expect(&self) -> Expect {
        let (degree, concentration) = (u64::from(self.degree), u64::from(self.concentration));
        Expect {
            switches: degree + 1,
            endpoints: (degree + 1) * concentration,
            cables: degree * (degree + 1) / 2,
            network_radix: degree,
            concentration,
            diameter: Diameter::Exactly(1),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(self.degree + 1);
        for a in 0..=self.degree {
            for b in a + 1..=self.degree {
                builder.cable(a, b);
            }
        }
        builder.endpoints_each(self.concentration as usize);
        builder.finish(Self::INFO.name, Family::parameters(self))
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn every_switch_is_joined_to_every_other() {
        let fabric = build("clique:degree=100", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (101, 10100, 100));
        for switch in 0..101 {
            let expected: Vec<u32> = (0..101).filter(|&other| other != switch).collect();
            assert_eq!(fabric.neighbours(switch), expected);
        }
    }
}
