//! The two-level orthogonal fat tree (OFT): two copies of a tree, built from a projective plane, that share their upper switches.

use super::prime_power;
use super::single_path_tree::SinglePathTree;
use crate::design::{Candidates, Largest, orders};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure, WorstCase};
use tulle_spec::plugin;

plugin! {
    /// The k-OFT. It has three levels L0, L1 and L2 of 1 + k(k − 1) switches each. Endpoints are attached to switches of L0 and L2 (edge
    /// switches).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Oft(arguments) {
        /// network radix of edge switches
        k: u32 = integer(3, 257), note "a prime power plus one";
        /// endpoints per edge switch (L0 and L2)
        concentration "p": u32 = integer(1, 8191), or "k" { k };
    }
    check {
        prime_power::check(arguments, "k", k, 1)?;
    }
    name: "oft",
    summary: "two-level orthogonal fat tree: diameter 2 between edge switches, by default 2k³ − 2k² + 2k endpoints",
    paper: "Kathareios et al. (SC15) §2.2.4 with Table 2",
    limitations: "Two edge switches have only one minimal path, except if they have the same index in L0 and L2; then \
        they have k minimal paths.",
    examples: ["oft:k=4", "oft:k=3", "oft:k=5,p=1", "oft:k=6", "oft:k=9,p=2"],
    rejects: [
        ("oft", "needs k="),
        ("oft:k=7", "k=7 is not a prime power plus one (7-1=6); nearest 6, 8"),
        ("oft:k=2", "k=2 is out of range; legal: 3 to 257"),
        ("oft:k=4,p=0", "p=0 is out of range; legal: 1 to 8191"),
    ],
}

impl Oft {
    fn per_level(&self) -> u32 {
        1 + self.k * (self.k - 1)
    }
}

impl Family for Oft {
    const RACKS: RackStructure = RackStructure::Levels { alone: false };
    const WORST_CASE: Option<WorstCase> = Some(WorstCase::Shift);
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |k: u64| wanted.with_endpoints(&format!("oft:k={k}"), 2 * (k * k - k + 1), wanted.radix - 1);
        orders().flat_map(|q| of(q + 1)).collect()
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        orders().map(|q| q + 1).filter(|&k| k >= 3 && 2 * k <= radix).map(|k| format!("oft:k={k}")).collect()
    });

    fn expect(&self) -> Expect {
        let (k, per_level) = (u64::from(self.k), u64::from(self.per_level()));
        let concentration = u64::from(self.concentration);
        Expect {
            switches: 3 * per_level,
            endpoints: 2 * per_level * concentration,
            cables: 2 * per_level * k,
            network_radix: k,
            concentration,
            radix: (k + concentration).max(2 * k),
            diameter: Diameter::Exactly(2),
            hops: Hops::apart(2, 2 * per_level),
        }
    }

    /// The switches of L0 have the lowest ids, followed by L2 and L1, so that edge switches come first. Coordinates are the level and index
    /// as in the paper.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let tree = SinglePathTree::find(self.k, self.k)
            .expect("the check of the parameters accepts only prime powers plus one");
        let mut builder = tree.stack(2, self.concentration);
        let per_level = self.per_level();
        let level = |switch: u32| [0, 2, 1][(switch / per_level) as usize];
        builder.coordinates(&["level", "index"], |switch| vec![level(switch), switch % per_level]);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn edge_switches_have_one_common_neighbour_and_counterparts_have_k() {
        for k in [3, 4, 5, 6, 8, 9, 10, 12, 17] {
            let fabric = build(&format!("oft:k={k}"), 0).unwrap();
            let per_level = 1 + k * (k - 1);
            assert_eq!(fabric.num_switches() as u32, 3 * per_level);
            for a in 0..2 * per_level {
                // For each switch, the number of paths of two hops from `a` to this switch.
                let mut paths = vec![0; fabric.num_switches()];
                for &upper in fabric.neighbours(a) {
                    assert_eq!(fabric.coordinates().of(upper)[0], 1);
                    for &b in fabric.neighbours(upper) {
                        paths[b as usize] += 1;
                    }
                }
                for b in 0..2 * per_level {
                    let counterpart = a % per_level == b % per_level;
                    assert_eq!(paths[b as usize], if counterpart { k } else { 1 }, "k={k}: {a}, {b}");
                }
            }
        }
    }

    #[test]
    fn levels_are_two_edges_around_one_upper() {
        let fabric = build("oft:k=4", 0).unwrap();
        assert_eq!(fabric.levels(), [[0; 26].as_slice(), &[1; 13]].concat());
        assert_eq!(fabric.endpoint_switches(), (0..26).collect::<Vec<u32>>());
        assert_eq!([0, 13, 26].map(|switch| fabric.label(switch)), ["(0,0)", "(2,0)", "(1,0)"]);
        // Row 8 of Table 2.
        assert_eq!(fabric.neighbours(8), [1, 5, 6, 11].map(|upper| 26 + upper));
        let up = |channel: usize| fabric.class_names()[usize::from(fabric.classes()[channel])] == "up";
        assert!((0..fabric.num_channels()).all(|channel| up(channel) == (fabric.sources()[channel] < 26)));
    }

    #[test]
    fn sizes_are_those_of_the_paper() {
        let fabric = build("oft:k=12", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (399, 3192));
        assert_eq!((fabric.network_radix(), fabric.radix()), (12, 24));
    }
}
