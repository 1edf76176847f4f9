//! Finite fields GF(p^m), stored as tables of powers and logarithms.
//!
//! Elements of a field are numbers. For a prime order q, element `i` is the residue `i` mod q. For q = p^m, the base-p digits of the number
//! are the coefficients of a polynomial, with the lowest coefficient in the lowest digit. Polynomials are reduced modulo the monic
//! irreducible polynomial of degree m with the smallest number. The primitive element is the one with the smallest number. Both choices are
//! deterministic, so a field is the same in every run. See Lidl, Niederreiter: *Finite Fields*, ch. 1–2.

mod polynomial;

use std::ops::{Range, RangeInclusive};

use polynomial::Residues;

/// The maximum order of a [`Field`]. The two tables of a field take 12 bytes per element.
pub const MAX_ORDER: u32 = 1 << 20;

/// The finite field of `order` = p^m elements. The elements are numbered `0..order`; element 0 is zero and element 1 is one.
///
/// ```
/// let field = tulle_topologies::gf::Field::new(9).expect("9 is a prime power");
/// assert_eq!(field.add(5, 4), 6); // (2 + x) + (1 + x) = 2x over GF(3)
/// assert_eq!(field.mul(field.primitive(), field.inverse(field.primitive()).unwrap()), 1);
/// assert!(tulle_topologies::gf::Field::new(6).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    characteristic: u32,
    degree: u32,
    order: u32,
    /// The power ξ^e of the primitive element for every e below 2(q − 1). The sum of two logarithms can thus be used as an index without
    /// reduction modulo q − 1.
    powers: Vec<u32>,
    /// The logarithm of each element to base ξ, the primitive element. The entry of element 0 is never read.
    logarithms: Vec<u32>,
}

impl Field {
    /// Returns the field of `order` elements, or `None` if `order` is not a prime power or exceeds [`MAX_ORDER`].
    pub fn new(order: u32) -> Option<Self> {
        if order > MAX_ORDER {
            return None;
        }
        let (characteristic, degree) = prime_power(order)?;
        let residues = Residues::new(characteristic, degree);
        let primitive = residues.smallest_primitive();
        let group = order as usize - 1;
        let mut powers = Vec::with_capacity(2 * group);
        let mut logarithms = vec![0; order as usize];
        let mut element = 1;
        for exponent in 0..group {
            powers.push(element);
            logarithms[element as usize] = exponent as u32;
            element = residues.product(element, primitive);
        }
        powers.extend_from_within(..);
        Some(Self { characteristic, degree, order, powers, logarithms })
    }

    /// The number of elements, q = p^m.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// The characteristic, p.
    pub fn characteristic(&self) -> u32 {
        self.characteristic
    }

    /// Returns the exponent m of the order p^m.
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// All elements.
    pub fn elements(&self) -> Range<u32> {
        0..self.order
    }

    /// Returns the primitive element ξ: the element with the smallest number whose powers are all elements except 0.
    pub fn primitive(&self) -> u32 {
        self.power(1)
    }

    /// ξ to the power of `exponent`.
    pub fn power(&self, exponent: u64) -> u32 {
        self.powers[(exponent % u64::from(self.order - 1)) as usize]
    }

    /// Returns the exponent `e` in `0..q − 1` with ξ^e = `a`, where ξ is the primitive element; `None` if `a` is 0.
    pub fn logarithm(&self, a: u32) -> Option<u32> {
        (a != 0).then(|| self.logarithms[a as usize])
    }

    /// `a` + `b`.
    pub fn add(&self, a: u32, b: u32) -> u32 {
        self.digitwise(a, b, |a, b| (a + b) % self.characteristic)
    }

    /// `a` − `b`.
    pub fn sub(&self, a: u32, b: u32) -> u32 {
        self.digitwise(a, b, |a, b| (a + self.characteristic - b) % self.characteristic)
    }

    /// −`a`.
    pub fn negative(&self, a: u32) -> u32 {
        self.sub(0, a)
    }

    /// `a` · `b`.
    pub fn mul(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.powers[(self.logarithms[a as usize] + self.logarithms[b as usize]) as usize]
    }

    /// 1 / `a`; `None` for 0.
    pub fn inverse(&self, a: u32) -> Option<u32> {
        self.logarithm(a).map(|logarithm| self.powers[(self.order - 1 - logarithm) as usize])
    }

    fn digitwise(&self, a: u32, b: u32, of: impl Fn(u32, u32) -> u32) -> u32 {
        match (self.characteristic, self.degree) {
            (_, 1) => of(a, b),
            (2, _) => a ^ b,
            (p, degree) => {
                let (mut a, mut b, mut place, mut result) = (a, b, 1, 0);
                for _ in 0..degree {
                    result += of(a % p, b % p) * place;
                    (a, b, place) = (a / p, b / p, place * p);
                }
                result
            }
        }
    }
}

/// Returns the prime p and the exponent m with `q` = p^m, or `None` if `q` is not a prime power.
pub fn prime_power(q: u32) -> Option<(u32, u32)> {
    match prime_factors(q)[..] {
        [prime] => {
            // q has only one prime factor, so repeated division by this factor ends at 1.
            let exponent = std::iter::successors(Some(q), |rest| (rest / prime > 1).then_some(rest / prime)).count();
            Some((prime, exponent as u32))
        }
        _ => None,
    }
}

/// Returns the largest prime power below `q` and the smallest prime power above `q`, if they are in `range`. Error messages suggest these
/// values instead of `q`.
pub fn nearest_prime_powers(q: u32, range: RangeInclusive<u32>) -> Vec<u32> {
    let is_one = |&candidate: &u32| prime_power(candidate).is_some();
    let below = (*range.start()..q.min(range.end().saturating_add(1))).rev().find(is_one);
    let above = (q.saturating_add(1).max(*range.start())..=*range.end()).find(is_one);
    below.into_iter().chain(above).collect()
}

