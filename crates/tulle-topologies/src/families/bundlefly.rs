//! The Bundlefly topology: the star product of an MMS graph (as in Slim Fly) with Paley graphs. Its diameter is at most three.

use super::prime_power;
use super::slimfly::mms_degree;
use super::star_product::{self, Supernode};
use crate::design::{Candidates, Largest, orders, with_a_third_of_the_degree};
use crate::{Diameter, Expect, Family, Hops, gf};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// The star product of the MMS graph over GF(q) with the Paley graph over GF(r).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Bundlefly(arguments) {
        /// order q = 4w + δ of the finite field of the MMS graph (δ is −1, 0 or 1); the fabric has 2q² supernodes
        q: u32 = integer(3, 256), note "a prime power";
        /// number r of switches per supernode (a Paley graph); network radix k' = (3q − δ)/2 + (r − 1)/2
        paley "r": u32 = integer(5, 509), note "a prime power, 1 modulo 4";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌊k'/3⌋" { (mms_degree(q) + paley / 2) / 3 };
    }
    check {
        prime_power::check(arguments, "q", q, 0)?;
        if !star_product::is_paley(paley) {
            let below = (5..paley).rev().find(|&order| star_product::is_paley(order));
            let above = (paley..=509).find(|&order| star_product::is_paley(order));
            let nearest: Vec<String> = below.into_iter().chain(above).map(|order| order.to_string()).collect();
            let problem = if gf::prime_power(paley).is_some() { "is not 1 modulo 4" } else { "is not a prime power" };
            return Err(arguments.bad("r", paley, problem, format!("nearest {}", nearest.join(", "))));
        }
    }
    name: "bundlefly",
    summary: "Bundlefly: star product of an MMS graph with Paley graphs, diameter 3, cables between supernodes in bundles",
    paper: "Lei et al.: Bundlefly (ICS20)",
    limitations: "For the average path length, tulle computes only a lower bound. Cost estimates count every cable of a bundle as a \
        separate cable; multicore fibres are not supported.",
    examples: [
        "bundlefly:q=3,r=5", "bundlefly:q=4,r=5,p=1", "bundlefly:q=3,r=9,p=0",
    ],
    rejects: [
        ("bundlefly", "needs q="),
        ("bundlefly:q=3", "needs r="),
        ("bundlefly:q=6,r=5", "q=6 is not a prime power; nearest 5, 7"),
        ("bundlefly:q=5,r=7", "r=7 is not 1 modulo 4; nearest 5, 9"),
        ("bundlefly:q=5,r=21", "r=21 is not a prime power; nearest 17, 25"),
    ],
}

/// Returns all combinations of the order q, the number of switches per supernode and the network radix k' that leave at least one of
/// `radix` ports for endpoints.
fn within(radix: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let mms = orders().filter(|&q| (3..=256).contains(&q));
    let both = mms
        .flat_map(|q| (5..=509u64).filter(|&order| star_product::is_paley(order as u32)).map(move |order| (q, order)));
    let of = both.map(|(q, order)| (q, order, u64::from(mms_degree(q as u32)) + order / 2));
    of.filter(move |(_, _, degree)| *degree < radix)
}

impl Family for Bundlefly {
    const RACKS: RackStructure = RackStructure::Groups;
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |(q, order, degree): (u64, u64, u64)| {
            wanted.with_endpoints(&format!("bundlefly:q={q},r={order}"), 2 * q * q * order, wanted.radix - degree)
        };
        within(wanted.radix).flat_map(of).collect()
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let of = |(q, order, degree): (u64, u64, u64)| {
            with_a_third_of_the_degree(&format!("bundlefly:q={q},r={order}"), degree, radix)
        };
        within(radix).flat_map(of).collect()
    });

    fn expect(&self) -> Expect {
        let [q, order, concentration] = [self.q, self.paley, self.concentration].map(u64::from);
        let switches = 2 * q * q * order;
        let network_radix = u64::from(mms_degree(self.q) + self.paley / 2);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * network_radix / 2,
            network_radix,
            concentration,
            radix: network_radix + concentration,
            diameter: Diameter::at_most_three(switches, network_radix),
            hops: Hops::regular(switches, network_radix),
        }
    }

    /// Switch x of supernode a has the id a · r + x. Supernodes are numbered like the switches of a Slim Fly.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = star_product::with_mms_graph(self.q, &Supernode::paley(self.paley));
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn sizes_are_those_of_the_papers() {
        // Expected sizes: PolarStar paper (arXiv 2302.07217) Table 3: BF of radix 15 has 882 routers and 4,410 endpoints. SpectralFly paper
        // (arXiv 2104.11725) Table 1: BF(13,3) has 234 routers of radix 11, and BF(37,3) has 666 routers of radix 23.
        for (spec, expected) in [
            ("bundlefly:q=7,r=9", (882, 4410, 15)),
            ("bundlefly:q=3,r=13,p=1", (234, 234, 11)),
            ("bundlefly:q=3,r=37,p=1", (666, 666, 23)),
        ] {
            let fabric = build(spec, 0).unwrap();
            assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), expected, "{spec}");
            assert!((0..fabric.num_switches() as u32).all(|switch| fabric.degree(switch) == fabric.network_radix()));
            assert_eq!(distances::histogram(&fabric).diameter(), Some(3), "{spec}");
        }
    }
}
