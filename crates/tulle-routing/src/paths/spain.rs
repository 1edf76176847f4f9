//! The scheme `spain-paths`: edge-disjoint paths while the pair has any left, and then paths that share as few cables as possible with the
//! pair's earlier paths.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::remove_find::RemoveFind;
use crate::scheme::Scheme;
use crate::ties::Lowest;
use crate::{Error, Routes};

plugin! {
    pub struct SpainPaths {
        /// maximum number of paths per pair
        k: u8 = integer(1, 255), default "8";
    }
    name: "spain-paths",
    summary: "up to k paths per pair, which prefer unused cables to short routes; these are SPAIN's paths before it \
        groups them into layers",
    paper: "FatPaths App. C-B, Listing 4, lines 6 to 15 (Mudigonda et al., SPAIN, NSDI 2010)",
    limitations: "A hop costs 1. For every earlier path of the pair over the same cable, it costs |E| more, where |E| \
        is the number of cables in the fabric. (Listing 4 starts with weights of 0, so that all paths would cost the \
        same.) Ties go to the switches with the lowest ids. The search ends when it finds a path for the second time, \
        so a pair may have fewer than k paths.",
    examples: ["spain-paths:k=4", "spain-paths:k=12"],
    rejects: [("spain-paths:k=0", "k=0 is out of range; legal: 1 to 255")],
}

impl Scheme for SpainPaths {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&SpainPaths::INFO, fabric, &LayerLinks::all(fabric))?;
        Ok(Routes::Paths(all_pairs(&SpainPaths::INFO, fabric, || Pair::new(fabric, &distances, usize::from(self.k)))?))
    }
}

struct Pair<'a> {
    fabric: &'a Fabric,
    search: RemoveFind<'a>,
    source: u32,
    k: usize,
    /// Per channel, the number of the pair's paths over its cable. These numbers are needed only when paths must share cables.
    uses: Vec<u32>,
    costs: Vec<u64>,
    waiting: BinaryHeap<Reverse<(u64, u32)>>,
    ports: Vec<u16>,
}

const FAR: u64 = u64::MAX;

impl<'a> Pair<'a> {
    fn new(fabric: &'a Fabric, distances: &'a Distances, k: usize) -> Self {
        Self {
            fabric,
            search: RemoveFind::new(fabric, distances),
            source: 0,
            k,
            uses: vec![0; fabric.num_channels()],
            costs: Vec::new(),
            waiting: BinaryHeap::new(),
            ports: Vec::new(),
        }
    }

    /// Adds `weight` to the number of paths over each cable of the path `ports`.
    fn count(&mut self, ports: &[u16], weight: i32) {
        let mut switch = self.source;
        for &port in ports {
            let channel = self.fabric.offsets()[switch as usize] as usize + usize::from(port);
            for channel in [channel, self.fabric.reverse()[channel] as usize] {
                self.uses[channel] = self.uses[channel].wrapping_add_signed(weight);
            }
            switch = self.fabric.targets()[channel];
        }
    }

    fn cost(&self, channel: usize) -> u64 {
        1 + self.fabric.num_cables() as u64 * u64::from(self.uses[channel])
    }

    /// Writes the path of least cost to `destination` into `ports`.
    fn cheapest(&mut self, destination: u32) {
        self.costs.clear();
        self.costs.resize(self.fabric.num_switches(), FAR);
        self.costs[destination as usize] = 0;
        self.waiting.clear();
        self.waiting.push(Reverse((0, destination)));
        while let Some(Reverse((cost, switch))) = self.waiting.pop() {
            if switch == self.source {
                break;
            }
            if cost > self.costs[switch as usize] {
                continue;
            }
            for channel in self.fabric.channels_of(switch) {
                let next = self.fabric.targets()[channel] as usize;
                let there = cost + self.cost(channel);
                if there < self.costs[next] {
                    self.costs[next] = there;
                    self.waiting.push(Reverse((there, next as u32)));
                }
            }
        }
        self.ports.clear();
        let mut switch = self.source;
        while switch != destination {
            let here = self.costs[switch as usize];
            let mut row = self.fabric.channels_of(switch);
            let start = row.start;
            let on_path = |&channel: &usize| {
                let there = self.costs[self.fabric.targets()[channel] as usize];
                there != FAR && there + self.cost(channel) == here
            };
            let channel = row.find(on_path).expect("a switch at a finite cost has a cheapest next hop");
            self.ports.push((channel - start) as u16);
            switch = self.fabric.targets()[channel];
        }
    }
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source;
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        // A path over unused cables costs at most |E|, the number of cables, and a path over a used cable costs more. So as long as unused
        // cables connect the pair, removing the cables of each path before the search for the next path gives the same paths. This is
        // faster than a search by costs.
        self.search.start(self.source, destination);
        while paths.len() < self.k
            && let Some(path) = self.search.next(&mut Lowest)
        {
            paths.push(path);
        }
        if paths.len() == self.k {
            return;
        }
        paths.iter().for_each(|path| self.count(path, 1));
        while paths.len() < self.k {
            self.cheapest(destination);
            let ports = std::mem::take(&mut self.ports);
            let known = paths.iter().any(|path| path == ports);
            if !known {
                self.count(&ports, 1);
                paths.push(&ports);
            }
            self.ports = ports;
            if known {
                break;
            }
        }
        paths.iter().for_each(|path| self.count(path, -1));
        paths.sort_by_length();
    }
}
