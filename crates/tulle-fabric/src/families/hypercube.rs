//! The hypercube: switches are words of bits, joined where they differ in one.

use super::grid::{DIMENSIONS, Grid};
use crate::{Diameter, Error, Expect, Fabric, Family};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

/// A hypercube of 2^dimensions switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hypercube {
    dimensions: u32,
    concentration: u32,
}

impl Family for Hypercube {
    const INFO: Info = Info {
        name: "hypercube",
        summary: "hypercube (binary n-cube): 2^n switches, joined where their ids differ in one bit",
        parameters: &[
            Parameter { name: "dimensions", legal: "1 to 20", default: "", help: "bits of a switch's id, n; k' = n" },
            Parameter { name: "p", legal: "0 to 8191", default: "1", help: "endpoints per switch" },
        ],
        nested: false,
        paper: "Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5",
        limitations: "Dimension 0 is the highest bit of a switch's id, as in a grid of shape 2x2x….",
        examples: &[
            "hypercube:dimensions=4",
            "hypercube:dimensions=1",
            "hypercube:dimensions=3,p=0",
            "hypercube:dimensions=5,p=2",
        ],
        rejects: &[
            ("hypercube", "needs dimensions="),
            ("hypercube:dimensions=0", "dimensions=0 is out of range; legal: 1 to 20"),
            ("hypercube:dimensions=21", "dimensions=21 is out of range; legal: 1 to 20"),
        ],
    };

    fn read(arguments: &Arguments) -> Result<Self, Error> {
        let dimensions = arguments.required_integer("dimensions", 1..=DIMENSIONS.len() as u64)?;
        let concentration = arguments.integer("p", 0..=8191)?.unwrap_or(1);
        Ok(Self { dimensions: dimensions as u32, concentration: concentration as u32 })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().integer("dimensions", self.dimensions).integer("p", self.concentration)
    }

    fn expect(&self) -> Expect {
        let (dimensions, switches) = (u64::from(self.dimensions), 1u64 << self.dimensions);
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches / 2 * dimensions,
            network_radix: dimensions,
            concentration,
            diameter: Diameter::Exactly(self.dimensions),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = Grid::cube(self.dimensions).build(|_, _| vec![[0, 1]]);
        builder.endpoints_each(self.concentration as usize);
        builder.finish(Self::INFO.name, Family::parameters(self))
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn neighbours_differ_in_one_bit() {
        let fabric = build("hypercube:dimensions=5", 0).unwrap();
        for switch in 0..32u32 {
            let mut expected: Vec<u32> = (0..5).map(|bit| switch ^ (1 << bit)).collect();
            expected.sort_unstable();
            assert_eq!(fabric.neighbours(switch), expected);
        }
        assert_eq!(fabric.coordinates().of(0b10110), [1, 0, 1, 1, 0]);
    }
}
