//! The trees of one destination, one per layer, with the paths and channel loads that follow from them.

use super::ground::Ground;
use crate::NO_GROUP;

/// No channel, no switch.
pub(super) const NONE: u32 = u32::MAX;

/// Hops of a switch that is in no tree yet.
const APART: u8 = u8::MAX;

/// In-trees toward one destination, one per layer; grown switch by switch and changed subtree by subtree.
///
/// Kept up to date under every change: paths as channels from the destination outward, and the loads, in paths between
/// counted switches per channel. The loads begin as those of all other destinations, so that what is decided here sees them.
pub(super) struct Forest {
    switches: usize,
    longest: usize,
    pub destination: u32,
    /// Whether pairs with the destination count.
    counted: bool,
    /// Per channel, the paths between counted switches over it, in all layers and of all destinations.
    pub loads: Vec<i32>,
    /// Per tree and switch the channel taken.
    next: Vec<u32>,
    hops: Vec<u8>,
    /// Per tree and switch `longest` entries, of which `hops` are in use: the path's last channel first.
    paths: Vec<u32>,
    first_child: Vec<u32>,
    next_sibling: Vec<u32>,
    subtree: Vec<u32>,
}

impl Forest {
    pub fn new(ground: &Ground) -> Self {
        let (switches, entries) = (ground.switches(), ground.switches() * ground.layers);
        Self {
            switches,
            longest: ground.longest,
            destination: NONE,
            counted: false,
            loads: vec![0; ground.fabric.num_channels()],
            next: vec![NONE; entries],
            hops: vec![APART; entries],
            paths: vec![NONE; entries * ground.longest],
            first_child: vec![NONE; entries],
            next_sibling: vec![NONE; entries],
            subtree: Vec::new(),
        }
    }

    /// Starts anew: nothing but `destination` in every tree, under the given loads.
    pub fn clear(&mut self, ground: &Ground, destination: u32, loads: &[i32]) {
        self.destination = destination;
        self.counted = ground.counted[destination as usize];
        self.loads.copy_from_slice(loads);
        self.next.fill(NONE);
        self.hops.fill(APART);
        self.first_child.fill(NONE);
        self.next_sibling.fill(NONE);
        for root in (destination as usize..self.hops.len()).step_by(self.switches) {
            self.hops[root] = 0;
        }
    }

    /// Takes up the trees that `ports` holds (see [`Forest::ports`]) under loads that have them in.
    pub fn restore(&mut self, ground: &Ground, destination: u32, ports: &[u16], loads: &[i32]) {
        self.clear(ground, destination, loads);
        let mut up = Vec::new();
        for layer in 0..ground.layers {
            for switch in 0..self.switches as u32 {
                let mut at = switch;
                while self.hops(layer, at).is_none() {
                    let channel = ground.channels(at).start + u32::from(ports[self.at(layer, at)]);
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

    /// Per layer and switch the port taken; [`NO_GROUP`] at the destination. All switches must be in all trees.
    pub fn ports(&self, ground: &Ground) -> Box<[u16]> {
        let port = |(at, &channel): (usize, &u32)| match channel {
            NONE => NO_GROUP,
            channel => (channel - ground.channels((at % self.switches) as u32).start) as u16,
        };
        self.next.iter().enumerate().map(port).collect()
    }

    #[inline]
    fn at(&self, layer: usize, switch: u32) -> usize {
        layer * self.switches + switch as usize
    }

    /// The channel that `switch` takes in `layer`; [`NONE`] at the destination and outside the tree.
    #[inline]
    pub fn next(&self, layer: usize, switch: u32) -> u32 {
        self.next[self.at(layer, switch)]
    }

    /// The hops from `switch` in `layer`; `None` while it is in no tree.
    #[inline]
    pub fn hops(&self, layer: usize, switch: u32) -> Option<u8> {
        let hops = self.hops[self.at(layer, switch)];
        (hops != APART).then_some(hops)
    }

    /// The channels of the path from `switch` in `layer`, the last one first.
    #[inline]
    pub fn path(&self, layer: usize, switch: u32) -> &[u32] {
        let at = self.at(layer, switch);
        let hops = self.hops[at];
        debug_assert_ne!(hops, APART);
        &self.paths[at * self.longest..at * self.longest + usize::from(hops)]
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

    /// Lets `switch` take `channel` in `layer`, with all that forward through it.
    ///
    /// What the channel enters must be in the tree and must not forward through `switch`.
    pub fn forward(&mut self, ground: &Ground, layer: usize, switch: u32, channel: u32) {
        let mut subtree = std::mem::take(&mut self.subtree);
        self.subtree(layer, switch, &mut subtree);
        let counted = self.weight(ground, &subtree);
        if self.hops(layer, switch).is_some() {
            self.load(layer, switch, -counted);
            self.unlink(ground, layer, switch);
        }
        self.link(ground, layer, switch, channel);
        for &member in &subtree {
            self.lengthen(ground, layer, member);
        }
        self.load(layer, switch, counted);
        self.subtree = subtree;
    }

    /// The pairs that count among those from `subtree` to the destination.
    pub fn weight(&self, ground: &Ground, subtree: &[u32]) -> i32 {
        if !self.counted {
            return 0;
        }
        subtree.iter().filter(|&&member| ground.counted[member as usize]).count() as i32
    }

    /// Rewrites the path of `switch` from that of the switch it forwards to.
    fn lengthen(&mut self, ground: &Ground, layer: usize, switch: u32) {
        let at = self.at(layer, switch);
        let channel = self.next[at];
        let parent = self.at(layer, ground.target(channel));
        let hops = usize::from(self.hops[parent]);
        self.paths.copy_within(parent * self.longest..parent * self.longest + hops, at * self.longest);
        self.paths[at * self.longest + hops] = channel;
        self.hops[at] = hops as u8 + 1;
    }

    fn load(&mut self, layer: usize, switch: u32, paths: i32) {
        let at = self.at(layer, switch);
        let start = at * self.longest;
        for &channel in &self.paths[start..start + usize::from(self.hops[at])] {
            self.loads[channel as usize] += paths;
        }
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
        let mut child = self.first_child[parent];
        if child == switch {
            self.first_child[parent] = after;
            return;
        }
        loop {
            let sibling = self.at(layer, child);
            child = self.next_sibling[sibling];
            if child == switch {
                self.next_sibling[sibling] = after;
                return;
            }
        }
    }
}
