//! A Jellyfish that is built from the same switches as another fabric.

use super::jellyfish::Jellyfish;
use crate::{Expect, Family};
use tulle_fabric::{Error, Fabric};
use tulle_spec::{Plugin, Registered, plugin};

plugin! {
    /// A Jellyfish with the number of switches and the radix of another fabric.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JellyfishLike(arguments) -> Error {
        /// the fabric X that determines the number of switches S, the network radix k' and the concentration p
        of "spec": String = spec("fabric");
        jellyfish: Jellyfish => {
            let (_, member) = super::member(&of)?;
            of = member.spec();
            super::check_size(member.info().name, member.expect())?;
            let Expect { switches, endpoints, network_radix, concentration, .. } = member.expect();
            let uniform = endpoints == switches * concentration;
            let (degree, concentration) =
                if uniform { (network_radix, concentration) } else { split(switches, network_radix + concentration) };
            Jellyfish::new("jellyfish-like", switches, degree, concentration)?
        };
    }
    name: "jellyfish-like",
    summary: "the Jellyfish built from the switches of another fabric (X-JF)",
    paper: "FatPaths §II-B and App. A-C, A-F (X-JF)",
    limitations: "If the switches of X have different numbers of endpoints (or some have none), the maximum radix k = \
        k' + p is split again into k' and p. Then k'/p is as near to 4 as an even sum of degrees allows (FatPaths App. \
        A-F), so the number of endpoints changes. The graph is the one that jellyfish builds with these numbers and \
        the same seed.",
    examples: ["jellyfish-like:clique:degree=7", "jellyfish-like:fattree:levels=3,radix=4"],
    rejects: [
        ("jellyfish-like", "another spec must follow its colon"),
        ("jellyfish-like:clique", "clique: needs degree="),
        ("jellyfish-like:slymfly:q=5", "unknown fabric 'slymfly'"),
        (
            "jellyfish-like:fattree:levels=2,leaves=2,cores=1,cables=7,p=2",
            "jellyfish-like: switches=3, degree=6 has more network ports",
        ),
        // The other fabric has 2³² + 16318 switches. The test checks that this number is not truncated to 32 bits, because a fabric of the
        // truncated size could be built.
        ("jellyfish-like:dragonfly:p=1,a=8191,h=65,g=524354", "dragonfly: 4294983614 switches"),
    ],
}

impl Family for JellyfishLike {
    fn expect(&self) -> Expect {
        Family::expect(&self.jellyfish)
    }

    fn all_to_all(&self) -> Option<f64> {
        self.jellyfish.all_to_all()
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        Ok(Family::build(&self.jellyfish, seed)?.named(Self::INFO.name, self.parameters(), self.spec()))
    }
}

/// Splits `radix` into the network radix k' and the concentration p, so that k'/p is as close to 4 as possible. The sum of all degrees must
/// be even. Ties go to the larger k'.
fn split(switches: u64, radix: u64) -> (u64, u64) {
    (1..radix)
        .map(|concentration| (radix - concentration, concentration))
        .filter(|(degree, _)| (switches * degree).is_multiple_of(2))
        .min_by(|a, b| ((a.0 as f64 / a.1 as f64) - 4.0).abs().total_cmp(&((b.0 as f64 / b.1 as f64) - 4.0).abs()))
        .unwrap_or((radix, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fat_tree_of_fatpaths_is_split_as_there() {
        // FatPaths Table IV: FT3 with radix 36 has 1620 switches, and FT3-JF has k' = 29 and p = 7.
        assert_eq!(split(1620, 36), (29, 7));
        assert_eq!(split(1621, 36), (28, 8), "an odd number of switches needs an even degree");
        let fabric = crate::build("jellyfish-like:fattree:levels=3,radix=36", 1).unwrap();
        assert_eq!((fabric.num_switches(), fabric.network_radix(), fabric.concentration()), (1620, 29, 7));
    }

    #[test]
    fn it_nests_and_names_itself_canonically() {
        let fabric = crate::build("jellyfish-like:jellyfish-like:clique:degree=7", 3).unwrap();
        assert_eq!(fabric.spec(), "jellyfish-like:jellyfish-like:clique:degree=7,p=7");
        let same = crate::build("jellyfish:switches=8,degree=7,p=7", 3).unwrap();
        assert_eq!(fabric.targets(), same.targets());
    }
}
