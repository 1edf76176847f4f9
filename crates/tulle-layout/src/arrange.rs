//! The result of a rack structure: groups of switches that should be close together, and their places on the floor.

use crate::{Floor, Place};

/// Switches that should be close together, with their endpoints. They share one rack. If they do not fit, each block gets its own rack or
/// racks, and these racks are near each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Name of the rack. If the cell needs several racks, each further rack has this name followed by a number.
    pub name: String,
    /// Blocks of switches, from the top of the rack down. If there are several blocks, the last one stands at the bottom.
    pub blocks: Vec<Vec<u32>>,
}

impl Cell {
    /// Returns a cell with one block of `switches`.
    pub fn new(name: String, switches: Vec<u32>) -> Self {
        Self { name, blocks: vec![switches] }
    }
}

/// All groups of switches (cells), and their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The cells. Every switch is in exactly one cell.
    pub cells: Vec<Cell>,
    /// The place of each cell. The devices (optical switches or patch panels) are in the middle. Columns 0, 1, … are to their right,
    /// columns −1, −2, … to their left. The list is empty if cells fill columns one after another.
    pub places: Vec<Place>,
}

impl Plan {
    /// Returns a plan whose cells fill columns one after another.
    pub fn line(cells: Vec<Cell>) -> Self {
        Self { cells, places: Vec::new() }
    }
}

/// Returns the `index`-th column. Columns alternate between the right and the left side of the middle, the nearest first (Flattened Clos
/// (NSDI23) App. A.4).
pub fn side(index: u64) -> i32 {
    let column = (index / 2) as i32;
    if index.is_multiple_of(2) { column } else { -column - 1 }
}

/// Returns the row of the `index`-th item if items alternate above and below row 0. Row 0 itself is already taken.
pub fn around(index: u64) -> i32 {
    let row = (index / 2) as i32 + 1;
    if index.is_multiple_of(2) { row } else { -row }
}

/// Returns the row of the `index`-th rack of spines: 0, −1, 1, −2, … (Flattened Clos (NSDI23) App. A.4.2).
pub fn spine_row(index: u64) -> i32 {
    let row = index.div_ceil(2) as i32;
    if index.is_multiple_of(2) { row } else { -row }
}

/// Returns the number of racks per column that the floor sets, or otherwise the number that minimizes the total cable length. There are
/// `count` racks, in columns on both sides of the middle racks (Flattened Clos (NSDI23) App. A.4.1: "we vary N_r so that the total fiber
/// cable length is minimized"). `middle[y]` is the number of cables that each rack has to the middle rack in row y.
pub fn best_rows(count: u64, middle: &[u64], floor: &Floor) -> u64 {
    if let Some(rows) = floor.rows {
        return rows.into();
    }
    // For each y, the sum of the row distances from a rack in row y to all middle racks, as prefix sums over y. Because of these sums, the
    // total length for each candidate number of rows takes constant time.
    let ends: u64 = middle.iter().sum();
    let mut above: u64 = (0..).zip(middle).map(|(row, &weight): (u64, _)| row * weight).sum();
    let (mut sums, mut below) = (vec![0u64], 0);
    for row in 0..count as usize {
        sums.push(sums[row] + above);
        below += middle.get(row).copied().unwrap_or(0);
        above = above + below - (ends - below);
    }
    let columns_of = |rows: u64| {
        // Rack i is ⌊i / (2 · rows)⌋ + 1 columns away from the middle.
        let (whole, rest) = (count / (2 * rows), count % (2 * rows));
        2 * rows * (whole * (whole + 1) / 2) + rest * (whole + 1)
    };
    let cost = |rows: u64| {
        let along = (count / rows) * sums[rows as usize] + sums[(count % rows) as usize];
        u128::from(along) * u128::from(floor.row) + u128::from(columns_of(rows) * ends) * u128::from(floor.column)
    };
    (1..=count).min_by_key(|&rows| (cost(rows), rows)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_paper() {
        assert_eq!([0, 1, 2, 3].map(side), [0, -1, 1, -2]);
        assert_eq!([0, 1, 2, 3].map(around), [1, -1, 2, -2]);
        assert_eq!([0, 1, 2, 3, 4].map(spine_row), [0, -1, 1, -2, 2]);
    }

    #[test]
    fn rows_that_the_floor_says_are_the_best() {
        assert_eq!(best_rows(40, &[4, 4], &Floor::read("rows=7").unwrap()), 7);
        // A network without racks.
        assert_eq!(best_rows(0, &[4], &Floor::default()), 1);
    }

    #[test]
    fn the_best_rows_are_those_of_trying_all() {
        let floor = Floor::read("column=2.5m,row=1.5m").unwrap();
        for (count, middle) in
            [(1, vec![4]), (7, vec![4, 1]), (40, vec![4, 4, 4, 2]), (150, vec![4; 16]), (30, vec![0, 3])]
        {
            let cost = |rows: u64| -> u64 {
                let one = |i: u64| -> u64 {
                    let along = |(row, &weight): (u64, &u64)| weight * ((i % rows).abs_diff(row) * 1500);
                    (0..).zip(&middle).map(along).sum::<u64>()
                        + middle.iter().sum::<u64>() * (i / (2 * rows) + 1) * 2500
                };
                (0..count).map(one).sum()
            };
            let best = (1..=count).min_by_key(|&rows| (cost(rows), rows)).unwrap();
            assert_eq!(best_rows(count, &middle, &floor), best, "{count}, {middle:?}");
        }
    }
}
