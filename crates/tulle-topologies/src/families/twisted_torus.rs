//! The twisted torus topology: a torus in which the cable that closes a ring is shifted along the first dimension.

use super::grid::{DIMENSIONS, Grid};
use super::vertex_transitive;
use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A torus with a twist. In every dimension except the first, the cable that closes a ring is shifted along the first dimension.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TwistedTorus(arguments) {
        grid: Grid;
        /// for each dimension except the first, a shift: the cables that close the rings of this dimension are shifted by this number of
        /// positions along the first dimension
        twist: Vec<u32> = shape(0, 8191), note "one per dimension except the first, each below the first size",
            or "half of the first size" { vec![grid.sizes()[0] / 2; grid.sizes().len().max(2) - 1] };
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    check {
        let text = |name: &str| arguments.text(name).unwrap_or_default();
        if grid.sizes().len() < 2 {
            return Err(arguments.bad("shape", text("shape"), "has 1 dimension", "legal: 2 to 20"));
        }
        if twist.len() + 1 != grid.sizes().len() {
            let values = format!("shape={}, twist={}", text("shape"), text("twist"));
            let legal = format!("legal: one twist per dimension except the first, {} in total", grid.sizes().len() - 1);
            return Err(arguments.clash(values, "have different numbers of dimensions", legal));
        }
        if twist.iter().any(|&twist| twist >= grid.sizes()[0]) {
            let legal = format!("legal: 0 to {} each", grid.sizes()[0] - 1);
            return Err(arguments.bad("twist", text("twist"), "is out of range", legal));
        }
    }
    name: "twisted-torus",
    summary: "twisted torus: the cables that close rings are shifted along the first dimension, which shortens paths \
        in tori with unequal sides",
    paper: "Cámara et al.: Twisted torus topologies (IEEE TPDS 21, 2010); Jouppi et al.: TPU v4 (ISCA23) §2.8",
    limitations: "A ring of two switches without a twist is one cable, not two. Shifts are possible only along the \
        first dimension. With more than 2¹⁹ channels, the closed forms have no diameter, and only a lower bound of the average path length.",
    examples: [
        "twisted-torus:shape=4x2", "twisted-torus:shape=2x2", "twisted-torus:shape=8x4,p=2", "twisted-torus:shape=4x2x2",
        "twisted-torus:shape=5x3,twist=0,p=0", "twisted-torus:shape=3x2,twist=0", "twisted-torus:shape=6x3x2,twist=1x4",
    ],
    rejects: [
        ("twisted-torus", "needs shape="),
        ("twisted-torus:shape=8", "shape=8 has 1 dimension; legal: 2 to 20"),
        ("twisted-torus:shape=4x1", "shape=4x1 is not a shape; legal: sizes joined by x, each 2 to 8191"),
        ("twisted-torus:shape=4x4,twist=1x1", "shape=4x4, twist=1x1 have different numbers of dimensions; legal: one twist per dimension"),
        ("twisted-torus:shape=4x4,twist=4", "twist=4 is out of range; legal: 0 to 3 each"),
    ],
}

impl TwistedTorus {
    /// Returns the number of positions by which the closing cables of the rings of `dimension` are shifted.
    fn shift(&self, dimension: usize) -> u32 {
        if dimension == 0 { 0 } else { self.twist[dimension - 1] }
    }

    /// Returns whether each ring of `dimension` is a single cable. This is the case for rings of two switches without a shift.
    fn is_single(&self, dimension: usize) -> bool {
        self.grid.sizes()[dimension] == 2 && self.shift(dimension) == 0
    }

    /// Returns, for each dimension, the difference between the ids of neighbouring switches along this dimension. It is 1 for the last
    /// dimension.
    fn strides(&self) -> Vec<u32> {
        let sizes = self.grid.sizes();
        (1..=sizes.len()).map(|from| sizes[from..].iter().product()).collect()
    }

    /// Returns the next switch after `switch` along `dimension`, and whether the cable to it closes the ring.
    fn next(&self, strides: &[u32], switch: u32, dimension: usize) -> (u32, bool) {
        let (size, stride) = (self.grid.sizes()[dimension], strides[dimension]);
        if switch / stride % size + 1 < size {
            return (switch + stride, false);
        }
        let start = switch - (size - 1) * stride;
        (self.shifted(strides, start, self.shift(dimension)), true)
    }

    /// Returns the switch before `switch` along `dimension`.
    fn previous(&self, strides: &[u32], switch: u32, dimension: usize) -> u32 {
        let (size, stride) = (self.grid.sizes()[dimension], strides[dimension]);
        if !(switch / stride).is_multiple_of(size) {
            return switch - stride;
        }
        let first = self.grid.sizes()[0];
        self.shifted(strides, switch + (size - 1) * stride, first - self.shift(dimension))
    }

