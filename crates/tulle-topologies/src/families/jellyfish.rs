//! The Jellyfish topology: a random regular graph.

use crate::design::Candidates;
use crate::random_graph::{regular, until_connected};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::{Plugin, SpecError, plugin};

plugin! {
    /// A random regular graph of `switches` switches with `degree` network ports each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Jellyfish(arguments) {
        /// switches S
        switches: u32 = integer(2, 1 << 20);
        /// network radix k'
        degree: u32 = integer(1, 65_534), note "less than switches; switches · degree must be even";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 65_535), or "⌈degree / 2⌉" { degree.div_ceil(2) };
    }
    check {
        Self::check("jellyfish", switches.into(), degree.into())?;
    }
    name: "jellyfish",
    summary: "random regular graph",
    paper: "Singla et al., Jellyfish, NSDI 2012; Multi-Path Routing in the Jellyfish Network, §II: RRG(N, x, y) is \
        switches=N, degree=y, p=x−y; FatPaths App. A-C",
    limitations: "The choice among all regular graphs is close to uniform, but not uniform. Graphs are generated until \
        one is connected, at most 100 times. Switches have no coordinates, because the graph has no structure.",
    examples: [
        "jellyfish:switches=36,degree=16,p=8", "jellyfish:switches=2,degree=1", "jellyfish:switches=7,degree=2,p=1",
        "jellyfish:switches=11,degree=8",
    ],
    rejects: [
        ("jellyfish:degree=3", "needs switches="),
        (
            "jellyfish:switches=5,degree=3",
            "jellyfish: switches=5, degree=3 has an odd degree sum 15; legal: switches=4 or 6, or degree=2 or 4",
        ),
        ("jellyfish:switches=3,degree=1", "never connected; legal: switches=2, or degree=2 or more"),
        ("jellyfish:switches=4,degree=4", "legal: degree=1 to 3, or switches=5 or more"),
        ("jellyfish:switches=1,degree=1", "switches=1 is out of range; legal: 2 to 1048576"),
    ],
}

impl Jellyfish {
    /// Returns a Jellyfish with these parameters, if a connected one exists. Error messages name the family `name`.
    ///
    /// # Errors
    /// Returns [`SpecError::Combination`] if no connected Jellyfish exists.
    pub(crate) fn new(name: &str, switches: u64, degree: u64, concentration: u64) -> Result<Self, SpecError> {
        Self::check(name, switches, degree)?;
        Ok(Self { switches: switches as u32, degree: degree as u32, concentration: concentration as u32 })
    }

    /// Returns an error if no connected regular graph exists for the number of switches and the degree.
    fn check(name: &str, switches: u64, degree: u64) -> Result<(), SpecError> {
        let clash = |problem: String, legal: String| SpecError::Combination {
            name: name.to_owned(),
            values: format!("switches={switches}, degree={degree}"),
            problem,
            legal,
        };
        if degree >= switches {
            let legal =
                format!("legal: degree=1 to {}, or switches={} or more", switches.saturating_sub(1), degree + 1);
            return Err(clash("has more network ports per switch than there are other switches".to_owned(), legal));
        }
        if degree == 1 && switches > 2 {
            return Err(clash("is never connected".to_owned(), "legal: switches=2, or degree=2 or more".to_owned()));
        }
        if switches % 2 == 1 && degree % 2 == 1 {
            let near = |value: u64, legal: std::ops::Range<u64>| {
                let near = [value - 1, value + 1].into_iter().filter(|value| legal.contains(value));
                near.map(|value| value.to_string()).collect::<Vec<_>>().join(" or ")
            };
            let (switch_counts, degrees) = (near(switches, degree + 1..u64::MAX), near(degree, 1..switches));
            let problem = format!("has an odd degree sum {}", switches * degree);
            return Err(clash(problem, format!("legal: switches={switch_counts}, or degree={degrees}")));
        }
        Ok(())
    }
}

impl Family for Jellyfish {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |p| {
            let (switches, degree) = (wanted.nearest(p), wanted.radix - p);
            format!("jellyfish:switches={},degree={degree},p={p}", switches + switches * degree % 2)
        };
        (1..wanted.radix.saturating_sub(2)).map(of).collect()
    });

    fn expect(&self) -> Expect {
        let (switches, degree) = (u64::from(self.switches), u64::from(self.degree));
        let concentration = u64::from(self.concentration);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * degree / 2,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter: Diameter::Unknown,
            hops: Hops::regular(switches, degree),
        }
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        until_connected(Self::INFO.name, seed, "try another seed or a larger degree", |rng| {
            let Some(cables) = regular(self.switches, self.degree, rng) else { return Ok(None) };
            let mut builder = FabricBuilder::new(self.switches);
            cables.into_iter().for_each(|[a, b]| builder.cable(a, b));
            builder.endpoints_each(self.concentration as usize);
            builder.member(self).map(Some)
        })
    }
}

#[cfg(test)]
mod tests {
    use tulle_fabric::distances;

    #[test]
    fn average_distances_are_those_of_the_jellyfish_paper() {
        // Expected values: Multi-Path Routing in the Jellyfish Network, Table I.
        for (switches, degree, average) in [(36, 16, 1.543), (720, 19, 2.570)] {
            let fabric = crate::build(&format!("jellyfish:switches={switches},degree={degree},p=1"), 1).unwrap();
            let ours = distances::histogram(&fabric).average().unwrap();
            assert!(
                (ours - average).abs() < 0.01,
                "{switches} switches: mean distance {ours}, but {average} in the paper"
            );
        }
    }
}
