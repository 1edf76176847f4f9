//! The HammingMesh topology: boards of accelerators. The accelerators of a board form a mesh, and networks along rows and columns connect
//! the edges of the boards.
//!
//! An accelerator forwards packets, so it is modelled as a switch with endpoints. Its ports lead to its neighbours on the board. At the
//! edges of the board, they lead to the network of the row or column.

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, MAX_SIZE, RackStructure};
use tulle_spec::{SpecError, plugin};

plugin! {
    /// A HammingMesh of boards in rows and columns. Each board is a mesh of accelerators.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct HammingMesh(arguments) {
        /// rows and columns of accelerators on a board
        board: Vec<u32> = shape(1, 64), note "two sizes";
        /// rows and columns of boards
        boards: Vec<u32> = shape(1, 4096), note "two sizes";
        /// endpoints per accelerator
        concentration "p": u32 = integer(1, 64), default "1";
        /// ports of the switches in the networks of rows and columns
        ports "k": u32 = integer(4, 1024), note "a multiple of 4", default "64";
    }
    check {
        for (name, sizes) in [("board", &board), ("boards", &boards)] {
            if sizes.len() != 2 {
                let text = arguments.text(name).unwrap_or_default();
                return Err(arguments.bad(name, text, "does not have two sizes", "legal: rows and columns, for example 2x2"));
            }
        }
        if !ports.is_multiple_of(4) {
            return Err(arguments.bad("k", ports, "is not a multiple of 4", format!("nearest {}", ports / 4 * 4)));
        }
        if let Some(count) = boards.iter().find(|&&count| 4 * u64::from(count) > u64::from(ports).pow(2)) {
            let values = format!("boards={}, k={ports}", arguments.text("boards").unwrap_or_default());
            let legal = format!("legal: at most {}", u64::from(ports).pow(2) / 4);
            return Err(arguments.clash(values, format!("puts {count} boards in a row or column"), legal));
        }
        let accelerators: u64 = board.iter().chain(&boards).map(|&size| u64::from(size)).product();
        if accelerators > MAX_SIZE {
            let values = format!("{accelerators} accelerators");
            return Err(SpecError::Combination {
                name: "hammingmesh".to_owned(),
                values,
                problem: "are too many".to_owned(),
                legal: format!("legal: at most {}", MAX_SIZE),
            });
        }
    }
    name: "hammingmesh",
    summary: "HammingMesh: boards of accelerators in a mesh; switches along rows and columns connect the edges of the \
        boards",
    paper: "Hoefler et al.: HammingMesh (SC22, arXiv 2209.01346) §III",
    limitations: "Only one of the paper's four planes is built. An accelerator is modelled, counted and priced as a \
        switch with an endpoint, whose rate is that of one link. The network of a row or column is one switch if this \
        switch has two ports for every board. Otherwise it is a fat tree of two levels at full bandwidth; tapered \
        trees are not supported. A row or column with a single board has no network.",
    examples: [
        "hammingmesh:board=2x2,boards=4x4", "hammingmesh:board=4x4,boards=2x3", "hammingmesh:board=1x1,boards=4x3,p=2",
        "hammingmesh:board=3x2,boards=1x4", "hammingmesh:board=2x3,boards=4x2,k=4", "hammingmesh:board=2x5,boards=1x1",
        "hammingmesh:board=1x5,boards=1x9,k=8",
    ],
    rejects: [
        ("hammingmesh:board=2x2", "needs boards="),
        ("hammingmesh:board=2,boards=4x4", "board=2 does not have two sizes; legal: rows and columns, for example 2x2"),
        ("hammingmesh:board=2x2,boards=4x4,k=6", "k=6 is not a multiple of 4; nearest 4"),
        ("hammingmesh:board=2x2,boards=9x4,k=4", "puts 9 boards in a row or column; legal: at most 4"),
        ("hammingmesh:board=64x64,boards=512x512", "1073741824 accelerators are too many"),
    ],
}

/// Hops between two places.
type Between<'a> = &'a dyn Fn(u32, u32) -> u32;

