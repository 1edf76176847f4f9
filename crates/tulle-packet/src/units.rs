//! Values with units in specs of this crate: read within bounds, and written so that they read back to the same.

use std::ops::RangeInclusive;

use tulle_fabric::spec::{Arguments, SpecError};

pub(crate) const MICROSECOND: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000_000 * MICROSECOND;

/// Picoseconds as `50us`: the largest unit that keeps the number whole.
pub(crate) fn duration(picoseconds: u64) -> String {
    let units = [(SECOND, "s"), (SECOND / 1000, "ms"), (MICROSECOND, "us"), (1000, "ns"), (1, "ps")];
    let (size, unit) = units.into_iter().find(|(size, _)| picoseconds.is_multiple_of(*size)).expect("a multiple of 1");
    if picoseconds == 0 { "0".to_owned() } else { format!("{}{unit}", picoseconds / size) }
}

/// Bits per second as `40Mbps`.
pub(crate) fn rate(bits: u64) -> String {
    let units = [(1_000_000_000, "Gbps"), (1_000_000, "Mbps"), (1000, "Kbps"), (1, "bps")];
    let (size, unit) = units.into_iter().find(|(size, _)| bits.is_multiple_of(*size)).expect("a multiple of 1");
    format!("{}{unit}", bits / size)
}

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
    within(arguments, name, value, &legal, |bytes| bytes.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_fabric::spec::units;

    #[test]
    fn texts_read_back() {
        for value in [0, 1, 999, 1000, 50_000_000, 7_200_000_000, 60 * SECOND] {
            assert_eq!(units::duration(&duration(value)), Some(value));
        }
        assert_eq!((duration(50_000_000), duration(1_500_000)), ("50us".to_owned(), "1500ns".to_owned()));
        for value in [1, 1500, 40_000_000, 100_000_000_000] {
            assert_eq!(units::rate(&rate(value)), Some(value));
        }
    }
}
