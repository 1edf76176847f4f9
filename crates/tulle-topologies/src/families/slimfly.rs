//! The Slim Fly topology: MMS graphs over GF(q), which have diameter two.

use super::prime_power;
use crate::design::{Candidates, Largest, orders, with_half_the_degree};
use crate::gf::Field;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure, WorstCase};
use tulle_spec::plugin;

plugin! {
    /// A Slim Fly over GF(q) with q = 4w + δ.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SlimFly(arguments) {
        /// order q = 4w + δ of the finite field (δ is −1, 0 or 1); network radix k' = (3q − δ)/2
        q: u32 = integer(3, 256), note "a prime power";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌈k'/2⌉" { (q + Self::local(q)).div_ceil(2) };
    }
    check {
        prime_power::check(arguments, "q", q, 0)?;
    }
    name: "slimfly",
    summary: "Slim Fly: MMS graph of diameter 2, 2q² switches close to the Moore bound",
    paper: "FatPaths (SC20) App. A-A; Slim Fly deployment (NSDI24) App. A; Kathareios et al. (SC15) §2.1.2",
    limitations: "Only prime powers q give an MMS graph. tulle uses the primitive element with the smallest number.",
    examples: ["slimfly:q=5", "slimfly:q=3,p=0", "slimfly:q=4", "slimfly:q=7,p=1", "slimfly:q=8", "slimfly:q=9,p=6"],
    rejects: [
        ("slimfly", "needs q="),
        ("slimfly:q=6", "q=6 is not a prime power; nearest 5, 7"),
        ("slimfly:q=2", "q=2 is out of range; legal: 3 to 256"),
        ("slimfly:q=255", "q=255 is not a prime power; nearest 251, 256"),
        ("slimfly:q=5,p=9000", "p=9000 is out of range; legal: 0 to 8191"),
    ],
}

impl SlimFly {
    /// Returns the number of cables of a switch within its column: 2w = (q − δ)/2. This is the size of each generator set.
    fn local(q: u32) -> u32 {
        match q % 4 {
            1 => (q - 1) / 2,
            3 => q.div_ceil(2),
            _ => q / 2,
        }
    }

    /// Returns the generator sets X and X′. Set X gives the neighbours within a column of subgraph 0, and set X′ within a column of
    /// subgraph 1.
    ///
    /// The source is Kathareios et al. (SC15) §2.1.2. App. A.2 of the Slim Fly deployment paper (NSDI24) gives only the case δ = 1.
    fn generators(field: &Field) -> [Vec<u32>; 2] {
        let q = u64::from(field.order());
        let powers = |exponents: &mut dyn Iterator<Item = u64>| exponents.map(|e| field.power(e)).collect();
        if q % 4 == 3 {
            // In the case δ = −1, −1 is an odd power of the primitive element ξ. So each set has as many even powers as odd powers.
            let w = q.div_ceil(4);
            let first = &mut (0..=2 * w - 2).step_by(2).chain((2 * w - 1..=4 * w - 3).step_by(2));
            let second = &mut (1..=2 * w - 1).step_by(2).chain((2 * w..=4 * w - 2).step_by(2));
            [powers(first), powers(second)]
        } else {
            // In the cases δ = 0 and δ = 1, one set has the even powers of ξ, the other the odd powers. For δ = 0, the last odd power is
            // ξ^(q − 1) = 1, which is also the first even power.
            [powers(&mut (0..=q - 2).step_by(2)), powers(&mut (1..=q - 1).step_by(2))]
        }
    }
}

