//! The trees toward one destination, one per layer, with their paths and the loads of channels.

use super::context::Context;
use crate::columns::{Columns, NO_PORT, channel, port};

/// The value that stands for a missing channel or switch.
const NONE: u32 = u32::MAX;

/// The hop count of a switch that is not in the tree.
const APART: u8 = u8::MAX;

/// The trees toward one destination, one per layer. Trees grow switch by switch. If the next hop of a switch changes, its whole subtree
/// moves with it.
///
/// Every change updates the paths and the loads. The loads include the paths of all other destinations, so that decisions take these paths
/// into account.
pub(super) struct Forest {
    switches: usize,
    longest: usize,
    pub destination: u32,
    /// Whether the search improves paths to the destination. Only such paths count as load.
    pub counted: bool,
    /// Per channel, the number of paths that cross it, over all layers and destinations. Only paths that the search improves are counted
    /// (see [`Context::counts`]).
    pub loads: Vec<i32>,
    layers: usize,
    /// The next channel, by layer and switch; [`NONE`] at the destination and at switches outside the tree.
    next: Vec<u32>,
    /// A copy of `next`, made when the trees were loaded.
    before: Vec<u32>,
    hops: Vec<u8>,
    /// By layer and switch: the port of the destination at which the path from the switch enters.
    entries: Vec<u16>,
    /// By layer and switch: the channels of the path from the switch, the last channel first. Each path has space for `longest` channels;
    /// `hops` of them are used.
    paths: Vec<u32>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    subtree: Vec<u32>,
}

impl Forest {
    pub fn new(context: &Context) -> Self {
        let (switches, longest) = (context.switches(), context.longest);
        let entries = switches * context.layers;
        Self {
            switches,
            layers: context.layers,
            longest,
            destination: NONE,
            counted: false,
            loads: vec![0; context.fabric.num_channels()],
            next: vec![NONE; entries],
            before: vec![NONE; entries],
            hops: vec![APART; entries],
            entries: vec![NO_PORT; entries],
            paths: vec![NONE; entries * longest],
            first_child: vec![NONE; entries],
            next_sibling: vec![NONE; entries],
            subtree: Vec::new(),
        }
    }

    /// Copies the loads of all channels from `loads`.
    pub fn take_loads(&mut self, loads: &[i32]) {
        self.loads.copy_from_slice(loads);
    }

    /// Returns the channels whose load differs from `loads`, with the differences. Resets the loads of these channels to `loads`.
    pub fn give_back(&mut self, loads: &[i32]) -> Vec<(u32, i32)> {
        // Only channels that a tree uses before or after the search can have changed loads.
        let taken = self.next.iter().chain(&self.before).filter(|&&channel| channel != NONE);
        let changed = taken.filter_map(|&channel| {
            let before = loads[channel as usize];
            let more = std::mem::replace(&mut self.loads[channel as usize], before) - before;
            (more != 0).then_some((channel, more))
        });
        changed.collect()
    }

    /// Clears all trees: they contain only `destination`.
    pub fn clear(&mut self, context: &Context, destination: u32) {
        self.destination = destination;
        self.counted = context.counts(destination);
        self.next.fill(NONE);
        self.before.fill(NONE);
        self.hops.fill(APART);
        self.first_child.fill(NONE);
        for layer in 0..self.layers {
            let root = self.at(layer, destination);
            self.hops[root] = 0;
        }
    }

    /// Restores the trees toward `destination` from `layers`. The channel loads are not changed: they already include the paths of these
    /// trees.
    pub fn restore(&mut self, context: &Context, destination: u32, layers: &[Columns]) {
        self.clear(context, destination);
        let mut up = Vec::new();
        for (layer, columns) in layers.iter().enumerate() {
            let column = columns.column(destination);
            for switch in 0..self.switches as u32 {
                let mut at = switch;
                while self.hops(layer, at).is_none() {
                    let channel = channel(context.fabric, at, column[at as usize]);
                    up.push((at, channel));
                    at = context.target(channel);
                }
                while let Some((switch, channel)) = up.pop() {
                    self.link(context, layer, switch, channel);
                    self.lengthen(context, layer, switch);
                }
            }
        }
        self.before.copy_from_slice(&self.next);
    }

    /// Returns the port over which every switch forwards, by layer and switch; [`NO_PORT`] at the destination. Every switch must be in
    /// every tree.
    pub fn ports(&self, context: &Context) -> Box<[u16]> {
        let port = |next: u32| if next == NONE { NO_PORT } else { port(context.fabric, next) };
        let switches = 0..self.switches as u32;
        (0..self.layers).flat_map(|layer| switches.clone().map(move |switch| port(self.next(layer, switch)))).collect()
    }

