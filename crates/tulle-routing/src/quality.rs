//! Measures the quality of a routing: the paths of each pair, and the load of the links.
//!
//! The metrics come from two papers. Blach et al. (NSDI24) §6 measures the average and the longest path per pair (Fig. 6), the paths per
//! link (Fig. 7), and the disjoint paths per pair (Fig. 8). Multi-Path Routing in the Jellyfish Network measures the average path length,
//! the pairs whose paths share no link, and the maximum number of paths of a pair over one link (Tables II to IV).
//!
//! With tables, a pair has one path per layer. With a path set, a pair has the paths of the set.

mod disjoint;
mod pair_paths;
mod paths_over;
mod toward;

pub use disjoint::Disjoint;
pub use pair_paths::PairPaths;
pub use paths_over::paths_over;

use std::collections::BTreeMap;

use rayon::prelude::*;
use tulle_base::random::{fnv1a, mix};
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::Routing;
use toward::Toward;

/// The resource that disjoint paths must not share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// A channel: one direction of a cable. Two paths share a channel if they cross the cable in the same direction. They then share the
    /// channel's bandwidth.
    Channel,
    /// A cable, in either direction. If it fails, all paths over it fail.
    Cable,
}

/// Tables are normally read once per destination, for all sources together. If fewer than 1 in `FEW` switches send to the destination, each
/// path is followed separately instead.
const FEW: usize = 16;

/// Metrics over all ordered pairs of distinct switches with endpoints. If no switch has endpoints, all switches count.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// The number of ordered pairs.
    pub pairs: u64,
    /// `paths[n]`: the number of pairs with `n` paths. Equal paths count separately.
    pub paths: Vec<u64>,
    /// `hops[h]`: the number of paths with `h` hops.
    pub hops: Vec<u64>,
    /// For each mean number of hops of a pair's paths: this mean, and the number of pairs with this mean. The list ascends by the mean.
    /// Pairs without paths are left out.
    pub mean_hops: Vec<(f64, u64)>,
    /// `shortest[h]`: the number of pairs whose shortest path has `h` hops. Pairs without a path are left out.
    pub shortest: Vec<u64>,
    /// `longest[h]`: the number of pairs whose longest path has `h` hops. Pairs without a path are counted at 0.
    pub longest: Vec<u64>,
    /// `greedy[n]`: the number of pairs with `n` disjoint paths by a greedy count. It goes through the paths in order, and counts each path
    /// that is disjoint from all paths counted before.
    pub greedy: Vec<u64>,
    /// `exact[n]`: the number of pairs whose largest set of mutually disjoint paths has `n` paths. An exact search finds this set.
    pub exact: Vec<u64>,
    /// `most_shared[n]`: the number of pairs for which some link carries n of the pair's paths, and no link carries more. If all paths of a
    /// pair are disjoint, n is 1.
    pub most_shared: Vec<u64>,
    /// Per channel, the number of paths over it, counted over all pairs.
    pub paths_over: Vec<u64>,
}

impl Quality {
    /// Measures `routing` over `fabric`. `sharing` defines which paths are disjoint.
    ///
    /// The time grows as pairs · paths² · hops, apart from the exact count of disjoint paths. In the worst case, this count takes
    /// exponential time in the number of paths per pair. In practice, it is fast for up to a few tens of paths.
    ///
    /// # Panics
    /// Panics if `routing` does not belong to `fabric` (see [`crate::verify`]).
    pub fn of(fabric: &Fabric, routing: &Routing, sharing: Sharing) -> Self {
        Self::of_pairs(fabric, routing, sharing, |_, _| true)
    }

