//! The PolarFly topology: Erdős–Rényi polarity graphs, which have diameter two.

use super::prime_power;
use super::projective::Space;
use crate::design::{Candidates, Largest, orders, with_half_the_degree};
use crate::gf::Field;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// The polarity graph ER_q. Its switches are the points of the projective plane PG(2, q). Two switches are connected if their points
    /// are orthogonal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PolarFly(arguments) {
        /// order q of the field; network radix k' = q + 1
        q: u32 = integer(2, 256), note "a prime power";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌈(q + 1)/2⌉" { (q + 1).div_ceil(2) };
    }
    check {
        prime_power::check(arguments, "q", q, 0)?;
    }
    name: "polarfly",
    summary: "PolarFly: polarity graph of diameter 2 with q² + q + 1 switches, which approaches the Moore bound for \
        large q",
    paper: "Lakhotia et al.: PolarFly (SC22)",
    limitations: "The q + 1 quadrics (switches whose points are orthogonal to themselves) have one unused port. The \
        family polarfly-extended builds the expansions.",
    examples: ["polarfly:q=3", "polarfly:q=2", "polarfly:q=4,p=0", "polarfly:q=5,p=1", "polarfly:q=8", "polarfly:q=9"],
    rejects: [
        ("polarfly", "needs q="),
        ("polarfly:q=1", "q=1 is out of range; legal: 2 to 256"),
        ("polarfly:q=10", "q=10 is not a prime power; nearest 9, 11"),
    ],
}

impl Family for PolarFly {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let of = |q: u64| wanted.with_endpoints(&format!("polarfly:q={q}"), q * q + q + 1, wanted.radix - 1);
        orders().flat_map(of).collect()
    });
    const LARGEST: Option<Largest> =
        Some(|radix| orders().flat_map(|q| with_half_the_degree(&format!("polarfly:q={q}"), q + 1, radix)).collect());

    fn expect(&self) -> Expect {
        let q = u64::from(self.q);
        let switches = q * q + q + 1;
        let cables = q * (q + 1) * (q + 1) / 2;
        Expect {
            switches,
            endpoints: switches * u64::from(self.concentration),
            cables,
            network_radix: q + 1,
            concentration: u64::from(self.concentration),
            radix: q + 1 + u64::from(self.concentration),
            diameter: Diameter::Exactly(2),
            hops: Hops::diameter_two(switches, cables),
        }
    }

    /// Switches are the points (x, y, z) whose first nonzero element is 1, numbered in lexicographic order.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let field = Field::new(self.q).expect("the check of the parameters accepts only prime powers");
        let plane = Space::new(&field, 3);
        let mut builder = FabricBuilder::new(plane.num_points());
        polarity(&field, |a, b| {
            if a != b {
                builder.cable(a, b);
            }
        });
        builder.coordinates(&["x", "y", "z"], |switch| plane.point(switch));
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

/// Visits every pair of orthogonal points once, as point numbers `a` ≤ `b`. These pairs are the edges of the polarity graph ER_q. A
/// quadric, which is a point orthogonal to itself, is visited as `a` = `b`.
pub fn polarity(field: &Field, mut visit: impl FnMut(u32, u32)) {
    let plane = Space::new(field, 3);
    for a in 0..plane.num_points() {
        orthogonal(field, &plane.point(a), |[x, y, z]| {
            let b = plane.number(&[x, y, z]);
            if a <= b {
                visit(a, b);
            }
        });
    }
}

/// Visits the q + 1 points (x, y, z) with a·x + b·y + c·z = 0.
fn orthogonal(field: &Field, point: &[u32], mut visit: impl FnMut([u32; 3])) {
    let [a, b, c] = [point[0], point[1], point[2]];
    // Visits all points with the given x and y for which s + c·z = 0. If c is not 0, there is exactly one such z. If c is 0, either all z
    // or none satisfy the condition.
    let mut with = |x, y, s| match field.inverse(c) {
        Some(inverse) => visit([x, y, field.mul(field.negative(s), inverse)]),
        None if s == 0 => field.elements().for_each(|z| visit([x, y, z])),
        None => {}
    };
    for y in field.elements() {
        with(1, y, field.add(a, field.mul(b, y)));
    }
    with(0, 1, b);
    if c == 0 {
        visit([0, 0, 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build;
    use tulle_fabric::distances;

    #[test]
    fn switches_are_joined_where_orthogonal() {
        for q in [2, 3, 4, 5, 7, 8, 9, 11] {
            let field = Field::new(q).unwrap();
            let fabric = build(&format!("polarfly:q={q}"), 0).unwrap();
            let points = fabric.coordinates();
            let product = |a, b| {
                let terms = points.of(a).iter().zip(points.of(b)).map(|(&a, &b)| field.mul(a, b));
                terms.fold(0, |sum, term| field.add(sum, term))
            };
            let switches = fabric.num_switches() as u32;
            for a in 0..switches {
                let expected: Vec<u32> = (0..switches).filter(|&b| b != a && product(a, b) == 0).collect();
                assert_eq!(fabric.neighbours(a), expected, "q={q}, switch {a}");
            }
        }
    }

    #[test]
    fn quadrics_are_as_many_as_a_conic_has_points() {
        for q in [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 25, 27, 31, 32] {
            let fabric = build(&format!("polarfly:q={q},p=1"), 0).unwrap();
            let of_degree = |degree| (0..fabric.num_switches() as u32).filter(|&s| fabric.degree(s) == degree).count();
            assert_eq!((of_degree(q), of_degree(q + 1)), (q + 1, q * q), "q={q}");
            assert_eq!(distances::histogram(&fabric).diameter(), Some(2), "q={q}");
        }
    }
}
