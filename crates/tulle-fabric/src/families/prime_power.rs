//! Reading parameters that must be prime powers.

use std::ops::RangeInclusive;

use crate::gf;
use tulle_spec::{Arguments, SpecError};

/// A prime power in `range` that must be given.
///
/// # Errors
/// [`SpecError::Missing`], or [`SpecError::Value`] with the range or the nearest prime powers.
pub fn required(arguments: &Arguments, parameter: &str, range: RangeInclusive<u32>) -> Result<u32, SpecError> {
    let bounds = u64::from(*range.start())..=u64::from(*range.end());
    let value = arguments.required_integer(parameter, bounds)? as u32;
    match gf::prime_power(value) {
        Some(_) => Ok(value),
        None => Err(arguments.bad(parameter, value, "is not a prime power", nearest(value, range, 0))),
    }
}

/// `nearest 5, 7`: the prime powers of `range` around `value`, each plus `offset`.
pub fn nearest(value: u32, range: RangeInclusive<u32>, offset: u32) -> String {
    let orders = gf::nearest_prime_powers(value, range);
    let orders: Vec<String> = orders.into_iter().map(|order| (order + offset).to_string()).collect();
    format!("nearest {}", orders.join(", "))
}
