//! Units that are part of values: bytes, bits per second, seconds, fractions.

/// Splits `9KB` into `9` and `KB`.
fn split(text: &str) -> Option<(f64, &str)> {
    let at = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number: f64 = text[..at].parse().ok()?;
    number.is_finite().then_some((number, text[at..].trim()))
}

fn scaled(text: &str, units: &[(&str, f64)]) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor = units.iter().find(|(name, _)| *name == unit)?.1;
    let value = number * factor;
    // Beyond 2^53 an f64 no longer counts one by one; a value that cannot be kept exactly is refused, not rounded.
    (value <= 9_007_199_254_740_992.0 && (value - value.round()).abs() < 1e-6).then_some(value.round() as u64)
}

/// Bytes: `1500`, `9KB` (10³), `1MiB` (2²⁰).
pub fn bytes(text: &str) -> Option<u64> {
    scaled(
        text,
        &[
            ("", 1.0),
            ("B", 1.0),
            ("KB", 1e3),
            ("MB", 1e6),
            ("GB", 1e9),
            ("KiB", 1024.0),
            ("MiB", 1_048_576.0),
            ("GiB", 1_073_741_824.0),
        ],
    )
}

/// Bits per second: `100Gbps`, `400Mbps`.
pub fn rate(text: &str) -> Option<u64> {
    scaled(text, &[("bps", 1.0), ("Kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9), ("Tbps", 1e12)])
}

/// Picoseconds: `1us`, `500ns`, `10ms`; `0` needs no unit.
pub fn duration(text: &str) -> Option<u64> {
    if text == "0" {
        return Some(0);
    }
    scaled(text, &[("ps", 1.0), ("ns", 1e3), ("us", 1e6), ("ms", 1e9), ("s", 1e12)])
}

/// A fraction: `0.05` or `5%`.
pub fn fraction(text: &str) -> Option<f64> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_scale() {
        assert_eq!(bytes("9KB"), Some(9_000));
        assert_eq!(bytes("1MiB"), Some(1 << 20));
        assert_eq!(bytes("1.5KiB"), Some(1536));
        assert_eq!(rate("100Gbps"), Some(100_000_000_000));
        assert_eq!(duration("1us"), Some(1_000_000));
        assert_eq!(duration("0"), Some(0));
        assert_eq!(fraction("5%"), Some(0.05));
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(bytes("0.3B"), None);
        assert_eq!(bytes("9XB"), None);
        assert_eq!(bytes("-1"), None);
        assert_eq!(duration("1"), None);
        assert_eq!(rate("100"), None);
        assert_eq!(fraction("NaN"), None);
    }
}
