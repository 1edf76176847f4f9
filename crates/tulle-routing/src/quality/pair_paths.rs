//! The paths of one pair of switches, for tables and for path sets.

use tulle_fabric::Fabric;

use crate::columns::channel;
use crate::{Routes, Routing, Table};

/// The paths from one switch to another switch as channels, in the order of layers or of the path set. The memory is reused for the next
/// pair.
#[derive(Debug, Clone, Default)]
pub struct PairPaths {
    channels: Vec<u32>,
    ends: Vec<usize>,
}

impl PairPaths {
    /// Returns an empty list of paths.
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the paths of `routing` from `source` to `destination`. Tables give one path per layer, which uses the lowest port of every
    /// group. A path set gives all its paths for the pair. If both switches are the same, there are no paths.
    ///
    /// # Panics
    /// Panics if `routing` does not belong to `fabric` (see [`crate::verify`]).
    pub fn fill(&mut self, fabric: &Fabric, routing: &Routing, source: u32, destination: u32) {
        self.clear();
        if source == destination {
            return;
        }
        match routing.routes() {
            Routes::Layers(layers) => {
                layers.iter().for_each(|table| self.push(walk(fabric, table, source, destination)))
            }
            Routes::Paths(set) => {
                set.between(source, destination).for_each(|number| self.push(set.channels(fabric, source, number)))
            }
        }
    }

    /// Removes all paths.
    pub fn clear(&mut self) {
        self.channels.clear();
        self.ends.clear();
    }

    /// Adds a path.
    pub fn push(&mut self, path: impl IntoIterator<Item = u32>) {
        self.channels.extend(path);
        self.ends.push(self.channels.len());
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns path number `at`, as channels.
    pub fn get(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.channels[start..self.ends[at]]
    }

    /// Iterates over the paths, as channels.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.get(at))
    }
}

fn walk<'a>(fabric: &'a Fabric, table: &'a Table, source: u32, destination: u32) -> impl Iterator<Item = u32> + 'a {
    let (mut switch, mut hops) = (source, 0);
    std::iter::from_fn(move || {
        let port = *table.next(switch, destination).first()?;
        assert!(hops < fabric.num_switches(), "the table has a loop toward switch {destination}");
        hops += 1;
        let channel = channel(fabric, switch, port);
        switch = fabric.targets()[channel as usize];
        Some(channel)
    })
}
