//! Values with units in specs of this crate, read within bounds.

use std::ops::RangeInclusive;

use tulle_spec::{Arguments, SpecError};

pub(crate) use tulle_spec::units::{write_bytes as bytes, write_duration as duration, write_rate as rate};

pub(crate) const MICROSECOND: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000_000 * MICROSECOND;

/// The parameter `name` in picoseconds, where it is given.
pub(crate) fn read_duration(
    arguments: &Arguments,
    name: &str,
    legal: RangeInclusive<u64>,
) -> Result<Option<u64>, SpecError> {
    let value = arguments.duration(name)?;
    within(arguments, name, value, &legal, duration)
}

/// The parameter `name` in bits per second, where it is given.
pub(crate) fn read_rate(
    arguments: &Arguments,
    name: &str,
    legal: RangeInclusive<u64>,
) -> Result<Option<u64>, SpecError> {
    let value = arguments.rate(name)?;
    within(arguments, name, value, &legal, rate)
}

/// The parameter `name` in bytes, where it is given.
pub(crate) fn read_bytes(
    arguments: &Arguments,
    name: &str,
    legal: RangeInclusive<u64>,
) -> Result<Option<u64>, SpecError> {
    let value = arguments.bytes(name)?;
    within(arguments, name, value, &legal, bytes)
}

/// The parameter `name`, `yes` or `no`.
pub(crate) fn read_choice(arguments: &Arguments, name: &str, default: bool) -> Result<bool, SpecError> {
    Ok(arguments.word(name, &["yes", "no"])?.map_or(default, |word| word == "yes"))
}

/// The word for a choice.
pub(crate) fn choice(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

fn within(
    arguments: &Arguments,
    name: &str,
    value: Option<u64>,
    legal: &RangeInclusive<u64>,
    text: impl Fn(u64) -> String,
) -> Result<Option<u64>, SpecError> {
    match value {
        Some(value) if !legal.contains(&value) => {
            let given = arguments.text(name).unwrap_or_default();
            let legal = format!("legal: {} to {}", text(*legal.start()), text(*legal.end()));
            Err(arguments.bad(name, given, "is out of range", legal))
        }
        value => Ok(value),
    }
}
