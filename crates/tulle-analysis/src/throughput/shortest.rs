//! Shortest paths under channel lengths.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use tulle_base::task;
use tulle_fabric::Fabric;

/// The value for a switch into which no channel of the tree leads.
pub(crate) const NO_CHANNEL: u32 = u32::MAX;

/// A tree of shortest paths from one switch. Its memory is reused for further trees.
#[derive(Debug)]
pub(crate) struct Tree {
    /// Distance of each switch from the root.
    pub distance: Vec<f64>,
    /// The tree's channel into each switch; [`NO_CHANNEL`] for the root and for unreachable switches.
    pub entering: Vec<u32>,
    heap: BinaryHeap<Reached>,
}

#[derive(Debug, PartialEq)]
struct Reached {
    distance: f64,
    switch: u32,
}

impl Eq for Reached {}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reached {
    /// Orders heap entries by descending distance, then by descending switch number, so that the heap returns the
    /// nearest switch first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.switch.cmp(&self.switch))
    }
}

impl Tree {
    /// Allocates an empty tree for `fabric`.
    pub fn new(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        Self { distance: vec![0.0; switches], entering: vec![NO_CHANNEL; switches], heap: BinaryHeap::new() }
    }

    /// Computes the tree from `source` over channels of positive capacity, by Dijkstra's algorithm. If `wanted` has a
    /// single switch, stops when the path to it is known. Lengths must not be negative.
    pub fn grow(&mut self, fabric: &Fabric, lengths: &[f64], capacity: &[f64], source: u32, wanted: &[u32]) {
        task::check();
        self.distance.fill(f64::INFINITY);
        self.entering.fill(NO_CHANNEL);
        self.heap.clear();
        self.distance[source as usize] = 0.0;
        self.heap.push(Reached { distance: 0.0, switch: source });
        let last = if let [only] = wanted { *only } else { u32::MAX };
        while let Some(Reached { distance, switch }) = self.heap.pop() {
            if switch == last {
                return;
            }
            if distance > self.distance[switch as usize] {
                continue;
            }
            for channel in fabric.channels_of(switch) {
                let next = fabric.targets()[channel] as usize;
                let through = distance + lengths[channel];
                if through < self.distance[next] && capacity[channel] > 0.0 {
                    self.distance[next] = through;
                    self.entering[next] = channel as u32;
                    self.heap.push(Reached { distance: through, switch: next as u32 });
                }
            }
        }
    }

    /// Writes the channels of the path to `destination` into `path`.
    pub fn path(&self, fabric: &Fabric, destination: u32, path: &mut Vec<u32>) {
        path.clear();
        let mut switch = destination;
        while self.entering[switch as usize] != NO_CHANNEL {
            let channel = self.entering[switch as usize];
            path.push(channel);
            switch = fabric.sources()[channel as usize];
        }
        path.reverse();
    }
}
