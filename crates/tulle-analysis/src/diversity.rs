//! Counts of disjoint paths (CDP in FatPaths §IV-B1) between switches and sets of switches.
//!
//! c_l(A, B) is the maximum number of paths of at most l hops from A to B that share no cable. FatPaths computes it greedily
//! ([`Mode::Greedy`]), which may find fewer paths. [`Mode::Exact`] computes the maximum. Up to three hops, the maximum is the size of a
//! matching. From four hops on, a search finds the maximum. The search has a limit of steps; if it reaches this limit, it returns a lower
//! and an upper bound. From five hops on, the problem is NP-hard.

mod greedy;
mod matching;

use std::slice;

use rayon::prelude::*;
use tulle_base::memory::{self, Need};
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{FARTHEST, UNREACHED, of_pairs};
use tulle_routing::disjoint::Bounded;
pub use tulle_routing::disjoint::Count;

use crate::error::{check_connected, check_hops, check_pairs, check_switch};
use crate::{Error, sample};
use greedy::Greedy;

/// How paths are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The count of the FatPaths paper. It finds a shortest path, trying neighbours by ascending id, deletes the cables of this path, and
    /// repeats both steps. The result is at most the exact count.
    Greedy,
    /// The maximum number of disjoint paths.
    Exact,
}

/// How long paths may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At most this number of hops.
    Hops(u32),
    /// The number of hops of a shortest path. The number of disjoint paths is then c_min of FatPaths §IV-B1.
    Shortest,
}

/// The limits of path lengths in hops: a lower bound on the length of a shortest path (1 if unknown), and the maximum
/// allowed length.
#[derive(Debug, Clone, Copy)]
struct Lengths {
    fewest: u32,
    most: u32,
}

impl Lengths {
    fn up_to(most: u32) -> Self {
        Self { fewest: 1, most }
    }

    /// Returns the limits for every pair of sets.
    fn of<T>(
        fabric: &Fabric,
        items: &[T],
        sets: impl Fn(&T) -> (&[u32], &[u32]),
        limit: Limit,
    ) -> Result<Vec<Self>, Error> {
        if let Limit::Hops(hops) = limit {
            return Ok(memory::filled(|| "limits of lengths".to_owned(), Self::up_to(hops), items.len())?);
        }
        let mut pairs = Vec::new();
        for item in items {
            let (from, to) = sets(item);
            pairs.extend(from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b))));
        }
        let distances = of_pairs(fabric, &pairs);
        let mut start = 0;
        let mut all = Vec::with_capacity(items.len());
        for item in items {
            let (from, to) = sets(item);
            let end = start + from.len() * to.len();
            let hops = distances[start..end].iter().copied().min().unwrap_or(UNREACHED);
            if hops == UNREACHED {
                let [from, to] =
                    [from, to].map(|set| set.iter().map(|&switch| fabric.called(switch)).collect::<Vec<_>>().join(" "));
                let problem = format!("switches {from} and {to} are more than {FARTHEST} hops apart");
                return Err(Error::fabric(fabric, problem, "fewer hops, or a hop limit"));
            }
            all.push(Self { fewest: hops.into(), most: hops.into() });
            start = end;
        }
        Ok(all)
    }
}

/// Returns a count of `paths` found greedily, without an upper bound.
fn greedily(paths: u32) -> Count {
    Count { paths, most: u32::MAX, cut: u32::MAX }
}

/// Counts disjoint paths of up to `max_hops` hops for ordered pairs of switches.
///
/// # Errors
/// Fails if `max_hops` is out of range, if the fabric is not connected, or if a pair has an unknown switch or the same switch twice.
pub fn disjoint_paths(fabric: &Fabric, pairs: &[(u32, u32)], max_hops: u32, mode: Mode) -> Result<Vec<Count>, Error> {
    disjoint_paths_within(fabric, pairs, Limit::Hops(max_hops), mode)
}

/// Counts disjoint paths within `limit` hops for ordered pairs of switches.
///
/// # Errors
/// Fails under the same conditions as [`disjoint_paths`]. With [`Limit::Shortest`], also fails if two switches are more than [`FARTHEST`]
/// hops apart.
pub fn disjoint_paths_within(
    fabric: &Fabric,
    pairs: &[(u32, u32)],
    limit: Limit,
    mode: Mode,
) -> Result<Vec<Count>, Error> {
    check(fabric, limit)?;
    check_pairs(fabric, pairs)?;
    let number = pairs.len() as u64;
    let distances = if limit == Limit::Shortest { number } else { 0 };
    let need = Need::default().of::<Lengths>(number).of::<Count>(number).of::<((u32, u32), u64, u8)>(distances);
    need.require(|| format!("disjoint paths of {number} pairs"))?;
    let lengths = Lengths::of(fabric, pairs, |(a, b)| (slice::from_ref(a), slice::from_ref(b)), limit)?;
    Ok(count_each(fabric, mode, pairs, |counter, at, &(a, b)| counter.count(&[a], &[b], lengths[at])))
}

