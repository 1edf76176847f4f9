//! The paths of tables toward one switch at a time.

use tulle_fabric::Fabric;

use super::PairPaths;
use crate::columns::channel;
use crate::{NO_GROUP, Table};

/// The paths of tables toward one switch after the other.
///
/// What a table says toward one switch lies all over memory, an entry in each of its rows. Many paths cross each of them, so
/// they are read once, all together.
#[derive(Debug, Clone)]
pub(super) struct Toward<'a> {
    fabric: &'a Fabric,
    layers: &'a [Table],
    /// Per layer and switch the way on.
    ways: Vec<Way>,
}

/// A channel, and the switch that it leads to.
#[derive(Debug, Clone, Copy)]
struct Way {
    channel: u32,
    to: u32,
}

impl Way {
    const NONE: Self = Self { channel: u32::MAX, to: u32::MAX };
}

impl<'a> Toward<'a> {
    /// The paths of `layers`, tables of `fabric`.
    pub fn new(fabric: &'a Fabric, layers: &'a [Table]) -> Self {
        Self { fabric, layers, ways: Vec::new() }
    }

    /// Toward `destination` from now on.
    pub fn begin(&mut self, destination: u32) {
        let Self { fabric, layers, ways } = self;
        ways.clear();
        for table in *layers {
            ways.extend((0..fabric.num_switches() as u32).map(|switch| way(fabric, table, switch, destination)));
        }
    }

    /// `paths` holds those from `source`, one per layer, as [`PairPaths::fill`] does.
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

/// The way on from `switch` toward `destination`, by the lowest port of the group.
#[inline]
fn way(fabric: &Fabric, table: &Table, switch: u32, destination: u32) -> Way {
    let port = match table.group(switch, destination) {
        NO_GROUP => return Way::NONE,
        // A group of one, whose port needs no look at the groups.
        port if usize::from(port) < fabric.degree(switch) => port,
        group => match table.ports(switch, group) {
            [lowest, ..] => *lowest,
            [] => return Way::NONE,
        },
    };
    let channel = channel(fabric, switch, port);
    Way { channel, to: fabric.targets()[channel as usize] }
}
