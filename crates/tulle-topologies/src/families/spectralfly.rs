//! The SpectralFly topology: the Ramanujan graphs of Lubotzky, Phillips and Sarnak (LPS).

use super::{prime, vertex_transitive};
use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// The graph LPS(r, q). It is a Cayley graph of the group PSL(2, q) or PGL(2, q) with r + 1 generators.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SpectralFly(arguments) {
        /// network radix k' = r + 1 of LPS(r, q)
        degree "k": u32 = integer(4, 8192), note "an odd prime r plus 1, r not q";
        /// order of the field, above 2√r
        q: u32 = integer(3, 811), note "an odd prime";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌊k'/3⌋" { degree / 3 };
    }
    check {
        prime::check(arguments, "k", degree, 1)?;
        prime::check(arguments, "q", q, 0)?;
        let r = degree - 1;
        if r == q || q * q <= 4 * r {
            let legal = format!("legal: q above 2√{r}, and not {r}");
            return Err(arguments.clash(format!("k={degree}, q={q}"), "give no LPS graph", legal));
        }
    }
    name: "spectralfly",
    summary: "SpectralFly: LPS Ramanujan graph, whose spectral gap is nearly the largest for its degree",
    paper: "Aksoy et al.: SpectralFly (arXiv 2104.11725) §3; Lubotzky, Phillips, Sarnak: Ramanujan graphs (1988)",
    limitations: "The paper's p is called r in tulle, with k = r + 1. If r is not a square modulo q, the graph is \
        bipartite and has q³ − q switches; otherwise it has half as many. With more than 2¹⁹ channels, tulle computes \
        only bounds of the diameter and of the average path length.",
    examples: [
        "spectralfly:k=12,q=7", "spectralfly:k=4,q=5", "spectralfly:k=6,q=7,p=0",
    ],
    rejects: [
        ("spectralfly:q=7", "needs k="),
        ("spectralfly:k=12", "needs q="),
        ("spectralfly:k=13,q=11", "k=13 is not an odd prime plus 1; nearest 12, 14"),
        ("spectralfly:k=12,q=9", "q=9 is not an odd prime; nearest 7, 11"),
        ("spectralfly:k=12,q=5", "k=12, q=5 give no LPS graph; legal: q above 2√11"),
        ("spectralfly:k=12,q=11", "k=12, q=11 give no LPS graph"),
    ],
}

/// A 2 × 2 matrix with the rows (a, b) and (c, d) over GF(q), stored as [a, b, c, d]. Multiples of a matrix count as the same matrix.
type Matrix = [u32; 4];

/// PSL(2, q) or PGL(2, q), with numbered elements.
struct Group {
    q: u32,
    /// Per element of GF(q) its inverse.
    inverses: Vec<u32>,
    /// The determinants that matrices can have after scaling, when their first nonzero element is 1. For PSL(2, q), these are only the
    /// squares.
    determinants: Vec<u32>,
    /// The index of each determinant in `determinants`.
    places: Vec<u32>,
}

impl Group {
    /// Returns the group PGL(2, q), or PSL(2, q) if `special` is set. PSL(2, q) consists of the matrices whose determinants are squares.
    fn new(q: u32, special: bool) -> Self {
        let mut inverses = vec![0; q as usize];
        for a in 1..q {
            if let Some(b) = (1..q).find(|b| a * b % q == 1) {
                inverses[a as usize] = b;
            }
        }
        let determinants: Vec<u32> = (1..q).filter(|&a| !special || is_square(a, q)).collect();
        let mut places = vec![u32::MAX; q as usize];
        (0..).zip(&determinants).for_each(|(place, &determinant)| places[determinant as usize] = place);
        Self { q, inverses, determinants, places }
    }