    #[inline]
    fn at(&self, layer: usize, switch: u32) -> usize {
        // The entries of one layer are contiguous, because the search examines the neighbours of a switch within one layer.
        layer * self.switches + switch as usize
    }

    /// Returns the channel over which `switch` forwards in `layer`.
    #[inline]
    pub fn next(&self, layer: usize, switch: u32) -> u32 {
        self.next[self.at(layer, switch)]
    }

    /// Returns the number of hops of the path from `switch` in `layer`; `None` if the switch is not in the tree.
    #[inline]
    pub fn hops(&self, layer: usize, switch: u32) -> Option<u8> {
        let hops = self.hops[self.at(layer, switch)];
        (hops != APART).then_some(hops)
    }

    /// Returns the number of hops of the path from `switch` in `layer`; [`APART`] if the switch is not in the tree.
    #[inline]
    pub fn length(&self, layer: usize, switch: u32) -> u8 {
        self.hops[self.at(layer, switch)]
    }

    /// Returns the channels of the path from `switch` in `layer`, the last channel first. The switch must be in the tree of this layer.
    #[inline]
    pub fn path(&self, layer: usize, switch: u32) -> &[u32] {
        let at = self.at(layer, switch);
        &self.paths[at * self.longest..][..usize::from(self.hops[at])]
    }

    /// Returns the channels of the path from `switch`, without its first and its last channel.
    #[inline]
    pub fn between(&self, layer: usize, switch: u32) -> &[u32] {
        match self.path(layer, switch) {
            [_, between @ .., _] => between,
            _ => &[],
        }
    }

    /// Returns the destination's port at which the path from `switch` enters.
    #[inline]
    pub fn entry(&self, layer: usize, switch: u32) -> u16 {
        self.entries[self.at(layer, switch)]
    }

    /// Returns the destination's port at which `channel` enters the destination.
    #[inline]
    pub fn entry_of(&self, context: &Context, channel: u32) -> u16 {
        context.port(self.destination, context.reverse(channel)) as u16
    }

    /// Returns the total number of hops of the paths that count (see [`Context::counts`]), over all layers; 0 if the destination does not
    /// count.
    pub fn counted_hops(&self, context: &Context) -> u64 {
        if !self.counted {
            return 0;
        }
        let counted = (0..self.switches as u32).filter(|&switch| context.counts(switch));
        counted.map(|switch| (0..context.layers).map(|layer| self.path(layer, switch).len() as u64).sum::<u64>()).sum()
    }

    /// Collects `switch` and all switches that forward through it in `layer`. Every switch comes after the switch that it forwards to.
    pub fn subtree(&self, layer: usize, switch: u32, members: &mut Vec<u32>) {
        members.clear();
        members.push(switch);
        let mut seen = 0;
        while let Some(&member) = members.get(seen) {
            let mut child = self.first_child[self.at(layer, member)];
            while child != NONE {
                members.push(child);
                child = self.next_sibling[self.at(layer, child)];
            }
            seen += 1;
        }
    }

    /// Returns the number of switches in `members` whose paths to the destination the search improves.
    pub fn weight(&self, context: &Context, members: &[u32]) -> i32 {
        if self.counted { members.iter().filter(|&&member| context.counts(member)).count() as i32 } else { 0 }
    }

    /// Changes the next channel of `switch` in `layer` to `channel`. All paths through the switch change, too.
    ///
    /// The target of `channel` must be in the tree, and must not forward through `switch`.
    pub fn forward(&mut self, context: &Context, layer: usize, switch: u32, channel: u32) {
        let mut subtree = std::mem::take(&mut self.subtree);
        self.subtree(layer, switch, &mut subtree);
        let weight = self.weight(context, &subtree);
        if self.hops(layer, switch).is_some() {
            self.load(layer, switch, -weight);
            self.unlink(context, layer, switch);
        }
        self.link(context, layer, switch, channel);
        for &member in &subtree {
            self.lengthen(context, layer, member);
        }
        self.load(layer, switch, weight);
        self.subtree = subtree;
    }

    /// Returns the sum of the loads of `channels`.
    #[inline]
    pub fn load_on(&self, channels: &[u32]) -> i32 {
        channels.iter().map(|&channel| self.loads[channel as usize]).sum()
    }

