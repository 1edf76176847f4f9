//! The lengths of a routing's routes in hops, and the length of the longest route.

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};

/// The numbers of hops of a routing's routes.
pub(crate) struct Lengths {
    /// The number of hops of the longest path between two switches with endpoints.
    pub longest: usize,
    /// Per switch, destination switch and layer, the maximum number of hops of a path in the layer's table, at most 255. The length is 0 if
    /// no packet between switches with endpoints uses the pair. Empty if the lengths were not wanted, or with path sets.
    pub hops: Vec<u8>,
}

impl Lengths {
    /// Returns the lengths of the routes of `routing`. With `from_all`, paths of forwarding tables that start at switches without endpoints
    /// also count for [`Lengths::longest`]. With `all`, the lengths of all pairs are stored. Returns `None` if a path has a loop or does not
    /// reach its destination.
    pub fn of(fabric: &Fabric, routing: &Routing, from_all: bool, all: bool) -> Option<Self> {
        let edge = fabric.endpoint_switches();
        let mut longest = 0;
        if let Some(paths) = routing.path_set() {
            for &from in &edge {
                let pairs = edge.iter().filter(|&&to| to != from);
                let hops = pairs.flat_map(|&to| paths.between(from, to)).map(|path| paths.hops(path).len());
                longest = longest.max(hops.max().unwrap_or(0));
            }
            return Some(Self { longest, hops: Vec::new() });
        }
        let (layers, switches) = (routing.layers(), fabric.num_switches());
        let starts = if from_all { (0..switches as u32).collect() } else { Vec::new() };
        let what = || format!("path lengths of {} layers of {switches} switches", layers.len());
        let mut hops = memory::must(memory::filled(what, 0, if all { layers.len() * switches * switches } else { 0 }));
        let mut depths = Depths::new(fabric);
        for (layer, table) in layers.iter().enumerate() {
            for &to in &edge {
                depths.start(to);
                for &from in &edge {
                    longest = longest.max(depths.of(table, from)?);
                }
                let row = hops.chunks_exact_mut(layers.len()).skip(to as usize).step_by(switches);
                for (pair, &known) in row.zip(&depths.hops).filter(|&(_, &known)| known < PENDING) {
                    pair[layer] = known.min(u8::MAX.into()) as u8;
                }
                for &from in &starts {
                    longest = longest.max(depths.of(table, from)?);
                }
            }
        }
        Some(Self { longest, hops })
    }
}

const UNKNOWN: u32 = u32::MAX;
const PENDING: u32 = u32::MAX - 1;

/// The maximum numbers of hops to one destination switch in one table.
struct Depths<'a> {
    fabric: &'a Fabric,
    to: u32,
    /// Per switch: the number of hops, if it is known.
    hops: Vec<u32>,
    /// The switches whose numbers are being computed, and whether each has a single next hop. An explicit stack, because paths may be long.
    stack: Vec<(u32, bool)>,
}

