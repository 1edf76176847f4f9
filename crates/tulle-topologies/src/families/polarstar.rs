//! The PolarStar topology: star products of polarity graphs with supernodes. The diameter is at most three.

use super::prime_power;
use super::star_product::{self, Supernode};
use crate::design::{Candidates, Largest, orders, with_a_third_of_the_degree};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::{plugin, words};

words! {
    /// The graph of a supernode.
    pub enum Kind {
        /// Inductive-Quad: 2d' + 2 switches.
        InductiveQuad = "iq",
        /// Paley: 2d' + 1 switches.
        Paley = "paley",
    }
}

/// The maximum degree of a supernode. An Inductive-Quad supernode of this degree has 514 switches, which is more than any real rack can
/// contain.
const MAX_DEGREE: u64 = 256;

plugin! {
    /// The star product of the polarity graph ER_q with supernodes of degree d'.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PolarStar(arguments) {
        /// order q of the field; there are q² + q + 1 supernodes, each connected to q or q + 1 others
        q: u32 = integer(2, 256), note "a prime power";
        /// graph of each supernode: iq with 2d' + 2 switches, or paley with 2d' + 1 switches
        supernode: Kind = word(Kind::WORDS), default "iq";
        /// degree d' of a supernode; k' = q + 1 + d'
        degree "d": u32 = integer(2, MAX_DEGREE), note "iq: 3, 4, 7, 8, …; paley: 2d' + 1 is a prime power, d' is even",
            or "3 for iq, 2 for paley" { if supernode == Kind::InductiveQuad { 3 } else { 2 } };
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌊k'/3⌋" { (q + 1 + degree) / 3 };
    }
    check {
        prime_power::check(arguments, "q", q, 0)?;
        if !supernode.has_degree(degree) {
            let near = |step: &dyn Fn(u32) -> Option<u32>| {
                std::iter::successors(step(degree), |&next| step(next)).find(|&next| supernode.has_degree(next))
            };
            let below = near(&|degree| degree.checked_sub(1));
            let above = near(&|degree| (u64::from(degree) < MAX_DEGREE).then_some(degree + 1));
            let nearest: Vec<String> = below.into_iter().chain(above).map(|degree| degree.to_string()).collect();
            let problem = format!("is not a degree of a supernode={}", supernode.word());
            return Err(arguments.bad("d", degree, &problem, format!("nearest {}", nearest.join(", "))));
        }
    }
    name: "polarstar",
    summary: "PolarStar: star product of a polarity graph with supernodes, diameter 3, with more switches for the \
        same degree than other families of this diameter",
    paper: "Lakhotia et al.: PolarStar (SPAA24, arXiv 2302.07217) §6; Bermond et al. (1984)",
    limitations: "For the average path length, tulle computes only a lower bound. With paley, switch 0 of each \
        quadric's supernode has an unused port, and the other switches of this supernode are connected in pairs as in \
        the authors' generator. Each supernode has its own rack or racks. The cables between two supernodes are separate \
        cables, not one bundle.",
    examples: [
        "polarstar:q=3", "polarstar:q=2", "polarstar:q=2,d=4,p=1", "polarstar:q=2,d=7,p=0", "polarstar:q=3,supernode=paley",
        "polarstar:q=2,supernode=paley,d=4,p=1",
    ],
    rejects: [
        ("polarstar", "needs q="),
        ("polarstar:q=6", "q=6 is not a prime power; nearest 5, 7"),
        ("polarstar:q=5,d=5", "d=5 is not a degree of a supernode=iq; nearest 4, 7"),
        ("polarstar:q=5,supernode=paley,d=3", "d=3 is not a degree of a supernode=paley; nearest 2, 4"),
        ("polarstar:q=5,supernode=cycle", "supernode=cycle is not a choice; legal: iq, paley"),
    ],
}

impl Kind {
    fn has_degree(self, degree: u32) -> bool {
        match self {
            Self::InductiveQuad => degree >= 3 && [0, 3].contains(&(degree % 4)),
            Self::Paley => degree >= 2 && star_product::is_paley(2 * degree + 1),
        }
    }

    fn order(self, degree: u32) -> u32 {
        match self {
            Self::InductiveQuad => 2 * degree + 2,
            Self::Paley => 2 * degree + 1,
        }
    }

    /// Returns all combinations of the order q, the kind of supernode and its degree that leave at least one of `radix` ports for
    /// endpoints.
    fn within(radix: u64) -> impl Iterator<Item = (u64, Self, u64)> {
        let degrees = move |q: u64| (2..radix.saturating_sub(q + 1).min(MAX_DEGREE + 1)).map(move |degree| (q, degree));
        let kinds = |(q, degree)| [Self::InductiveQuad, Self::Paley].map(|kind| (q, kind, degree));
        let of = orders().filter(|&q| q <= 256).flat_map(degrees).flat_map(kinds);
        of.filter(|(_, kind, degree)| kind.has_degree(*degree as u32))
    }

