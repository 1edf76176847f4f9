//! Finds a maximum set of edge-disjoint virtual up-down paths of one pair.

use tulle_fabric::Fabric;

use crate::paths::all_pairs::{Finder, Found};
use crate::paths::flow::Flow;
use crate::paths::virtual_updown::cones::{Cone, Link};

/// A finder of the paths of one pair in the directed virtual up-down topology.
pub(crate) struct Pair<'a> {
    fabric: &'a Fabric,
    cones: &'a [Cone],
    source: &'a Cone,
    flow: Flow,
    arcs: Vec<Arc>,
    /// Per switch, its node in the top layer of the source's cone.
    top_of: Vec<u32>,
    /// The nodes in the flow network: `up` for each node of the source's cone, `down` for each node of the destination's cone.
    up: Vec<u32>,
    down: Vec<u32>,
    nodes: u32,
    /// Per node of the flow network, the hops of the shortest path to it, and the last arc of this path.
    reached: Vec<(u32, u32)>,
    path: Vec<u32>,
    ports: Vec<u16>,
}

/// An arc of the flow network, directed from source to destination.
#[derive(Debug, Clone, Copy)]
struct Arc {
    number: u32,
    tail: u32,
    head: u32,
    /// The channel; `None` for an arc within a switch.
    channel: Option<u32>,
}

const NONE: u32 = u32::MAX;

/// The capacity of arcs within a switch. It is greater than the number of ports of any switch, so it limits no flow.
const UNLIMITED: u32 = 1 << 30;

impl<'a> Pair<'a> {
    /// Returns a finder over `fabric` with its `cones`.
    pub fn new(fabric: &'a Fabric, cones: &'a [Cone]) -> Self {
        Self {
            fabric,
            cones,
            source: &cones[0],
            flow: Flow::default(),
            arcs: Vec::new(),
            top_of: vec![NONE; fabric.num_switches()],
            up: Vec::new(),
            down: Vec::new(),
            nodes: 0,
            reached: Vec::new(),
            path: Vec::new(),
            ports: Vec::new(),
        }
    }

    /// Builds the flow network between the source and the destination, whose cone is `below`. Every arc comes after all arcs that lead to
    /// its tail, so `take` can compute shortest paths in one pass.
    fn build(&mut self, below: &Cone) {
        self.up.clear();
        self.up.resize(self.source.switches.len(), NONE);
        self.down.clear();
        self.down.resize(below.switches.len(), NONE);
        self.nodes = 0;
        for (node, &switch) in below.switches.iter().enumerate().skip(below.top) {
            let top = self.top_of[switch as usize];
            if top != NONE {
                self.down[node] = self.nodes;
                self.up[top as usize] = self.nodes;
                self.nodes += 1;
            }
        }
        // The loop visits links from the top layer down. A node belongs to the flow network if a link leads up from it to a node of the
        // network.
        for (links, numbers) in [(&self.source.links, &mut self.up), (&below.links, &mut self.down)] {
            for link in links.iter().rev() {
                if numbers[link.above as usize] != NONE && numbers[link.below as usize] == NONE {
                    numbers[link.below as usize] = self.nodes;
                    self.nodes += 1;
                }
            }
        }
        self.flow.clear(self.nodes as usize);
        self.arcs.clear();
        for &Link { below, above, channel } in &self.source.links {
            if self.up[above as usize] != NONE {
                let (tail, head) = (self.up[below as usize], self.up[above as usize]);
                self.arcs.push(Arc { number: 0, tail, head, channel });
            }
        }
        for &Link { below, above, channel } in below.links.iter().rev() {
            if self.down[above as usize] != NONE {
                let (tail, head) = (self.down[above as usize], self.down[below as usize]);
                let channel = channel.map(|channel| self.fabric.reverse()[channel as usize]);
                self.arcs.push(Arc { number: 0, tail, head, channel });
            }
        }
        for arc in &mut self.arcs {
            // In the paper, a link within a switch has an infinitesimal cost. This cost does not change which paths are best, so it is 0
            // here.
            let (capacity, cost) = if arc.channel.is_some() { (1, 1) } else { (UNLIMITED, 0) };
            arc.number = self.flow.arc(arc.tail, arc.head, capacity, cost);
        }
    }

    /// Removes a shortest path from the flow, and stores its channels in `path`.
    fn take(&mut self, source: u32, sink: u32) {
        self.reached.clear();
        self.reached.resize(self.nodes as usize, (NONE, NONE));
        self.reached[source as usize].0 = 0;
        for (at, arc) in self.arcs.iter().enumerate() {
            let hops = self.reached[arc.tail as usize].0;
            if hops != NONE && self.flow.units(arc.number) > 0 {
                let hops = hops + u32::from(arc.channel.is_some());
                if hops < self.reached[arc.head as usize].0 {
                    self.reached[arc.head as usize] = (hops, at as u32);
                }
            }
        }
        self.path.clear();
        let mut node = sink;
        while node != source {
            let arc = self.arcs[self.reached[node as usize].1 as usize];
            self.flow.take(arc.number);
            self.path.extend(arc.channel);
            node = arc.tail;
        }
        self.path.reverse();
    }
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        for &switch in &self.source.switches[self.source.top..] {
            self.top_of[switch as usize] = NONE;
        }
        self.source = &self.cones[source as usize];
        for (node, &switch) in self.source.switches.iter().enumerate().skip(self.source.top) {
            self.top_of[switch as usize] = node as u32;
        }
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        let cones = self.cones;
        self.build(&cones[destination as usize]);
        let (source, sink) = (self.up[0], self.down[0]);
        if source == NONE {
            return;
        }
        let units = self.flow.solve(source, sink);
        self.arcs.retain(|arc| self.flow.units(arc.number) > 0);
        for _ in 0..units {
            self.take(source, sink);
            self.ports.clear();
            for &channel in &self.path {
                let switch = self.fabric.sources()[channel as usize];
                self.ports.push((channel - self.fabric.offsets()[switch as usize]) as u16);
            }
            paths.push(&self.ports);
        }
    }
}
