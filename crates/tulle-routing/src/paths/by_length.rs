//! Lists simple paths by increasing length.
//!
//! Fabrics have small diameters, and every cable counts as one hop. So the k shortest paths of a pair are found by listing all paths of 2
//! hops, then of 3, and so on. A depth-first search enters a switch only if a walk of exactly the remaining hops leads from it to the
//! destination. Walks of up to one hop more than the shortest path are all simple (a repeated switch would save two hops or more), so up to
//! that length the search never backtracks in vain.

use crate::paths::neighbours::{Neighbours, WalkLengths};

/// A lister of simple paths between switches.
pub(crate) struct ByLength<'a> {
    neighbours: &'a Neighbours,
    lengths: &'a WalkLengths,
    /// Per hop of the current path, its switch, and the entry of the switch's row to try next.
    stack: Vec<(u16, usize)>,
    ports: Vec<u16>,
    on_path: Vec<bool>,
    /// For each neighbour of the current destination, the lowest port that leads to the destination, and the number of such ports, which
    /// are consecutive.
    last_ports: Vec<(u16, u16)>,
}

/// How a listing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// All paths of this length have been visited.
    Complete,
    /// The visitor had enough.
    Stopped,
    /// The budget is used up.
    Exhausted,
}

impl<'a> ByLength<'a> {
    /// Returns a lister over `neighbours`; `lengths` must be the walk lengths of the same fabric.
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

    /// Prepares for paths to `destination`.
    pub fn toward(&mut self, destination: u16) {
        let mut before = None;
        for (next, port) in self.neighbours.back_ports(destination) {
            // Parallel cables have the same order at both ends.
            if before.replace(next) == Some(next) {
                self.last_ports[usize::from(next)].1 += 1;
            } else {
                self.last_ports[usize::from(next)] = (port, 1);
            }
        }
    }

    /// Visits the simple paths of exactly `hops` hops (at most 254) from `source` to the destination given to [`ByLength::toward`], as
    /// ports in ascending order. `visit` returns whether to continue; every row entry examined costs one unit of `budget`.
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