    /// Returns the switch `shift` positions further along the first dimension.
    fn shifted(&self, strides: &[u32], switch: u32, shift: u32) -> u32 {
        let (size, stride) = (self.grid.sizes()[0], strides[0]);
        let at = switch / stride % size;
        switch - at * stride + (at + shift) % size * stride
    }
}

impl Family for TwistedTorus {
    const RACKS: RackStructure = RackStructure::Grid;
    /// Proposes the shapes of the paper: the first side is twice as long as the other sides.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for dimensions in 2..=5u32 {
            for p in 1..=wanted.radix.saturating_sub(u64::from(2 * dimensions)) {
                let side = (wanted.endpoints as f64 / (2 * p) as f64).powf(1.0 / f64::from(dimensions)) as u64;
                for side in [side.max(2), side.max(2) + 1] {
                    let further = format!("x{side}").repeat(dimensions as usize - 1);
                    found.push(format!("twisted-torus:shape={}{further},p={p}", 2 * side));
                }
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let (switches, concentration) = (self.grid.switches(), u64::from(self.concentration));
        let dimensions = self.grid.sizes().len();
        let degree = (0..dimensions).map(|dimension| if self.is_single(dimension) { 1 } else { 2 }).sum();
        let strides = self.strides();
        let (diameter, hops) = vertex_transitive::distances(switches, degree, |switch, visit| {
            for dimension in 0..dimensions {
                visit(self.next(&strides, switch, dimension).0);
                visit(self.previous(&strides, switch, dimension));
            }
        })
        .unwrap_or((Diameter::Unknown, Hops::regular(switches, degree)));
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * degree / 2,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter,
            hops,
        }
    }

    /// Switch ids are in row-major order: the last coordinate changes fastest.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let (switches, strides) = (self.grid.switches() as u32, self.strides());
        let sizes = self.grid.sizes();
        let mut builder = FabricBuilder::new(switches);
        builder.classes(&DIMENSIONS[..sizes.len()]);
        for dimension in 0..sizes.len() {
            for switch in 0..switches {
                let (next, closes) = self.next(&strides, switch, dimension);
                if !(closes && self.is_single(dimension)) {
                    builder.cable_of(switch, next, dimension as u8, dimension as u8);
                }
            }
        }
        builder.coordinates(&DIMENSIONS[..sizes.len()], |switch| {
            sizes.iter().zip(&strides).map(|(size, stride)| switch / stride % size).collect()
        });
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build, families};

    #[test]
    fn rings_are_shifted_where_they_close() {
        let fabric = build("twisted-torus:shape=8x4", 0).unwrap();
        // Switch (0, 3) has the neighbours (1, 3) and (7, 3) along the first dimension. Along the second dimension, it has the neighbours
        // (0, 2), and (4, 0) where the ring closes.
        assert_eq!(fabric.neighbours(3), [2, 7, 16, 31]);
        assert_eq!(fabric.coordinates().of(16), [4, 0]);
    }

    #[test]
    fn without_a_twist_it_is_a_torus() {
        for shape in ["5x4", "2x3", "3x2x4", "4x4x4"] {
            let dimensions = shape.matches('x').count();
            let twist = vec!["0"; dimensions].join("x");
            let twisted = build(&format!("twisted-torus:shape={shape},twist={twist}"), 0).unwrap();
            let torus = build(&format!("torus:shape={shape}"), 0).unwrap();
            assert_eq!((twisted.targets(), twisted.offsets()), (torus.targets(), torus.offsets()), "{shape}");
        }
    }

    /// Checks the diameters of Cámara et al., Table 1. The rectangular twisted torus of 2a × a switches has diameter a; the torus of this
    /// size has ⌊3a/2⌋. The prismatic doubly twisted torus of 2a × a × a switches has ⌊3a/2⌋; the torus of this size has 2a.
    #[test]
    fn diameters_are_those_of_the_paper() {
        let diameter = |spec: String| families::member(&spec).unwrap().1.expect().diameter;
        for a in [2u32, 4, 6, 8, 10] {
            let of = |family: &str, shape: &str| diameter(format!("{family}:shape={shape}"));
            let (flat, prism) = (format!("{}x{a}", 2 * a), format!("{}x{a}x{a}", 2 * a));
            assert_eq!(of("twisted-torus", &flat), Diameter::Exactly(a), "{flat}");
            assert_eq!(of("torus", &flat), Diameter::Exactly(a + a / 2), "{flat}");
            assert_eq!(of("twisted-torus", &prism), Diameter::Exactly(a + a / 2), "{prism}");
            assert_eq!(of("torus", &prism), Diameter::Exactly(2 * a), "{prism}");
        }
    }
}
