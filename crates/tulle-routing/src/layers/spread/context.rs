//! The data that the search uses for every destination: the fabric, its distances, the hop limit, and the switches whose pairs it
//! considers.

use std::iter::Chain;
use std::ops::Range;

use rand::{Rng, RngExt};
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use super::aim::Aim;
use super::limit::{HopLimit, by_distance};
use crate::shortest::Nearer;

/// In fabrics of up to [`FEW`] switches, the search examines all ports of a switch. In larger fabrics, it starts at a random port and
/// examines only [`LOOKS`] ports, or as many as there are layers if this is more. The best of the examined ports is almost as good as the
/// best of all ports.
pub(super) const FEW: u32 = 800;
const LOOKS: usize = 12;

/// The data that are needed to build and to improve trees.
pub(super) struct Context<'a> {
    pub fabric: &'a Fabric,
    pub layers: usize,
    pub aim: Aim,
    /// Maximum number of hops of any path.
    pub longest: usize,
    distances: Distances,
    /// All shortest next hops.
    nearer: Nearer,
    /// For each distance between two switches, the maximum number of hops of their paths.
    limits: Vec<u8>,
    /// Per switch, whether the search improves the paths of its pairs. It does so for switches with endpoints, or for all switches if no
    /// switch has endpoints.
    counted: Vec<bool>,
    /// Maximum number of ports of a switch that the search examines.
    pub looks: usize,
}

impl<'a> Context<'a> {
    /// Returns the context for `layers` layers over the connected `fabric`. Without a `limit`, a suitable limit is computed.
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
        // The largest distances may occur only between switches whose pairs the search ignores. For such distances, the limit is the
        // distance itself.
        limits.extend(limits.len() as u8..=farthest);
        let longest = limits.iter().copied().max().unwrap_or(0).into();
        let nearer = Nearer::of(fabric, &distances);
        let looks = if switches > FEW { LOOKS.max(layers) } else { usize::MAX };
        Self { fabric, layers, aim, longest, distances, nearer, limits, counted, looks }
    }

    pub fn switches(&self) -> usize {
        self.fabric.num_switches()
    }

    /// Returns whether the search improves the paths of the pairs of `switch`.
    #[inline]
    pub fn counts(&self, switch: u32) -> bool {
        self.counted[switch as usize]
    }

    /// Returns the channels out of `switch`.
    #[inline]
    pub fn channels(&self, switch: u32) -> Range<u32> {
        let range = self.fabric.channels_of(switch);
        range.start as u32..range.end as u32
    }

    /// Returns all channels out of `switch`. If the search does not examine all of them, the list starts at a random channel.
    #[inline]
    pub fn channels_from_any(&self, switch: u32, rng: &mut impl Rng) -> Chain<Range<u32>, Range<u32>> {
        let Range { start, end } = self.channels(switch);
        let first = if self.looks < (end - start) as usize { rng.random_range(start..end) } else { start };
        (first..end).chain(start..first)
    }

    /// Returns the channels of `switch` that lie on shortest paths to `destination`.
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

    /// Returns the number of hops of a shortest path from `switch` to `destination`.
    #[inline]
    pub fn distance(&self, destination: u32, switch: u32) -> u8 {
        self.distances.row(destination)[switch as usize]
    }

    /// Returns the maximum number of hops of a path from `switch` to `destination`.
    #[inline]
    pub fn limit(&self, destination: u32, switch: u32) -> u8 {
        self.limits[usize::from(self.distance(destination, switch))]
    }
}
