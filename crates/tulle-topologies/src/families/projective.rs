//! Points and lines of the projective spaces PG(n, q), computed with coordinates over GF(q).
//!
//! A point is a vector of n + 1 elements whose first nonzero element, the *lead*, is 1. Points are numbered in lexicographic order: number
//! 0 is (0,…,0,1), then the points (0,…,1,z) follow, sorted by z, and so on.

use crate::gf::Field;

/// The projective space PG(n, q). Its points have `length` = n + 1 coordinates.
pub struct Space<'a> {
    field: &'a Field,
    length: u32,
}

impl<'a> Space<'a> {
    /// Returns the space over `field` whose points have `length` coordinates.
    pub fn new(field: &'a Field, length: u32) -> Self {
        Self { field, length }
    }

    /// The number of points, (q^length − 1) / (q − 1).
    pub fn num_points(&self) -> u32 {
        self.first(self.length)
    }

    /// Returns the number of the point with these coordinates. The first nonzero coordinate must be 1.
    pub fn number(&self, point: &[u32]) -> u32 {
        let q = self.field.order();
        let lead = point.iter().position(|&x| x != 0).expect("a point has a nonzero coordinate");
        let rest = &point[lead + 1..];
        self.first(rest.len() as u32) + rest.iter().fold(0, |number, &x| number * q + x)
    }

    /// Returns the coordinates of the point with this number.
    pub fn point(&self, number: u32) -> Vec<u32> {
        let q = self.field.order();
        let free = (0..self.length).rev().find(|&free| self.first(free) <= number).unwrap_or(0);
        let mut rest = number - self.first(free);
        let mut point = vec![0; self.length as usize];
        let lead = (self.length - 1 - free) as usize;
        point[lead] = 1;
        for x in point[lead + 1..].iter_mut().rev() {
            *x = rest % q;
            rest /= q;
        }
        point
    }

    /// Visits every line. A line is given by the numbers of its q + 1 points.
    ///
    /// A line is the row space of a matrix with two rows in reduced form: the rows have their leads at columns i < j, and the first row is
    /// 0 at column j. Lines are sorted by descending i, then descending j, then by the remaining free elements, read as digits.
    pub fn lines(&self, mut visit: impl FnMut(&[u32])) {
        let q = self.field.order();
        let length = self.length as usize;
        let mut line = Vec::with_capacity(q as usize + 1);
        for i in (0..length).rev() {
            for j in (i + 1..length).rev() {
                let free_first: Vec<usize> = (i + 1..length).filter(|&column| column != j).collect();
                let free_second: Vec<usize> = (j + 1..length).collect();
                let free = (free_first.len() + free_second.len()) as u32;
                for choice in 0..q.pow(free) {
                    let (mut first, mut second, mut rest) = (vec![0; length], vec![0; length], choice);
                    (first[i], second[j]) = (1, 1);
                    let mut fill = |row: &mut [u32], columns: &[usize]| {
                        for &column in columns {
                            row[column] = rest % q;
                            rest /= q;
                        }
                    };
                    fill(&mut first, &free_first);
                    fill(&mut second, &free_second);
                    line.clear();
                    line.push(self.number(&second));
                    for t in self.field.elements() {
                        let sum = first.iter().zip(&second).map(|(&a, &b)| self.field.add(a, self.field.mul(t, b)));
                        line.push(self.number(&sum.collect::<Vec<u32>>()));
                    }
                    visit(&line);
                }
            }
        }
    }

    /// Returns the number of points that have fewer than `free` coordinates after the lead (the first nonzero element): (q^free − 1) / (q −
    /// 1).
    fn first(&self, free: u32) -> u32 {
        (0..free).fold(0, |points, _| points * self.field.order() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbered_without_gaps() {
        for (q, length) in [(2, 3), (3, 3), (4, 3), (3, 4), (2, 5)] {
            let field = Field::new(q).unwrap();
            let space = Space::new(&field, length);
            let points: Vec<Vec<u32>> = (0..space.num_points()).map(|number| space.point(number)).collect();
            assert!(points.is_sorted(), "q={q}");
            for (number, point) in points.iter().enumerate() {
                assert_eq!(space.number(point), number as u32);
            }
        }
    }
}