    /// Returns the number of `matrix` after scaling it so that its first nonzero element is 1. Matrices with a = 1 come first, sorted by b,
    /// c and the determinant. Matrices with a = 0 and b = 1 follow, sorted by the determinant −c, then by d.
    fn number(&self, matrix: Matrix) -> u32 {
        let q = self.q;
        let lead = if matrix[0] == 0 { matrix[1] } else { matrix[0] };
        let [a, b, c, d] = matrix.map(|x| x * self.inverses[lead as usize] % q);
        let count = self.determinants.len() as u32;
        if a == 0 {
            q * q * count + self.places[((q - c) % q) as usize] * q + d
        } else {
            (b * q + c) * count + self.places[((d + q * q - b * c) % q) as usize]
        }
    }

    /// The matrix of that number.
    fn matrix(&self, number: u32) -> Matrix {
        let (q, count) = (self.q, self.determinants.len() as u32);
        if number >= q * q * count {
            let rest = number - q * q * count;
            return [0, 1, (q - self.determinants[(rest / q) as usize]) % q, rest % q];
        }
        let (b, c) = (number / count / q, number / count % q);
        [1, b, c, (self.determinants[(number % count) as usize] + b * c) % q]
    }

    /// The product of two matrices.
    fn product(&self, [a, b, c, d]: Matrix, [e, f, g, h]: Matrix) -> Matrix {
        let q = self.q;
        [(a * e + b * g) % q, (a * f + b * h) % q, (c * e + d * g) % q, (c * f + d * h) % q]
    }
}

fn is_square(a: u32, q: u32) -> bool {
    (1..q).any(|x| x * x % q == a % q)
}

impl SpectralFly {
    /// Returns whether the graph is a Cayley graph of PSL(2, q). This is the case if r is a square modulo q.
    fn is_special(&self) -> bool {
        is_square(self.degree - 1, self.q)
    }

    fn switches(&self) -> u64 {
        let q = u64::from(self.q);
        let all = q * (q * q - 1);
        if self.is_special() { all / 2 } else { all }
    }

    /// Returns the r + 1 generators, which are matrices. Each matrix stands for one way to write r as a sum of the squares of four numbers.
    /// The parity of the first number must differ from the parity of the other three. Two ways that differ only in the sign of all four
    /// numbers count once (SpectralFly Def. 3).
    fn generators(&self) -> Vec<Matrix> {
        let (q, r) = (i64::from(self.q), i64::from(self.degree - 1));
        let (x, y) = (0..q)
            .flat_map(|x| (0..q).map(move |y| (x, y)))
            .find(|(x, y)| (x * x + y * y + 1) % q == 0)
            .expect("−1 is a sum of two squares modulo a prime");
        let root = (1..).take_while(|root| root * root <= r).last().unwrap_or(0);
        let odd = r % 4 == 1;
        let mut found = Vec::new();
        for a0 in 0..=root {
            for a1 in -root..=root {
                for a2 in -root..=root {
                    let rest = r - a0 * a0 - a1 * a1 - a2 * a2;
                    let Some(last) = rest.checked_isqrt().filter(|last| last * last == rest) else { continue };
                    for a3 in if last == 0 { vec![0] } else { vec![-last, last] } {
                        // If r is 1 modulo 4, one of the four numbers is odd and three are even; otherwise one is even and three are odd.
                        // The one number whose parity differs must be the first of the four.
                        let first = (a0 % 2 != 0) == odd && [a1, a2, a3].iter().all(|a| (a % 2 == 0) == odd);
                        let sign = a0 > 0 || [a1, a2, a3].into_iter().find(|&a| a != 0).is_some_and(|a| a > 0);
                        if first && sign {
                            let entries = [
                                a0 + a1 * x + a3 * y,
                                -a1 * y + a2 + a3 * x,
                                -a1 * y - a2 + a3 * x,
                                a0 - a1 * x - a3 * y,
                            ];
                            found.push(entries.map(|entry| entry.rem_euclid(q) as u32));
                        }
                    }
                }
            }
        }
        found
    }

