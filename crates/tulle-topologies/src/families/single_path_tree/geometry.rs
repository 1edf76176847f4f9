//! Points and lines of affine and projective spaces. Any two points lie on exactly one line.

use crate::families::projective::Space;
use crate::gf::Field;

/// Visits every pair of a point and a line through it in the affine space AG(n, q). The digits of a point's number in base q are its n
/// coordinates.
///
/// Lines are sorted by direction; a direction is a point of PG(n − 1, q). Lines of one direction are sorted by their base point. At the
/// position of the direction's first nonzero element, the coordinate of the base point is 0.
pub fn affine(q: u32, dimension: u32, mut visit: impl FnMut(u32, u32)) {
    let field = Field::new(q).expect("the code finds trees only for prime powers q");
    let directions = Space::new(&field, dimension);
    let mut line = 0;
    for direction in 0..directions.num_points() {
        let direction = directions.point(direction);
        let lead = direction.iter().position(|&x| x != 0).expect("a direction has a nonzero coordinate");
        for base in 0..q.pow(dimension) {
            let base = digits(base, q, dimension);
            if base[lead] != 0 {
                continue;
            }
            for t in field.elements() {
                let point = base.iter().zip(&direction).map(|(&b, &d)| field.add(b, field.mul(t, d)));
                visit(point.fold(0, |number, x| number * q + x), line);
            }
            line += 1;
        }
    }
}

/// Visits every pair of a point and a line through it in the projective space PG(n, q).
pub fn projective(q: u32, dimension: u32, mut visit: impl FnMut(u32, u32)) {
    let field = Field::new(q).expect("the code finds trees only for prime powers q");
    let mut line = 0;
    Space::new(&field, dimension + 1).lines(|points| {
        for &point in points {
            visit(point, line);
        }
        line += 1;
    });
}

/// Returns the `length` digits of `number` in base `q`, starting with the highest digit.
fn digits(number: u32, q: u32, length: u32) -> Vec<u32> {
    (0..length).rev().map(|place| number / q.pow(place) % q).collect()
}
