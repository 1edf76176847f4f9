//! Parses and writes values with units: bytes, bits per second, times, lengths and fractions. Writing a value and parsing the result gives
//! the same value.
//!
//! A size, rate, duration or length without a unit is refused, except 0: tulle does not guess units.

/// The error for a text that is not a quantity. It consists of the problem and a description of the legal texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The problem, for example `is not a size`.
    pub problem: String,
    /// The end of the error message, which describes the legal texts, for example `legal: 1 byte or more`.
    pub legal: String,
}

/// A function that writes a number of the smallest unit as text with a unit.
type WithUnit = fn(u64) -> String;

/// A kind of quantity, for example a size or a rate.
struct Quantity {
    /// The name of the quantity in error messages.
    name: &'static str,
    /// A description of the legal texts, for error messages.
    legal: &'static str,
    /// The units that the user may have meant if the unit is missing, the most likely one first.
    meant: [&'static str; 2],
    /// If a number without a unit is at least this value, the user probably meant the smallest unit. The error message then suggests the
    /// text that the function returns for this number of the smallest unit.
    bare: Option<(f64, WithUnit)>,
    /// The maximum as text, rounded down: 2⁵³ times the smallest unit. Above it, an f64 cannot represent every integer.
    most: &'static str,
    /// Returns the factor from a unit to the smallest unit; `None` for an unknown unit.
    factor: fn(&str) -> Option<f64>,
}

const SIZE: Quantity = Quantity {
    name: "size",
    legal: "1 byte or more, for example 1500B, 9KB or 1MiB",
    meant: ["B", "KB"],
    bare: Some((1e4, |bytes| format!("{bytes}B"))),
    most: "9007TB",
    factor: size_unit,
};
const RATE: Quantity = Quantity {
    name: "rate",
    legal: "above 0, for example 100Gbps or 400Mbps",
    meant: ["Gbps", "Mbps"],
    bare: Some((1e6, write_rate)),
    most: "9007Tbps",
    factor: rate_unit,
};
const DURATION: Quantity = Quantity {
    name: "duration",
    legal: "a number and a unit, for example 500ns, 1us or 10ms",
    meant: ["us", "ns"],
    bare: None,
    most: "9007s",
    factor: duration_unit,
};

const LENGTH: Quantity = Quantity {
    name: "length",
    legal: "a number and a unit, for example 30cm, 5m or 2km",
    meant: ["m", "mm"],
    bare: None,
    most: "9007199254km",
    factor: length_unit,
};

/// Parses a size in bytes, in upper or lower case: `1500B`, `9KB` or `9K` (10³), `1MiB` (2²⁰). `9Kb` is refused, because it means bits.
///
/// # Errors
/// Returns [`Unreadable`] if the text is not a whole number of bytes up to 2⁵³.
pub fn bytes(text: &str) -> Result<u64, Unreadable> {
    SIZE.read(text)
}

/// Parses a rate in bits per second, in upper or lower case: `100Gbps`, `400Mb/s`, `10G`. `10GBps` is refused, because it means bytes.
///
/// # Errors
/// Returns [`Unreadable`] if the text is not a whole number of bits per second up to 2⁵³.
pub fn rate(text: &str) -> Result<u64, Unreadable> {
    RATE.read(text)
}

/// Parses a duration in picoseconds: `1us`, `1.5µs`, `500ns`, `10ms`.
///
/// # Errors
/// Returns [`Unreadable`] if the text is not a whole number of picoseconds up to 2⁵³.
pub fn duration(text: &str) -> Result<u64, Unreadable> {
    DURATION.read(text)
}

/// Parses a length in millimetres: `5m`, `1.5m`, `30cm`, `2km`.
///
/// # Errors
/// Returns [`Unreadable`] if the text is not a whole number of millimetres up to 2⁵³.
pub fn length(text: &str) -> Result<u64, Unreadable> {
    LENGTH.read(text)
}

/// Parses a fraction, for example `0.05` or `5%`.
pub fn fraction(text: &str) -> Option<f64> {
    let value = match text.strip_suffix('%').map(str::trim) {
        // The result is rounded only once, so `5%` gives the same f64 as `0.05`.
        Some(percent) if !percent.contains(['e', 'E']) => format!("{percent}e-2").parse::<f64>().ok()?,
        Some(_) => return None,
        None => text.parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}

/// Writes a fraction as a percentage, for example `5%`.
pub fn write_percent(fraction: f64) -> String {
    let text = fraction.to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let decimals = format!("{decimals:0<2}");
    let digits = format!("{whole}{}", &decimals[..2]);
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("-", digits));
    let digits = match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let rest = if decimals.len() > 2 { format!(".{}", &decimals[2..]) } else { String::new() };
    format!("{sign}{digits}{rest}%")
}

/// Writes a number of bytes in the shortest text that is exact, for example `9KB` or `64KiB`.
pub fn write_bytes(bytes: u64) -> String {
    let units = ["", "K", "M", "G", "T"].iter().zip(0..).flat_map(|(prefix, power)| {
        [(1000u64.pow(power), format!("{prefix}B")), (1024u64.pow(power), format!("{prefix}iB"))]
    });
    let exact = units.filter(|(size, unit)| unit != "iB" && bytes.is_multiple_of(*size));
    let texts = exact.map(|(size, unit)| format!("{}{unit}", bytes / size));
    texts.min_by_key(String::len).unwrap_or_else(|| format!("{bytes}B"))
}

/// Returns whether a text is a whole number of any sign and size. If such a text is refused, the reason is the range, not the form of the
/// text.
pub fn is_whole(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes bits per second, for example `40Mbps`. The unit is the largest one that keeps the number whole.
pub fn write_rate(bits: u64) -> String {
    largest(bits, &[(1_000_000_000_000, "Tbps"), (1_000_000_000, "Gbps"), (1_000_000, "Mbps"), (1000, "Kbps")], "bps")
}

/// Writes picoseconds, for example `50us`. The unit is the largest one that keeps the number whole.
pub fn write_duration(picoseconds: u64) -> String {
    if picoseconds == 0 {
        return "0".to_owned();
    }
    largest(picoseconds, &[(1_000_000_000_000, "s"), (1_000_000_000, "ms"), (1_000_000, "us"), (1000, "ns")], "ps")
}

/// Writes millimetres, for example `5m`. The unit is the largest one that keeps the number whole.
pub fn write_length(millimetres: u64) -> String {
    if millimetres == 0 {
        return "0".to_owned();
    }
    largest(millimetres, &[(1_000_000, "km"), (1000, "m"), (10, "cm")], "mm")
}

fn largest(value: u64, units: &[(u64, &str)], smallest: &str) -> String {
    let (size, unit) = units.iter().copied().find(|(size, _)| value.is_multiple_of(*size)).unwrap_or((1, smallest));
    format!("{}{unit}", value / size)
}

impl Quantity {
    fn read(&self, text: &str) -> Result<u64, Unreadable> {
        let unreadable =
            || Unreadable { problem: format!("is not a {}", self.name), legal: format!("legal: {}", self.legal) };
        let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let number: f64 = text[..at].parse().map_err(|_| unreadable())?;
        let factor = match text[at..].trim() {
            "" if number == 0.0 => 1.0,
            "" => {
                let [likely, other] = self.meant;
                let legal = match self.bare {
                    // A number this large is probably in the smallest unit.
                    Some((least, write)) if number >= least => format!("did you mean {}?", write(number as u64)),
                    _ => format!("did you mean {text}{likely} or {text}{other}?"),
                };
                return Err(Unreadable { problem: "has no unit".to_owned(), legal });
            }
            unit => (self.factor)(unit).ok_or_else(unreadable)?,
        };
        let value = number * factor;
        if value > 9_007_199_254_740_992.0 {
            let legal = format!("legal: at most {}", self.most);
            return Err(Unreadable { problem: "is too large".to_owned(), legal });
        }
        // A value that is not a whole number of the smallest unit is refused, not rounded. The tolerance allows for rounding of f64.
        if (value - value.round()).abs() < 1e-6 { Ok(value.round() as u64) } else { Err(unreadable()) }
    }
}

fn size_unit(unit: &str) -> Option<f64> {
    let small = unit.to_ascii_lowercase();
    // If a unit contains a capital letter, a small `b` in it means bits: Kb, Mb, Gb.
    if unit.contains('b') && unit != small {
        return None;
    }
    match small.strip_suffix('b').unwrap_or(&small) {
        "" => Some(1.0),
        prefix => match prefix.strip_suffix('i') {
            Some(binary) => Some(1024f64.powi(power(binary)?)),
            None => Some(1000f64.powi(power(prefix)?)),
        },
    }
}

fn rate_unit(unit: &str) -> Option<f64> {
    // A capital B means bytes, as in `GBps`.
    if unit.contains('B') {
        return None;
    }
    let small = unit.to_ascii_lowercase();
    let prefix = ["bps", "bit/s", "b/s"].iter().find_map(|suffix| small.strip_suffix(suffix));
    match prefix {
        Some("") => Some(1.0),
        prefix => Some(1000f64.powi(power(prefix.unwrap_or(&small))?)),
    }
}

fn duration_unit(unit: &str) -> Option<f64> {
    match unit {
        "ps" => Some(1.0),
        "ns" => Some(1e3),
        // The prefix may be the micro sign or the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => Some(1e6),
        "ms" => Some(1e9),
        "s" => Some(1e12),
        _ => None,
    }
}

fn length_unit(unit: &str) -> Option<f64> {
    match unit {
        "mm" => Some(1.0),
        "cm" => Some(10.0),
        "m" => Some(1e3),
        "km" => Some(1e6),
        _ => None,
    }
}

/// Returns the exponent that a prefix stands for: 1 for `k`, 2 for `m`, and so on. The base is 1000, or 1024 with `i`.
fn power(prefix: &str) -> Option<i32> {
    ["k", "m", "g", "t"].iter().position(|&known| known == prefix).map(|at| at as i32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(read: Result<u64, Unreadable>) -> String {
        let Unreadable { problem, legal } = read.unwrap_err();
        format!("{problem}; {legal}")
    }

    #[test]
    fn units_scale() {
        for (text, expected) in [("9KB", 9000), ("1M", 1_000_000), ("1MiB", 1 << 20), ("1.5KiB", 1536), ("9kb", 9000)] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["10Gbps", "10gbps", "10G", "10 Gb/s", "10Gbit/s", "10000Mbps", "0.01Tbps"] {
            assert_eq!(rate(text), Ok(10_000_000_000), "{text}");
        }
        for text in ["1.5us", "1.5µs", "1.5μs", "1500ns", "0.0015ms"] {
            assert_eq!(duration(text), Ok(1_500_000), "{text}");
        }
        assert_eq!((duration("0"), bytes("0"), rate("0")), (Ok(0), Ok(0), Ok(0)));
        assert_eq!(fraction("5%"), Some(0.05));
    }

    #[test]
    fn a_bare_number_is_asked_what_it_means() {
        assert_eq!(refused(duration("1")), "has no unit; did you mean 1us or 1ns?");
        assert_eq!(refused(rate("100")), "has no unit; did you mean 100Gbps or 100Mbps?");
        assert_eq!(refused(rate("10000000000.0")), "has no unit; did you mean 10Gbps?");
        assert_eq!(refused(bytes("10000")), "has no unit; did you mean 10000B?");
        assert_eq!(refused(bytes("1500")), "has no unit; did you mean 1500B or 1500KB?");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["0.3B", "9XB", "-1", "", "B", "1Mb", "1Kib", "1e3B", "1.2.3B"] {
            assert_eq!(
                refused(bytes(text)),
                "is not a size; legal: 1 byte or more, for example 1500B, 9KB or 1MiB",
                "{text}"
            );
        }
        for text in ["10GBps", "10GB/s", "bps", "1xbps", "0.1bps"] {
            assert_eq!(refused(rate(text)), "is not a rate; legal: above 0, for example 100Gbps or 400Mbps", "{text}");
        }
        for text in ["1US", "1m", "0.1ps", "us"] {
            assert_eq!(
                refused(duration(text)),
                "is not a duration; legal: a number and a unit, for example 500ns, 1us or 10ms",
                "{text}"
            );
        }
        // Above 2⁵³, an f64 cannot represent every integer.
        assert_eq!(refused(bytes("99999999TB")), "is too large; legal: at most 9007TB");
        assert_eq!(refused(rate("9008Tbps")), "is too large; legal: at most 9007Tbps");
        assert_eq!(refused(duration("13600s")), "is too large; legal: at most 9007s");
        assert_eq!(duration("9007s"), Ok(9_007_000_000_000_000));
        assert_eq!(fraction("NaN"), None);
    }

    #[test]
    fn written_quantities_read_back_and_are_short() {
        for value in [0, 1, 999, 1000, 1024, 7680, 65_536, 375_000, 1_000_000, 1 << 20, 1 << 40, 1_000_000_007] {
            assert_eq!(bytes(&write_bytes(value)), Ok(value));
            assert_eq!(rate(&write_rate(value)), Ok(value));
            assert_eq!(duration(&write_duration(value)), Ok(value));
            assert_eq!(length(&write_length(value)), Ok(value));
        }
        let written = [7680, 65_536, 375_000, 1 << 20, 9000].map(write_bytes);
        assert_eq!(written, ["7680B", "64KiB", "375KB", "1MiB", "9KB"]);
        assert_eq!((write_duration(50_000_000), write_duration(1_500_000)), ("50us".into(), "1500ns".into()));
        for (fraction, text) in
            [(0.05, "5%"), (0.07, "7%"), (1.0, "100%"), (0.0, "0%"), (0.333, "33.3%"), (1e-7, "0.00001%")]
        {
            assert_eq!(write_percent(fraction), text);
        }
        for fraction in [0.1 + 0.2, 1.0 / 3.0, 0.999_999_999_999_999_9, 5e-324] {
            assert_eq!(super::fraction(&write_percent(fraction)), Some(fraction));
        }
        assert_eq!([1500, 50, 5000, 3, 2_000_000].map(write_length), ["150cm", "5cm", "5m", "3mm", "2km"]);
        assert_eq!((write_rate(40_000_000), write_rate(1500)), ("40Mbps".into(), "1500bps".into()));
    }
}
