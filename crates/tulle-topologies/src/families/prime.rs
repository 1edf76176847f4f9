//! Checks that parameters are odd primes.

use tulle_spec::{Arguments, Kind, SpecError};

/// Returns an error unless the `value` of `parameter` is the sum of an odd prime and `offset`.
///
/// # Errors
/// Returns [`SpecError::Value`] with the nearest legal values in the parameter's range.
pub fn check(arguments: &Arguments, parameter: &str, value: u32, offset: u32) -> Result<(), SpecError> {
    let fits = |value: u32| is_odd_prime(value - offset);
    if fits(value) {
        return Ok(());
    }
    let (min, max) = match arguments.declared(parameter).kind {
        Kind::Integer { min, max } => (min as u32, max as u32),
        _ => (3 + offset, u32::MAX),
    };
    let nearest =
        (min..value).rev().find(|&value| fits(value)).into_iter().chain((value..=max).find(|&value| fits(value)));
    let nearest: Vec<String> = nearest.map(|value| value.to_string()).collect();
    let problem =
        if offset == 0 { "is not an odd prime".to_owned() } else { format!("is not an odd prime plus {offset}") };
    Err(arguments.bad(parameter, value, &problem, format!("nearest {}", nearest.join(", "))))
}

/// Returns whether `number` is a prime other than 2.
pub fn is_odd_prime(number: u32) -> bool {
    let divides = |divisor: &u32| number.is_multiple_of(*divisor);
    number > 2
        && number % 2 == 1
        && !(3..).step_by(2).take_while(|divisor| divisor * divisor <= number).any(|d| divides(&d))
}

#[cfg(test)]
mod tests {
    use super::is_odd_prime;

    #[test]
    fn odd_primes_are_recognised() {
        let found: Vec<u32> = (0..40).filter(|&number| is_odd_prime(number)).collect();
        assert_eq!(found, [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]);
    }
}
