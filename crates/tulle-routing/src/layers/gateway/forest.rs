//! The trees of one destination, one per layer, with the paths and channel loads that follow from them.

use super::ground::Ground;
use crate::columns::{Columns, NO_PORT, channel, port};

/// No channel, no switch.
const NONE: u32 = u32::MAX;

/// The hops of a switch that is in no tree yet.
const APART: u8 = u8::MAX;

/// In-trees toward one destination, one per layer; grown switch by switch and changed subtree by subtree.
///
/// Paths and loads follow every change. The loads include those of all other destinations, so that what is decided here
/// sees them.
pub(super) struct Forest {
    switches: usize,
    longest: usize,
    pub destination: u32,
    /// Whether pairs with the destination count.
    pub counted: bool,
    /// Per channel, the paths between counted switches over it, of all layers and destinations.
    pub loads: Vec<i32>,
    /// Per layer and switch the channel taken; [`NONE`] at the destination and outside the tree.
    next: Vec<u32>,
    hops: Vec<u8>,
    /// Per layer and switch `longest` entries, of which `hops` are in use: the channels of the path, the last one first.
    paths: Vec<u32>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    subtree: Vec<u32>,
}

impl Forest {
    pub fn new(ground: &Ground) -> Self {
        let (switches, longest) = (ground.switches(), ground.longest);
        let entries = switches * ground.layers;
        Self {
            switches,
            longest,
            destination: NONE,
            counted: false,
            loads: vec![0; ground.fabric.num_channels()],
            next: vec![NONE; entries],
            hops: vec![APART; entries],
            paths: vec![NONE; entries * longest],
            first_child: vec![NONE; entries],
            next_sibling: vec![NONE; entries],
            subtree: Vec::new(),
        }
    }

    /// Starts anew: nothing but `destination` in every tree, under the given loads.
    pub fn clear(&mut self, ground: &Ground, destination: u32, loads: &[i32]) {
        self.destination = destination;
        self.counted = ground.counts(destination);
        self.loads.copy_from_slice(loads);
        self.next.fill(NONE);
        self.hops.fill(APART);
        self.first_child.fill(NONE);
        for root in (destination as usize..self.hops.len()).step_by(self.switches) {
            self.hops[root] = 0;
        }
    }

    /// Takes up the trees toward `destination` in `layers`, under loads that have them in.
    pub fn restore(&mut self, ground: &Ground, destination: u32, layers: &[Columns], loads: &[i32]) {
        self.clear(ground, destination, loads);
        let mut up = Vec::new();
        for (layer, columns) in layers.iter().enumerate() {
            let column = columns.column(destination);
            for switch in 0..self.switches as u32 {
                let mut at = switch;
                while self.hops(layer, at).is_none() {
                    let channel = channel(ground.fabric, at, column[at as usize]);
                    up.push((at, channel));
                    at = ground.target(channel);
                }
                while let Some((switch, channel)) = up.pop() {
                    self.link(ground, layer, switch, channel);
                    self.lengthen(ground, layer, switch);
                }
            }
        }
    }

    /// Per layer and switch the port taken; [`NO_PORT`] at the destination. Every switch must be in every tree.
    pub fn ports(&self, ground: &Ground) -> Box<[u16]> {
        let port = |&next: &u32| if next == NONE { NO_PORT } else { port(ground.fabric, next) };
        self.next.iter().map(port).collect()
    }

    #[inline]
    fn at(&self, layer: usize, switch: u32) -> usize {
        layer * self.switches + switch as usize
    }

    /// The channel that `switch` takes in `layer`.
    #[inline]
    pub fn next(&self, layer: usize, switch: u32) -> u32 {
        self.next[self.at(layer, switch)]
    }

    /// The hops from `switch` in `layer`; `None` while it is not in the tree.
    #[inline]
    pub fn hops(&self, layer: usize, switch: u32) -> Option<u8> {
        let hops = self.hops[self.at(layer, switch)];
        (hops != APART).then_some(hops)
    }

    /// The channels of the path from `switch`, which is in the tree of `layer`; the last one first.
    #[inline]
    pub fn path(&self, layer: usize, switch: u32) -> &[u32] {
        let at = self.at(layer, switch);
        &self.paths[at * self.longest..][..usize::from(self.hops[at])]
    }

    /// The hops of all paths that count.
    pub fn counted_hops(&self, ground: &Ground) -> u64 {
        if !self.counted {
            return 0;
        }
        let counted = (0..self.switches as u32).filter(|&switch| ground.counts(switch));
        counted.map(|switch| (0..ground.layers).map(|layer| self.path(layer, switch).len() as u64).sum::<u64>()).sum()
    }

    /// Collects `switch` and all that forward through it in `layer`, every one after the one it forwards to.
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

    /// How many pairs of `members` and the destination count.
    pub fn weight(&self, ground: &Ground, members: &[u32]) -> i32 {
        if self.counted { members.iter().filter(|&&member| ground.counts(member)).count() as i32 } else { 0 }
    }

    /// Lets `switch` take `channel` in `layer`, with all that forward through it.
    ///
    /// What the channel enters must be in the tree and must not forward through `switch`.
    pub fn forward(&mut self, ground: &Ground, layer: usize, switch: u32, channel: u32) {
        let mut subtree = std::mem::take(&mut self.subtree);
        self.subtree(layer, switch, &mut subtree);
        let weight = self.weight(ground, &subtree);
        if self.hops(layer, switch).is_some() {
            self.load(layer, switch, -weight);
            self.unlink(ground, layer, switch);
        }
        self.link(ground, layer, switch, channel);
        for &member in &subtree {
            self.lengthen(ground, layer, member);
        }
        self.load(layer, switch, weight);
        self.subtree = subtree;
    }

    /// Adds `more` to the loads of the channels of the path from `switch` in `layer`.
    pub fn load(&mut self, layer: usize, switch: u32, more: i32) {
        let at = self.at(layer, switch);
        for &channel in &self.paths[at * self.longest..][..usize::from(self.hops[at])] {
            self.loads[channel as usize] += more;
        }
    }

    /// Rewrites the path of `switch` from that of the switch it forwards to.
    fn lengthen(&mut self, ground: &Ground, layer: usize, switch: u32) {
        let at = self.at(layer, switch);
        let channel = self.next[at];
        let parent = self.at(layer, ground.target(channel));
        let hops = usize::from(self.hops[parent]);
        let onward = parent * self.longest;
        self.paths.copy_within(onward..onward + hops, at * self.longest);
        self.paths[at * self.longest + hops] = channel;
        self.hops[at] = hops as u8 + 1;
    }

    fn link(&mut self, ground: &Ground, layer: usize, switch: u32, channel: u32) {
        let (at, parent) = (self.at(layer, switch), self.at(layer, ground.target(channel)));
        self.next[at] = channel;
        self.next_sibling[at] = self.first_child[parent];
        self.first_child[parent] = switch;
    }

    fn unlink(&mut self, ground: &Ground, layer: usize, switch: u32) {
        let parent = self.at(layer, ground.target(self.next(layer, switch)));
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