/// A row or column of the fabric: `boards` boards with `size` accelerators each, and the network that connects these boards.
#[derive(Debug, Clone, Copy)]
struct Line {
    size: u32,
    boards: u32,
    ports: u32,
}

impl Line {
    /// Accelerators in a line.
    fn accelerators(self) -> u32 {
        self.size * self.boards
    }

    /// Returns the number of boards that share a leaf switch of the network: all boards if one switch has enough ports, otherwise as many
    /// as half of a leaf's ports allow.
    fn boards_per_leaf(self) -> u32 {
        if 2 * self.boards <= self.ports { self.boards } else { self.ports / 4 }
    }

    /// Returns the number of leaf switches of the network; 0 if there is only one board.
    fn leaves(self) -> u32 {
        if self.boards == 1 { 0 } else { self.boards.div_ceil(self.boards_per_leaf()) }
    }

    /// Returns the minimum number of spines that have enough ports and give every leaf the same number of cables to each spine.
    fn spines(self) -> u32 {
        let (leaves, half) = (self.leaves(), self.ports / 2);
        if leaves < 2 {
            return 0;
        }
        (1..=half).find(|&spines| half.is_multiple_of(spines) && 2 * spines >= leaves).unwrap_or(half)
    }

    /// Cables from a leaf to a spine.
    fn uplinks(self) -> u32 {
        if self.spines() == 0 { 0 } else { self.ports / 2 / self.spines() }
    }

    fn switches(self) -> u32 {
        self.leaves() + self.spines()
    }

    /// Returns the number of cables of a line. These are the cables on the boards, two cables from every board to the network, and the
    /// cables between leaves and spines.
    fn cables(self) -> u64 {
        let [size, boards] = [self.size, self.boards].map(u64::from);
        let edges = if self.boards == 1 { 0 } else { 2 * boards };
        boards * (size - 1) + edges + u64::from(self.leaves()) * u64::from(self.spines() * self.uplinks())
    }

    /// Returns the maximum number of cables that an accelerator has along the line.
    fn degree(self) -> u64 {
        let edge = u64::from(self.boards > 1);
        match self.size {
            1 => 2 * edge,
            2 => 1 + edge,
            _ => 2,
        }
    }

    /// Returns the maximum number of used ports of any switch of the network.
    fn used(self) -> u32 {
        match self.leaves() {
            0 => 0,
            1 => 2 * self.boards,
            leaves => self.ports.max(leaves * self.uplinks()),
        }
    }

    /// Returns the number of hops from the accelerator at `place` on a board to the nearer edge of the board.
    fn to_edge(self, place: u32) -> u32 {
        place.min(self.size - 1 - place)
    }

    /// Returns the maximum number of hops between two accelerators of the line, and the sum over all ordered pairs.
    fn hops(self) -> (u32, u128) {
        let places = || (0..self.size).flat_map(|a| (0..self.size).map(move |b| (a, b)));
        // `over` gives the hops between accelerators a and b over the network. `network` is the number of hops in the network: 2 if both
        // boards are on one leaf, and 4 otherwise.
        let over = |a, b, network: u32| self.to_edge(a) + network + self.to_edge(b);
        let within = |a: u32, b: u32| if self.boards == 1 { a.abs_diff(b) } else { a.abs_diff(b).min(over(a, b, 2)) };
        let sum = |hops: Between| places().map(|(a, b)| u128::from(hops(a, b))).sum::<u128>();
        let most = |hops: Between| places().map(|(a, b)| hops(a, b)).max().unwrap_or(0);
        let (boards, per_leaf) = (u128::from(self.boards), u128::from(self.boards_per_leaf()));
        // `near` is the number of ordered pairs of boards that share a leaf. The last leaf may have fewer boards.
        let rest = boards % per_leaf;
        let near = boards / per_leaf * per_leaf * (per_leaf - 1) + rest * rest.saturating_sub(1);
        let far = boards * (boards - 1) - near;
        // For each kind of pair of boards: the number of ordered pairs, and a function that gives the hops between two accelerators.
        let kinds: [(u128, Between); 3] =
            [(boards, &within), (near, &|a, b| over(a, b, 2)), (far, &|a, b| over(a, b, 4))];
        let there = kinds.iter().filter(|(pairs, _)| *pairs > 0);
        (
            there.clone().map(|(_, hops)| most(hops)).max().unwrap_or(0),
            there.map(|(pairs, hops)| pairs * sum(hops)).sum(),
        )
    }
}

