//! What is the same for all destinations: the fabric, its distances, the hop limit and which switches count.

use std::ops::Range;

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use super::limit::HopLimit;

/// The ground that trees are built on.
pub(super) struct Ground<'a> {
    pub fabric: &'a Fabric,
    pub distances: Distances,
    pub limit: HopLimit,
    pub layers: usize,
    /// Per switch, whether its pairs count: those that carry endpoints; all, where none does.
    pub counted: Vec<bool>,
    /// The most hops of any path.
    pub longest: usize,
}

impl<'a> Ground<'a> {
    /// The ground for `layers` layers over a connected `fabric`; without a `limit` the fitting one is taken.
    pub fn new(fabric: &'a Fabric, distances: Distances, limit: Option<HopLimit>, layers: usize) -> Self {
        let switches = fabric.num_switches() as u32;
        let none = fabric.num_endpoints() == 0;
        let counted: Vec<bool> = (0..switches).map(|switch| none || !fabric.endpoints_of(switch).is_empty()).collect();
        let limit = limit.unwrap_or_else(|| HopLimit::fitting(fabric, &distances, &counted));
        let farthest = (0..switches).flat_map(|switch| distances.row(switch)).copied().max().unwrap_or(0);
        let longest = usize::from(limit.of(farthest));
        Self { fabric, distances, limit, layers, counted, longest }
    }

    pub fn switches(&self) -> usize {
        self.fabric.num_switches()
    }

    /// The channels out of `switch`.
    pub fn channels(&self, switch: u32) -> Range<u32> {
        let range = self.fabric.channels_of(switch);
        range.start as u32..range.end as u32
    }

    /// The switch that `channel` enters.
    #[inline]
    pub fn target(&self, channel: u32) -> u32 {
        self.fabric.targets()[channel as usize]
    }

    /// The most hops from `switch` to `destination`.
    #[inline]
    pub fn limit_to(&self, destination: u32, switch: u32) -> u8 {
        self.limit.of(self.distances.row(destination)[switch as usize])
    }
}