    /// Returns a function that visits the neighbours of a switch.
    fn neighbours(&self) -> impl Fn(u32, &mut dyn FnMut(u32)) {
        let (group, generators) = (Group::new(self.q, self.is_special()), self.generators());
        move |switch, visit| {
            let matrix = group.matrix(switch);
            generators.iter().for_each(|&by| visit(group.number(group.product(matrix, by))));
        }
    }
}

impl Family for SpectralFly {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for degree in (4..wanted.radix.min(8193)).filter(|&degree| prime::is_odd_prime(degree as u32 - 1)) {
            let orders =
                (3..812u64).filter(|&q| prime::is_odd_prime(q as u32) && q + 1 != degree && q * q > 4 * (degree - 1));
            for q in orders {
                let member = format!("spectralfly:k={degree},q={q}");
                // PGL(2, q) has q(q² − 1) elements, and PSL(2, q) has half as many.
                let all = q * (q * q - 1);
                let special = is_square((degree - 1) as u32, q as u32);
                found.extend(wanted.with_endpoints(
                    &member,
                    if special { all / 2 } else { all },
                    wanted.radix - degree,
                ));
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let (switches, degree, concentration) =
            (self.switches(), u64::from(self.degree), u64::from(self.concentration));
        let (diameter, hops) = vertex_transitive::distances(switches, degree, self.neighbours()).unwrap_or_else(|| {
            // This upper bound of the diameter is Theorem 5.1 of Lubotzky, Phillips and Sarnak.
            let most = 2.0 * (switches as f64).ln() / f64::from(self.degree - 1).ln() + 2.0;
            (Diameter::AtMost(most as u32), Hops::regular(switches, degree))
        });
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

    /// Each switch is a matrix whose first nonzero element is 1. Its coordinates are the four elements.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let switches = self.switches() as u32;
        let mut builder = FabricBuilder::new(switches);
        let neighbours = self.neighbours();
        for switch in 0..switches {
            neighbours(switch, &mut |other| {
                if switch < other {
                    builder.cable(switch, other);
                }
            });
        }
        let group = Group::new(self.q, self.is_special());
        builder.coordinates(&["a", "b", "c", "d"], |switch| group.matrix(switch).to_vec());
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build, families};
    use tulle_fabric::distances;

