//! Stencils: in every iteration each rank exchanges messages with its neighbours in a grid.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin, words};

use super::Pattern;
use crate::collectives::{Group, dissemination, send_to_neighbours};
use crate::{Error, Program, Ranks, Workload};

words! {
    /// The barrier after every round. It determines for which ranks a rank waits.
    pub enum Barrier {
        /// A rank waits for its neighbours only.
        No = "no",
        /// A rank waits for all ranks; the barrier takes no time and no messages.
        Ideal = "ideal",
        /// A rank waits for all ranks, by messages of 1 byte.
        Dissemination = "dissemination",
    }
}

plugin! {
    pub struct Stencil(arguments) {
        /// size of every message
        bytes: u64 = bytes(), default "1MiB";
        /// side lengths of the grid; the last dimension varies fastest
        shape: Option<Vec<u64>> = shape(1, u32::MAX as u64), note "2 or 3 sizes, whose product is the number of ranks", or "as square as the number of ranks allows";
        /// number of dimensions of the grid, if shape= is not given
        dimensions: Option<u32> = integer(2, 3), default "2";
        /// stride of FatPaths' form of the stencil: neighbours at offsets ±1 and ±stride instead of a grid
        stride: Option<u64> = integer(1, u32::MAX as u64), note "below the number of ranks", or "none";
        /// also send to diagonal neighbours: 8 or 26 neighbours instead of 4 or 6
        diagonals: bool = flag(), implied "no";
        /// number of rounds
        iterations: u64 = integer(1, 65_535), default "1";
        /// computing time of a rank in every round, before it sends
        compute: u64 = duration(), default "0";
        /// barrier after every round: ranks wait for their neighbours only (no), for all ranks with an instant barrier (ideal), or for all
        /// ranks by messages of 1 byte (dissemination)
        barrier: Barrier = word(Barrier::WORDS), default "no";
        ranks: Ranks;
    }
    check {
        let names = ["shape", "dimensions", "stride"];
        let mut given: Vec<(&str, &str)> = names.iter().filter_map(|&name| Some((name, arguments.text(name)?))).collect();
        if stride.is_some() && diagonals {
            given.push(("diagonals", "yes"));
        }
        if given.len() > 1 {
            let values: Vec<String> = given.iter().map(|(name, value)| format!("{name}={value}")).collect();
            return Err(arguments.clash(values.join(", "), "exclude each other", "legal: one of them"));
        }
        if let Some(sizes) = shape.as_ref().map(Vec::len).filter(|sizes| !(2..=3).contains(sizes)) {
            let problem = format!("has {sizes} size{}", if sizes == 1 { "" } else { "s" });
            return Err(arguments.bad("shape", arguments.text("shape").unwrap_or_default(), &problem, "legal: 2 or 3"));
        }
        if shape.is_some() || stride.is_some() {
            dimensions = None;
        }
    }
    name: "stencil",
    summary: "ranks repeatedly compute, exchange messages with their neighbours in a 2D or 3D torus, and wait for \
        the messages to arrive",
    paper: "FatPaths §II-C (stencils: stride 42, or 1337 above 10,000 endpoints) and Fig. 17 (with barrier); \
        Kathareios et al. (SC15) §4.4",
    limitations: "All messages have the same size, including those to diagonal neighbours. If a rank is its own neighbour, \
        it does not send to itself. If a rank is a neighbour twice, it gets only one message.",
    examples: [
        "stencil:bytes=64KiB", "stencil:dimensions=3,diagonals=yes,iterations=2,compute=1us",
        "stencil:stride=1,barrier=ideal,iterations=3",
        "stencil:ranks=2,shape=1x2,barrier=dissemination,mapping=random",
    ],
    rejects: [
        ("stencil:dimensions=4", "dimensions=4 is out of range; legal: 2 to 3"),
        ("stencil:shape=2x0", "shape=2x0 is not a shape"),
        ("stencil:shape=42", "shape=42 has 1 size"),
        ("stencil:shape=6x7,stride=2", "exclude each other"),
        ("stencil:stride=2,diagonals=yes", "exclude each other"),
        ("stencil:shape=6x6", "shape=6x6 has 36 places"),
        ("stencil:stride=42", "stride=42 is out of range"),
        ("stencil:barrier=yes", "legal: no, ideal, dissemination"),
    ],
}