    /// Adds `more` to the load of every channel on the path from `switch` in `layer`.
    pub fn load(&mut self, layer: usize, switch: u32, more: i32) {
        let at = self.at(layer, switch);
        for &channel in &self.paths[at * self.longest..][..usize::from(self.hops[at])] {
            self.loads[channel as usize] += more;
        }
    }

    /// Computes the path of `switch` from the path of its next switch.
    fn lengthen(&mut self, context: &Context, layer: usize, switch: u32) {
        let at = self.at(layer, switch);
        let channel = self.next[at];
        let parent = self.at(layer, context.target(channel));
        let hops = usize::from(self.hops[parent]);
        let onward = parent * self.longest;
        self.paths.copy_within(onward..onward + hops, at * self.longest);
        self.paths[at * self.longest + hops] = channel;
        self.hops[at] = hops as u8 + 1;
        self.entries[at] = if hops == 0 { self.entry_of(context, channel) } else { self.entries[parent] };
    }

    fn link(&mut self, context: &Context, layer: usize, switch: u32, channel: u32) {
        let (at, parent) = (self.at(layer, switch), self.at(layer, context.target(channel)));
        self.next[at] = channel;
        self.next_sibling[at] = self.first_child[parent];
        self.first_child[parent] = switch;
    }

    fn unlink(&mut self, context: &Context, layer: usize, switch: u32) {
        let parent = self.at(layer, context.target(self.next(layer, switch)));
        let after = self.next_sibling[self.at(layer, switch)];
        if self.first_child[parent] == switch {
            self.first_child[parent] = after;
            return;
        }
        let mut sibling = self.at(layer, self.first_child[parent]);
        while self.next_sibling[sibling] != switch {
            sibling = self.at(layer, self.next_sibling[sibling]);
        }
        self.next_sibling[sibling] = after;
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tulle_base::random::stream;
    use tulle_fabric::distances::Distances;

    use super::*;
    use crate::layers::spread::aim::Aim;
    use crate::layers::spread::limit::HopLimit;

    #[test]
    fn paths_and_loads_follow_every_change() {
        let fabric = tulle_topologies::build("jellyfish:switches=20,degree=5,p=1", 1).unwrap();
        let context = Context::new(&fabric, Distances::of(&fabric), Some(HopLimit::Hops(20)), 2, Aim::Throughput);
        let mut rng = stream(1, "test", 0);
        let mut forest = Forest::new(&context);
        let loads: Vec<i32> = (0..fabric.num_channels() as i32).collect();
        forest.take_loads(&loads);
        forest.clear(&context, 7);
        let mut moved = 0;
        for _ in 0..6000 {
            let (layer, switch) = (rng.random_range(0..2), rng.random_range(0..20));
            let channel = context.channels(switch).start + rng.random_range(0..5);
            let next = context.target(channel);
            let mut members = Vec::new();
            forest.subtree(layer, switch, &mut members);
            // `Forest` does not check the lengths of paths, so the test skips changes that make a path too long.
            let deepest = members.iter().map(|&member| forest.hops(layer, member).unwrap_or(0)).max().unwrap();
            let legal = switch != 7 && !members.contains(&next) && deepest < 10;
            if !legal || forest.hops(layer, next).is_none_or(|hops| hops > 8) {
                continue;
            }
            moved += usize::from(forest.hops(layer, switch).is_some());
            forest.forward(&context, layer, switch, channel);
            let mut recount = loads.clone();
            for (layer, source) in (0..2).flat_map(|layer| (0..20).map(move |source| (layer, source))) {
                if forest.hops(layer, source).is_none() {
                    continue;
                }
                let (mut at, mut walked) = (source, Vec::new());
                while at != 7 {
                    walked.push(forest.next(layer, at));
                    recount[forest.next(layer, at) as usize] += 1;
                    at = context.target(forest.next(layer, at));
                }
                walked.reverse();
                assert_eq!(forest.path(layer, source), walked);
            }
            assert_eq!(forest.loads, recount);
        }
        assert!(moved > 300, "only {moved} changes of next hops were tested");
        let ports = forest.ports(&context);
        let mut layers = vec![Columns::new(20); 2];
        for (columns, ports) in layers.iter_mut().zip(ports.chunks(20)) {
            columns.column_mut(7).copy_from_slice(ports);
        }
        let (next, loads) = (forest.next.clone(), forest.loads.clone());
        forest.take_loads(&loads);
        forest.clear(&context, 3);
        forest.restore(&context, 7, &layers);
        assert_eq!((&forest.next, &forest.loads), (&next, &loads), "the trees are restored from their ports");
    }
}
