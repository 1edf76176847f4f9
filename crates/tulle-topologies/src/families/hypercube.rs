//! The hypercube topology: switch ids are bit strings, and two switches are connected if their ids differ in one bit.

use super::grid::{DIMENSIONS, Grid};
use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A hypercube of 2^dimensions switches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Hypercube {
        /// bits n of a switch's id; network radix k' = n
        dimensions: u32 = integer(1, DIMENSIONS.len() as u64);
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    name: "hypercube",
    summary: "hypercube (binary n-cube): 2^n switches, connected if their ids differ in one bit",
    paper: "Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5",
    limitations: "Dimension 0 is the highest bit of a switch's id, as in a grid of shape 2x2x….",
    examples: [
        "hypercube:dimensions=4", "hypercube:dimensions=1", "hypercube:dimensions=3,p=0", "hypercube:dimensions=5,p=2",
    ],
    rejects: [
        ("hypercube", "needs dimensions="),
        ("hypercube:dimensions=0", "dimensions=0 is out of range; legal: 1 to 20"),
        ("hypercube:dimensions=21", "dimensions=21 is out of range; legal: 1 to 20"),
    ],
}

impl Family for Hypercube {
    const RACKS: RackStructure = RackStructure::Grid;
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |n: u64| wanted.with_endpoints(&format!("hypercube:dimensions={n}"), 1 << n, wanted.radix - n);
        (1..wanted.radix.min(21)).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let (dimensions, switches) = (u64::from(self.dimensions), 1u64 << self.dimensions);
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches / 2 * dimensions,
            network_radix: dimensions,
            concentration,
            radix: dimensions + concentration,
            diameter: Diameter::Exactly(self.dimensions),
            // The ids of two switches differ in half of the bits on average.
            hops: Hops::Exactly(u128::from(switches) * u128::from(switches) / 2 * u128::from(dimensions)),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = Grid::cube(self.dimensions).build(|_, _| vec![[0, 1]]);
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
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
