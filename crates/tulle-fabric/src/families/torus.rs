//! The torus: a grid whose every line is a ring.

use super::grid::Grid;
use crate::spec::{Arguments, Info, Parameter, Parameters};
use crate::{Diameter, Error, Expect, Fabric, Family};

/// A torus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torus {
    grid: Grid,
    concentration: u32,
}

impl Family for Torus {
    const INFO: Info = Info {
        name: "torus",
        summary: "torus (k-ary n-cube): rings along every line of a grid",
        parameters: &[
            Parameter {
                name: "shape",
                legal: "1 to 20 sizes joined by x, each 2 to 8191",
                default: "",
                help: "switches per dimension",
            },
            Parameter { name: "p", legal: "0 to 8191", default: "1", help: "endpoints per switch" },
        ],
        nested: false,
        paper: "Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5",
        limitations: "A ring of two switches is one cable, not two. Sizes are at least 2.",
        examples: &[
            "torus:shape=4x4",
            "torus:shape=2",
            "torus:shape=3",
            "torus:shape=2x3x5,p=2",
            "torus:shape=4x2,p=0",
        ],
        rejects: &[
            ("torus", "needs shape="),
            ("torus:shape=4x1", "shape=4x1 is not a shape; legal: sizes joined by x, each 2 to 8191"),
            ("torus:shape=4x", "shape=4x is not a shape"),
        ],
    };

    fn read(arguments: &Arguments) -> Result<Self, Error> {
        let grid = Grid::read(arguments)?;
        let concentration = arguments.integer("p", 0..=8191)?.unwrap_or(1);
        Ok(Self { grid, concentration: concentration as u32 })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().shape("shape", self.grid.sizes()).integer("p", self.concentration)
    }

    fn expect(&self) -> Expect {
        let sizes = self.grid.sizes();
        let switches = self.grid.switches();
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: self.grid.cables(sizes.iter().map(|&size| if size == 2 { 1 } else { u64::from(size) })),
            network_radix: sizes.iter().map(|&size| if size == 2 { 1 } else { 2 }).sum(),
            concentration,
            diameter: Diameter::Exactly(sizes.iter().map(|size| size / 2).sum()),
        }
    }

    /// Ids count the coordinates up with the last dimension fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = self.grid.build(|_, size| {
            let cables = if size == 2 { 1 } else { size };
            (0..cables).map(|a| [a, (a + 1) % size]).collect()
        });
        builder.endpoints_each(self.concentration as usize);
        builder.finish(Self::INFO.name, Family::parameters(self))
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn neighbours_are_one_step_around_a_ring() {
        let fabric = build("torus:shape=4x2x3", 0).unwrap();
        // (0,0,0): ±1 along the ring of 4 (stride 6), the only other of 2 (stride 3), ±1 along the ring of 3.
        assert_eq!(fabric.neighbours(0), [1, 2, 3, 6, 18]);
        assert_eq!(fabric.neighbours(23), [5, 17, 20, 21, 22]);
    }
}
