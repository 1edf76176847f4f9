//! Checks that parameters are prime powers.

use std::ops::RangeInclusive;

use crate::gf;
use tulle_spec::{Arguments, Kind, SpecError};

/// Returns an error unless the `value` of `parameter` is the sum of a prime power and `offset`.
///
/// # Errors
/// Returns [`SpecError::Value`] with the nearest legal values in the parameter's range.
pub fn check(arguments: &Arguments, parameter: &str, value: u32, offset: u32) -> Result<(), SpecError> {
    if gf::prime_power(value - offset).is_some() {
        return Ok(());
    }
    let (min, max) = match arguments.declared(parameter).kind {
        Kind::Integer { min, max } => (min as u32 - offset, max as u32 - offset),
        _ => (2, 256),
    };
    let problem = match offset {
        0 => "is not a prime power".to_owned(),
        _ => format!("is not a prime power plus one ({value}-1={})", value - offset),
    };
    Err(arguments.bad(parameter, value, &problem, nearest(value - offset, min..=max, offset)))
}

/// Returns a text, for example `nearest 5, 7`. It names the nearest prime powers below and above `value` in `range`, each plus `offset`.
fn nearest(value: u32, range: RangeInclusive<u32>, offset: u32) -> String {
    let orders = gf::nearest_prime_powers(value, range);
    let orders: Vec<String> = orders.into_iter().map(|order| (order + offset).to_string()).collect();
    format!("nearest {}", orders.join(", "))
}
