//! Connectivity of two switches s and t as the rank of a matrix (FatPaths App. B-C, after Cheung, Lau and Leung).
//!
//! Each channel that leaves s (for edges) or each neighbour of s (for vertices) starts with its own unit vector. At every hop, each channel
//! or switch forwards a random linear combination of the vectors that it received, over a large prime field. The coefficients are the same
//! at every hop. The rank of the vectors that arrive at t counts paths. The vectors travel along walks. A walk visits s and t only at its
//! ends. For edges, it also never goes straight back over the cable by which it arrived.
//!
//! The rank is at least the maximum number of disjoint paths within the hop limit. The random coefficients make the rank too small only
//! with a probability of about paths · hops / 2⁶¹. For edge-disjoint paths, the rank equals that number if the limit is at most three hops.
//! It also equals that number without a limit; then a linear system replaces the iteration. For other limits, the rank may be larger,
//! because walks that cross a cut switch or cable after different numbers of hops count separately.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::random::{fnv1a, mix};
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::Error;
use crate::error::{check_connected, check_hops, check_pairs};

/// The resource that disjoint paths may not share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disjoint {
    /// A channel.
    Edges,
    /// A switch other than the two ends of the paths. Parallel cables between the two ends count as one path.
    Vertices,
}

/// Returns the connectivity rank for ordered pairs of switches and walks of at most `max_hops` hops (`None`: unlimited). The coefficients
/// are random numbers that depend on `seed`.
///
/// The method is slow, so use it for samples of pairs. The time per pair grows with hops · channels · k'² for edges and
/// hops · channels · k' for vertices, where k' is the number of cables of a switch. Without a hop limit, the time grows
/// with the cube of the number of channels or switches.
///
/// # Errors
/// Fails if `max_hops` is out of range, if the fabric is not connected, or if a pair has an unknown switch or the same switch twice. Without a
/// hop limit, it also fails if the fabric has more than 2048 channels (edges) or switches (vertices).
pub fn rank_connectivity(
    fabric: &Fabric,
    pairs: &[(u32, u32)],
    max_hops: Option<u32>,
    disjoint: Disjoint,
    seed: u64,
) -> Result<Vec<u32>, Error> {
    let unknowns = match disjoint {
        Disjoint::Edges => fabric.num_channels(),
        Disjoint::Vertices => fabric.num_switches(),
    };
    match max_hops {
        Some(max_hops) => check_hops(max_hops)?,
        None if unknowns > MAX_UNKNOWNS => {
            let problem = format!("the linear system has too many unknowns: {unknowns}");
            return Err(Error::fabric(fabric, problem, "up to 2048 channels or switches, or a hop limit"));
        }
        None => {}
    }
    check_connected(fabric)?;
    check_pairs(fabric, pairs)?;
    let key = mix(seed) ^ fnv1a(b"analysis/coefficients");
    task::begin(pairs.len());
    let rank = |&(from, to): &(u32, u32)| {
        task::step();
        let walks = Walks { fabric, key, from, to, width: fabric.degree(from) };
        match (disjoint, max_hops) {
            (Disjoint::Edges, Some(hops)) => walks.over_channels(hops),
            (Disjoint::Vertices, Some(hops)) => walks.over_switches(hops),
            (Disjoint::Edges, None) => walks.over_all_channels(),
            (Disjoint::Vertices, None) => walks.over_all_switches(),
        }
    };
    Ok(memory::gather("ranks", pairs.par_iter().map(rank)))
}

struct Walks<'a> {
    fabric: &'a Fabric,
    key: u64,
    from: u32,
    to: u32,
    /// The length of every vector: the number of channels that leave `from`.
    width: usize,
}

