//! The Xpander topology: random lifts of a complete graph.

use rand::seq::SliceRandom;
use tulle_base::random::Xoshiro256PlusPlus;
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::{Plugin, plugin};

use crate::design::Candidates;
use crate::random_graph::until_connected;
use crate::{Diameter, Expect, Family, Hops};

plugin! {
    /// An Xpander, made by successive lifts of the complete graph with `degree + 1` switches.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Xpander(arguments) {
        /// network radix k'
        degree: u32 = integer(1, 8191), note "3 or more unless lift=1";
        /// number ℓ of copies of each switch; 2x2x2 means three successive lifts; the fabric has ℓ(k' + 1) switches
        lifts "lift": Vec<u32> = shape(1, MAX_COPIES), note "product at most 1048576", or "degree" { vec![degree] };
        /// endpoints per switch
        concentration "p": u32 = integer(0, 65_535), or "⌈degree / 2⌉" { degree.div_ceil(2) };
    }
    check {
        let copies = lifts.iter().fold(1u64, |copies, &lift| copies.saturating_mul(lift.into()));
        if copies > MAX_COPIES {
            let lift = arguments.text("lift").unwrap_or_default();
            let problem = format!("makes {copies} copies");
            return Err(arguments.bad("lift", lift, &problem, format!("legal: at most {MAX_COPIES}")));
        }
        if degree < 3 && copies > 1 {
            let problem = if degree == 1 { "is never connected" } else { "is seldom connected" };
            let values = format!("degree={degree}, lift={copies}");
            return Err(arguments.clash(values, problem, "legal: degree=3 or more, or lift=1"));
        }
    }
    name: "xpander",
    summary: "random lifts of a complete graph",
    paper: "Valadarsky et al., Xpander, CoNEXT 2016; FatPaths App. A-D",
    limitations: "The matchings are random; tulle does not support the paper's derandomised variant. Random graphs are \
        generated until one is connected, at most 100 times.",
    examples: ["xpander:degree=5", "xpander:degree=3,lift=2x2x2,p=1", "xpander:degree=2,lift=1"],
    rejects: [
        ("xpander:lift=3", "needs degree="),
        ("xpander:degree=4,lift=0", "lift=0 is not a shape"),
        ("xpander:degree=2,lift=3", "degree=2, lift=3 is seldom connected; legal: degree=3 or more, or lift=1"),
        ("xpander:degree=4,lift=1048576x2", "lift=1048576x2 makes 2097152 copies; legal: at most 1048576"),
    ],
}

impl Xpander {
    /// Returns ℓ, the number of copies of every switch of the complete graph.
    fn copies(&self) -> u64 {
        self.lifts.iter().map(|&lift| u64::from(lift)).product()
    }

    /// Returns the cables after all lifts. A lift by ℓ makes ℓ copies of every switch. It replaces each cable s–t by a random matching
    /// between the copies of s and the copies of t.
    fn cables(&self, rng: &mut Xoshiro256PlusPlus) -> Vec<[u32; 2]> {
        let mut cables: Vec<[u32; 2]> =
            (0..=self.degree).flat_map(|a| (a + 1..=self.degree).map(move |b| [a, b])).collect();
        for &lift in &self.lifts {
            let mut matching: Vec<u32> = (0..lift).collect();
            let mut lifted = Vec::with_capacity(cables.len() * lift as usize);
            for [s, t] in cables {
                matching.shuffle(rng);
                lifted.extend(matching.iter().enumerate().map(|(copy, &to)| [s * lift + copy as u32, t * lift + to]));
            }
            cables = lifted;
        }
        cables
    }
}

/// The most copies of a switch.
const MAX_COPIES: u64 = 1 << 20;

impl Family for Xpander {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |p| {
            let degree = wanted.radix - p;
            format!("xpander:degree={degree},lift={},p={p}", wanted.nearest(p * (degree + 1)))
        };
        (1..wanted.radix.saturating_sub(2)).map(of).collect()
    });

    fn expect(&self) -> Expect {
        let (degree, concentration) = (u64::from(self.degree), u64::from(self.concentration));
        let switches = (degree + 1) * self.copies();
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * degree / 2,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter: if self.copies() == 1 { Diameter::Exactly(1) } else { Diameter::Unknown },
            hops: if self.copies() == 1 { Hops::apart(1, switches) } else { Hops::regular(switches, degree) },
        }
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        let copies = self.copies() as u32;
        until_connected(Self::INFO.name, seed, "try another seed, a larger degree or a larger lift", |rng| {
            let mut builder = FabricBuilder::new((self.degree + 1) * copies);
            self.cables(rng).into_iter().for_each(|[a, b]| builder.cable(a, b));
            builder.coordinates(&["meta-node", "copy"], |switch| vec![switch / copies, switch % copies]);
            builder.endpoints_each(self.concentration as usize);
            builder.member(self).map(Some)
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_instance_of_fatpaths_has_its_size() {
        // FatPaths Table IV: Xpander (XP) with ℓ = k' = 32 has 1056 switches and 16896 endpoints.
        let fabric = crate::build("xpander:degree=32", 1).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.concentration()), (1056, 16_896, 16));
    }

    #[test]
    fn copies_of_a_switch_are_matched_with_those_of_every_other() {
        for spec in ["xpander:degree=4,lift=6", "xpander:degree=4,lift=2x3"] {
            let fabric = crate::build(spec, 2).unwrap();
            for switch in 0..fabric.num_switches() as u32 {
                let meta_node = |switch: u32| fabric.coordinates().of(switch)[0];
                let mut others: Vec<u32> = fabric.neighbours(switch).iter().map(|&other| meta_node(other)).collect();
                others.push(meta_node(switch));
                others.sort_unstable();
                assert_eq!(others, [0, 1, 2, 3, 4], "{spec}: switch {switch}");
            }
        }
    }
}
