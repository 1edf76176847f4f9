//! Connectivity by ranks (FatPaths App. B-C, after Cheung, Lau and Leung).
//!
//! Independent vectors start at the neighbours of s; every further hop passes on a random linear combination over a large
//! prime field, the same at every hop; the rank of what arrives at the neighbours of t counts paths. Walks touch s and t
//! at their ends only and do not turn back at once.
//!
//! The rank is at least the largest number of disjoint paths within the limit (but for unlucky coefficients, of
//! probability about paths · hops / 2⁶¹), and equals it up to three hops and where the limit is that of all paths. In
//! between it may be larger, as flows that cross a cable at several hops are.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_fabric::random::{fnv1a, mix};

use crate::Error;
use crate::error::{check_connected, check_hops, check_pairs};

/// What paths may not have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disjoint {
    /// A channel.
    Edges,
    /// A switch other than their ends. Parallel cables between the two ends make one path.
    Vertices,
}

/// The rank for ordered pairs of switches and walks of at most `max_hops` hops; coefficients are drawn under `seed`.
///
/// Time per pair grows with hops · channels · k'² for edges and hops · channels · k' for vertices: for samples.
///
/// # Errors
/// A limit out of range, a fabric that is not connected, an unknown switch, or a pair of equal switches.
pub fn rank_connectivity(
    fabric: &Fabric,
    pairs: &[(u32, u32)],
    max_hops: u32,
    disjoint: Disjoint,
    seed: u64,
) -> Result<Vec<u32>, Error> {
    check_hops(max_hops)?;
    check_connected(fabric)?;
    check_pairs(fabric, pairs)?;
    let key = mix(seed) ^ fnv1a(b"analysis/coefficients");
    let rank = |&(from, to): &(u32, u32)| {
        let walks = Walks { fabric, key, from, to, width: fabric.degree(from) };
        match disjoint {
            Disjoint::Edges => walks.over_channels(max_hops),
            Disjoint::Vertices => walks.over_switches(max_hops),
        }
    };
    Ok(pairs.par_iter().map(rank).collect())
}

struct Walks<'a> {
    fabric: &'a Fabric,
    key: u64,
    from: u32,
    to: u32,
    /// Numbers of a vector: one per channel out of `from`.
    width: usize,
}

impl Walks<'_> {
    fn over_channels(&self, hops: u32) -> u32 {
        let (fabric, width) = (self.fabric, self.width);
        let mut vectors = vec![0u64; fabric.num_channels() * width];
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
            let mut next = vec![0u64; vectors.len()];
            for (channel, row) in next.chunks_mut(width).enumerate() {
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

    /// The coefficient of a hop, not 0.
    fn coefficient(&self, before: usize, after: usize) -> u64 {
        1 + mix(mix(self.key ^ before as u64) ^ after as u64) % (PRIME - 1)
    }
}

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

/// The rank of a matrix with rows of `width` numbers, by elimination.
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
