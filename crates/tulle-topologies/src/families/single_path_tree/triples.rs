//! Steiner triple systems of v points. Bose's construction is for v = 6t + 3, and Skolem's construction is for v = 6t + 1.
//!
//! Both constructions come from Lindner, Rodger: *Design Theory*, ch. 1. Their points are (x, i), where x is an element of a commutative
//! quasigroup and i is in Z_3.

/// Calls `visit(point, triple)` for every triple and each of its three points. Each of the v = 1 + 2·r1 points is in `r1` triples. `r1`
/// modulo 3 must not be 2.
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
        // Bose's construction uses the idempotent quasigroup of order 2t + 1: x∘y is half of x + y modulo 2t + 1. The inverse of 2 is t +
        // 1.
        let n = 2 * t + 1;
        columns(n, n, |x, y| (x + y) * (t + 1) % n, &mut add);
    } else {
        // Skolem's construction uses the half-idempotent quasigroup of order 2t and one more point. Only half of the quasigroup's diagonal
        // is idempotent. The triples with the additional point cover the pairs that are missing for this reason.
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

/// Adds triples of points, where point (x, i) has the number i·n + x. For each x below `idempotent`, it adds (x, 0), (x, 1), (x, 2). For
/// each x < y and each i, it adds (x, i), (y, i), (x∘y, i + 1).
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