impl<'a> Depths<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        Self { fabric, to: 0, hops: vec![UNKNOWN; fabric.num_switches()], stack: Vec::new() }
    }

    /// Forgets all numbers. The next ones are of paths to `to`.
    fn start(&mut self, to: u32) {
        self.to = to;
        self.hops.fill(UNKNOWN);
        self.hops[to as usize] = 0;
    }

    /// Returns the maximum number of hops from `from` in `table`, or `None` if a path has a loop or does not reach its destination. Call
    /// `start` before another table is used.
    #[inline(always)]
    fn of(&mut self, table: &Table, from: u32) -> Option<usize> {
        if self.hops[from as usize] >= PENDING {
            match self.single(table, from).map(|end| self.hops[end as usize]) {
                Some(hops) if hops < PENDING => self.hops[from as usize] = hops + 1,
                _ => self.resolve(table, from)?,
            }
        }
        Some(self.hops[from as usize] as usize)
    }

    /// Returns the next switch on the way from `switch` to the destination, if `table` has exactly one next hop.
    #[inline(always)]
    fn single(&self, table: &Table, switch: u32) -> Option<u32> {
        // A group with a number below the degree is a single port.
        self.fabric.neighbours(switch).get(usize::from(table.group(switch, self.to))).copied()
    }

    /// Computes the number of hops of `from`, which is unknown, and of all switches on its paths.
    fn resolve(&mut self, table: &Table, from: u32) -> Option<()> {
        self.stack.clear();
        self.follow(table, from)?;
        while let Some(&(switch, _)) = self.stack.last() {
            let neighbours = self.fabric.neighbours(switch);
            let (mut most, mut unknown) = (None, None);
            for &port in table.next(switch, self.to) {
                let end = neighbours[usize::from(port)];
                match self.hops[end as usize] {
                    PENDING => return None,
                    UNKNOWN => unknown = Some(end),
                    hops => most = most.max(Some(hops)),
                }
            }
            match unknown {
                Some(end) => self.follow(table, end)?,
                None => {
                    self.stack.pop();
                    self.settle(switch, 1 + most?);
                }
            }
        }
        Some(())
    }

    /// Follows the path from `switch`, whose number of hops is unknown, as long as switches have exactly one next hop. If it reaches a
    /// switch whose number of hops is known, it sets the numbers of all switches before this switch. If it reaches a switch with several
    /// next hops, this switch becomes the last one on the stack.
    fn follow(&mut self, table: &Table, mut switch: u32) -> Option<()> {
        loop {
            self.hops[switch as usize] = PENDING;
            let Some(end) = self.single(table, switch) else {
                self.stack.push((switch, false));
                return Some(());
            };
            self.stack.push((switch, true));
            match self.hops[end as usize] {
                PENDING => return None,
                UNKNOWN => switch = end,
                hops => {
                    self.settle(end, hops);
                    return Some(());
                }
            }
        }
    }

    /// Sets the number of `switch`, and the numbers of the switches that led to it over single next hops.
    fn settle(&mut self, switch: u32, mut hops: u32) {
        self.hops[switch as usize] = hops;
        while let Some((switch, _)) = self.stack.pop_if(|(_, is_single)| *is_single) {
            hops += 1;
            self.hops[switch as usize] = hops;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lengths;
    use tulle_routing::{Routes, Routing, TableBuilder};

    fn lengths_of(fabric: &tulle_fabric::Fabric, layers: Vec<tulle_routing::Table>) -> Vec<u8> {
        let routing = Routing::new("test".to_owned(), Routes::Layers(layers));
        Lengths::of(fabric, &routing, false, true).unwrap().hops
    }

    #[test]
    fn lengths_are_of_the_longest_path_in_each_layer() {
        // Paths around a ring of five switches toward switch 0: in one layer they are minimal; in the other layer every
        // hop goes to a switch with a higher number, or from switch 4 to switch 0.
        let ring = tulle_topologies::build("torus:shape=5", 0).unwrap();
        let minimal = tulle_routing::build(&ring, "minimal", 0).unwrap();
        let mut builder = TableBuilder::new(&ring);
        for (switch, to) in (0..5u32).flat_map(|switch| (0..5).map(move |to| (switch, to))).filter(|(a, b)| a != b) {
            let up = ring.neighbours(switch).iter().position(|&next| next == (switch + 1) % 5).unwrap() as u16;
            builder.set(switch, to, &[up]);
        }
        let lengths = lengths_of(&ring, vec![minimal.layers()[0].clone(), builder.finish()]);
        let at = |layer: usize, from: usize| lengths[from * 5 * 2 + layer];
        assert_eq!([0, 1, 2, 3, 4].map(|from| at(0, from)), [0, 1, 2, 2, 1]);
        assert_eq!([0, 1, 2, 3, 4].map(|from| at(1, from)), [0, 4, 3, 2, 1]);
        // In a complete graph, switch 1 has two next hops toward switch 0, with paths of different lengths: 1 → 2 → 0
        // and 1 → 0.
        let clique = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let mut builder = TableBuilder::new(&clique);
        builder.set(1, 0, &[0, 1]);
        for (switch, to) in [(0, 1), (0, 2), (1, 2), (2, 0), (2, 1)] {
            let port = clique.neighbours(switch).iter().position(|&next| next == to).unwrap() as u16;
            builder.set(switch, to, &[port]);
        }
        let lengths = lengths_of(&clique, vec![builder.finish()]);
        assert_eq!((lengths[3], lengths[6], lengths[1]), (2, 1, 1));
    }

    #[test]
    fn lengths_of_shortest_paths_are_distances() {
        for spec in ["torus:shape=7x4", "slimfly:q=5", "dragonfly:p=2", "fattree:radix=4"] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let minimal = tulle_routing::build(&fabric, "minimal", 0).unwrap();
            let found = Lengths::of(&fabric, &minimal, false, true).unwrap();
            let distances = tulle_fabric::distances::Distances::of(&fabric);
            let edge = fabric.endpoint_switches();
            for &from in &edge {
                for &to in &edge {
                    let hops = found.hops[from as usize * fabric.num_switches() + to as usize];
                    assert_eq!(u32::from(hops), u32::from(distances.row(from)[to as usize]), "{spec} {from} {to}");
                }
            }
            assert_eq!(found.longest, usize::from(*found.hops.iter().max().unwrap()), "{spec}");
        }
    }

    #[test]
    fn loops_and_missing_hops_have_no_lengths() {
        let ring = tulle_topologies::build("torus:shape=5", 0).unwrap();
        let minimal = tulle_routing::build(&ring, "minimal", 0).unwrap();
        let port = |from: u32, to: u32| ring.neighbours(from).iter().position(|&next| next == to).unwrap() as u16;
        // A second next hop of switch 2 toward switch 0 leads to switch 3, which sends to switch 4, or back to switch 2.
        for (back, longest) in [(false, Some(3)), (true, None)] {
            let mut builder = TableBuilder::new(&ring);
            for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))).filter(|(from, to)| from != to) {
                let mut ports = minimal.layers()[0].next(from, to).to_vec();
                if (from, to) == (2, 0) {
                    ports = vec![port(2, 1), port(2, 3)];
                }
                if (from, to) == (3, 0) && back {
                    ports = vec![port(3, 2), port(3, 4)];
                }
                ports.sort_unstable();
                builder.set(from, to, &ports);
            }
            let routing = Routing::new("test".to_owned(), Routes::Layers(vec![builder.finish()]));
            assert_eq!(Lengths::of(&ring, &routing, false, false).map(|found| found.longest), longest);
        }
        let empty = Routing::new("test".to_owned(), Routes::Layers(vec![TableBuilder::new(&ring).finish()]));
        assert!(Lengths::of(&ring, &empty, false, false).is_none());
    }
}