impl Family for SlimFly {
    const RACKS: RackStructure = RackStructure::Columns;
    const WORST_CASE: Option<WorstCase> = Some(WorstCase::OverlappingPairs);
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |q: u64| wanted.with_endpoints(&format!("slimfly:q={q}"), 2 * q * q, wanted.radix - 1);
        orders().flat_map(of).collect()
    });
    // The network radix is about 3q/2.
    const LARGEST: Option<Largest> = Some(|radix| {
        let of = |q: u64| with_half_the_degree(&format!("slimfly:q={q}"), 3 * q / 2, radix);
        orders().filter(|&q| q >= 3).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let q = u64::from(self.q);
        let switches = 2 * q * q;
        // (3q − δ)/2
        let radix = match q % 4 {
            1 => (3 * q - 1) / 2,
            3 => (3 * q).div_ceil(2),
            _ => 3 * q / 2,
        };
        Expect {
            switches,
            endpoints: switches * u64::from(self.concentration),
            cables: switches * radix / 2,
            network_radix: radix,
            concentration: u64::from(self.concentration),
            radix: radix + u64::from(self.concentration),
            diameter: Diameter::Exactly(2),
            hops: Hops::diameter_two(switches, switches * radix / 2),
        }
    }

    /// Returns the lower of two upper bounds on the throughput. The first comes from all channels. The second comes from the channels
    /// between the two subgraphs, of which every switch has q. Paths leave a column only over these channels. So a path to another column
    /// of the same subgraph crosses at least two of these channels, and a path to the other subgraph at least one.
    fn all_to_all(&self) -> Option<f64> {
        let (expect, q) = (self.expect(), u128::from(self.q));
        let Hops::Exactly(hops) = expect.hops else { return None };
        let between = expect.switches * u64::from(self.q);
        let crossings = u128::from(expect.switches) * (2 * q * (q - 1) + q * q);
        Some(expect.carried(2 * expect.cables, hops).min(expect.carried(between, crossings)))
    }

    /// Switch (subgraph, x, y) has the id subgraph·q² + x·q + y. The paper uses the names m and c instead of x and y for subgraph 1.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let q = self.q;
        let mut builder = FabricBuilder::new(2 * q * q);
        builder.classes(&["local", "global"]);
        mms(q, |a, b, class| builder.cable_of(a, b, class, class));
        builder.coordinates(&["subgraph", "x", "y"], |switch| vec![switch / (q * q), switch / q % q, switch % q]);
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

/// Visits every edge of the MMS graph over GF(q). Edges within a column have class 0, and edges between the subgraphs have class 1.
pub fn mms(q: u32, mut visit: impl FnMut(u32, u32, u8)) {
    let field = Field::new(q).expect("the check of the parameters accepts only prime powers");
    let id = |subgraph, x, y| (subgraph * q + x) * q + y;
    for (subgraph, set) in (0..).zip(SlimFly::generators(&field)) {
        for x in 0..q {
            for y in 0..q {
                for &step in &set {
                    // If a set contains s, it also contains −s. So this loop finds each cable twice, once from each end, and the condition
                    // selects one of the two.
                    let other = field.add(y, step);
                    if y < other {
                        visit(id(subgraph, x, y), id(subgraph, x, other), 0);
                    }
                }
            }
        }
    }
    for x in 0..q {
        for m in 0..q {
            let product = field.mul(m, x);
            for c in 0..q {
                visit(id(0, x, field.add(product, c)), id(1, m, c), 1);
            }
        }
    }
}

/// Returns the degree of the MMS graph over GF(q). It is (3q − δ)/2 for q = 4w + δ.
pub fn mms_degree(q: u32) -> u32 {
    q + SlimFly::local(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build, families};
    use tulle_fabric::distances;

    const ORDERS: [u32; 22] = [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49];

    #[test]
    fn every_order_gives_a_regular_graph_of_diameter_two() {
        for q in ORDERS {
            let (_, member) = families::member(&format!("slimfly:q={q},p=1")).unwrap();
            let fabric = member.build(0).unwrap();
            let radix = member.expect().network_radix as usize;
            assert!((0..fabric.num_switches() as u32).all(|switch| fabric.degree(switch) == radix), "q={q}");
            assert_eq!(distances::histogram(&fabric).diameter(), Some(2), "q={q}");
        }
    }

    #[test]
    fn other_orders_are_refused_with_the_nearest_prime_powers() {
        let error = |q: u32| build(&format!("slimfly:q={q}"), 0).unwrap_err().to_string();
        assert_eq!(error(6), "slimfly: q=6 is not a prime power; nearest 5, 7");
        assert_eq!(error(28), "slimfly: q=28 is not a prime power; nearest 27, 29");
    }

    #[test]
    fn generator_sets_hold_the_negatives_and_differ() {
        for q in ORDERS {
            let field = Field::new(q).unwrap();
            let sets = SlimFly::generators(&field).map(|mut set| {
                set.sort_unstable();
                set.dedup();
                set
            });
            for set in &sets {
                assert_eq!(set.len() as u32, SlimFly::local(q), "q={q}");
                assert!(set.iter().all(|&s| s != 0 && set.contains(&field.negative(s))), "q={q}");
            }
            // The two sets together contain every nonzero element. So for any two positions in a column, the switches at these positions
            // are connected in at least one of the two subgraphs.
            assert!(field.elements().skip(1).all(|s| sets.iter().any(|set| set.contains(&s))), "q={q}");
        }
        let five = Field::new(5).unwrap();
        assert_eq!(SlimFly::generators(&five), [vec![1, 4], vec![2, 3]], "NSDI24 App. A.2");
    }

    #[test]
    fn order_five_is_the_hoffman_singleton_graph() {
        let fabric = build("slimfly:q=5", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (50, 200, 7));
        // Only one 7-regular graph with 50 vertices has these properties: two neighbours have no common neighbour (girth above 3), and any
        // other two vertices have exactly one common neighbour (girth above 4, diameter 2).
        for a in 0..50 {
            assert_eq!(fabric.degree(a), 7);
            for b in 0..a {
                let common = fabric.neighbours(a).iter().filter(|n| fabric.neighbours(b).contains(n)).count();
                assert_eq!(common, usize::from(!fabric.neighbours(a).contains(&b)), "{a}, {b}");
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_papers() {
        for (spec, expected) in [
            ("slimfly:q=19", (722, 10830, 29)),
            ("slimfly:q=19,p=14", (722, 10108, 29)),
            ("slimfly:q=13,p=9", (338, 3042, 19)),
            ("slimfly:q=8", (128, 768, 12)),
            ("slimfly:q=27", (1458, 30618, 41)),
        ] {
            let fabric = build(spec, 0).unwrap();
            assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), expected, "{spec}");
        }
    }

    #[test]
    fn channels_are_local_within_a_column() {
        let fabric = build("slimfly:q=4", 0).unwrap();
        for (channel, &class) in fabric.classes().iter().enumerate() {
            let [a, b] = [fabric.sources()[channel], fabric.targets()[channel]].map(|s| fabric.coordinates().of(s));
            let same_column = a[..2] == b[..2];
            assert_eq!(fabric.class_names()[usize::from(class)], if same_column { "local" } else { "global" });
            assert!(same_column || a[0] != b[0]);
        }
        assert_eq!(fabric.label(16 + 2 * 4 + 3), "(1,2,3)");
    }
}
