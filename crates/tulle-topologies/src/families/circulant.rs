//! Circulant graphs. The switches form a circle, and cables connect switches that are certain distances (jumps) apart along the circle.

use super::vertex_transitive;
use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// The circulant graph C(n; j₁, j₂, …).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Circulant(arguments) {
        /// switches n in a circle
        switches: u32 = integer(5, 1 << 28);
        /// distances (jumps) along the circle between the two switches of a cable
        jumps: Vec<u32> = shape(1, 1 << 27), note "ascending, at most n/2; all jumps and n must have no common divisor",
            or "m x m+1, where m is the smallest diameter with two jumps" {
                let m = double_loop(switches);
                vec![m, m + 1]
            };
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), default "1";
    }
    check {
        let text = arguments.text("jumps").unwrap_or_default();
        if !jumps.is_sorted_by(|a, b| a < b) {
            return Err(arguments.bad("jumps", text, "is not ascending", "legal: each jump once, in ascending order"));
        }
        if jumps.iter().any(|&jump| jump > switches / 2) {
            return Err(arguments.bad("jumps", text, "is out of range", format!("legal: 1 to {} each", switches / 2)));
        }
        let common = jumps.iter().fold(switches, |common, &jump| divisor(common, jump));
        if common > 1 {
            let values = format!("switches={switches}, jumps={text}");
            let legal = "legal: jumps and switches without a common divisor";
            return Err(arguments.clash(values, format!("have the common divisor {common}"), legal));
        }
    }
    name: "circulant",
    summary: "circulant graph (chordal ring, distributed loop): a circle of switches with chords of given lengths",
    paper: "Bermond, Comellas, Hsu: Distributed loop computer networks, a survey (J. Parallel Distrib. Comput. 24, 1995)",
    limitations: "With more than 2¹⁹ channels, the closed forms have no diameter, and only a lower bound of the average path length.",
    examples: [
        "circulant:switches=13", "circulant:switches=5", "circulant:switches=12,jumps=1x6,p=2", "circulant:switches=7,jumps=2",
        "circulant:switches=20,jumps=1x4x9,p=0",
    ],
    rejects: [
        ("circulant", "needs switches="),
        ("circulant:switches=4", "switches=4 is out of range; legal: 5 to 268435456"),
        ("circulant:switches=12,jumps=3x1", "jumps=3x1 is not ascending"),
        ("circulant:switches=12,jumps=1x7", "jumps=1x7 is out of range; legal: 1 to 6 each"),
        ("circulant:switches=12,jumps=2x4", "have the common divisor 2"),
    ],
}

/// Returns the smallest possible diameter m of a circulant graph with `switches` switches and two jumps. With two jumps, at most 2m² + 2m +
/// 1 switches are within m hops. The jumps m and m + 1 reach this bound (Boesch, Wang 1985; §4 of the survey by Bermond et al.).
fn double_loop(switches: u32) -> u32 {
    let within = |m: u64| 2 * m * m + 2 * m + 1;
    (1..).find(|&m| within(u64::from(m)) >= u64::from(switches)).expect("some number is large enough")
}

/// The greatest common divisor.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl Circulant {
    /// Returns the number of cables of a switch: two cables per jump, but only one for a jump of half the circle.
    fn degree(&self) -> u64 {
        self.jumps.iter().map(|&jump| if u64::from(jump) * 2 == u64::from(self.switches) { 1 } else { 2 }).sum()
    }
}

impl Family for Circulant {
    /// Proposes graphs with the two default jumps, which give the smallest diameter of graphs with two jumps.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let shares = 1..=wanted.radix.saturating_sub(4);
        shares.map(|p| format!("circulant:switches={},p={p}", wanted.nearest(p).max(5))).collect()
    });

    fn expect(&self) -> Expect {
        let (switches, degree, concentration) =
            (u64::from(self.switches), self.degree(), u64::from(self.concentration));
        let (diameter, hops) = vertex_transitive::distances(switches, degree, |switch, visit| {
            for jump in &self.jumps {
                visit((switch + jump) % self.switches);
                visit((switch + self.switches - jump) % self.switches);
            }
        })
        .unwrap_or((Diameter::Unknown, Hops::regular(switches, degree)));
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * degree / 2,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter,
            hops,
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(self.switches);
        for &jump in &self.jumps {
            let starts =
                if u64::from(jump) * 2 == u64::from(self.switches) { self.switches / 2 } else { self.switches };
            (0..starts).for_each(|switch| builder.cable(switch, (switch + jump) % self.switches));
        }
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;

    #[test]
    fn two_jumps_reach_the_bound_of_the_survey() {
        // At most n = 2m² + 2m + 1 switches are within m hops of a switch. For m from 1 to 5, n is 5, 13, 25, 41 and 61. For any number of
        // switches, the diameter is the smallest m whose n is at least this number.
        for (switches, diameter) in [(5, 1), (13, 2), (25, 3), (41, 4), (61, 5), (42, 5), (60, 5), (62, 6)] {
            let (_, member) = families::member(&format!("circulant:switches={switches}")).unwrap();
            assert_eq!(member.expect().diameter, Diameter::Exactly(diameter), "{switches}");
            assert_eq!(double_loop(switches), diameter);
        }
        // For 41 and for 60 switches, no other two jumps give a smaller diameter.
        for (switches, best) in [(41, 4), (60, 5)] {
            for a in 1..=switches / 2 {
                for b in a + 1..=switches / 2 {
                    if divisor(divisor(switches, a), b) == 1 {
                        let of = Circulant { switches, jumps: vec![a, b], concentration: 1 };
                        let Diameter::Exactly(diameter) = of.expect().diameter else { panic!("{switches}") };
                        assert!(diameter >= best, "{switches}: {a}, {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_average_path_length_of_the_densest_double_loop_is_its_closed_form() {
        // Each graph of this test has n = 2m² + 2m + 1 switches and the jumps m and m + 1. For every d from 1 to m, exactly 4d switches are
        // d hops away from a given switch.
        for m in [2u64, 3, 7, 20] {
            let switches = 2 * m * m + 2 * m + 1;
            let (_, member) = families::member(&format!("circulant:switches={switches}")).unwrap();
            let each: u64 = (1..=m).map(|distance| distance * 4 * distance).sum();
            assert_eq!(member.expect().hops, Hops::Exactly(u128::from(each * switches)));
        }
    }
}
