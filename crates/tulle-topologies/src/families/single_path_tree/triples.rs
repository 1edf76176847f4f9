//! Steiner triple systems: the constructions of Bose (v = 6t + 3) and Skolem (v = 6t + 1).
//!
//! Both constructions are from Lindner, Rodger: *Design Theory*, ch. 1: points (x, i) with x in a commutative quasigroup and i in Z_3.

/// Visits the incidences of the triple system in which each point lies in `r1` triples, so that v = 1 + 2·r1; r1 mod 3 must not be 2.
pub fn cables(r1: u32, mut visit: impl FnMut(u32, u32)) {
    let mut triple = 0;
    let mut add = |points: [u32; 3]| {
        for point in points {
            visit(point, triple);
        }
        triple += 1;
    };
    let t = r1 / 3;
    if r1 % 3 == 1 {
        // The idempotent quasigroup of order 2t + 1 is half of x + y, because t + 1 is the inverse of 2.
        let n = 2 * t + 1;
        columns(n, n, |x, y| (x + y) * (t + 1) % n, &mut add);
    } else {
        // The half-idempotent quasigroup of order 2t, with one more point, which is joined to the pairs that the quasigroup's diagonal
        // leaves open.
        let n = 2 * t;
        let half = |sum: u32| if sum.is_multiple_of(2) { sum / 2 } else { t + sum / 2 };
        columns(n, t, |x, y| half((x + y) % n), &mut add);
        for x in 0..t {
            for i in 0..3 {
                add([3 * n, i * n + t + x, (i + 1) % 3 * n + x]);
            }
        }
    }
}

/// Adds the triples within the points (x, i) = i·n + x: (x, 0), (x, 1), (x, 2) for x below `idempotent`, and
/// (x, i), (y, i), (x∘y, i + 1) for x < y.
fn columns(n: u32, idempotent: u32, of: impl Fn(u32, u32) -> u32, add: &mut impl FnMut([u32; 3])) {
    for x in 0..idempotent {
        add([x, n + x, 2 * n + x]);
    }
    for x in 0..n {
        for y in x + 1..n {
            for i in 0..3 {
                add([i * n + x, i * n + y, (i + 1) % 3 * n + of(x, y)]);
            }
        }
    }
}
