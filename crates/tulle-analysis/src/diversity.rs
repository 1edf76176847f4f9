//! Counts of disjoint paths (CDP, FatPaths §IV-B1) between switches and sets of switches.
//!
//! c_l(A, B) is how many paths of at most l hops lead from A to B, no two over one cable. The paper computes it greedily
//! ([`Mode::Greedy`]); [`Mode::Exact`] is the largest number there is. Up to three hops that is a matching; for four and more
//! a search with a limit, which answers a bracket where it ends early (from five hops on the problem is NP-hard).

mod ball;
mod bounded;
mod greedy;
mod matching;
mod timed;

use rayon::prelude::*;
use tulle_fabric::Fabric;

use crate::error::{check_connected, check_hops, check_pairs, check_switch};
use crate::{Error, sample};
use bounded::Bounded;
use greedy::Greedy;

/// How paths are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Shortest first, neighbours by ascending id, its cables deleted: the numbers of FatPaths. At most the exact count.
    Greedy,
    /// As many as there are.
    Exact,
}

/// How long paths may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// At most so many hops.
    Hops(u32),
    /// As many as a shortest path has: c_min of FatPaths §IV-B1.
    Shortest,
}

/// Disjoint paths of one pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Paths found.
    pub paths: u32,
    /// No more than so many exist: equal to `paths` where the count is exact. `u32::MAX` for greedy counts, which have no
    /// such bound.
    pub most: u32,
    /// So many cables were found without which no path is left, at least as many as the smallest such cut has. Between
    /// `paths` and this lies the length-bounded minimum cut. `u32::MAX` for greedy counts.
    pub cut: u32,
}

impl Count {
    fn greedy(paths: u32) -> Self {
        Self { paths, most: u32::MAX, cut: u32::MAX }
    }
}

/// Counts disjoint paths of up to `max_hops` hops for ordered pairs of switches.
///
/// # Errors
/// A limit of 0 hops, a fabric that is not connected, an unknown switch, or a pair of equal switches.
pub fn disjoint_paths(fabric: &Fabric, pairs: &[(u32, u32)], max_hops: u32, mode: Mode) -> Result<Vec<Count>, Error> {
    disjoint_paths_within(fabric, pairs, Limit::Hops(max_hops), mode)
}

/// Counts disjoint paths within `limit` for ordered pairs of switches.
///
/// # Errors
/// As [`disjoint_paths`].
pub fn disjoint_paths_within(
    fabric: &Fabric,
    pairs: &[(u32, u32)],
    limit: Limit,
    mode: Mode,
) -> Result<Vec<Count>, Error> {
    check(fabric, limit)?;
    check_pairs(fabric, pairs)?;
    Ok(count_each(fabric, mode, pairs, |counter, &(a, b)| counter.count(&[a], &[b], limit)))
}

/// Counts for all pairs, as [`sample::all_pairs`] has them; up to three hops exactly far faster than pair by pair.
///
/// # Errors
/// As [`disjoint_paths`], and a fabric with fewer than two switches that can communicate.
pub fn disjoint_paths_of_all(fabric: &Fabric, limit: Limit, mode: Mode) -> Result<Vec<Count>, Error> {
    check(fabric, limit)?;
    match (limit, mode) {
        (Limit::Hops(hops @ 1..=3), Mode::Exact) if matching::fits(fabric) => matching::all_pairs(fabric, hops),
        _ => disjoint_paths_within(fabric, &sample::all_pairs(fabric)?, limit, mode),
    }
}

/// Counts disjoint paths between sets of switches, A and B of every entry.
///
/// # Errors
/// As [`disjoint_paths`], an empty set, or sets that have a switch in common.
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
    Ok(count_each(fabric, mode, sets, |counter, (from, to)| counter.count(from, to, limit)))
}

/// Path interference I_{ac,bd} at up to `max_hops` hops (FatPaths §IV-B2) for quadruples a, b, c, d of distinct switches:
/// c({a, c}, {b}) + c({a, c}, {d}) − c({a, c}, {b, d}).
///
/// By the exact mode each count is what is found; where the search of four hops and more ended early it is a lower bound,
/// and the interference an estimate.
///
/// # Errors
/// As [`disjoint_paths`], with four switches in place of two.
pub fn interference(fabric: &Fabric, quadruples: &[[u32; 4]], max_hops: u32, mode: Mode) -> Result<Vec<i32>, Error> {
    let limit = Limit::Hops(max_hops);
    check(fabric, limit)?;
    for &[a, b, c, d] in quadruples {
        check_sets(fabric, &[a], &[b, c, d])?;
        check_sets(fabric, &[b], &[c, d])?;
        check_sets(fabric, &[c], &[d])?;
    }
    Ok(count_each(fabric, mode, quadruples, |counter, &[a, b, c, d]| {
        // The greedy count looks from a first: in the order of the quadruple, as the paper's figures are met.
        let [first, second, both] = [&[b][..], &[d], &[b, d]].map(|to| counter.count(&[a, c], to, limit).paths as i32);
        first + second - both
    }))
}

/// Counts items in parallel, a counter per thread; the results are in the order of the items.
fn count_each<T: Sync, R: Send>(
    fabric: &Fabric,
    mode: Mode,
    items: &[T],
    count: impl Fn(&mut Counter<'_>, &T) -> R + Sync,
) -> Vec<R> {
    items.par_iter().map_init(|| Counter::new(fabric, mode), |counter, item| count(counter, item)).collect()
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

    fn count(&mut self, from: &[u32], to: &[u32], limit: Limit) -> Count {
        match self {
            Self::Greedy(greedy) => Count::greedy(greedy.count(from, to, limit)),
            Self::Exact(bounded) => bounded.count(from, to, limit),
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
        Some(switch) => Err(Error::argument("switch", switch, "is on both sides of a pair", "different switches")),
    }
}