    /// Measures a random sample of about `pairs` ordered pairs; `seed` determines the sample. If there are at most this many pairs, the
    /// function measures all of them, like [`Quality::of`]. In a sample, the field `paths_over` counts only the paths of the sampled pairs.
    /// The function [`paths_over`] counts the paths of all pairs.
    ///
    /// # Panics
    /// Panics if `routing` does not belong to `fabric` (see [`crate::verify`]).
    pub fn sampled(fabric: &Fabric, routing: &Routing, sharing: Sharing, pairs: u64, seed: u64) -> Self {
        let edge = senders(fabric).len() as u64;
        let all = edge * edge.saturating_sub(1);
        if pairs >= all {
            return Self::of(fabric, routing, sharing);
        }
        // A pair belongs to the sample if its hash is below a bound. The sample thus does not depend on the order of threads.
        let salt = mix(seed ^ fnv1a(b"routing/quality"));
        let below = (u128::from(u64::MAX) * u128::from(pairs) / u128::from(all)) as u64;
        Self::of_pairs(fabric, routing, sharing, |source, destination| {
            mix(salt ^ mix(u64::from(source) << 32 | u64::from(destination))) < below
        })
    }

    fn of_pairs(fabric: &Fabric, routing: &Routing, sharing: Sharing, keep: impl Fn(u32, u32) -> bool + Sync) -> Self {
        let edge = senders(fabric);
        // The counts are sums of whole numbers, so they do not depend on the order of threads.
        task::begin(edge.len());
        let counts = edge
            .par_iter()
            .fold(
                || {
                    (
                        Counts::new(fabric),
                        Disjoint::new(fabric, sharing),
                        Toward::new(fabric, routing.layers()),
                        PairPaths::new(),
                    )
                },
                |(mut counts, mut disjoint, mut toward, mut paths), &destination| {
                    task::step();
                    let others = edge.iter().copied().filter(|&source| source != destination);
                    let sources: Vec<u32> = others.filter(|&source| keep(source, destination)).collect();
                    let are_many = !routing.layers().is_empty() && sources.len() >= edge.len() / FEW;
                    if are_many {
                        toward.begin(destination);
                    }
                    for source in sources {
                        task::check();
                        match are_many {
                            true => toward.fill(source, &mut paths),
                            false => paths.fill(fabric, routing, source, destination),
                        }
                        counts.add(&paths, &mut disjoint);
                    }
                    (counts, disjoint, toward, paths)
                },
            )
            .map(|(counts, ..)| counts)
            .reduce(|| Counts::new(fabric), Counts::merge);
        counts.finish()
    }

    /// Returns the fraction of pairs whose value is at least `least`. `histogram` must be a field of this struct that counts pairs by this
    /// value, for example `greedy`. If there are no pairs, the result is 0.
    pub fn share(&self, histogram: &[u64], least: usize) -> f64 {
        let counted: u64 = histogram.iter().skip(least).sum();
        counted as f64 / self.pairs.max(1) as f64
    }

    /// Returns the mean number of hops over all paths; 0 without paths.
    pub fn average_hops(&self) -> f64 {
        mean(&self.hops)
    }

    /// Returns the mean number of paths per pair; 0 without pairs.
    pub fn average_paths(&self) -> f64 {
        mean(&self.paths)
    }

    /// Returns the mean, over all pairs that have a path, of the hops of the pair's shortest path; 0 if no pair has a path.
    pub fn average_shortest(&self) -> f64 {
        mean(&self.shortest)
    }

    /// Returns the mean, over all pairs that have a path, of the mean number of hops of the pair's paths; 0 if no pair has a path.
    ///
    /// The mean of mean hops is the average path length of the Flattened Clos paper (Tables 1, 2 and 7). The paper counts switches, which
    /// are one more than hops.
    pub fn average_mean_hops(&self) -> f64 {
        let pairs: u64 = self.mean_hops.iter().map(|&(_, pairs)| pairs).sum();
        self.mean_hops.iter().map(|&(hops, pairs)| hops * pairs as f64).sum::<f64>() / pairs.max(1) as f64
    }

    /// Returns the mean and the standard deviation, over all channels, of the number of paths over a channel. Without channels, both are 0.
    pub fn load(&self) -> (f64, f64) {
        let channels = self.paths_over.len().max(1) as f64;
        let mean = self.paths_over.iter().sum::<u64>() as f64 / channels;
        let squares: f64 = self.paths_over.iter().map(|&paths| (paths as f64 - mean).powi(2)).sum();
        (mean, (squares / channels).sqrt())
    }
}

/// Returns the switches with endpoints, or all switches if no switch has endpoints.
fn senders(fabric: &Fabric) -> Vec<u32> {
    let edge = fabric.endpoint_switches();
    if edge.is_empty() { (0..fabric.num_switches() as u32).collect() } else { edge }
}