    fn graph(self, degree: u32) -> Supernode {
        match self {
            Self::InductiveQuad => Supernode::inductive_quad(degree),
            Self::Paley => Supernode::paley(2 * degree + 1),
        }
    }
}

impl Family for PolarStar {
    const RACKS: RackStructure = RackStructure::Groups;
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |(q, graph, degree): (u64, Kind, u64)| {
            let switches = (q * q + q + 1) * u64::from(graph.order(degree as u32));
            let member = format!("polarstar:q={q},supernode={},d={degree}", graph.word());
            wanted.with_endpoints(&member, switches, wanted.radix - (q + 1 + degree))
        };
        Kind::within(wanted.radix).flat_map(of).collect()
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let of = |(q, graph, degree): (u64, Kind, u64)| {
            let member = format!("polarstar:q={q},supernode={},d={degree}", graph.word());
            with_a_third_of_the_degree(&member, q + 1 + degree, radix)
        };
        Kind::within(radix).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let [q, degree, concentration] = [self.q, self.degree, self.concentration].map(u64::from);
        let order = u64::from(self.supernode.order(self.degree));
        let vertices = q * q + q + 1;
        let switches = vertices * order;
        let between = q * (q + 1) * (q + 1) / 2 * order;
        // A loop at a vertex of the polarity graph adds cables inside the supernode. These cables connect all its switches in pairs, except
        // one switch if their number is odd.
        let loops = (q + 1) * (order / 2);
        let network_radix = q + 1 + degree;
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: vertices * order * degree / 2 + between + loops,
            network_radix,
            concentration,
            radix: network_radix + concentration,
            diameter: Diameter::at_most_three(switches, network_radix),
            hops: Hops::regular(switches, network_radix),
        }
    }

    /// Switch x of supernode a has the id a · order + x. Supernodes are numbered like the points of a PolarFly.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = star_product::with_polarity_graph(self.q, &self.supernode.graph(self.degree));
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn sizes_are_those_of_the_paper() {
        // Expected sizes from Table 3 of the paper: PS-IQ with radix 15 has 1,064 routers and 5,320 endpoints; PS-Pal has 949 routers and
        // 4,745 endpoints.
        for (spec, expected) in [
            ("polarstar:q=5,p=1", (248, 248, 9)),
            ("polarstar:q=8,p=1", (584, 584, 12)),
            ("polarstar:q=11,d=3", (1064, 5320, 15)),
            ("polarstar:q=8,supernode=paley,d=6", (949, 4745, 15)),
        ] {
            let fabric = build(spec, 0).unwrap();
            assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), expected, "{spec}");
            assert_eq!(distances::histogram(&fabric).diameter(), Some(3), "{spec}");
        }
    }

    #[test]
    fn every_switch_of_inductive_quads_uses_all_ports() {
        for spec in ["polarstar:q=4,d=3,p=1", "polarstar:q=3,d=8,p=1", "polarstar:q=2,d=11,p=1"] {
            let fabric = build(spec, 0).unwrap();
            assert!((0..fabric.num_switches() as u32).all(|switch| fabric.degree(switch) == fabric.network_radix()));
            assert_eq!(distances::histogram(&fabric).diameter(), Some(3), "{spec}");
        }
    }

    /// Checks the largest number of switches for a degree d (PolarStar §7, Fig. 1), over all q, with Inductive-Quad supernodes. Relative
    /// to the Moore bound 1 + d + d(d − 1) + d(d − 1)², this number tends to 8/27.
    #[test]
    fn the_largest_orders_tend_to_eight_27ths_of_the_moore_bound() {
        let order = |degree: u32| -> u64 {
            let sizes = (2..degree).filter(|&q| crate::gf::prime_power(q).is_some()).filter_map(|q| {
                let d = degree.checked_sub(q + 1).filter(|&d| super::Kind::InductiveQuad.has_degree(d))?;
                Some(u64::from(q * q + q + 1) * u64::from(2 * d + 2))
            });
            sizes.max().unwrap()
        };
        assert_eq!([9, 12, 15].map(order), [248, 584, 1064]);
        let degree = 128u64;
        let moore = 1 + degree + degree * (degree - 1) + degree * (degree - 1).pow(2);
        let share = order(128) as f64 / moore as f64;
        assert!((0.28..0.31).contains(&share), "{share}");
    }
}