    #[test]
    fn sizes_are_those_of_the_papers() {
        // Sources: LPS(11,7), LPS(23,11), LPS(53,17) and LPS(71,17) are in SpectralFly Table 1. LPS(23,13) with 8 endpoints per router is
        // in PolarStar (arXiv 2302.07217) Table 3. The expected diameters and average path lengths come from a search from every switch.
        for (spec, size, diameter, average) in [
            ("spectralfly:k=12,q=7,p=1", (168, 168, 12), 3, 2.39),
            ("spectralfly:k=24,q=11,p=1", (660, 660, 24), 3, 2.35),
            ("spectralfly:k=24,q=13", (1092, 8736, 24), 3, 2.58),
            ("spectralfly:k=54,q=17,p=1", (2448, 2448, 54), 3, 2.32),
            ("spectralfly:k=72,q=17,p=1", (4896, 4896, 72), 4, 2.61),
        ] {
            let fabric = build(spec, 0).unwrap();
            assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), size, "{spec}");
            let histogram = distances::histogram(&fabric);
            let hops: u128 = (0..).zip(&histogram.pairs).map(|(hops, &count)| hops * u128::from(count)).sum();
            assert_eq!(histogram.diameter(), Some(diameter), "{spec}");
            assert_eq!(
                (hops as f64 / (size.0 * (size.0 - 1)) as f64 * 100.0).round(),
                (average * 100.0f64).round(),
                "{spec}"
            );
            // `expect` searches from one switch only. It must find the same value as a search from every switch, because the graph is
            // vertex-transitive.
            assert_eq!(families::member(spec).unwrap().1.expect().hops, Hops::Exactly(hops), "{spec}");
        }
    }

    #[test]
    fn generators_are_as_many_as_the_degree_and_closed_under_inverses() {
        for (degree, q) in [(4, 5), (6, 7), (8, 11), (12, 7), (14, 17), (18, 13), (20, 23), (24, 13)] {
            let fly = SpectralFly { degree, q, concentration: 1 };
            let generators = fly.generators();
            assert_eq!(generators.len() as u32, degree, "k={degree}, q={q}");
            let group = Group::new(q, fly.is_special());
            let numbers: Vec<u32> = generators.iter().map(|&generator| group.number(generator)).collect();
            for &[a, b, c, d] in &generators {
                let inverse = group.number([d, (q - b) % q, (q - c) % q, a]);
                assert!(numbers.contains(&inverse), "k={degree}, q={q}");
            }
        }
    }

    #[test]
    fn numbers_and_matrices_are_inverse() {
        for (q, special) in [(5, false), (7, true), (11, true)] {
            let group = Group::new(q, special);
            let order = q * (q * q - 1) / if special { 2 } else { 1 };
            assert!((0..order).all(|number| group.number(group.matrix(number)) == number), "q={q}");
        }
    }

    /// Checks that every graph is simple, regular and Ramanujan. A graph is Ramanujan if no eigenvalue except ±k' has an absolute value
    /// above 2√(k' − 1).
    #[test]
    fn graphs_are_ramanujan() {
        for spec in ["spectralfly:k=4,q=5,p=1", "spectralfly:k=6,q=7,p=1", "spectralfly:k=12,q=7,p=1"] {
            let fabric = build(spec, 0).unwrap();
            let (switches, degree) = (fabric.num_switches(), fabric.network_radix() as f64);
            for switch in 0..switches as u32 {
                let mut neighbours = fabric.neighbours(switch).to_vec();
                neighbours.dedup();
                assert_eq!(neighbours.len() as f64, degree, "{spec}: switch {switch}");
            }
            let sides = sides(&fabric);
            // The loop is a power iteration with A², where A is the adjacency matrix, in the space orthogonal to the known eigenvectors.
            // Afterwards, `size` is the largest absolute value of the remaining eigenvalues.
            let mut vector: Vec<f64> = (0..switches).map(|at| ((at * 7919 + 13) % 101) as f64 - 50.0).collect();
            let mut size = 0.0f64;
            for _ in 0..400 {
                for side in &sides {
                    let share = vector.iter().zip(side).map(|(x, s)| x * s).sum::<f64>() / switches as f64;
                    vector.iter_mut().zip(side).for_each(|(x, s)| *x -= share * s);
                }
                let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
                vector.iter_mut().for_each(|x| *x /= length);
                let step = |from: &[f64]| -> Vec<f64> {
                    let sum = |switch: u32| fabric.neighbours(switch).iter().map(|&other| from[other as usize]).sum();
                    (0..switches as u32).map(sum).collect()
                };
                vector = step(&step(&vector));
                size = vector.iter().map(|x| x * x).sum::<f64>().sqrt().sqrt();
            }
            let most = 2.0 * (degree - 1.0).sqrt();
            assert!(size <= most + 1e-9, "{spec}: {size} above {most}");
            assert!(size > 0.7 * most, "{spec}: {size} is far below {most}");
        }
    }

    /// Returns the eigenvectors of the eigenvalues ±k'. The first one is all ones. If the graph is bipartite, the second one is 1 on one
    /// side and −1 on the other side.
    fn sides(fabric: &Fabric) -> Vec<Vec<f64>> {
        let hops = distances::Distances::of(fabric);
        let side: Vec<f64> = hops.row(0).iter().map(|hops| if hops % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let cables = fabric.sources().iter().zip(fabric.targets());
        let bipartite = cables.into_iter().all(|(&a, &b)| side[a as usize] != side[b as usize]);
        let ones = vec![1.0; side.len()];
        if bipartite { vec![ones, side] } else { vec![ones] }
    }
}
