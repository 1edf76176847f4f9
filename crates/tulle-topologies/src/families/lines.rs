//! Grids in which all lines of switches along a dimension are wired in the same way. Meshes and tori share this code.

use super::grid::Grid;
use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::Plugin;

/// Describes how the lines of a grid are wired.
pub trait Line: Plugin {
    /// Returns the grid of switches, and the number of endpoints per switch.
    fn grid(&self) -> (&Grid, u32);

    /// Returns the cables of a line of `size` switches, each as a pair of positions.
    fn cables(size: u32) -> Vec<[u32; 2]>;

    /// Returns the maximum number of cables that a switch has along a line.
    fn degree(size: u32) -> u32;

    /// Returns the largest distance between two switches of a line, in hops.
    fn diameter(size: u32) -> u32;

    /// Returns the sum of the hops between all ordered pairs of switches of a line.
    fn hops(size: u32) -> u64;

    /// Returns the number of cables between the two halves of a line. The halves are as equal as possible.
    fn across(size: u32) -> u64;
}

impl<L: Line> Family for L {
    const RACKS: RackStructure = RackStructure::Grid;
    /// Proposes grids whose sides are as equal as possible.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for dimensions in 2..=5usize {
            for p in 1..=wanted.radix.saturating_sub(2 * dimensions as u64) {
                let side = (wanted.endpoints as f64 / p as f64).powf(1.0 / dimensions as f64) as u64;
                let side = side.max(2);
                for larger in 0..=dimensions {
                    let sizes = vec![side + 1; larger].into_iter().chain(vec![side; dimensions - larger]);
                    let shape = sizes.map(|size| size.to_string()).collect::<Vec<String>>().join("x");
                    found.push(format!("{}:shape={shape},p={p}", L::INFO.name));
                }
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let (grid, concentration) = self.grid();
        let (sizes, switches, concentration) = (grid.sizes(), grid.switches(), u64::from(concentration));
        let degree = sizes.iter().map(|&size| u64::from(L::degree(size))).sum();
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: grid.cables(sizes.iter().map(|&size| L::cables(size).len() as u64)),
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter: Diameter::Exactly(sizes.iter().map(|&size| L::diameter(size)).sum()),
            hops: Hops::Exactly(
                sizes
                    .iter()
                    .map(|&size| u128::from(L::hops(size)) * u128::from(switches / u64::from(size)).pow(2))
                    .sum(),
            ),
        }
    }

    /// Returns an upper bound on the throughput. It follows from the capacity of the channels across the middle of each dimension, because
    /// all traffic from one half of the grid to the other half crosses one of these channels.
    fn all_to_all(&self) -> Option<f64> {
        let (expect, switches) = (Family::expect(self), self.grid().0.switches());
        let along = self.grid().0.sizes().iter().map(|&size| {
            let (lines, half) = (switches / u64::from(size), u128::from(size / 2));
            let pairs = half * (u128::from(size) - half);
            expect.carried(lines * L::across(size), pairs * u128::from(lines).pow(2))
        });
        along.reduce(f64::min)
    }

    /// Switch ids are in row-major order: the last coordinate changes fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let (grid, concentration) = self.grid();
        let mut builder = grid.build(|_, size| L::cables(size));
        builder.endpoints_each(concentration as usize);
        builder.member(self)
    }
}
