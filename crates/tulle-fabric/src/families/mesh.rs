//! The mesh: a grid whose every line is a path.

use super::grid::Grid;
use crate::spec::{Arguments, Info, Parameter, Parameters};
use crate::{Diameter, Error, Expect, Fabric, Family};

/// A mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mesh {
    grid: Grid,
    concentration: u32,
}

impl Family for Mesh {
    const INFO: Info = Info {
        name: "mesh",
        summary: "mesh (k-ary n-mesh): paths along every line of a grid",
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
        limitations: "Switches at the border have fewer network ports. Sizes are at least 2.",
        examples: &["mesh:shape=4x4", "mesh:shape=2", "mesh:shape=5", "mesh:shape=2x3x4,p=2", "mesh:shape=3x2,p=0"],
        rejects: &[
            ("mesh", "needs shape="),
            ("mesh:shape=4x1", "shape=4x1 is not a shape; legal: sizes joined by x, each 2 to 8191"),
            ("mesh:shape=axb", "shape=axb is not a shape"),
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
            cables: self.grid.cables(sizes.iter().map(|&size| u64::from(size - 1))),
            network_radix: sizes.iter().map(|&size| u64::from(size - 1).min(2)).sum(),
            concentration,
            diameter: Diameter::Exactly(sizes.iter().map(|size| size - 1).sum()),
        }
    }

    /// Ids count the coordinates up with the last dimension fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = self.grid.build(|_, size| (1..size).map(|b| [b - 1, b]).collect());
        builder.endpoints_each(self.concentration as usize);
        builder.finish(Self::INFO.name, Family::parameters(self))
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn neighbours_are_one_step_along_a_line() {
        let fabric = build("mesh:shape=3x4", 0).unwrap();
        assert_eq!(fabric.neighbours(0), [1, 4]);
        assert_eq!(fabric.neighbours(5), [1, 4, 6, 9]);
        assert_eq!(fabric.neighbours(11), [7, 10]);
    }
}
