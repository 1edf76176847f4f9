//! Lists the simple paths of a pair in order of length.
//!
//! Most fabrics have small diameters, and every cable counts as one hop. The k shortest paths of a pair can therefore be found by listing
//! all paths of the least length, then all paths that are one hop longer, and so on.
//!
//! A walk is a path that may visit a switch several times. The depth-first search enters a switch only if a walk with exactly the remaining
//! number of hops leads from there to the destination. If a walk visits a switch twice, cutting out the loop saves at least two hops. So a
//! walk that is at most one hop longer than the shortest path visits no switch twice. Up to this length, every switch that the search
//! enters lies on a path, and the search has no dead ends.

use crate::paths::neighbours::{Neighbours, WalkLengths};

/// Lists the simple paths between two switches.
pub(crate) struct ByLength<'a> {
    neighbours: &'a Neighbours,
    lengths: &'a WalkLengths,
    /// For each hop of the current path: the switch, and the next entry to try among its neighbours.
    stack: Vec<(u16, usize)>,
    ports: Vec<u16>,
    on_path: Vec<bool>,
    /// For each neighbour of the destination: the lowest port to the destination, and the number of such ports. The ports are consecutive.
    last_ports: Vec<(u16, u16)>,
}

/// How a listing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All paths of this length were visited.
    Complete,
    /// The visitor asked to stop.
    Stopped,
    /// The budget was used up.
    Exhausted,
}

impl<'a> ByLength<'a> {
    /// Returns an object that lists paths over `neighbours`. `lengths` must be the walk lengths of the same fabric.
    pub fn new(neighbours: &'a Neighbours, lengths: &'a WalkLengths) -> Self {
        let switches = neighbours.num_switches();
        Self {
            neighbours,
            lengths,
            stack: Vec::new(),
            ports: Vec::new(),
            on_path: vec![false; switches],
            last_ports: vec![(0, 0); switches],
        }
    }

    /// Prepares for listing paths to `destination`.
    pub fn toward(&mut self, destination: u16) {
        let mut before = None;
        for (next, port) in self.neighbours.back_ports(destination) {
            // Parallel cables are listed in the same order at both ends.
            if before.replace(next) == Some(next) {
                self.last_ports[usize::from(next)].1 += 1;
            } else {
                self.last_ports[usize::from(next)] = (port, 1);
            }
        }
    }

    /// Visits the simple paths of exactly `hops` hops (at most 254) from `source` to `destination`, which [`ByLength::toward`] must have
    /// prepared. `visit` receives the ports of each path, in lexicographic order, and returns whether to continue. For each neighbour that
    /// the search examines, `budget` falls by one.
    pub fn list(
        &mut self,
        source: u16,
        destination: u16,
        hops: u8,
        budget: &mut u64,
        mut visit: impl FnMut(&[u16]) -> bool,
    ) -> Listing {
        let rows = self.lengths.rows(destination);
        let least = |switch: u16, hops: u8| rows[usize::from(hops % 2)][usize::from(switch)];
        if least(source, hops) > hops {
            return Listing::Complete;
        }
        let may_repeat = hops - least(source, 0).min(least(source, 1)) >= 2;
        self.ports.resize(usize::from(hops), 0);
        self.on_path[usize::from(destination)] = may_repeat;
        self.enter(source, may_repeat);
        let ended = 'listing: loop {
            let Some(&(switch, from)) = self.stack.last() else { break Listing::Complete };
            let depth = self.stack.len() - 1;
            let left = hops - depth as u8 - 1;
            if left == 0 {
                let (lowest, cables) = self.last_ports[usize::from(switch)];
                for port in lowest..lowest + cables {
                    self.ports[depth] = port;
                    if !visit(&self.ports) {
                        break 'listing Listing::Stopped;
                    }
                }
                self.leave();
                continue;
            }
            let row = rows[usize::from(left % 2)];
            let entries = &self.neighbours.of_switch(switch)[from - self.neighbours.row(switch).start..];
            let leads_on =
                |next: u16| row[usize::from(next)] <= left && !(may_repeat && self.on_path[usize::from(next)]);
            let found = entries.iter().position(|&next| leads_on(next));
            let looked = found.map_or(entries.len(), |at| at + 1) as u64;
            if looked > *budget {
                break Listing::Exhausted;
            }
            *budget -= looked;
            match found {
                Some(at) => {
                    let entry = from + at;
                    self.ports[depth] = (entry - self.neighbours.row(switch).start) as u16;
                    self.stack[depth].1 = entry + 1;
                    self.enter(self.neighbours.switch(entry), may_repeat);
                }
                None => self.leave(),
            }
        };
        while !self.stack.is_empty() {
            self.leave();
        }
        self.on_path[usize::from(destination)] = false;
        ended
    }

    fn enter(&mut self, switch: u16, may_repeat: bool) {
        self.stack.push((switch, self.neighbours.row(switch).start));
        self.on_path[usize::from(switch)] = may_repeat;
    }

    fn leave(&mut self) {
        let (switch, _) = self.stack.pop().expect("the search leaves only switches that it has entered");
        self.on_path[usize::from(switch)] = false;
    }
}
