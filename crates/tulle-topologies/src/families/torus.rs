//! The torus topology: a grid in which the switches of every line form a ring.

use super::grid::Grid;
use super::lines::Line;
use tulle_spec::plugin;

plugin! {
    /// A torus. Along every line of the grid, the switches form a ring.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Torus {
        grid: Grid;
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    name: "torus",
    summary: "torus (k-ary n-cube): rings along every line of a grid",
    paper: "Dally, Towles: Principles and Practices of Interconnection Networks (2003) ch. 5",
    limitations: "A ring of two switches has one cable, not two. Sizes are at least 2.",
    examples: ["torus:shape=4x4", "torus:shape=2", "torus:shape=3", "torus:shape=2x3x5,p=2", "torus:shape=4x2,p=0"],
    rejects: [
        ("torus", "needs shape="),
        ("torus:shape=4x1", "shape=4x1 is not a shape; legal: sizes joined by x, each 2 to 8191"),
        ("torus:shape=4x", "shape=4x is not a shape"),
    ],
}

impl Line for Torus {
    fn grid(&self) -> (&Grid, u32) {
        (&self.grid, self.concentration)
    }

    fn cables(size: u32) -> Vec<[u32; 2]> {
        // A ring of two switches has one cable.
        let cables = if size == 2 { 1 } else { size };
        (0..cables).map(|a| [a, (a + 1) % size]).collect()
    }

    fn degree(size: u32) -> u32 {
        (size - 1).min(2)
    }

    fn diameter(size: u32) -> u32 {
        size / 2
    }

    fn hops(size: u32) -> u64 {
        let size = u64::from(size);
        size * (size * size / 4)
    }

    fn across(size: u32) -> u64 {
        u64::from(Self::degree(size))
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn neighbours_are_one_step_around_a_ring() {
        let fabric = build("torus:shape=4x2x3", 0).unwrap();
        // Switch (0,0,0) has these neighbours: two along the ring of 4 (stride 6), one along the ring of 2 (stride 3), and two along the
        // ring of 3.
        assert_eq!(fabric.neighbours(0), [1, 2, 3, 6, 18]);
        assert_eq!(fabric.neighbours(23), [5, 17, 20, 21, 22]);
    }
}
