//! Counts of disjoint paths of up to three hops between all pairs of switches, computed as matchings.
//!
//! A disjoint path of two or three hops from s to t pairs a neighbour of s with a neighbour of t. The two neighbours are the same switch,
//! or are joined by a cable. Conversely, every such pair is a path. If two paths cross one cable in opposite directions, each of the two
//! switches at this cable can be paired with itself instead. So the maximum number of paths is the size of a maximum bipartite matching,
//! plus one if s and t are neighbours. For each switch, a bit set has the neighbours of s with which it can be paired. It is computed once
//! for all pairs that start at s.

use rayon::prelude::*;
use tulle_base::memory::Need;
use tulle_base::task;
use tulle_fabric::Fabric;

use super::Count;
use crate::{Error, sample};

/// Maximum number of cables of a switch for this method.
const MAX_DEGREE: usize = 256;

/// Returns whether the matching method works on `fabric`. The fabric must have no parallel cables, and no switch may have more than
/// `MAX_DEGREE` cables.
pub(super) fn fits(fabric: &Fabric) -> bool {
    let plain = |switch| {
        let neighbours = fabric.neighbours(switch);
        neighbours.len() <= MAX_DEGREE && neighbours.windows(2).all(|pair| pair[0] != pair[1])
    };
    (0..fabric.num_switches() as u32).all(plain)
}

/// Returns exact counts of disjoint paths of up to `hops` hops (at most 3) for the pairs of [`sample::all_pairs`].
pub(super) fn all_pairs(fabric: &Fabric, hops: u32) -> Result<Vec<Count>, Error> {
    let members = sample::members(fabric);
    if members.len() < 2 {
        return sample::all_pairs(fabric).map(|_| Vec::new());
    }
    let degree = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
    let pairs = (members.len() * (members.len() - 1) / 2) as u64;
    // The counts are in memory twice: first as one list per switch, then as one joined list.
    Need::default().of::<Count>(2 * pairs).require(|| format!("disjoint paths of {pairs} pairs"))?;
    Ok(match degree.div_ceil(64) {
        0 | 1 => count::<1>(fabric, &members, hops),
        2 => count::<2>(fabric, &members, hops),
        _ => count::<{ MAX_DEGREE / 64 }>(fabric, &members, hops),
    })
}

fn count<const W: usize>(fabric: &Fabric, members: &[u32], hops: u32) -> Vec<Count> {
    task::begin(members.len());
    let rows: Vec<Vec<Count>> = (0..members.len())
        .into_par_iter()
        .map_init(
            || Matching::<W>::new(fabric),
            |matching, at| {
                matching.around(fabric, members[at], hops);
                task::step();
                let count = |&other: &u32| {
                    task::check();
                    let paths = matching.with(fabric, other);
                    Count { paths, most: paths, cut: paths }
                };
                members[at + 1..].iter().map(count).collect()
            },
        )
        .collect();
    rows.concat()
}

type Bits<const W: usize> = [u64; W];

struct Matching<const W: usize> {
    centre: u32,
    /// For each switch, the neighbours of the centre with which it can be paired. The centre is the switch where the counted paths start.
    partners: Vec<Bits<W>>,
    /// For each switch, a bit set with the position of the switch among the neighbours of the centre; empty if the
    /// switch is not a neighbour.
    own: Vec<Bits<W>>,
    all: Bits<W>,
    /// The switch with which each neighbour of the centre is paired.
    paired: Vec<u32>,
    /// The neighbours of the centre that are not paired yet.
    free: Bits<W>,
    /// The counted paths end at a second switch. For each neighbour of this switch: its possible partners.
    rows: Vec<Bits<W>>,
    waiting: Vec<u32>,
}

impl<const W: usize> Matching<W> {
    fn new(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        Self {
            centre: 0,
            partners: vec![[0; W]; switches],
            own: vec![[0; W]; switches],
            all: [0; W],
            paired: vec![0; W * 64],
            free: [0; W],
            rows: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// Prepares for pairs of `centre`.
    fn around(&mut self, fabric: &Fabric, centre: u32, hops: u32) {
        self.centre = centre;
        self.partners.fill([0; W]);
        self.own.fill([0; W]);
        self.all = [0; W];
        for (bit, &neighbour) in fabric.neighbours(centre).iter().enumerate() {
            let (word, mask) = (bit / 64, 1 << (bit % 64));
            self.all[word] |= mask;
            self.own[neighbour as usize][word] |= mask;
            if hops >= 2 {
                self.partners[neighbour as usize][word] |= mask;
            }
            if hops >= 3 {
                for &next in fabric.neighbours(neighbour) {
                    self.partners[next as usize][word] |= mask;
                }
            }
        }
    }

    /// Returns the number of paths between the centre and `other`.
    fn with(&mut self, fabric: &Fabric, other: u32) -> u32 {
        let direct = self.own[other as usize];
        self.free = self.all;
        (0..W).for_each(|word| self.free[word] &= !direct[word]);
        let mut paths: u32 = direct.iter().map(|word| word.count_ones()).sum();
        self.rows.clear();
        self.waiting.clear();
        for &switch in fabric.neighbours(other) {
            if switch == self.centre {
                continue;
            }
            let mut row = self.partners[switch as usize];
            (0..W).for_each(|word| row[word] &= !direct[word]);
            // Each row first takes any free partner. Rows without a free partner are matched afterwards.
            if let Some(bit) = first(&row, &self.free) {
                self.pair(self.rows.len(), bit);
                paths += 1;
            } else if row.iter().any(|&word| word != 0) {
                self.waiting.push(self.rows.len() as u32);
            }
            self.rows.push(row);
        }
        for at in 0..self.waiting.len() {
            if self.free == [0; W] {
                break;
            }
            // A partner that was tried without success need not be tried again until some row gets a partner.
            let mut unseen = self.all;
            paths += u32::from(self.augment(self.waiting[at] as usize, &mut unseen));
        }
        paths
    }

    /// Finds a partner for `row`, and moves other rows to other partners if needed (Kuhn's algorithm). Returns whether
    /// the row has a partner.
    fn augment(&mut self, row: usize, unseen: &mut Bits<W>) -> bool {
        let partners = self.rows[row];
        if let Some(bit) = first(&partners, &self.free) {
            self.pair(row, bit);
            return true;
        }
        while let Some(bit) = first(&partners, unseen) {
            unseen[bit / 64] ^= 1 << (bit % 64);
            if self.augment(self.paired[bit] as usize, unseen) {
                self.paired[bit] = row as u32;
                return true;
            }
        }
        false
    }

    fn pair(&mut self, row: usize, bit: usize) {
        self.free[bit / 64] &= !(1 << (bit % 64));
        self.paired[bit] = row as u32;
    }
}

fn first<const W: usize>(row: &Bits<W>, among: &Bits<W>) -> Option<usize> {
    (0..W).find_map(|word| {
        let bits = row[word] & among[word];
        (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)
    })
}
