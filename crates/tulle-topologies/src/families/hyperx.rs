//! The HyperX topology: a grid in which every line is a complete graph.

use std::collections::BTreeSet;

use super::grid::Grid;
use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::plugin;

/// The maximum network radix. It is the same limit as for the largest clique.
const MAX_PORTS: u32 = 8191;

plugin! {
    /// A HyperX, which the paper describes by (L, S, K, p). The grid gives the number of dimensions L and the sizes S. `width` is K, the
    /// number of parallel cables per dimension.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct HyperX(arguments) {
        /// switches per dimension, S
        grid: Grid;
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌈k'/dimensions⌉" {
            let width = arguments.given("width")?.unwrap_or_else(|| vec![1; grid.sizes().len()]);
            Self::radix(&grid, &width).div_ceil(grid.sizes().len() as u32)
        };
        /// parallel cables per dimension, K
        width: Vec<u32> = shape(1, 64), note "one per dimension", or "1x1x…" { vec![1; grid.sizes().len()] };
    }
    check {
        let values = || {
            let given = ["shape", "width"].map(|name| arguments.text(name).map(|text| format!("{name}={text}")));
            given.into_iter().flatten().collect::<Vec<String>>().join(", ")
        };
        let dimensions = grid.sizes().len();
        if width.len() != dimensions {
            let legal = format!("legal: {dimensions} widths, one per dimension");
            return Err(arguments.clash(values(), "have different numbers of dimensions", legal));
        }
        let radix = Self::radix(&grid, &width);
        if radix > MAX_PORTS {
            let problem = format!("gives a network radix of {radix}");
            return Err(arguments.clash(values(), problem, format!("legal: at most {MAX_PORTS}")));
        }
    }
    name: "hyperx",
    summary: "HyperX (Hamming graph, flattened butterfly): complete graphs along every line of a grid",
    paper: "Ahn et al.: HyperX (SC09); FatPaths (SC20) App. A-E and Table V",
    limitations: "The paper's relative link capacities K must be whole numbers; they become parallel cables. Sizes are \
        at least 2.",
    examples: [
        "hyperx:shape=3x3", "hyperx:shape=2", "hyperx:shape=2x3x4,p=1", "hyperx:shape=3x4,width=2x1",
        "hyperx:shape=5x5,p=0",
    ],
    rejects: [
        ("hyperx", "needs shape="),
        ("hyperx:shape=0x3", "shape=0x3 is not a shape; legal: sizes joined by x, each 2 to 8191"),
        ("hyperx:shape=1x3", "shape=1x3 is not a shape; legal: sizes joined by x, each 2 to 8191"),
        ("hyperx:shape=8000x8000x8000", "has too many switches; legal: a product of at most 268435456"),
        ("hyperx:shape=2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", "has 21 dimensions; legal: 1 to 20"),
        ("hyperx:shape=3x3,width=2", "shape=3x3, width=2 have different numbers of dimensions; legal: 2 widths"),
        ("hyperx:shape=8191x3", "shape=8191x3 gives a network radix of 8192; legal: at most 8191"),
    ],
}

impl HyperX {
    fn radix(grid: &Grid, width: &[u32]) -> u32 {
        grid.sizes().iter().zip(width).map(|(size, width)| (size - 1) * width).sum()
    }
}

impl Family for HyperX {
    const RACKS: RackStructure = RackStructure::Grid;
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let most = wanted.radix;
        let mut found = Vec::new();
        for a in 2..=most {
            for b in a..(most + 2).saturating_sub(a) {
                let spare = most - (a + b - 2);
                found.extend(wanted.with_endpoints(&format!("hyperx:shape={a}x{b}"), a * b, spare));
                for c in b..=spare {
                    let left = spare - (c - 1);
                    found.extend(wanted.with_endpoints(&format!("hyperx:shape={a}x{b}x{c}"), a * b * c, left));
                }
            }
        }
        found
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let mut found = Vec::new();
        for side in 2..radix {
            for dimensions in [2, 3] {
                let Some(spare) = radix.checked_sub(dimensions * (side - 1)).filter(|&spare| spare > 0) else {
                    continue;
                };
                let shape = vec![side.to_string(); dimensions as usize].join("x");
                let shares = BTreeSet::from([spare, spare.min(side)]);
                found.extend(shares.into_iter().map(|p| format!("hyperx:shape={shape},p={p}")));
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let switches = self.grid.switches();
        let radix = u64::from(Self::radix(&self.grid, &self.width));
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * radix / 2,
            network_radix: radix,
            concentration,
            radix: radix + concentration,
            diameter: Diameter::Exactly(self.width.len() as u32),
            // Along one dimension, every switch at another position is one hop away.
            hops: Hops::Exactly(
                self.grid
                    .sizes()
                    .iter()
                    .map(|&size| u128::from(switches) * u128::from(switches - switches / u64::from(size)))
                    .sum(),
            ),
        }
    }

    fn all_to_all(&self) -> Option<f64> {
        let (expect, switches) = (self.expect(), self.grid.switches());
        let along = self.grid.sizes().iter().zip(&self.width).map(|(&size, &width)| {
            let channels = switches * u64::from((size - 1) * width);
            expect.carried(channels, u128::from(switches) * u128::from(switches - switches / u64::from(size)))
        });
        along.reduce(f64::min)
    }

    /// Switch ids are in row-major order: the last coordinate changes fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = self.grid.build(|dimension, size| {
            let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| [a, b]));
            pairs.flat_map(|pair| (0..self.width[dimension]).map(move |_| pair)).collect()
        });
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn neighbours_differ_in_one_coordinate() {
        let fabric = build("hyperx:shape=2x3x4", 0).unwrap();
        for a in 0..24 {
            let expected: Vec<u32> = (0..24)
                .filter(|&b| {
                    let [a, b] = [a, b].map(|switch| fabric.coordinates().of(switch));
                    a.iter().zip(b).filter(|(a, b)| a != b).count() == 1
                })
                .collect();
            assert_eq!(fabric.neighbours(a), expected);
        }
        assert_eq!(fabric.coordinates().of(23), [1, 2, 3]);
    }

    #[test]
    fn width_is_parallel_cables_of_a_dimension() {
        let fabric = build("hyperx:shape=2x3,width=3x1", 0).unwrap();
        assert_eq!(fabric.neighbours(0), [1, 2, 3, 3, 3]);
        assert_eq!(fabric.class_names(), ["dimension0", "dimension1"]);
        assert_eq!(fabric.classes()[fabric.channels_of(0)], [1, 1, 0, 0, 0]);
        assert_eq!(fabric.concentration(), 3, "⌈(3 + 2)/2⌉");
    }

    #[test]
    fn sizes_are_those_of_the_paper() {
        let fabric = build("hyperx:shape=11x11x11", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (1331, 13310, 30));
    }
}
