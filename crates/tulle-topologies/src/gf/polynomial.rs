//! Polynomials over Z_p modulo an irreducible polynomial. The code uses their arithmetic to compute the tables of a field.

use super::prime_factors;

/// The coefficients of a polynomial, starting with the lowest. The highest coefficient is not zero.
type Polynomial = Vec<u32>;

/// Residues (remainders) modulo the smallest monic irreducible polynomial of a given degree over Z_p. The base-p digits of a residue's
/// number are its coefficients.
pub(super) struct Residues {
    prime: u32,
    order: u32,
    modulus: Polynomial,
}

impl Residues {
    /// Returns the residues with `degree` coefficients over Z_`prime`. `prime`^`degree` must fit in 31 bits.
    pub(super) fn new(prime: u32, degree: u32) -> Self {
        let order = prime.pow(degree);
        // The monic polynomials of degree m over Z_p have the numbers from p^m to 2·p^m − 1. At least one of them is irreducible.
        let modulus = (order..2 * order)
            .map(|number| digits(number, prime))
            .find(|candidate| is_irreducible(candidate, prime))
            .expect("an irreducible polynomial of every degree exists over every prime field");
        Self { prime, order, modulus }
    }

    /// The product of two residues.
    pub(super) fn product(&self, a: u32, b: u32) -> u32 {
        let (a, b) = (digits(a, self.prime), digits(b, self.prime));
        let mut product = vec![0; (a.len() + b.len()).saturating_sub(1)];
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                product[i + j] = modular(product[i + j], a, b, self.prime);
            }
        }
        reduce(&mut product, &self.modulus, self.prime);
        product.iter().rev().fold(0, |number, &digit| number * self.prime + digit)
    }

    /// Returns the smallest residue whose powers are all residues except 0.
    pub(super) fn smallest_primitive(&self) -> u32 {
        let group = self.order - 1;
        let factors = prime_factors(group);
        let generates = |a: u32| factors.iter().all(|factor| self.power(a, group / factor) != 1);
        (1..self.order).find(|&a| generates(a)).expect("the multiplicative group of a finite field is cyclic")
    }

    fn power(&self, a: u32, exponent: u32) -> u32 {
        let (mut result, mut square, mut rest) = (1, a, exponent);
        while rest > 0 {
            if rest % 2 == 1 {
                result = self.product(result, square);
            }
            square = self.product(square, square);
            rest /= 2;
        }
        result
    }
}

/// Returns whether `polynomial` is irreducible: whether no monic polynomial of degree at least 1 and at most half its degree divides it.
fn is_irreducible(polynomial: &Polynomial, prime: u32) -> bool {
    let degree = polynomial.len() as u32 - 1;
    (1..=degree / 2).flat_map(|degree| prime.pow(degree)..2 * prime.pow(degree)).all(|number| {
        let mut rest = polynomial.clone();
        reduce(&mut rest, &digits(number, prime), prime);
        !rest.is_empty()
    })
}

/// Replaces `polynomial` by its remainder modulo the monic `divisor`.
fn reduce(polynomial: &mut Polynomial, divisor: &[u32], prime: u32) {
    while polynomial.len() >= divisor.len() {
        let top = polynomial[polynomial.len() - 1];
        let shift = polynomial.len() - divisor.len();
        for (i, &coefficient) in divisor.iter().enumerate() {
            polynomial[shift + i] = modular(polynomial[shift + i], prime - top, coefficient, prime);
        }
        trim(polynomial);
    }
    trim(polynomial);
}

fn trim(polynomial: &mut Polynomial) {
    while polynomial.last() == Some(&0) {
        polynomial.pop();
    }
}

/// `sum` + `a`·`b` modulo `prime`.
fn modular(sum: u32, a: u32, b: u32, prime: u32) -> u32 {
    ((u64::from(sum) + u64::from(a) * u64::from(b)) % u64::from(prime)) as u32
}

fn digits(number: u32, base: u32) -> Polynomial {
    let mut digits = Vec::new();
    let mut rest = number;
    while rest > 0 {
        digits.push(rest % base);
        rest /= base;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a theorem of Gauss: there are (1/m) Σ μ(d) p^(m/d) monic irreducible polynomials of degree m, where d runs over the divisors
    /// of m.
    #[test]
    fn irreducible_polynomials_are_as_many_as_gauss_counts() {
        let count = |prime: u32, degree: u32| {
            let order = prime.pow(degree);
            (order..2 * order).filter(|&number| is_irreducible(&digits(number, prime), prime)).count()
        };
        assert_eq!([1, 2, 3, 4, 8].map(|degree| count(2, degree)), [2, 1, 2, 3, 30]);
        assert_eq!([1, 2, 3, 4].map(|degree| count(3, degree)), [3, 3, 8, 18]);
        assert_eq!([1, 2, 3].map(|degree| count(7, degree)), [7, 21, 112]);
    }
}