impl HammingMesh {
    /// A row and a column.
    fn lines(&self) -> [Line; 2] {
        [1, 0].map(|at| Line { size: self.board[at], boards: self.boards[at], ports: self.ports })
    }
}

impl Family for HammingMesh {
    const RACKS: RackStructure = RackStructure::Groups;
    /// Proposals have square boards with 1, 2 or 4 accelerators per side, as in the paper. They have as many columns of boards as rows, or
    /// twice as many. Every line has a single switch.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        let ports = wanted.radix - wanted.radix % 4;
        for side in [1, 2, 4] {
            for rows in 2..=ports / 2 {
                for columns in [rows, 2 * rows] {
                    let accelerators = side * side * rows * columns;
                    if 2 * columns <= ports && (wanted.low..=wanted.high).contains(&accelerators) {
                        found.push(format!("hammingmesh:board={side}x{side},boards={rows}x{columns},k={ports}"));
                    }
                }
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let [row, column] = self.lines();
        let [columns, rows] = [row, column].map(|line| u64::from(line.accelerators()));
        let concentration = u64::from(self.concentration);
        let network_radix = row.degree() + column.degree();
        let [(row_most, row_hops), (column_most, column_hops)] = [row, column].map(Line::hops);
        let endpoints = rows * columns * concentration;
        Expect {
            switches: rows * columns + rows * u64::from(row.switches()) + columns * u64::from(column.switches()),
            endpoints,
            cables: rows * row.cables() + columns * column.cables(),
            network_radix,
            concentration,
            radix: (network_radix + concentration).max(row.used().max(column.used()).into()),
            diameter: Diameter::Exactly(row_most + column_most),
            // The hops of a path along the row and along the column add up.
            hops: Hops::Exactly(row_hops * u128::from(rows).pow(2) + column_hops * u128::from(columns).pow(2)),
        }
    }

    /// Returns the lowest of three upper bounds on the throughput. They are the limits of three sets of channels: all channels, those between
    /// boards and row networks, and those between boards and column networks. Traffic to another column of boards must cross a row network.
    /// Traffic to another row of boards must cross a column network.
    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        let Hops::Exactly(hops) = expect.hops else { return None };
        let [row, column] = self.lines();
        let accelerators = u128::from(row.accelerators()) * u128::from(column.accelerators());
        let networks = [(row, column.accelerators()), (column, row.accelerators())]
            .into_iter()
            .filter(|(line, _)| line.boards > 1);
        let bounds = networks.map(|(line, lines)| {
            let crossing = accelerators * (accelerators - accelerators / u128::from(line.boards));
            expect.carried(u64::from(lines) * 2 * u64::from(line.boards), crossing)
        });
        Some(bounds.fold(expect.carried(2 * expect.cables, hops), f64::min))
    }

    /// The lowest ids are those of the accelerators, row by row. The next ids are those of the switches of the row networks, row by row,
    /// with leaves before spines. The switches of the column networks have the highest ids, column by column, also with leaves before
    /// spines.
    ///
    /// Coordinates are the row of boards, the row, and the column. Switches of a row network have column numbers after the last column.
    /// Switches of a column network have row numbers after the last row, and belong to an additional row of boards.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let [row, column] = self.lines();
        let [columns, rows] = [row, column].map(Line::accelerators);
        let accelerators = rows * columns;
        let of_rows = rows * row.switches();
        let mut builder = FabricBuilder::new(accelerators + of_rows + columns * column.switches());
        builder.classes(&["board", "row", "column"]);
        for at in 0..rows {
            self.line(&mut builder, row, 1, accelerators + at * row.switches(), |place| at * columns + place);
        }
        for at in 0..columns {
            let first = accelerators + of_rows + at * column.switches();
            self.line(&mut builder, column, 2, first, |place| place * columns + at);
        }
        (0..accelerators).for_each(|switch| builder.endpoints(switch, self.concentration as usize));
        let [board_rows, board_size] = [self.boards[0], self.board[0]];
        builder.coordinates(&["boards", "row", "column"], |switch| match switch.checked_sub(accelerators) {
            None => vec![switch / columns / board_size, switch / columns, switch % columns],
            Some(at) if at < of_rows => {
                let line = at / row.switches();
                vec![line / board_size, line, columns + at % row.switches()]
            }
            Some(at) => {
                let at = at - of_rows;
                vec![board_rows, rows + at % column.switches(), at / column.switches()]
            }
        });
        builder.member(self)
    }
}