/// Returns the distinct prime factors of `number` in ascending order; empty for 0 and 1.
fn prime_factors(number: u32) -> Vec<u32> {
    let mut rest = number;
    let mut primes = Vec::new();
    let mut candidate = 2u32;
    while u64::from(candidate).pow(2) <= u64::from(rest) {
        if rest.is_multiple_of(candidate) {
            primes.push(candidate);
            while rest.is_multiple_of(candidate) {
                rest /= candidate;
            }
        }
        candidate += 1;
    }
    if rest > 1 {
        primes.push(rest);
    }
    primes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ORDERS: [u32; 30] = [
        2, 3, 4, 5, 7, 8, 9, 11, 16, 25, 27, 32, 49, 64, 81, 89, 121, 125, 128, 243, 256, 343, 512, 729, 1024, 2187,
        6561, 16807, 65521, 65536,
    ];

    fn field_and_elements() -> impl Strategy<Value = (Field, [u32; 3])> {
        prop::sample::select(ORDERS.to_vec()).prop_flat_map(|order| {
            let field = Field::new(order).unwrap();
            (Just(field), [0..order, 0..order, 0..order])
        })
    }

    proptest! {
        #[test]
        fn the_axioms_of_a_field_hold((field, [a, b, c]) in field_and_elements()) {
            let (add, mul) = (|a, b| field.add(a, b), |a, b| field.mul(a, b));
            prop_assert!(add(a, b) < field.order() && mul(a, b) < field.order());
            prop_assert_eq!(add(a, b), add(b, a));
            prop_assert_eq!(mul(a, b), mul(b, a));
            prop_assert_eq!(add(add(a, b), c), add(a, add(b, c)));
            prop_assert_eq!(mul(mul(a, b), c), mul(a, mul(b, c)));
            prop_assert_eq!(mul(a, add(b, c)), add(mul(a, b), mul(a, c)));
            prop_assert_eq!((add(a, 0), mul(a, 1), mul(a, 0)), (a, a, 0));
            prop_assert_eq!((add(a, field.negative(a)), field.sub(add(a, b), b)), (0, a));
            match field.inverse(a) {
                Some(inverse) => prop_assert_eq!(mul(a, inverse), 1),
                None => prop_assert_eq!(a, 0),
            }
            // The map a → a^p (Frobenius map) is additive only if the tables of addition and multiplication agree with each other.
            let frobenius = |a| (1..field.characteristic()).fold(a, |power, _| mul(power, a));
            prop_assert_eq!(frobenius(add(a, b)), add(frobenius(a), frobenius(b)));
        }

        #[test]
        fn prime_fields_are_residues(order in prop::sample::select(vec![2u32, 3, 5, 89, 251, 65521]), a: u32, b: u32) {
            let field = Field::new(order).unwrap();
            let (a, b) = (a % order, b % order);
            prop_assert_eq!(field.add(a, b), (a + b) % order);
            prop_assert_eq!(u64::from(field.mul(a, b)), u64::from(a) * u64::from(b) % u64::from(order));
        }
    }

    #[test]
    fn the_primitive_element_is_the_smallest() {
        for order in ORDERS.into_iter().filter(|&order| order <= 1024) {
            let field = Field::new(order).unwrap();
            let generated = |element: u32| {
                let powers = std::iter::successors(Some(1), |&power| Some(field.mul(power, element)));
                powers.skip(1).take_while(|&power| power != 1).count() as u32 + 1
            };
            assert_eq!(
                field.elements().skip(1).find(|&a| generated(a) == order - 1),
                Some(field.primitive()),
                "{order}"
            );
            assert_eq!(field.logarithm(field.power(u64::from(order))), Some(1 % (order - 1)));
        }
        assert_eq!([5, 7, 13, 23].map(|q| Field::new(q).unwrap().primitive()), [2, 3, 2, 5]);
    }

    #[test]
    fn digits_are_coefficients() {
        // Over GF(2), x² + x + 1 is the only irreducible quadratic polynomial. Over GF(3), x² + 1 is the smallest irreducible quadratic
        // polynomial, if the coefficients are read as the digits of a number.
        assert_eq!(Field::new(4).unwrap().mul(2, 2), 3);
        let nine = Field::new(9).unwrap();
        assert_eq!((nine.mul(3, 3), nine.mul(4, 4), nine.add(8, 1)), (2, 6, 6));
    }

    #[test]
    fn prime_powers_are_recognised() {
        let up_to = |last| (0..=last).filter(|&q| prime_power(q).is_some()).collect::<Vec<u32>>();
        assert_eq!(up_to(32), [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
        assert_eq!((prime_power(65536), prime_power(2187)), (Some((2, 16)), Some((3, 7))));
        assert_eq!((prime_power(u32::MAX), prime_power(4_294_967_291)), (None, Some((4_294_967_291, 1))));
        assert!(Field::new(MAX_ORDER).is_some());
        assert!(Field::new(1_048_583).is_none(), "a prime above the largest order");
    }

    #[test]
    fn the_nearest_prime_powers_stay_in_range() {
        assert_eq!(nearest_prime_powers(6, 3..=256), [5, 7]);
        assert_eq!(nearest_prime_powers(1, 3..=256), [3]);
        assert_eq!(nearest_prime_powers(300, 3..=256), [256]);
        assert_eq!(nearest_prime_powers(u32::MAX, 3..=10), [9]);
        assert!(nearest_prime_powers(6, 6..=6).is_empty());
    }
}
