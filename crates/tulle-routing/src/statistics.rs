//! What a path set offers, over all ordered pairs of switches that carry endpoints.

use rayon::prelude::*;
use tulle_fabric::Fabric;

use crate::PathSet;

/// Counts, lengths and sharing of the paths of a path set.
///
/// Lengths are hops; the Flattened Clos paper counts switches, one more. Pairs without a path count as 0 paths and are
/// left out of the means of lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathStatistics {
    /// Ordered pairs of distinct switches that carry endpoints.
    pub pairs: u64,
    /// Mean paths per pair.
    pub paths_mean: f64,
    /// Fewest paths of any pair.
    pub paths_min: u64,
    /// Mean hops over all paths (Jellyfish paper, Table II).
    pub hops_mean: f64,
    /// Mean over pairs of the mean hops of the pair's paths (Flattened Clos, Tables 1, 2 and 7).
    pub pair_hops_mean: f64,
    /// Mean over pairs of the hops of the pair's shortest path.
    pub shortest_mean: f64,
    /// Hops of the longest path.
    pub hops_max: u64,
    /// Share of pairs no two of whose paths have a channel in common (Jellyfish paper, Table III).
    pub disjoint_share: f64,
    /// Most paths of one pair over one channel (Jellyfish paper, Table IV).
    pub sharing_max: u64,
    /// Mean paths per channel.
    pub channel_mean: f64,
    /// Standard deviation of paths per channel.
    pub channel_deviation: f64,
}

/// Sums over the pairs of some sources.
#[derive(Debug, Clone, Default)]
struct Sums {
    paths: u64,
    paths_min: Option<u64>,
    hops: u64,
    pairs_with_paths: u64,
    pair_hops: f64,
    shortest: u64,
    hops_max: u64,
    disjoint: u64,
    sharing_max: u64,
    channels: Vec<u64>,
}

/// The statistics of `paths` over `fabric`.
pub fn path_statistics(fabric: &Fabric, paths: &PathSet) -> PathStatistics {
    let edge = fabric.endpoint_switches();
    // One part per source, added up in order: sums of fractions are the same for any number of threads.
    let parts: Vec<Sums> = edge
        .par_iter()
        .map_init(
            || vec![0u64; fabric.num_channels()],
            |uses, &source| {
                let mut sums = Sums { channels: vec![0; fabric.num_channels()], ..Sums::default() };
                for &destination in edge.iter().filter(|&&destination| destination != source) {
                    sums.pair(fabric, paths, source, destination, uses);
                }
                sums
            },
        )
        .collect();
    let pairs = (edge.len() * edge.len().saturating_sub(1)) as u64;
    let mut total = Sums { channels: vec![0; fabric.num_channels()], ..Sums::default() };
    for part in &parts {
        total.add(part);
    }
    let mean = |sum: f64, count: u64| sum / count.max(1) as f64;
    let channels = fabric.num_channels() as u64;
    let channel_mean = mean(total.hops as f64, channels);
    let squares: f64 = total.channels.iter().map(|&uses| (uses as f64 - channel_mean).powi(2)).sum();
    PathStatistics {
        pairs,
        paths_mean: mean(total.paths as f64, pairs),
        paths_min: total.paths_min.unwrap_or(0),
        hops_mean: mean(total.hops as f64, total.paths),
        pair_hops_mean: mean(total.pair_hops, total.pairs_with_paths),
        shortest_mean: mean(total.shortest as f64, total.pairs_with_paths),
        hops_max: total.hops_max,
        disjoint_share: mean(total.disjoint as f64, pairs),
        sharing_max: total.sharing_max,
        channel_mean,
        channel_deviation: mean(squares, channels).sqrt(),
    }
}

impl Sums {
    /// Adds a pair; `uses` is 0 everywhere on entry and exit.
    fn pair(&mut self, fabric: &Fabric, paths: &PathSet, source: u32, destination: u32, uses: &mut [u64]) {
        let between = paths.between(source, destination);
        let count = between.len() as u64;
        self.paths += count;
        self.paths_min = Some(self.paths_min.map_or(count, |least| least.min(count)));
        let (mut hops, mut shortest, mut sharing) = (0, u64::MAX, 0);
        for path in between.clone() {
            let length = paths.ports(path).len() as u64;
            hops += length;
            shortest = shortest.min(length);
            self.hops_max = self.hops_max.max(length);
            for channel in paths.channels(fabric, source, path) {
                uses[channel as usize] += 1;
                sharing = sharing.max(uses[channel as usize]);
            }
        }
        for channel in between.flat_map(|path| paths.channels(fabric, source, path)) {
            self.channels[channel as usize] += std::mem::take(&mut uses[channel as usize]);
        }
        self.hops += hops;
        self.disjoint += u64::from(sharing <= 1);
        self.sharing_max = self.sharing_max.max(sharing);
        if count > 0 {
            self.pairs_with_paths += 1;
            self.pair_hops += hops as f64 / count as f64;
            self.shortest += shortest;
        }
    }

    fn add(&mut self, part: &Sums) {
        self.paths += part.paths;
        self.paths_min = self.paths_min.into_iter().chain(part.paths_min).min();
        self.hops += part.hops;
        self.pairs_with_paths += part.pairs_with_paths;
        self.pair_hops += part.pair_hops;
        self.shortest += part.shortest;
        self.hops_max = self.hops_max.max(part.hops_max);
        self.disjoint += part.disjoint;
        self.sharing_max = self.sharing_max.max(part.sharing_max);
        for (total, uses) in self.channels.iter_mut().zip(&part.channels) {
            *total += uses;
        }
    }
}
