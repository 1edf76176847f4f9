//! The context that all destinations share: the fabric, its distances, the hop limit, and which switches count.

use std::iter::Chain;
use std::ops::Range;

use rand::{Rng, RngExt};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use super::aim::Aim;
use super::limit::{HopLimit, by_distance};
use crate::shortest::Nearer;

/// Maximum number of switches for an exhaustive search. In larger fabrics, the search examines only this many suitable ports of a switch,
/// or as many as there are layers, starting at a random port. The best of these ports gains almost as much as the best of all.
pub(super) const FEW: u32 = 800;
const LOOKS: usize = 12;

/// The context that the planting and improving of trees needs.
pub(super) struct Context<'a> {
    pub fabric: &'a Fabric,
    pub layers: usize,
    pub aim: Aim,
    /// The most hops of any path.
    pub longest: usize,
    distances: Distances,
    /// All shortest next hops.
    nearer: Nearer,
    /// Maximum number of hops of a path, by distance.
    limits: Vec<u8>,
    /// Per switch, whether its pairs count. Only switches with endpoints count; if no switch has endpoints, all count.
    counted: Vec<bool>,
    /// Maximum number of ports of a switch to examine.
    pub looks: usize,
}

impl<'a> Context<'a> {
    /// Returns the context for `layers` layers over a connected `fabric`. Without a `limit`, a suitable one is computed.
    pub fn new(fabric: &'a Fabric, distances: Distances, limit: Option<HopLimit>, layers: usize, aim: Aim) -> Self {
        let switches = fabric.num_switches() as u32;
        let bare = fabric.num_endpoints() == 0;
        let counted: Vec<bool> = (0..switches).map(|switch| bare || !fabric.endpoints_of(switch).is_empty()).collect();
        let farthest = (0..switches).flat_map(|switch| distances.row(switch)).copied().max().unwrap_or(0);
        let limit = limit.or_else(|| (aim == Aim::Disjoint).then(|| HopLimit::fitting(fabric, &distances, &counted)));
        let mut limits = match limit {
            Some(limit) => (0..=farthest).map(|distance| limit.of(distance)).collect(),
            None => by_distance(fabric, &distances, &counted, layers),
        };
        // Switches that do not count may be farther apart than switches that count.
        limits.extend(limits.len() as u8..=farthest);
        let longest = limits.iter().copied().max().unwrap_or(0).into();
        let nearer = Nearer::of(fabric, &distances);
        let looks = if switches > FEW { LOOKS.max(layers) } else { usize::MAX };
        Self { fabric, layers, aim, longest, distances, nearer, limits, counted, looks }
    }

    pub fn switches(&self) -> usize {
        self.fabric.num_switches()
    }

    /// Whether the pairs of `switch` count.
    #[inline]
    pub fn counts(&self, switch: u32) -> bool {
        self.counted[switch as usize]
    }

    /// The channels out of `switch`.
    #[inline]
    pub fn channels(&self, switch: u32) -> Range<u32> {
        let range = self.fabric.channels_of(switch);
        range.start as u32..range.end as u32
    }

    /// Returns all channels out of `switch`. If not all are examined, the list starts at a random channel.
    #[inline]
    pub fn channels_from_any(&self, switch: u32, rng: &mut impl Rng) -> Chain<Range<u32>, Range<u32>> {
        let Range { start, end } = self.channels(switch);
        let first = if self.looks < (end - start) as usize { rng.random_range(start..end) } else { start };
        (first..end).chain(start..first)
    }

    /// Returns the channels out of `switch` on shortest paths to `destination`.
    pub fn nearer(&self, destination: u32, switch: u32) -> impl Iterator<Item = u32> {
        let first = self.channels(switch).start;
        self.nearer.next(switch, destination).iter().map(move |&port| first + u32::from(port))
    }

    /// Returns the port of `switch` at which `channel` leaves it.
    #[inline]
    pub fn port(&self, switch: u32, channel: u32) -> usize {
        (channel - self.fabric.offsets()[switch as usize]) as usize
    }

    /// Returns the switch that `channel` enters.
    #[inline]
    pub fn target(&self, channel: u32) -> u32 {
        self.fabric.targets()[channel as usize]
    }

    /// Returns the other direction of the cable of `channel`.
    #[inline]
    pub fn reverse(&self, channel: u32) -> u32 {
        self.fabric.reverse()[channel as usize]
    }

    /// Returns the hops of a shortest path from `switch` to `destination`.
    #[inline]
    pub fn distance(&self, destination: u32, switch: u32) -> u8 {
        self.distances.row(destination)[switch as usize]
    }

    /// Returns the maximum hops of a path from `switch` to `destination`.
    #[inline]
    pub fn limit(&self, destination: u32, switch: u32) -> u8 {
        self.limits[usize::from(self.distance(destination, switch))]
    }
}
