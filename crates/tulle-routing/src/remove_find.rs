//! Finds edge-disjoint paths by removing and finding. It finds a shortest path and removes the cables of this path, and repeats both steps
//! (the RF method of Guo, Kuipers, Van Mieghem, Int. J. Communication Systems 16(9), 2003; Multi-Path Routing in the Jellyfish Network
//! §III-A).
//!
//! An edge is a cable: both its channels are removed together. Parallel cables are separate edges.
//!
//! Each switch has a lower bound of its distance to the destination over the remaining cables. At first, this bound is the distance in the
//! whole fabric. A depth-first search finds the next path: it enters a switch only if the bound allows a short enough path. When the search
//! leaves a switch without success, it raises the bound of this switch. Cables are only removed, never added, so a raised bound stays valid
//! for all later paths of the pair, and the search does not repeat work. In low-diameter fabrics, the number of steps for a path is about
//! the total number of ports of the path's switches.

use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};

use crate::ties::Ties;

/// A finder of the edge-disjoint paths of one pair after another.
pub(crate) struct RemoveFind<'a> {
    fabric: &'a Fabric,
    distances: &'a Distances,
    source: u32,
    destination: u32,
    /// Per switch, a lower bound of the hops to the destination over the remaining cables.
    bound: Vec<u8>,
    /// Per channel, whether a path of the pair uses its cable.
    taken: Vec<bool>,
    /// The channels that the pair's paths use. They become usable again for the next pair.
    taken_list: Vec<u32>,
    found: usize,
    /// A lower bound of the hops of the next path.
    hops: usize,
    /// The maximum number of hops of a path from the depth-first search. A breadth-first search finds longer paths.
    longest: usize,
    exact: Vec<u32>,
    queue: Vec<u32>,
    /// The channels of the current path.
    channels: Vec<u32>,
    choices: Vec<u32>,
    ports: Vec<u16>,
}

/// The depth-first search finds paths with at most this many hops more than the distance of the pair. For longer paths, it would raise the
/// distance bounds of most switches, which takes as long as a breadth-first search.
const SLACK: usize = 3;

const FAR: u32 = u32::MAX;

impl<'a> RemoveFind<'a> {
    /// Returns a finder over `fabric`. `distances` must be the distances in this fabric.
    pub fn new(fabric: &'a Fabric, distances: &'a Distances) -> Self {
        Self {
            fabric,
            distances,
            source: 0,
            destination: 0,
            bound: Vec::new(),
            taken: vec![false; fabric.num_channels()],
            taken_list: Vec::new(),
            found: 0,
            hops: 0,
            longest: 0,
            exact: Vec::new(),
            queue: Vec::new(),
            channels: Vec::new(),
            choices: Vec::new(),
            ports: Vec::new(),
        }
    }

    /// Makes all cables usable again, and prepares the search for paths from `source` to another switch `destination`.
    pub fn start(&mut self, source: u32, destination: u32) {
        for channel in self.taken_list.drain(..) {
            self.taken[channel as usize] = false;
        }
        self.bound.clear();
        self.bound.extend_from_slice(self.distances.row(destination));
        (self.source, self.destination, self.found) = (source, destination, 0);
        self.hops = usize::from(self.bound[source as usize]);
        self.longest = (self.hops + SLACK).min(usize::from(FARTHEST));
    }

    /// Returns the ports of the next path, and removes its cables. The path is a shortest path over the remaining cables. The result is
    /// `None` if the remaining cables do not connect the pair. If several channels of a switch lie on shortest paths, `ties` chooses one of
    /// them.
    pub fn next(&mut self, ties: &mut impl Ties) -> Option<&[u16]> {
        if self.found == self.fabric.degree(self.source).min(self.fabric.degree(self.destination)) {
            return None;
        }
        while self.hops <= self.longest && !self.descend(ties) {
            self.hops += 1;
        }
        if self.hops > self.longest && !self.search(ties) {
            return None;
        }
        self.found += 1;
        self.ports.clear();
        for &channel in &self.channels {
            let reverse = self.fabric.reverse()[channel as usize];
            self.taken[channel as usize] = true;
            self.taken[reverse as usize] = true;
            self.taken_list.extend([channel, reverse]);
            let from = self.fabric.targets()[reverse as usize];
            self.ports.push((channel - self.fabric.offsets()[from as usize]) as u16);
        }
        Some(&self.ports)
    }

    /// Searches for a path of exactly `hops` hops. There must be no shorter path.
    fn descend(&mut self, ties: &mut impl Ties) -> bool {
        self.channels.clear();
        let mut switch = self.source;
        loop {
            let left = self.hops - self.channels.len();
            if left == 0 {
                debug_assert_eq!(switch, self.destination, "only the destination has a distance bound of 0");
                return true;
            }
            match self.pick(switch, left as u8 - 1, ties) {
                Some(channel) => {
                    self.channels.push(channel);
                    switch = self.fabric.targets()[channel as usize];
                }
                None => {
                    self.bound[switch as usize] = left as u8 + 1;
                    let Some(channel) = self.channels.pop() else { return false };
                    switch = self.fabric.sources()[channel as usize];
                }
            }
        }
    }

    /// Returns a remaining channel from `switch` to a switch whose distance bound is at most `left`.
    fn pick<T: Ties>(&mut self, switch: u32, left: u8, ties: &mut T) -> Option<u32> {
        let row = self.fabric.channels_of(switch);
        let neighbours = self.fabric.neighbours(switch).iter();
        let mut choices = neighbours.zip(&self.taken[row.clone()]).enumerate().filter_map(|(port, (&next, &taken))| {
            (self.bound[next as usize] <= left && !taken).then_some((row.start + port) as u32)
        });
        if T::FIRST {
            return choices.next();
        }
        self.choices.clear();
        self.choices.extend(choices);
        if self.choices.is_empty() { None } else { Some(self.choices[ties.pick(self.choices.len())]) }
    }

    /// Searches for a shortest path by a breadth-first search over the remaining cables.
    fn search(&mut self, ties: &mut impl Ties) -> bool {
        self.exact.clear();
        self.exact.resize(self.fabric.num_switches(), FAR);
        self.queue.clear();
        self.exact[self.destination as usize] = 0;
        self.queue.push(self.destination);
        let mut at = 0;
        while let Some(&switch) = self.queue.get(at) {
            at += 1;
            for channel in self.fabric.channels_of(switch) {
                let next = self.fabric.targets()[channel] as usize;
                if self.exact[next] == FAR && !self.taken[channel] {
                    self.exact[next] = self.exact[switch as usize] + 1;
                    self.queue.push(next as u32);
                }
            }
        }
        if self.exact[self.source as usize] == FAR {
            return false;
        }
        self.channels.clear();
        let mut switch = self.source;
        while switch != self.destination {
            let nearer = |channel: &usize| {
                let next = self.fabric.targets()[*channel] as usize;
                !self.taken[*channel] && self.exact[next].wrapping_add(1) == self.exact[switch as usize]
            };
            self.choices.clear();
            self.choices.extend(self.fabric.channels_of(switch).filter(nearer).map(|channel| channel as u32));
            let channel = self.choices[ties.pick(self.choices.len())];
            self.channels.push(channel);
            switch = self.fabric.targets()[channel as usize];
        }
        true
    }
}