/// Returns the counts for all pairs, in the order of [`sample::all_pairs`]. In exact mode up to three hops, this is far
/// faster than counting pair by pair, if the fabric has no parallel cables and at most 256 cables per switch.
///
/// # Errors
/// Fails under the same conditions as [`disjoint_paths_within`], and if [`sample::members`] returns fewer than two switches.
pub fn disjoint_paths_of_all(fabric: &Fabric, limit: Limit, mode: Mode) -> Result<Vec<Count>, Error> {
    check(fabric, limit)?;
    match (limit, mode) {
        (Limit::Hops(hops @ 1..=3), Mode::Exact) if matching::fits(fabric) => matching::all_pairs(fabric, hops),
        _ => disjoint_paths_within(fabric, &sample::all_pairs(fabric)?, limit, mode),
    }
}

/// Counts disjoint paths from the switches of a set A to the switches of a set B, for every entry (A, B) of `sets`.
///
/// # Errors
/// Fails under the same conditions as [`disjoint_paths_within`], and if a set is empty or A and B have a common switch.
pub fn disjoint_paths_of_sets(
    fabric: &Fabric,
    sets: &[(Vec<u32>, Vec<u32>)],
    limit: Limit,
    mode: Mode,
) -> Result<Vec<Count>, Error> {
    check(fabric, limit)?;
    for (from, to) in sets {
        check_sets(fabric, from, to)?;
    }
    let lengths = Lengths::of(fabric, sets, |(from, to)| (&from[..], &to[..]), limit)?;
    Ok(count_each(fabric, mode, sets, |counter, at, (from, to)| counter.count(from, to, lengths[at])))
}

/// Returns the path interference I_{ac,bd} (FatPaths §IV-B2) for quadruples a, b, c, d of different switches. It is
/// c({a, c}, {b}) + c({a, c}, {d}) − c({a, c}, {b, d}), where c counts disjoint paths of up to `max_hops` hops.
///
/// In exact mode, a search of four hops or more may reach its limit of steps. The number of paths that it found is then only a lower bound
/// of the count, and the interference is an estimate.
///
/// # Errors
/// Fails under the same conditions as [`disjoint_paths`], for four switches instead of two.
pub fn interference(fabric: &Fabric, quadruples: &[[u32; 4]], max_hops: u32, mode: Mode) -> Result<Vec<i32>, Error> {
    check(fabric, Limit::Hops(max_hops))?;
    for &[a, b, c, d] in quadruples {
        check_sets(fabric, &[a], &[b, c, d])?;
        check_sets(fabric, &[b], &[c, d])?;
        check_sets(fabric, &[c], &[d])?;
    }
    Ok(count_each(fabric, mode, quadruples, |counter, _, &[a, b, c, d]| {
        // The greedy count starts its search at a, the first switch of the quadruple. This order reproduces the paper's
        // numbers.
        let lengths = Lengths::up_to(max_hops);
        let [first, second, both] =
            [&[b][..], &[d], &[b, d]].map(|to| counter.count(&[a, c], to, lengths).paths as i32);
        first + second - both
    }))
}

/// Counts items in parallel, with one counter per thread; `count` also gets the item's index. The results have the order of the items.
fn count_each<T: Sync, R: Send>(
    fabric: &Fabric,
    mode: Mode,
    items: &[T],
    count: impl Fn(&mut Counter<'_>, usize, &T) -> R + Sync,
) -> Vec<R> {
    task::begin(items.len());
    let one = |counter: &mut Counter<'_>, (at, item): (usize, &T)| {
        task::step();
        count(counter, at, item)
    };
    memory::gather("disjoint paths", items.par_iter().enumerate().map_init(|| Counter::new(fabric, mode), one))
}

enum Counter<'a> {
    Greedy(Greedy<'a>),
    Exact(Box<Bounded<'a>>),
}

impl<'a> Counter<'a> {
    fn new(fabric: &'a Fabric, mode: Mode) -> Self {
        match mode {
            Mode::Greedy => Self::Greedy(Greedy::new(fabric)),
            Mode::Exact => Self::Exact(Box::new(Bounded::new(fabric))),
        }
    }

    fn count(&mut self, from: &[u32], to: &[u32], lengths: Lengths) -> Count {
        match self {
            Self::Greedy(greedy) => greedily(greedy.count(from, to, lengths)),
            Self::Exact(bounded) => bounded.count(from, to, lengths.most),
        }
    }
}

fn check(fabric: &Fabric, limit: Limit) -> Result<(), Error> {
    if let Limit::Hops(hops) = limit {
        check_hops(hops)?;
    }
    check_connected(fabric)
}

fn check_sets(fabric: &Fabric, from: &[u32], to: &[u32]) -> Result<(), Error> {
    from.iter().chain(to).try_for_each(|&switch| check_switch(fabric, switch))?;
    if from.is_empty() || to.is_empty() {
        return Err(Error::argument("set", "{}", "is empty", "one switch or more"));
    }
    match from.iter().find(|switch| to.contains(switch)) {
        None => Ok(()),
        Some(switch) => Err(Error::argument("switch", switch, "occurs twice", "different switches")),
    }
}