impl Pattern for Stencil {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(Stencil::INFO.name, fabric, seed)?);
        let neighbours = self.neighbours(group.len() as u64, fabric)?;
        super::check_count(Stencil::INFO.name, self.iterations * (27 + 32) * group.len() as u64)?;
        let messages = self.iterations * neighbours.iter().map(|others| others.len() as u64).sum::<u64>();
        super::check_memory(Stencil::INFO.name, messages, messages)?;
        let mut program = Program::default();
        for iteration in 0..self.iterations {
            group.compute(&mut program, self.compute);
            send_to_neighbours(&mut program, &mut group, &neighbours, self.bytes);
            match self.barrier {
                Barrier::Ideal if iteration + 1 < self.iterations => group.join(&mut program),
                Barrier::No | Barrier::Ideal => {}
                Barrier::Dissemination => {
                    group.compute(&mut program, 0);
                    dissemination(&mut program, &mut group);
                }
            }
        }
        Ok(program.finish())
    }
}

impl Stencil {
    /// Returns the neighbours of each rank.
    fn neighbours(&self, ranks: u64, fabric: &Fabric) -> Result<Vec<Vec<usize>>, Error> {
        let shape = match (&self.shape, self.stride) {
            (_, Some(stride)) if stride >= ranks => {
                let problem = format!("stride={stride} is out of range on {}", fabric.spec());
                return Err(Error::misfit(Stencil::INFO.name, problem, format!("1 to {}", ranks - 1)));
            }
            (_, Some(stride)) => {
                let offsets = [1, ranks - 1, stride, ranks - stride];
                return Ok((0..ranks)
                    .map(|rank| others(rank, offsets.map(|offset| (rank + offset) % ranks)))
                    .collect());
            }
            (Some(shape), None) => shape.clone(),
            (None, None) => squarest(ranks, self.dimensions.unwrap_or(2)),
        };
        let places = shape.iter().try_fold(1u64, |product, &side| product.checked_mul(side));
        if places != Some(ranks) {
            let sides: Vec<String> = shape.iter().map(u64::to_string).collect();
            let places = places.map_or("too many".to_owned(), |places| places.to_string());
            let problem = format!("shape={} has {places} places", sides.join("x"));
            return Err(Error::misfit(Stencil::INFO.name, problem, format!("{ranks}, as many as ranks")));
        }
        let steps = steps(shape.len(), self.diagonals);
        Ok((0..ranks).map(|rank| others(rank, steps.iter().map(|step| walk(rank, step, &shape)))).collect())
    }
}

/// Returns `candidates` without `rank` and without duplicates, in the same order.
fn others(rank: u64, candidates: impl IntoIterator<Item = u64>) -> Vec<usize> {
    let mut others = Vec::new();
    for candidate in candidates {
        if candidate != rank && !others.contains(&(candidate as usize)) {
            others.push(candidate as usize);
        }
    }
    others
}

/// Returns the steps to the neighbours: −1, 0 or 1 per dimension. Exactly one dimension is nonzero; with `diagonals`, at
/// least one is nonzero.
fn steps(dimensions: usize, diagonals: bool) -> Vec<Vec<i64>> {
    let all = (0..3usize.pow(dimensions as u32))
        .map(|number| (0..dimensions).map(|at| (number / 3usize.pow(at as u32) % 3) as i64 - 1).collect::<Vec<_>>());
    all.filter(|step| {
        let moved = step.iter().filter(|&&by| by != 0).count();
        moved == 1 || (diagonals && moved > 1)
    })
    .collect()
}

/// Returns the rank at distance `step` from `rank` in a torus of shape `shape`.
fn walk(rank: u64, step: &[i64], shape: &[u64]) -> u64 {
    let (mut rest, mut at, mut weight) = (rank, 0, 1);
    for (&by, &side) in step.iter().zip(shape).rev() {
        at += (rest % side + side).wrapping_add_signed(by) % side * weight;
        rest /= side;
        weight *= side;
    }
    at
}

/// Returns the side lengths of a grid with `ranks` positions that is as square as possible.
fn squarest(ranks: u64, dimensions: u32) -> Vec<u64> {
    let mut sides = Vec::new();
    let mut rest = ranks;
    for left in (2..=dimensions).rev() {
        let side = (1..=rest)
            .take_while(|side| side.pow(left) <= rest)
            .filter(|side| rest.is_multiple_of(*side))
            .last()
            .unwrap_or(1);
        sides.push(side);
        rest /= side;
    }
    sides.push(rest);
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_grids() {
        assert_eq!((squarest(42, 2), squarest(64, 3), squarest(7, 3)), (vec![6, 7], vec![4, 4, 4], vec![1, 1, 7]));
        assert_eq!((steps(2, false).len(), steps(2, true).len()), (4, 8));
        assert_eq!((steps(3, false).len(), steps(3, true).len()), (6, 26));
        // The grid has 3 rows with 4 columns each; rank 7 is at (1, 3).
        assert_eq!(walk(7, &[1, 1], &[3, 4]), 8);
        assert_eq!(walk(7, &[-1, 0], &[3, 4]), 3);
        assert_eq!(walk(0, &[0, -1], &[3, 4]), 3);
        assert_eq!(others(0, [1, 1, 0, 2]), [1, 2]);
    }
}