impl Walks<'_> {
    fn over_channels(&self, hops: u32) -> u32 {
        let (fabric, width) = (self.fabric, self.width);
        let mut vectors = memory::matrix("vectors of channels", 0u64, fabric.num_channels(), width);
        for (at, channel) in fabric.channels_of(self.from).enumerate() {
            vectors[channel * width + at] = 1;
        }
        let enter: Vec<usize> = fabric.channels_of(self.to).map(|channel| fabric.reverse()[channel] as usize).collect();
        let mut arrived = vec![0u64; enter.len() * width];
        for hop in 0..hops {
            for (row, &channel) in arrived.chunks_mut(width).zip(&enter) {
                add(row, 1, &vectors[channel * width..][..width]);
            }
            if hop + 1 == hops {
                break;
            }
            let mut next = memory::matrix("vectors of channels", 0u64, fabric.num_channels(), width);
            for (channel, row) in next.chunks_mut(width).enumerate() {
                task::check();
                let (tail, head) = (fabric.sources()[channel], fabric.targets()[channel]);
                if tail == self.from || tail == self.to || head == self.from {
                    continue;
                }
                for out in fabric.channels_of(tail) {
                    let before = fabric.reverse()[out] as usize;
                    if out != channel {
                        add(row, self.coefficient(before, channel), &vectors[before * width..][..width]);
                    }
                }
            }
            vectors = next;
        }
        rank(arrived, width)
    }

    fn over_switches(&self, hops: u32) -> u32 {
        let (fabric, width) = (self.fabric, self.width);
        let end = |switch: u32| switch == self.from || switch == self.to;
        let mut vectors = vec![0u64; fabric.num_switches() * width];
        for (at, &switch) in fabric.neighbours(self.from).iter().enumerate().filter(|(_, switch)| !end(**switch)) {
            vectors[switch as usize * width + at] = 1;
        }
        let mut enter: Vec<u32> = fabric.neighbours(self.to).iter().copied().filter(|&switch| !end(switch)).collect();
        enter.dedup();
        let mut arrived = vec![0u64; enter.len() * width];
        for _ in 1..hops {
            for (row, &switch) in arrived.chunks_mut(width).zip(&enter) {
                add(row, 1, &vectors[switch as usize * width..][..width]);
            }
            let mut next = vec![0u64; vectors.len()];
            for (switch, row) in next.chunks_mut(width).enumerate().filter(|(switch, _)| !end(*switch as u32)) {
                for &before in fabric.neighbours(switch as u32) {
                    let vector = &vectors[before as usize * width..][..width];
                    add(row, self.coefficient(before as usize, switch), vector);
                }
            }
            vectors = next;
        }
        rank(arrived, width) + u32::from(fabric.neighbours(self.from).contains(&self.to))
    }

    /// Returns the rank for edge-disjoint paths, like [`Walks::over_channels`], but without a hop limit.
    fn over_all_channels(&self) -> u32 {
        let fabric = self.fabric;
        let open = |channel: usize| fabric.targets()[channel] != self.from && fabric.sources()[channel] != self.to;
        let vectors = self.solve(fabric.num_channels(), |channel, row| {
            let tail = fabric.sources()[channel];
            if !open(channel) {
                return None;
            }
            if tail == self.from {
                return Some(channel - fabric.channels_of(tail).start);
            }
            for out in fabric.channels_of(tail) {
                let before = fabric.reverse()[out] as usize;
                if out != channel && open(before) {
                    row[before] = PRIME - self.coefficient(before, channel);
                }
            }
            None
        });
        let enter = fabric.channels_of(self.to).map(|channel| fabric.reverse()[channel] as usize);
        rank(enter.flat_map(|channel| vectors[channel].iter().copied()).collect(), self.width)
    }

    /// Returns the rank for vertex-disjoint paths, like [`Walks::over_switches`], but without a hop limit.
    fn over_all_switches(&self) -> u32 {
        let fabric = self.fabric;
        let end = |switch: u32| switch == self.from || switch == self.to;
        let vectors = self.solve(fabric.num_switches(), |switch, row| {
            if end(switch as u32) {
                return None;
            }
            for &before in fabric.neighbours(switch as u32).iter().filter(|&&before| !end(before)) {
                row[before as usize] = PRIME - self.coefficient(before as usize, switch);
            }
            fabric.neighbours(self.from).iter().position(|&next| next as usize == switch)
        });
        let mut enter: Vec<u32> = fabric.neighbours(self.to).iter().copied().filter(|&switch| !end(switch)).collect();
        enter.dedup();
        let arrived = enter.iter().flat_map(|&switch| vectors[switch as usize].iter().copied()).collect();
        rank(arrived, self.width) + u32::from(fabric.neighbours(self.from).contains(&self.to))
    }

    /// Solves X = P + KᵀX. Row i of X is the vector of channel or switch i, row i of P is its start vector, and K has the coefficients of
    /// hops. `fill` writes one row of −Kᵀ. It returns the position of the 1 in the same row of P, or `None` if that row of P is 0.
    fn solve(&self, unknowns: usize, fill: impl Fn(usize, &mut [u64]) -> Option<usize>) -> Vec<Vec<u64>> {
        let mut rows: Vec<Vec<u64>> = (0..unknowns)
            .map(|at| {
                let mut row = vec![0; unknowns + self.width];
                if let Some(unit) = fill(at, &mut row) {
                    row[unknowns + unit] = 1;
                }
                row[at] = 1;
                row
            })
            .collect();
        for column in 0..unknowns {
            // The matrix has random coefficients, so it lacks a pivot only with probability about unknowns / 2⁶¹.
            let pivot = (column..unknowns).find(|&row| rows[row][column] != 0).expect("a random matrix is regular");
            rows.swap(column, pivot);
            let inverse = power(rows[column][column], PRIME - 2);
            rows[column].iter_mut().for_each(|value| *value = times(*value, inverse));
            let pivot = std::mem::take(&mut rows[column]);
            for row in rows.iter_mut().filter(|row| !row.is_empty() && row[column] != 0) {
                let factor = PRIME - row[column];
                add(&mut row[column..], factor, &pivot[column..]);
            }
            rows[column] = pivot;
        }
        rows.into_iter().map(|mut row| row.split_off(unknowns)).collect()
    }

    /// The coefficient of a hop, not 0.
    fn coefficient(&self, before: usize, after: usize) -> u64 {
        1 + mix(mix(self.key ^ before as u64) ^ after as u64) % (PRIME - 1)
    }
}