/// Returns the mean value in a histogram, where entry v counts the items of value v; 0 if the histogram is empty.
fn mean(histogram: &[u64]) -> f64 {
    let counted: u64 = histogram.iter().sum();
    let sum: u64 = histogram.iter().enumerate().map(|(number, &count)| number as u64 * count).sum();
    sum as f64 / counted.max(1) as f64
}

/// The counts of one thread.
struct Counts {
    pairs: u64,
    paths: Vec<u64>,
    hops: Vec<u64>,
    /// The key of a mean consists of the sum of hops and the number of paths. Their quotient is computed only at the end, so that equal
    /// means are recognised exactly.
    mean_hops: BTreeMap<(usize, usize), u64>,
    shortest: Vec<u64>,
    longest: Vec<u64>,
    greedy: Vec<u64>,
    exact: Vec<u64>,
    most_shared: Vec<u64>,
    paths_over: Vec<u64>,
}

impl Counts {
    fn new(fabric: &Fabric) -> Self {
        Self {
            pairs: 0,
            paths: Vec::new(),
            hops: Vec::new(),
            mean_hops: BTreeMap::new(),
            shortest: Vec::new(),
            longest: Vec::new(),
            greedy: Vec::new(),
            exact: Vec::new(),
            most_shared: Vec::new(),
            paths_over: vec![0; fabric.num_channels()],
        }
    }

    fn add(&mut self, paths: &PairPaths, disjoint: &mut Disjoint) {
        let (mut sum, mut longest) = (0, 0);
        for path in paths.iter() {
            sum += path.len();
            longest = longest.max(path.len());
            count(&mut self.hops, path.len(), 1);
            path.iter().for_each(|&channel| self.paths_over[channel as usize] += 1);
        }
        self.pairs += 1;
        count(&mut self.paths, paths.len(), 1);
        count(&mut self.longest, longest, 1);
        if let Some(shortest) = paths.iter().map(<[u32]>::len).min() {
            count(&mut self.shortest, shortest, 1);
            *self.mean_hops.entry((sum, paths.len())).or_default() += 1;
        }
        let greedy = disjoint.greedy(paths);
        count(&mut self.greedy, greedy, 1);
        count(&mut self.exact, disjoint.exact_beyond(greedy, paths), 1);
        count(&mut self.most_shared, disjoint.most_shared(paths), 1);
    }

    fn merge(mut self, other: Self) -> Self {
        self.pairs += other.pairs;
        for (mine, theirs) in [
            (&mut self.paths, other.paths),
            (&mut self.hops, other.hops),
            (&mut self.shortest, other.shortest),
            (&mut self.longest, other.longest),
            (&mut self.greedy, other.greedy),
            (&mut self.exact, other.exact),
            (&mut self.most_shared, other.most_shared),
            (&mut self.paths_over, other.paths_over),
        ] {
            theirs.into_iter().enumerate().for_each(|(at, number)| count(mine, at, number));
        }
        for (key, pairs) in other.mean_hops {
            *self.mean_hops.entry(key).or_default() += pairs;
        }
        self
    }

    fn finish(self) -> Quality {
        let means = self.mean_hops.into_iter().map(|((sum, paths), pairs)| (sum as f64 / paths as f64, pairs));
        let mut mean_hops: Vec<(f64, u64)> = means.collect();
        mean_hops.sort_by(|a, b| a.0.total_cmp(&b.0));
        // The keys 3/1 and 6/2 stand for the same mean. Division gives exactly the same f64 for both.
        mean_hops.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Quality {
            pairs: self.pairs,
            paths: self.paths,
            hops: self.hops,
            mean_hops,
            shortest: self.shortest,
            longest: self.longest,
            greedy: self.greedy,
            exact: self.exact,
            most_shared: self.most_shared,
            paths_over: self.paths_over,
        }
    }
}

/// Adds `number` to `histogram[at]`, which grows if necessary.
fn count(histogram: &mut Vec<u64>, at: usize, number: u64) {
    if histogram.len() <= at {
        histogram.resize(at + 1, 0);
    }
    histogram[at] += number;
}
