//! Grids whose lines are all of one kind and as narrow as can be: what meshes and tori share.

use std::marker::PhantomData;

use super::grid::Grid;
use crate::{Diameter, Error, Expect, Fabric, Family};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

/// The parameters of every grid of lines.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "shape",
        legal: "1 to 20 sizes joined by x, each 2 to 8191",
        default: "",
        help: "switches per dimension",
    },
    Parameter { name: "p", legal: "0 to 8191", default: "1", help: "endpoints per switch" },
];

/// What joins the switches of a line.
pub trait Line: std::fmt::Debug {
    /// What the family of such lines says of itself.
    const INFO: Info;

    /// The cables of a line of `size` switches, as pairs of positions on it.
    fn cables(size: u32) -> Vec<[u32; 2]>;

    /// The most cables at a switch of a line.
    fn degree(size: u32) -> u32;

    /// The most hops between two switches of a line.
    fn diameter(size: u32) -> u32;
}

/// A grid with an `L` along every line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridOf<L> {
    grid: Grid,
    concentration: u32,
    line: PhantomData<L>,
}

impl<L: Line> Family for GridOf<L> {
    const INFO: Info = L::INFO;

    fn read(arguments: &Arguments) -> Result<Self, Error> {
        let grid = Grid::read(arguments)?;
        let concentration = arguments.integer("p", 0..=8191)?.unwrap_or(1);
        Ok(Self { grid, concentration: concentration as u32, line: PhantomData })
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
            cables: self.grid.cables(sizes.iter().map(|&size| L::cables(size).len() as u64)),
            network_radix: sizes.iter().map(|&size| u64::from(L::degree(size))).sum(),
            concentration,
            diameter: Diameter::Exactly(sizes.iter().map(|&size| L::diameter(size)).sum()),
        }
    }

    /// Ids count the coordinates up with the last dimension fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = self.grid.build(|_, size| L::cables(size));
        builder.endpoints_each(self.concentration as usize);
        builder.finish(L::INFO.name, Family::parameters(self))
    }
}