impl HammingMesh {
    /// Adds the cables of a line. `id` returns the id of the accelerator at a position of the line. The switches of the line have
    /// consecutive ids, starting with `first`.
    fn line(&self, builder: &mut FabricBuilder, line: Line, class: u8, first: u32, id: impl Fn(u32) -> u32) {
        for board in 0..line.boards {
            let start = board * line.size;
            (1..line.size).for_each(|place| builder.cable(id(start + place - 1), id(start + place)));
            if line.boards > 1 {
                let leaf = first + board / line.boards_per_leaf();
                for place in [start, start + line.size - 1] {
                    builder.cable_of(id(place), leaf, class, class);
                }
            }
        }
        let spines = first + line.leaves()..first + line.switches();
        for leaf in first..first + line.leaves() {
            builder.level(leaf, 1);
            for spine in spines.clone() {
                (0..line.uplinks()).for_each(|_| builder.cable_of(leaf, spine, class, class));
            }
        }
        spines.for_each(|spine| builder.level(spine, 2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use tulle_fabric::distances;

    /// Checks the paper's clusters of about 1,000 accelerators (Table II): Hx2Mesh with 16 × 16 boards has diameter 4, and Hx4Mesh with 8 ×
    /// 8 boards has diameter 8. With about 16,000 accelerators, Hx2Mesh with 64 × 64 boards needs two-level trees along its lines.
    #[test]
    fn sizes_and_diameters_are_those_of_the_paper() {
        for (spec, accelerators, switches, diameter) in [
            ("hammingmesh:board=2x2,boards=16x16", 1024, 64, 4),
            ("hammingmesh:board=4x4,boards=8x8", 1024, 64, 8),
            ("hammingmesh:board=2x2,boards=64x64", 16_384, 2 * 128 * (4 + 2), 8),
            ("hammingmesh:board=4x4,boards=32x32", 16_384, 256, 8),
        ] {
            let (_, member) = families::member(spec).unwrap();
            let expect = member.expect();
            assert_eq!((expect.endpoints, expect.switches - expect.endpoints), (accelerators, switches), "{spec}");
            assert_eq!(expect.diameter, Diameter::Exactly(diameter), "{spec}");
            assert_eq!(expect.network_radix, 4, "{spec}");
        }
        for (spec, diameter) in [("hammingmesh:board=2x2,boards=16x16", 4), ("hammingmesh:board=4x4,boards=8x8", 8)] {
            let fabric = crate::build(spec, 0).unwrap();
            assert_eq!(distances::histogram(&fabric).diameter(), Some(diameter), "{spec}");
            assert_eq!(
                fabric.radix(),
                if diameter == 4 { 32 } else { 16 },
                "{spec}: every board of a row or column uses two ports"
            );
        }
    }

    #[test]
    fn boards_of_one_accelerator_are_a_hyperx() {
        // For comparison: in a HyperX, two switches of a row are one hop apart. In a HammingMesh, two accelerators of a row are two hops
        // apart, because the path crosses the switch of the row.
        let mesh = families::member("hammingmesh:board=1x1,boards=5x4").unwrap().1.expect();
        let hyperx = families::member("hyperx:shape=5x4,p=1").unwrap().1.expect();
        let (Hops::Exactly(mesh), Hops::Exactly(hyperx)) = (mesh.hops, hyperx.hops) else { panic!("exact") };
        assert_eq!(mesh, 2 * hyperx);
    }
}
