//! The statistics of one thread. All of them are integers, so their sums do not depend on how routers are distributed over threads.

use crate::saturation_rule::Ages;
use crate::window::Window;

/// Statistics of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    /// Flits created and delivered over the whole run.
    pub created_flits: u64,
    pub delivered_flits: u64,
    /// Flits delivered in the window.
    pub accepted: u64,
    /// Packets created in the window.
    pub created: u64,
    /// Number of packets that were created in the window and have been delivered. `latency`, `hops` (channels crossed) and `minimal`
    /// (packets on minimal routes) are sums over these packets.
    pub delivered: u64,
    pub latency: u64,
    /// Cycles in the source's queue, summed over the packets that were created in the window and have left their source.
    pub waited: u64,
    pub hops: u64,
    pub minimal: u64,
    pub histogram: Histogram,
    /// Number of delivered packets that were created outside the window, and the sum of their latencies.
    pub outside: (u64, u64),
    /// Per sample: number of packets of the window that were delivered in the sample, and the sum of their latencies.
    pub samples: Vec<(u64, u64)>,
    /// Flits that traversed a crossbar, over the whole run.
    pub traversals: u64,
    /// The counts for BookSim2's saturation rule; empty with other rules.
    pub ages: Ages,
}

impl Tally {
    /// Records a packet delivered in cycle `now`.
    #[inline(always)]
    pub fn deliver(&mut self, created: u32, now: u32, hops: u8, minimal: bool, window: &Window) {
        let latency = now - created;
        if !window.contains(created) {
            self.outside.0 += 1;
            self.outside.1 += u64::from(latency);
            return;
        }
        self.delivered += 1;
        self.latency += u64::from(latency);
        self.hops += u64::from(hops);
        self.minimal += u64::from(minimal);
        self.histogram.add(latency);
        let sample = ((now - window.start) / window.sample) as usize;
        if sample >= self.samples.len() {
            self.samples.resize(sample + 1, (0, 0));
        }
        self.samples[sample].0 += 1;
        self.samples[sample].1 += u64::from(latency);
    }

    /// Records that a packet of a workload's message arrived in cycle `now`. For such packets, `latency` is the sum of the arrival cycles
    /// and `waited` the sum of the send cycles. The difference of the two sums gives the mean latency.
    #[inline]
    pub fn arrive(&mut self, now: u32, hops: u8, minimal: bool) {
        self.delivered += 1;
        self.latency += u64::from(now);
        self.hops += u64::from(hops);
        self.minimal += u64::from(minimal);
    }

    /// Adds the statistics of another thread.
    pub fn add(&mut self, other: &Self) {
        self.created_flits += other.created_flits;
        self.delivered_flits += other.delivered_flits;
        self.accepted += other.accepted;
        self.created += other.created;
        self.delivered += other.delivered;
        self.latency += other.latency;
        self.waited += other.waited;
        self.hops += other.hops;
        self.minimal += other.minimal;
        self.traversals += other.traversals;
        self.outside.0 += other.outside.0;
        self.outside.1 += other.outside.1;
        self.histogram.merge(&other.histogram);
        self.ages.add(&other.ages);
        if self.samples.len() < other.samples.len() {
            self.samples.resize(other.samples.len(), (0, 0));
        }
        for (sum, more) in self.samples.iter_mut().zip(&other.samples) {
            sum.0 += more.0;
            sum.1 += more.1;
        }
    }
}

/// A latency histogram. Below 1024 cycles, every bin holds one value. For longer latencies, the width of a bin is at most 1/512 of its
/// value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
}

/// Bins per doubling of the value.
const STEPS: u32 = 512;

impl Histogram {
    #[inline]
    pub fn add(&mut self, value: u32) {
        let bin = bin(value);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| *sum += more);
    }

    /// Returns the quantile `share` (from 0 to 1) of the recorded values, rounded up to the end of its bin. Returns 0
    /// if no values were recorded.
    pub fn quantile(&self, share: f64) -> u64 {
        let all: u64 = self.counts.iter().sum();
        let rank = ((all as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (bin, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return last(bin);
            }
        }
        0
    }
}

fn bin(value: u32) -> usize {
    if value < 2 * STEPS {
        return value as usize;
    }
    let doublings = value.ilog2() - STEPS.ilog2();
    ((doublings << STEPS.ilog2()) + (value >> doublings)) as usize
}

/// Returns the largest value of `bin`.
fn last(bin: usize) -> u64 {
    let steps = STEPS as usize;
    if bin < 2 * steps {
        return bin as u64;
    }
    let doublings = bin / steps - 1;
    (((bin - doublings * steps + 1) as u64) << doublings) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_contain_their_values() {
        for value in (0..5000).chain([70_000, 1 << 20, u32::MAX]) {
            let end = last(bin(value));
            assert!(end >= u64::from(value) && end - u64::from(value) <= u64::from(value) / 512, "{value} {end}");
            assert!(bin(value) == 0 || last(bin(value) - 1) < u64::from(value), "{value}");
        }
    }

    #[test]
    fn quantiles_are_order_statistics() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), 0);
        (1..=200).for_each(|value| histogram.add(value));
        assert_eq!((histogram.quantile(0.5), histogram.quantile(0.99), histogram.quantile(1.0)), (100, 198, 200));
    }
}
