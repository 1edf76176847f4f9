//! The complete graph: every switch has a cable to every other switch.

use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// A clique of `degree + 1` switches.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Clique {
        /// network radix k'; k' + 1 switches
        degree: u32 = integer(1, 8191);
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "degree" { degree };
    }
    name: "clique",
    summary: "complete graph: every switch has a cable to every other switch",
    paper: "FatPaths App. A-G (fully-connected graphs; p = k')",
    limitations: "The clique is a reference point, not a practical network, because the number of cables grows with \
        the square of the number of switches.",
    examples: ["clique:degree=6", "clique:degree=1,p=3"],
    rejects: [
        ("clique", "needs degree="),
        ("clique:degree=0", "degree=0 is out of range; legal: 1 to 8191"),
        ("clique:degree=6,p=-1", "p=-1 is out of range"),
    ],
}

impl Family for Clique {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |degree| wanted.with_endpoints(&format!("clique:degree={degree}"), degree + 1, wanted.radix - degree);
        (1..wanted.radix).flat_map(of).collect()
    });
    const LARGEST: Option<Largest> =
        Some(|radix| (1..radix).map(|degree| format!("clique:degree={degree},p={}", radix - degree)).collect());

    fn expect(&self) -> Expect {
        let (degree, concentration) = (u64::from(self.degree), u64::from(self.concentration));
        Expect {
            switches: degree + 1,
            endpoints: (degree + 1) * concentration,
            cables: degree * (degree + 1) / 2,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter: Diameter::Exactly(1),
            hops: Hops::apart(1, degree + 1),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(self.degree + 1);
        for a in 0..=self.degree {
            for b in a + 1..=self.degree {
                builder.cable(a, b);
            }
        }
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn every_switch_is_joined_to_every_other() {
        let fabric = build("clique:degree=100", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (101, 10100, 100));
        for switch in 0..101 {
            let expected: Vec<u32> = (0..101).filter(|&other| other != switch).collect();
            assert_eq!(fabric.neighbours(switch), expected);
        }
    }
}
