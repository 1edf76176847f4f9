//! Follows the next hops of tables: returns paths, and counts hops.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::{NO_GROUP, Table};

/// Returns the path of `table` from `source` to `destination` as channels. In every group, the path takes the lowest port. If source and
/// destination are the same switch, the path is empty.
///
/// # Panics
/// Panics if `table` does not belong to `fabric` (see [`crate::verify`]).
pub fn path(fabric: &Fabric, table: &Table, source: u32, destination: u32) -> Vec<u32> {
    let mut channels = Vec::new();
    let mut switch = source;
    while switch != destination {
        let channel = fabric.offsets()[switch as usize] + u32::from(table.next(switch, destination)[0]);
        channels.push(channel);
        assert!(channels.len() <= fabric.num_switches(), "the table has a loop toward switch {destination}");
        switch = fabric.targets()[channel as usize];
    }
    channels
}

/// A histogram of the numbers of hops of a layer's paths, over all ordered pairs of distinct switches with endpoints.
#[derive(Debug, Clone, PartialEq)]
pub struct HopCounts {
    /// `pairs[h]`: the number of ordered pairs whose path has `h` hops.
    pub pairs: Vec<u64>,
}

impl HopCounts {
    /// Returns the mean number of hops over all pairs; 0 if there are no pairs.
    pub fn mean(&self) -> f64 {
        let pairs: u64 = self.pairs.iter().sum();
        let hops: u64 = self.pairs.iter().enumerate().map(|(hops, &pairs)| hops as u64 * pairs).sum();
        hops as f64 / pairs.max(1) as f64
    }

    /// Returns the maximum number of hops over all pairs.
    pub fn max(&self) -> usize {
        self.pairs.len().saturating_sub(1)
    }
}

/// Counts the hops of the paths of `table`. In every group, a path takes the lowest port.
pub fn hop_counts(fabric: &Fabric, table: &Table) -> HopCounts {
    let edge = fabric.endpoint_switches();
    let switches = fabric.num_switches();
    let parts: Vec<Vec<u64>> = edge
        .par_iter()
        .map_init(
            || (vec![0u32; switches], Vec::new()),
            |(hops, stack), &destination| {
                const UNKNOWN: u32 = u32::MAX;
                task::check();
                hops.fill(UNKNOWN);
                hops[destination as usize] = 0;
                let mut pairs = Vec::new();
                for &source in &edge {
                    let mut switch = source;
                    while hops[switch as usize] == UNKNOWN {
                        stack.push(switch);
                        switch = next(fabric, table, switch, destination);
                    }
                    let mut count = hops[switch as usize];
                    while let Some(switch) = stack.pop() {
                        count += 1;
                        hops[switch as usize] = count;
                    }
                    if source != destination {
                        let count = hops[source as usize] as usize;
                        pairs.resize(pairs.len().max(count + 1), 0);
                        pairs[count] += 1;
                    }
                }
                pairs
            },
        )
        .collect();
    let mut pairs = vec![0; parts.iter().map(Vec::len).max().unwrap_or(0)];
    for part in &parts {
        for (total, count) in pairs.iter_mut().zip(part) {
            *total += count;
        }
    }
    HopCounts { pairs }
}

fn next(fabric: &Fabric, table: &Table, switch: u32, destination: u32) -> u32 {
    debug_assert_ne!(table.group(switch, destination), NO_GROUP);
    let port = table.next(switch, destination)[0];
    fabric.targets()[fabric.offsets()[switch as usize] as usize + usize::from(port)]
}
