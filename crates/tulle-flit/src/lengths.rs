//! The lengths of the paths of every layer, for selectors that compare layers.

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_routing::Table;

/// Parts of a hop in which lengths are stored, because paths of equal-cost ports can differ in length.
const PARTS: f32 = 16.0;
const UNKNOWN: f32 = -1.0;

/// Per layer, switch and destination: the mean number of hops if all ports of a switch are drawn equally often.
#[derive(Debug)]
pub(crate) struct Lengths {
    switches: usize,
    parts: Vec<u16>,
}

impl Lengths {
    /// Returns the lengths from all switches to the switches with endpoints. The tables must be free of loops.
    pub fn of(fabric: &Fabric, tables: &[Table]) -> Self {
        let switches = fabric.num_switches();
        let cells = tables.len() * switches * switches;
        let mut parts: Vec<u16> = memory::must(memory::reserved(|| format!("the lengths of {cells} paths"), cells));
        parts.resize(cells, 0);
        let mut hops = vec![UNKNOWN; switches];
        for (layer, table) in tables.iter().enumerate() {
            for to in fabric.endpoint_switches() {
                hops.fill(UNKNOWN);
                hops[to as usize] = 0.0;
                for from in 0..switches as u32 {
                    let length = mean(fabric, table, from, to, &mut hops);
                    let cell = (layer * switches + from as usize) * switches + to as usize;
                    parts[cell] = (length * PARTS).round() as u16;
                }
            }
        }
        Self { switches, parts }
    }

    /// Returns the mean number of hops from `from` to `to` in `layer`.
    #[inline]
    pub fn hops(&self, layer: u32, from: u32, to: u32) -> f64 {
        let cell = (layer as usize * self.switches + from as usize) * self.switches + to as usize;
        f64::from(self.parts[cell]) / f64::from(PARTS)
    }
}

/// Returns the mean number of hops from `from` to `to`; `hops` caches known results. Uses an explicit stack, because paths
/// may be long. A switch without a next hop has length 0.
fn mean(fabric: &Fabric, table: &Table, from: u32, to: u32, hops: &mut [f32]) -> f32 {
    let mut stack = vec![from];
    while let Some(&switch) = stack.last() {
        if hops[switch as usize] != UNKNOWN {
            stack.pop();
            continue;
        }
        let ports = table.next(switch, to);
        let ends = || ports.iter().map(|&port| fabric.neighbours(switch)[usize::from(port)] as usize);
        let before = stack.len();
        stack.extend(ends().filter(|&end| hops[end] == UNKNOWN).map(|end| end as u32));
        if stack.len() == before {
            let sum: f32 = ends().map(|end| hops[end]).sum();
            hops[switch as usize] = if ports.is_empty() { 0.0 } else { 1.0 + sum / ports.len() as f32 };
        }
    }
    hops[from as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_layer_has_shortest_paths_and_the_others_the_lengths_of_their_paths() {
        let fabric = tulle_topologies::build("slimfly:q=5", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "spread:layers=4", 1).unwrap();
        let lengths = Lengths::of(&fabric, routing.layers());
        let distances = tulle_fabric::distances::Distances::of(&fabric);
        let mut longer = 0;
        for (from, to) in (0..50).flat_map(|from| (0..50).map(move |to| (from, to))) {
            let shortest = f64::from(distances.row(from)[to as usize]);
            assert_eq!(lengths.hops(0, from, to), shortest);
            for layer in 1..4 {
                let (mut switch, mut hops) = (from, 0.0);
                while switch != to {
                    let port = routing.layers()[layer].next(switch, to)[0];
                    (switch, hops) = (fabric.neighbours(switch)[usize::from(port)], hops + 1.0);
                }
                assert_eq!(lengths.hops(layer as u32, from, to), hops);
                longer += usize::from(hops > shortest);
            }
        }
        assert!(longer > 1000, "{longer}");
    }

    #[test]
    fn equal_cost_ports_count_with_their_mean() {
        // From switch 0 to switch 3: directly, or over switches 1 and 2.
        let mut builder = tulle_fabric::FabricBuilder::new(4);
        for (a, b) in [(0, 1), (0, 3), (1, 2), (2, 3)] {
            builder.cable(a, b);
        }
        builder.endpoints(0, 1);
        builder.endpoints(3, 1);
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let mut table = tulle_routing::TableBuilder::new(&fabric);
        table.set(0, 3, &[0, 1]);
        table.set(1, 3, &[1]);
        table.set(2, 3, &[1]);
        let lengths = Lengths::of(&fabric, &[table.finish()]);
        assert_eq!(lengths.hops(0, 0, 3), 2.0);
        assert_eq!(lengths.hops(0, 1, 3), 2.0);
    }
}
