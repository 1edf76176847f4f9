//! The folded hypercube: a hypercube with a further cable from each switch to the switch with the inverted id.

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// A folded hypercube of 2^dimensions switches.
    #[derive(Debug)]
    pub struct FoldedHypercube {
        /// bits n of a switch's id; network radix k' = n + 1
        dimensions: u32 = integer(2, 20);
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    name: "folded-hypercube",
    summary: "folded hypercube: a hypercube with a further cable from each switch to the switch with the inverted id",
    paper: "El-Amawy, Latifi: Properties and performance of folded hypercubes (TPDS 2(1), 1991)",
    limitations: "Sizes are powers of two.",
    examples: [
        "folded-hypercube:dimensions=4", "folded-hypercube:dimensions=2", "folded-hypercube:dimensions=5,p=2",
    ],
    rejects: [
        ("folded-hypercube", "needs dimensions="),
        ("folded-hypercube:dimensions=1", "dimensions=1 is out of range; legal: 2 to 20"),
    ],
}

impl Family for FoldedHypercube {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |n: u64| {
            let member = format!("folded-hypercube:dimensions={n}");
            wanted.with_endpoints(&member, 1 << n, wanted.radix - n - 1)
        };
        (2..wanted.radix.saturating_sub(1).min(21)).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let (dimensions, switches) = (u64::from(self.dimensions), 1u64 << self.dimensions);
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches / 2 * (dimensions + 1),
            network_radix: dimensions + 1,
            concentration,
            radix: dimensions + 1 + concentration,
            diameter: Diameter::Exactly(self.dimensions.div_ceil(2)),
            hops: Hops::Exactly(u128::from(switches) * hops_from_a_switch(dimensions)),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let switches = 1u32 << self.dimensions;
        let mut builder = FabricBuilder::new(switches);
        for switch in 0..switches {
            let across = (0..self.dimensions).map(|bit| switch ^ (1 << bit));
            for other in across.chain([switches - 1 - switch]).filter(|&other| switch < other) {
                builder.cable(switch, other);
            }
        }
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

/// Returns the hops from a switch to all other switches. If two ids differ in d bits, the path has d hops, or n − d + 1
/// hops: one hop to the inverted id, and n − d further hops.
fn hops_from_a_switch(dimensions: u64) -> u128 {
    let mut switches = 1u128;
    (1..=dimensions).fold(0, |hops, bits| {
        switches = switches * u128::from(dimensions + 1 - bits) / u128::from(bits);
        hops + switches * u128::from(bits.min(dimensions + 1 - bits))
    })
}

#[cfg(test)]
mod tests {
    use crate::build;
    use crate::families::{member, vertex_transitive};

    /// In the Clebsch graph, adjacent switches have no common neighbour, and all other pairs have two.
    #[test]
    fn four_dimensions_give_the_clebsch_graph() {
        let fabric = build("folded-hypercube:dimensions=4", 0).unwrap();
        for a in 0..16 {
            for b in 0..a {
                let common = fabric.neighbours(a).iter().filter(|&c| fabric.neighbours(b).contains(c)).count();
                assert_eq!(common, if fabric.neighbours(a).contains(&b) { 0 } else { 2 });
            }
        }
    }

    #[test]
    fn closed_forms_match_a_search_in_more_sizes_than_the_examples() {
        for dimensions in 2..=10u32 {
            let spec = format!("folded-hypercube:dimensions={dimensions}");
            let (fabric, expect) = (build(&spec, 0).unwrap(), member(&spec).unwrap().1.expect());
            let found = vertex_transitive::distances(expect.switches, expect.network_radix, |switch, visit| {
                fabric.neighbours(switch).iter().for_each(|&other| visit(other));
            });
            assert_eq!(found, Some((expect.diameter, expect.hops)), "{spec}");
            assert_eq!(fabric.num_cables() as u64, expect.cables, "{spec}");
        }
    }
}
