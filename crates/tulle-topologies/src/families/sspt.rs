//! Stacked single-path trees (SSPT). MLFM and OFT are special cases.

use std::collections::BTreeSet;

use super::single_path_tree::SinglePathTree;
use crate::design::{Candidates, Largest, orders};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A stack of `copies` single-path trees with parameters r1 and r2. The trees share their upper switches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Sspt(arguments) {
        /// network radix of lower switches
        r1: u32 = integer(1, 1024);
        /// number of cables from an upper switch to each tree
        r2: u32 = integer(2, 1024), note "tulle must know a single-path tree with this r1 and r2";
        tree: SinglePathTree => match SinglePathTree::find(r1, r2) {
            Some(tree) => tree,
            None => {
                let legal: Vec<String> = SinglePathTree::legal_r2(r1).iter().map(u32::to_string).collect();
                let legal = format!("legal with r1={r1}: r2={}", legal.join(", "));
                return Err(arguments.clash(format!("r1={r1}, r2={r2}"), "has no known single-path tree", legal));
            }
        };
        /// number of stacked trees; by default, upper switches get 2·r1 ports
        copies: u32 = integer(1, 1024), or "2·r1/r2" {
            if !(2 * r1).is_multiple_of(r2) {
                let problem = format!("stacks 2·r1/r2 = {}/{r2} trees, not a whole number", 2 * r1);
                return Err(arguments.clash(format!("r1={r1}, r2={r2}"), problem, "legal: copies=1 to 1024"));
            }
            2 * r1 / r2
        };
        /// endpoints per lower switch
        concentration "p": u32 = integer(1, 8191), or "r1" { r1 };
    }
    name: "sspt",
    summary: "stacked single-path trees, diameter 2: two lower switches of a tree have exactly one upper switch in \
        common",
    paper: "Kathareios et al. (SC15) §2.2.2",
    limitations: "Known trees: r2=2 with any r1 (complete graph); r2=r1 with r1-1 a prime power (projective plane); \
        for prime powers q and r1=(q^n-1)/(q-1), r2=q (affine space) and r2=q+1 (projective space); r2=3 with r1 mod \
        3 not 2 (Steiner triple systems).",
    examples: [
        "sspt:r1=3,r2=3", "sspt:r1=4,r2=2", "sspt:r1=1,r2=2", "sspt:r1=6,r2=3,p=2", "sspt:r1=4,r2=3,copies=2",
        "sspt:r1=13,r2=4,copies=1,p=1",
    ],
    rejects: [
        ("sspt:r1=4", "needs r2="),
        ("sspt:r1=7,r2=7", "r1=7, r2=7 has no known single-path tree; legal with r1=7: r2=2, 3"),
        ("sspt:r1=4,r2=3", "r1=4, r2=3 stacks 2·r1/r2 = 8/3 trees, not a whole number; legal: copies="),
        ("sspt:r1=3,r2=1", "r2=1 is out of range; legal: 2 to 1024"),
    ],
}

impl Family for Sspt {
    const RACKS: RackStructure = RackStructure::Levels { alone: false };
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for r1 in 1..wanted.radix {
            let mut orders: Vec<u64> =
                orders().filter(|&q| q <= r1).flat_map(|q| [q, q + 1]).chain([2, 3, r1]).collect();
            orders.sort_unstable();
            orders.dedup();
            for r2 in orders {
                let switches = 2 * r1 / r2 * (1 + r1 * (r2 - 1));
                if switches > 0 {
                    found.extend(wanted.with_endpoints(&format!("sspt:r1={r1},r2={r2}"), switches, wanted.radix - r1));
                }
            }
        }
        found
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let of = |r1: u64| BTreeSet::from([2, 3, r1]).into_iter().map(move |r2| format!("sspt:r1={r1},r2={r2}"));
        (1..=radix / 2).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let [r1, r2, copies, concentration] = [self.r1, self.r2, self.copies, self.concentration].map(u64::from);
        let lower = 1 + r1 * (r2 - 1);
        Expect {
            switches: copies * lower + lower * r1 / r2,
            endpoints: copies * lower * concentration,
            cables: copies * lower * r1,
            network_radix: r1,
            concentration,
            radix: (r1 + concentration).max(r2 * copies),
            diameter: Diameter::Exactly(2),
            hops: Hops::apart(2, copies * lower),
        }
    }

    /// The lower switches have the lowest ids, copy by copy. The upper switches follow.
    ///
    /// Coordinates are the level (0 for lower, 1 for upper switches), the copy (0 for upper switches), and the index within this level and
    /// copy.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = self.tree.stack(self.copies, self.concentration);
        let lower = self.tree.num_lower() as u32;
        let edge = self.copies * lower;
        builder.coordinates(&["level", "copy", "index"], |switch| {
            if switch < edge { vec![0, switch / lower, switch % lower] } else { vec![1, 0, switch - edge] }
        });
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn mlfm_and_oft_are_members() {
        for (stack, special) in [("sspt:r1=5,r2=2", "mlfm:h=5"), ("sspt:r1=6,r2=6", "oft:k=6")] {
            let [stack, special] = [stack, special].map(|spec| build(spec, 0).unwrap());
            assert_eq!(stack.targets(), special.targets());
            assert_eq!(stack.endpoint_switch(), special.endpoint_switch());
        }
    }

    #[test]
    fn stacks_have_diameter_two_whatever_the_tree() {
        for (r1, r2, copies) in [(6, 5, 1), (7, 3, 3), (13, 4, 2), (21, 4, 1), (10, 3, 2)] {
            let fabric = build(&format!("sspt:r1={r1},r2={r2},copies={copies}"), 0).unwrap();
            assert_eq!(distances::histogram(&fabric).diameter(), Some(2), "{}", fabric.spec());
        }
    }
}
