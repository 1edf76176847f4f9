//! The lengths of a routing's routes in hops, and the length of the longest route.

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};

/// Returns the maximum number of hops over all paths of `routing` between switches with endpoints. With `from_all`, paths of
/// forwarding tables that start at switches without endpoints count too. Returns `None` if a path has a loop or
/// does not reach its destination.
pub(crate) fn longest(fabric: &Fabric, routing: &Routing, from_all: bool) -> Option<usize> {
    let edge = fabric.endpoint_switches();
    let starts = if from_all { (0..fabric.num_switches() as u32).collect() } else { edge.clone() };
    let mut longest = 0;
    if let Some(paths) = routing.path_set() {
        for &from in &edge {
            let pairs = edge.iter().filter(|&&to| to != from);
            let hops = pairs.flat_map(|&to| paths.between(from, to)).map(|path| paths.hops(path).len());
            longest = longest.max(hops.max().unwrap_or(0));
        }
        return Some(longest);
    }
    let mut depths = Depths::new(fabric);
    for table in routing.layers() {
        for &to in &edge {
            depths.start(to);
            for &from in &starts {
                longest = longest.max(depths.of(table, from)?);
            }
        }
    }
    Some(longest)
}

/// Returns, per switch, destination switch and layer, the maximum number of hops of a path in the layer's table. The length is 0 if no
/// packet between switches with endpoints uses the pair. Paths must have no loops and at most 255 hops.
pub(crate) fn lengths(fabric: &Fabric, layers: &[Table]) -> Vec<u8> {
    let (edge, switches) = (fabric.endpoint_switches(), fabric.num_switches());
    let mut lengths = memory::must(memory::filled(
        || format!("path lengths of {} layers of {switches} switches", layers.len()),
        0,
        layers.len() * switches * switches,
    ));
    let mut depths = Depths::new(fabric);
    for (layer, table) in layers.iter().enumerate() {
        for &to in &edge {
            depths.start(to);
            for &from in &edge {
                depths.of(table, from);
            }
            for (from, &hops) in depths.hops.iter().enumerate().filter(|&(_, &hops)| hops < PENDING) {
                lengths[(from * switches + to as usize) * layers.len() + layer] = hops as u8;
            }
        }
    }
    lengths
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
    #[inline]
    fn of(&mut self, table: &Table, from: u32) -> Option<usize> {
        if self.hops[from as usize] >= PENDING {
            self.stack.clear();
            self.resolve(table, from)?;
        }
        Some(self.hops[from as usize] as usize)
    }

    /// Computes the number of hops of `from`, which is unknown, and of all switches on its paths.
    fn resolve(&mut self, table: &Table, from: u32) -> Option<()> {
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

    /// Follows single next hops from `switch`, whose number is unknown. If they lead to a switch whose number is known, the numbers of all
    /// followed switches become known. Otherwise they lead to a switch with several next hops, which becomes the last one on the stack.
    fn follow(&mut self, table: &Table, mut switch: u32) -> Option<()> {
        loop {
            self.hops[switch as usize] = PENDING;
            // A group with a number below the degree is a single port.
            let group = usize::from(table.group(switch, self.to));
            let Some(&end) = self.fabric.neighbours(switch).get(group) else {
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
    use tulle_routing::TableBuilder;

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
        let layers = [minimal.layers()[0].clone(), builder.finish()];
        let lengths = super::lengths(&ring, &layers);
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
        let lengths = super::lengths(&clique, &[builder.finish()]);
        assert_eq!((lengths[3], lengths[6], lengths[1]), (2, 1, 1));
    }
}
