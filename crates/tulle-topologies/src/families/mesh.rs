//! The mesh topology: a grid in which the switches of every line form a path.

use super::grid::Grid;
use super::lines::Line;
use tulle_spec::plugin;

plugin! {
    /// A mesh. Along every line of the grid, each switch has a cable to the next switch.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Mesh {
        grid: Grid;
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    name: "mesh",
    summary: "mesh (k-ary n-mesh): paths along every line of a grid",
    paper: "Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5",
    limitations: "Switches at the border have fewer network ports. Sizes are at least 2.",
    examples: ["mesh:shape=4x4", "mesh:shape=2", "mesh:shape=5", "mesh:shape=2x3x4,p=2", "mesh:shape=3x2,p=0"],
    rejects: [
        ("mesh", "needs shape="),
        ("mesh:shape=4x1", "shape=4x1 is not a shape; legal: sizes joined by x, each 2 to 8191"),
        ("mesh:shape=axb", "shape=axb is not a shape"),
    ],
}

impl Line for Mesh {
    fn grid(&self) -> (&Grid, u32) {
        (&self.grid, self.concentration)
    }

    fn cables(size: u32) -> Vec<[u32; 2]> {
        (1..size).map(|b| [b - 1, b]).collect()
    }

    fn degree(size: u32) -> u32 {
        (size - 1).min(2)
    }

    fn diameter(size: u32) -> u32 {
        size - 1
    }

    fn hops(size: u32) -> u64 {
        let size = u64::from(size);
        size * (size * size - 1) / 3
    }

    fn across(_size: u32) -> u64 {
        1
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
