//! Switches on a grid. HyperX, tori, meshes and hypercubes share this code.

use tulle_fabric::{FabricBuilder, MAX_SIZE};
use tulle_spec::parameters;

/// Names of dimensions, for coordinates and channel classes. The length of this list limits the number of dimensions.
pub const DIMENSIONS: [&str; 20] = [
    "dimension0",
    "dimension1",
    "dimension2",
    "dimension3",
    "dimension4",
    "dimension5",
    "dimension6",
    "dimension7",
    "dimension8",
    "dimension9",
    "dimension10",
    "dimension11",
    "dimension12",
    "dimension13",
    "dimension14",
    "dimension15",
    "dimension16",
    "dimension17",
    "dimension18",
    "dimension19",
];

parameters! {
    /// A grid of switches. Switch ids are in row-major order: the last coordinate changes fastest.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Grid(arguments) {
        /// switches per dimension, S
        sizes "shape": Vec<u32> = shape(2, 8191), alias "dims", note "1 to 20 sizes";
    }
    check {
        let text = arguments.text("shape").unwrap_or_default();
        if sizes.len() > DIMENSIONS.len() {
            let legal = format!("legal: 1 to {}", DIMENSIONS.len());
            return Err(arguments.bad("shape", text, &format!("has {} dimensions", sizes.len()), legal));
        }
        let switches = sizes.iter().try_fold(1u64, |product, &size| product.checked_mul(size.into()));
        if switches.is_none_or(|switches| switches > MAX_SIZE) {
            let legal = format!("legal: a product of at most {}", MAX_SIZE);
            return Err(arguments.bad("shape", text, "has too many switches", legal));
        }
    }
}

impl Grid {
    /// Returns the hypercube with `dimensions` dimensions.
    pub fn cube(dimensions: u32) -> Self {
        Self { sizes: vec![2; dimensions as usize] }
    }

    /// The size of each dimension.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The number of switches.
    pub fn switches(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).product()
    }

    /// Returns the number of cables if each line of switches along dimension `d` has `per_line[d]` cables.
    pub fn cables(&self, per_line: impl Iterator<Item = u64>) -> u64 {
        let switches = self.switches();
        self.sizes.iter().zip(per_line).map(|(&size, cables)| switches / u64::from(size) * cables).sum()
    }

    /// Returns the fabric of the grid. For a dimension and its size, `line` returns the cables of one line of switches, as pairs of
    /// positions in the line. The class of a channel is its dimension.
    pub fn build(&self, line: impl Fn(usize, u32) -> Vec<[u32; 2]>) -> FabricBuilder {
        let dimensions = self.sizes.len();
        let switches = self.switches() as u32;
        let mut builder = FabricBuilder::new(switches);
        builder.classes(&DIMENSIONS[..dimensions]);
        let mut stride = switches;
        for (dimension, &size) in self.sizes.iter().enumerate() {
            stride /= size;
            let cables = line(dimension, size);
            for start in (0..switches).filter(|start| (start / stride).is_multiple_of(size)) {
                for [a, b] in &cables {
                    builder.cable_of(start + a * stride, start + b * stride, dimension as u8, dimension as u8);
                }
            }
        }
        builder.coordinates(&DIMENSIONS[..dimensions], |switch| {
            let mut rest = switch;
            let mut coordinates: Vec<u32> = self
                .sizes
                .iter()
                .rev()
                .map(|size| {
                    let coordinate = rest % size;
                    rest /= size;
                    coordinate
                })
                .collect();
            coordinates.reverse();
            coordinates
        });
        builder
    }
}
