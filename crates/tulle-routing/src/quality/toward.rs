//! Follows the paths of tables, one destination at a time.

use tulle_fabric::Fabric;

use super::PairPaths;
use crate::columns::channel;
use crate::{NO_GROUP, Table};

/// The paths of tables toward one destination.
///
/// A table has one row per switch, so the entries for one destination are scattered in memory. Many paths use the same entry. So
/// [`Toward::begin`] reads all entries for a destination once and stores them together.
#[derive(Debug, Clone)]
pub(super) struct Toward<'a> {
    fabric: &'a Fabric,
    layers: &'a [Table],
    /// The next hop per layer and switch.
    ways: Vec<Way>,
}

/// A next hop: its channel, and the switch that the channel enters.
#[derive(Debug, Clone, Copy)]
struct Way {
    channel: u32,
    to: u32,
}

impl Way {
    const NONE: Self = Self { channel: u32::MAX, to: u32::MAX };
}

impl<'a> Toward<'a> {
    /// Returns the paths of `layers`, which must be tables of `fabric`.
    pub fn new(fabric: &'a Fabric, layers: &'a [Table]) -> Self {
        Self { fabric, layers, ways: Vec::new() }
    }

    /// Reads the next hops toward `destination`.
    pub fn begin(&mut self, destination: u32) {
        let Self { fabric, layers, ways } = self;
        ways.clear();
        for table in *layers {
            ways.extend((0..fabric.num_switches() as u32).map(|switch| way(fabric, table, switch, destination)));
        }
    }

    /// Stores the paths from `source` in `paths`, one per layer, as [`PairPaths::fill`] does.
    pub fn fill(&self, source: u32, paths: &mut PairPaths) {
        paths.clear();
        let switches = self.fabric.num_switches();
        for ways in self.ways.chunks_exact(switches) {
            let mut at = ways[source as usize];
            let mut hops = 0;
            paths.push(std::iter::from_fn(|| {
                let channel = (at.channel != Way::NONE.channel).then_some(at.channel)?;
                assert!(hops < switches, "the table has a loop");
                hops += 1;
                at = ways[at.to as usize];
                Some(channel)
            }));
        }
    }
}

/// Returns the next hop of `switch` toward `destination`. In a group of several ports, it is the lowest port.
#[inline]
fn way(fabric: &Fabric, table: &Table, switch: u32, destination: u32) -> Way {
    let port = match table.group(switch, destination) {
        NO_GROUP => return Way::NONE,
        // The number of a single-port group is the port itself.
        port if usize::from(port) < fabric.degree(switch) => port,
        group => match table.ports(switch, group) {
            [lowest, ..] => *lowest,
            [] => return Way::NONE,
        },
    };
    let channel = channel(fabric, switch, port);
    Way { channel, to: fabric.targets()[channel as usize] }
}