/// Maximum number of unknowns. A linear system of this size takes seconds.
const MAX_UNKNOWNS: usize = 2048;

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & PRIME) + (product >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

/// `row += factor · vector`.
fn add(row: &mut [u64], factor: u64, vector: &[u64]) {
    for (to, &from) in row.iter_mut().zip(vector) {
        if from != 0 {
            let sum = *to + times(factor, from);
            *to = if sum >= PRIME { sum - PRIME } else { sum };
        }
    }
}

/// Returns the rank of a matrix whose rows have `width` numbers, by elimination.
fn rank(mut matrix: Vec<u64>, width: usize) -> u32 {
    let mut rows: Vec<&mut [u64]> = matrix.chunks_mut(width.max(1)).collect();
    let mut rank = 0;
    for column in 0..width {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let (done, below) = rows.split_at_mut(rank + 1);
        let pivot = &done[rank];
        let inverse = power(pivot[column], PRIME - 2);
        for row in below.iter_mut().filter(|row| row[column] != 0) {
            let factor = PRIME - times(row[column], inverse);
            add(row, factor, pivot);
        }
        rank += 1;
    }
    rank as u32
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut base, mut result) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_has_inverses_and_ranks() {
        for value in [1, 2, 12345, PRIME - 1, 1 << 60] {
            assert_eq!(times(value, power(value, PRIME - 2)), 1);
        }
        assert_eq!(rank(vec![1, 2, 3, 2, 4, 6, 0, 1, 1], 3), 2);
        assert_eq!(rank(vec![PRIME - 1, 0, 0, 5], 2), 2);
        assert_eq!(rank(vec![], 4), 0);
    }
}
