//! The types of parameters. A type knows how to parse a text, which values are legal, and how to write a value.

use std::fmt;

use crate::units::{self, Unreadable};
use crate::{Raw, Sort, Value};

/// Maximum of a quantity with a unit: 2⁵³ times the smallest unit.
pub const MAX_QUANTITY: u64 = 1 << 53;

/// The type of a parameter's values, with their unit and legal range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number. If the maximum is [`u64::MAX`], there is no upper limit.
    Integer {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A finite number that is at least `min`, or greater than `min` if `above` is true.
    Real {
        /// The limit: the minimum, or the number that a value must exceed.
        min: f64,
        /// Whether the value `min` itself is illegal.
        above: bool,
    },
    /// A fraction of 1, for example `0.6` or `60%`.
    Fraction {
        /// Whether 0 is legal.
        zero: bool,
    },
    /// A duration in picoseconds, for example `50us`. The maximum [`MAX_QUANTITY`] is the limit of all quantities.
    Duration {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A length in millimetres, for example `5m`.
    Length {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A size in bytes, for example `9KB`. The maximum [`MAX_QUANTITY`] is the limit of all quantities.
    Bytes {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A rate in bits per second, for example `40Mbps`.
    Rate {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// One of several words.
    Word(&'static [&'static str]),
    /// One of two words.
    Flag {
        /// The word for `true`.
        yes: &'static str,
        /// The word for `false`.
        no: &'static str,
    },
    /// Several sizes joined by `x`, for example `4x4`.
    Shape {
        /// The minimum of each size.
        min: u64,
        /// The maximum of each size.
        max: u64,
    },
    /// The spec of a plug-in. The string names the kind of the plug-in, for example `fabric`.
    Spec(&'static str),
    /// The path of a file. The string describes the file, for example `a .csv file`.
    Path(&'static str),
    /// A text that only the plug-in parses. The string describes the legal texts.
    Text(&'static str),
    /// Specs of several plug-ins of one kind, one spec per line.
    Specs(&'static str),
    /// Several texts, one per line, that only the plug-in parses. The string describes the legal texts.
    Texts(&'static str),
    /// A whole number for each of several names, with one line `name=number` per name. The string says what the names stand for, for
    /// example `channel class`.
    Counts(&'static str),
    /// A value of kind `kind`, or a word that means "no value".
    Or {
        /// The word that means "no value".
        word: &'static str,
        /// The kind of the values.
        kind: &'static Kind,
    },
}

/// Functions that construct a [`Kind`]. The declarations of parameters use them, for example `integer(1, 255)`.
pub mod kinds {
    use super::{Kind, MAX_QUANTITY};

    /// The maximum of a number without an upper limit.
    pub const ANY: u64 = u64::MAX;

    /// A whole number from `min` to `max`.
    pub const fn integer(min: u64, max: u64) -> Kind {
        Kind::Integer { min, max }
    }

    /// A number above 0.
    pub const fn positive() -> Kind {
        Kind::Real { min: 0.0, above: true }
    }

    /// A number of at least `min`.
    pub const fn real(min: f64) -> Kind {
        Kind::Real { min, above: false }
    }

    /// A fraction above 0 and at most 1.
    pub const fn fraction() -> Kind {
        Kind::Fraction { zero: false }
    }

    /// A fraction from 0 to 1.
    pub const fn chance() -> Kind {
        Kind::Fraction { zero: true }
    }

    /// A duration of 0 or more, up to [`MAX_QUANTITY`].
    pub const fn duration() -> Kind {
        duration_of(0, MAX_QUANTITY)
    }

    /// A duration from `min` to `max` picoseconds.
    pub const fn duration_of(min: u64, max: u64) -> Kind {
        Kind::Duration { min, max }
    }

    /// A size of 1 byte or more.
    pub const fn bytes() -> Kind {
        bytes_of(1, MAX_QUANTITY)
    }

    /// A size from `min` to `max` bytes.
    pub const fn bytes_of(min: u64, max: u64) -> Kind {
        Kind::Bytes { min, max }
    }

    /// A length from `min` to `max` millimetres.
    pub const fn length_of(min: u64, max: u64) -> Kind {
        Kind::Length { min, max }
    }

    /// A rate from `min` to `max` bits per second.
    pub const fn rate_of(min: u64, max: u64) -> Kind {
        Kind::Rate { min, max }
    }

    /// One of `words`.
    pub const fn word(words: &'static [&'static str]) -> Kind {
        Kind::Word(words)
    }

    /// `yes` or `no`.
    pub const fn flag() -> Kind {
        either("yes", "no")
    }

    /// One of two words, of which the first means `true` and the second `false`.
    pub const fn either(yes: &'static str, no: &'static str) -> Kind {
        Kind::Flag { yes, no }
    }

    /// Several sizes joined by `x`, each from `min` to `max`.
    pub const fn shape(min: u64, max: u64) -> Kind {
        Kind::Shape { min, max }
    }

    /// The spec of a plug-in of the kind `of`, for example `fabric`.
    pub const fn spec(of: &'static str) -> Kind {
        Kind::Spec(of)
    }

    /// Specs of several plug-ins of the kind `of`, one spec per line.
    pub const fn specs(of: &'static str) -> Kind {
        Kind::Specs(of)
    }

    /// Several texts, one per line, that only the plug-in parses. `legal` describes the legal texts.
    pub const fn texts(legal: &'static str) -> Kind {
        Kind::Texts(legal)
    }

    /// A whole number for each of several names, with one line `name=number` per name. `of` says what the names stand for, for example
    /// `channel class`.
    pub const fn counts(of: &'static str) -> Kind {
        Kind::Counts(of)
    }

    /// The path of a file. `what` describes the file, for example `a .csv file`.
    pub const fn path(what: &'static str) -> Kind {
        Kind::Path(what)
    }

    /// A text that only the plug-in parses. `legal` describes the legal texts.
    pub const fn text(legal: &'static str) -> Kind {
        Kind::Text(legal)
    }

    /// A value of `kind`, or `word` if there is no value.
    pub const fn or(word: &'static str, kind: &'static Kind) -> Kind {
        Kind::Or { word, kind }
    }
}

impl Kind {
    /// Parses `text` into a value of this kind.
    ///
    /// # Errors
    /// Returns the reason why the text is refused, and the legal values.
    pub fn read(&self, text: &str) -> Result<Raw, Unreadable> {
        let refused = |problem: &str| Unreadable { problem: problem.to_owned(), legal: format!("legal: {self}") };
        let within = |value: u64, min: u64, max: u64| {
            if (min..=max).contains(&value) { Ok(Raw::Integer(value)) } else { Err(refused("is out of range")) }
        };
        match *self {
            Self::Integer { min, max } => {
                let problem = if units::is_whole(text) { "is out of range" } else { "is not a whole number" };
                within(text.parse().map_err(|_| refused(problem))?, min, max)
            }
            Self::Real { min, above } => {
                let value = text.parse::<f64>().ok().filter(|value| !value.is_nan());
                let legal = value.filter(|&value| value.is_finite() && (value > min || !above && value == min));
                legal.map(Raw::Real).ok_or_else(|| match (value, above && min == 0.0) {
                    (Some(f64::INFINITY), _) => refused("is not finite"),
                    (_, true) => refused("is not a positive number"),
                    (None, _) => refused("is not a number"),
                    (Some(_), _) => refused("is out of range"),
                })
            }
            Self::Fraction { zero } => {
                let value = units::fraction(text).ok_or_else(|| refused("is not a fraction"))?;
                if (0.0..=1.0).contains(&value) && (zero || value > 0.0) {
                    Ok(Raw::Real(value))
                } else {
                    Err(refused("is out of range"))
                }
            }
            Self::Duration { min, max } => within(units::duration(text)?, min, max),
            Self::Length { min, max } => within(units::length(text)?, min, max),
            Self::Bytes { min, max } => match units::bytes(text)? {
                0 if min > 0 => Err(refused("is not a size")),
                value => within(value, min, max),
            },
            Self::Rate { min, max } => match units::rate(text)? {
                0 if min > 0 => Err(refused("is not a rate")),
                value => within(value, min, max),
            },
            Self::Word(words) => words
                .iter()
                .find(|&&word| word == text)
                .map(|word| Raw::Word(word))
                .ok_or_else(|| refused("is not a choice")),
            Self::Flag { yes, .. } if text == yes => Ok(Raw::Flag(true)),
            Self::Flag { no, .. } if text == no => Ok(Raw::Flag(false)),
            Self::Flag { .. } => Err(refused("is not a choice")),
            Self::Shape { min, max } => {
                let size = |text: &str| text.parse().ok().filter(|size| (min..=max).contains(size));
                let sizes: Option<Vec<u64>> = text.split('x').map(size).collect();
                sizes.map(Raw::Sizes).ok_or_else(|| refused("is not a shape"))
            }
            Self::Counts(_) => {
                let is_count = |line: &str| {
                    line.split_once('=').is_some_and(|(name, count)| !name.is_empty() && count.parse::<u32>().is_ok())
                };
                match text.lines().find(|line| !is_count(line)) {
                    None => Ok(Raw::Text(text.to_owned())),
                    Some(line) => Err(Unreadable {
                        problem: format!("holds '{}', which is not a count", line.escape_debug()),
                        legal: format!("legal: {self}"),
                    }),
                }
            }
            Self::Spec(_) | Self::Specs(_) | Self::Path(_) | Self::Text(_) | Self::Texts(_) => {
                Ok(Raw::Text(text.to_owned()))
            }
            Self::Or { word, .. } if text == word => Ok(Raw::Absent),
            Self::Or { kind, .. } => kind.read(text).map_err(|mut why| {
                if why.legal.starts_with("legal: ") {
                    why.legal = format!("legal: {self}");
                }
                why
            }),
        }
    }

    /// Returns the text by which canonical specs represent `raw`, a result of [`Kind::read`].
    pub fn write(&self, raw: Raw) -> Value {
        match (self, raw) {
            (Self::Or { kind, .. }, raw) if raw != Raw::Absent => kind.write(raw),
            (Self::Or { word, .. }, _) => Value::Word((*word).to_owned()),
            (Self::Duration { .. }, Raw::Integer(value)) => Value::Word(units::write_duration(value)),
            (Self::Length { .. }, Raw::Integer(value)) => Value::Word(units::write_length(value)),
            (Self::Bytes { .. }, Raw::Integer(value)) => Value::Word(units::write_bytes(value)),
            (Self::Rate { .. }, Raw::Integer(value)) => Value::Word(units::write_rate(value)),
            (Self::Flag { yes, .. }, Raw::Flag(true)) => Value::Word((*yes).to_owned()),
            (Self::Flag { no, .. }, Raw::Flag(false)) => Value::Word((*no).to_owned()),
            (_, Raw::Integer(value)) => Value::Integer(value),
            (_, Raw::Real(value)) => Value::Real(value),
            (_, Raw::Word(word)) => Value::Word(word.to_owned()),
            (_, Raw::Sizes(sizes)) => Value::Shape(sizes),
            (_, Raw::Text(text)) => Value::Word(text),
            (_, Raw::Flag(_) | Raw::Absent) => Value::Word(String::new()),
        }
    }

    /// Returns the type of the values that [`Kind::read`] returns.
    pub const fn sort(&self) -> Sort {
        match self {
            Self::Integer { .. }
            | Self::Duration { .. }
            | Self::Length { .. }
            | Self::Bytes { .. }
            | Self::Rate { .. } => Sort::Integer,
            Self::Real { .. } | Self::Fraction { .. } => Sort::Real,
            Self::Word(_) => Sort::Word,
            Self::Flag { .. } => Sort::Flag,
            Self::Shape { .. } => Sort::Sizes,
            Self::Spec(_) | Self::Specs(_) | Self::Counts(_) | Self::Path(_) | Self::Text(_) | Self::Texts(_) => {
                Sort::Text
            }
            Self::Or { kind, .. } => kind.sort(),
        }
    }

    /// Returns the maximum of a whole number or of a quantity in its smallest unit, or of each size of a shape; 0 for all other kinds.
    pub const fn max(&self) -> u64 {
        match self {
            Self::Integer { max, .. }
            | Self::Duration { max, .. }
            | Self::Length { max, .. }
            | Self::Bytes { max, .. }
            | Self::Rate { max, .. }
            | Self::Shape { max, .. } => *max,
            Self::Or { kind, .. } => kind.max(),
            _ => 0,
        }
    }

    /// Returns the minimum and the maximum of a whole number or of a quantity in its smallest unit; `None` for all other kinds.
    pub const fn range(&self) -> Option<(u64, u64)> {
        match self {
            Self::Integer { min, max }
            | Self::Duration { min, max }
            | Self::Length { min, max }
            | Self::Bytes { min, max }
            | Self::Rate { min, max } => Some((*min, *max)),
            Self::Or { kind, .. } => kind.range(),
            _ => None,
        }
    }

    /// Returns this kind without the word that means "no value".
    pub const fn plain(&self) -> &Self {
        match self {
            Self::Or { kind, .. } => kind.plain(),
            kind => kind,
        }
    }
}

/// Writes the legal values in words.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { min, max: u64::MAX } => write!(f, "{min} or more"),
            Self::Integer { min, max } => write!(f, "{min} to {max}"),
            Self::Real { min, above: true } => write!(f, "any number above {min}"),
            Self::Real { min, above: false } => write!(f, "any number of at least {min}"),
            Self::Fraction { zero: false } => f.write_str("above 0 and at most 1, or a percentage"),
            Self::Fraction { zero: true } => f.write_str("0 to 1 or 0% to 100%"),
            Self::Duration { min: 0, max: MAX_QUANTITY } => f.write_str("a duration, for example 500ns, 1us or 10ms"),
            Self::Duration { min: 1, max: MAX_QUANTITY } => f.write_str("above 0, for example 500ns, 1us or 10ms"),
            Self::Duration { min, max: MAX_QUANTITY } => write!(f, "{} or more", units::write_duration(*min)),
            Self::Duration { min, max } => {
                write!(f, "{} to {}", units::write_duration(*min), units::write_duration(*max))
            }
            Self::Length { min, max } => write!(f, "{} to {}", units::write_length(*min), units::write_length(*max)),
            Self::Bytes { min: 1, max: MAX_QUANTITY } => f.write_str("1 byte or more"),
            Self::Bytes { min, max } => write!(f, "{} to {}", units::write_bytes(*min), units::write_bytes(*max)),
            Self::Rate { min, max } => write!(f, "{} to {}", units::write_rate(*min), units::write_rate(*max)),
            Self::Word(words) => f.write_str(&words.join(", ")),
            Self::Flag { yes, no } => write!(f, "{yes}, {no}"),
            Self::Shape { min, max: u64::MAX } => write!(f, "sizes joined by x, each {min} or more"),
            Self::Shape { min, max } => write!(f, "sizes joined by x, each {min} to {max}"),
            Self::Spec(of) => write!(f, "the spec of any {of}"),
            Self::Specs(of) => write!(f, "specs of any {of}"),
            Self::Counts(of) => write!(f, "a whole number for each {of}, as name=number"),
            Self::Path(what) => write!(f, "the path of {what}"),
            Self::Text(legal) | Self::Texts(legal) => f.write_str(legal),
            Self::Or { word, kind } => write!(f, "{kind}, or {word}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::kinds::*;
    use super::*;

    const ALL: Kind = or("all", &integer(1, 9));

    #[test]
    fn values_read_are_written_back() {
        for (kind, text) in [
            (integer(3, 256), "19"),
            (duration(), "10ms"),
            (duration_of(0, 1_000_000), "0"),
            (length_of(0, 1_000_000), "250cm"),
            (bytes(), "9KB"),
            (rate_of(1000, 1_000_000_000_000), "40Mbps"),
            (fraction(), "0.6"),
            (word(&["a", "b"]), "b"),
            (flag(), "no"),
            (shape(2, 9), "3x4"),
            (path("a file"), "a.csv"),
            (ALL, "all"),
            (ALL, "9"),
        ] {
            assert_eq!(kind.write(kind.read(text).unwrap()).to_string(), text, "{kind:?}");
        }
    }

    #[test]
    fn illegal_values_are_refused_with_the_legal_ones() {
        for (kind, text, refusal) in [
            (integer(3, 256), "2", "is out of range; legal: 3 to 256"),
            (integer(1, ANY), "0", "is out of range; legal: 1 or more"),
            (integer(3, 256), "x", "is not a whole number; legal: 3 to 256"),
            (integer(3, 256), "4.5", "is not a whole number; legal: 3 to 256"),
            (integer(3, 256), "-1", "is out of range; legal: 3 to 256"),
            (integer(3, ANY), "99999999999999999999", "is out of range; legal: 3 or more"),
            (integer(3, 256), "-", "is not a whole number; legal: 3 to 256"),
            (ALL, "-1", "is out of range; legal: 1 to 9, or all"),
            (positive(), "-1", "is not a positive number; legal: any number above 0"),
            (positive(), "inf", "is not finite; legal: any number above 0"),
            (positive(), "nan", "is not a positive number; legal: any number above 0"),
            (real(0.0), "inf", "is not finite; legal: any number of at least 0"),
            (real(0.0), "nan", "is not a number; legal: any number of at least 0"),
            (real(1.0), "0.5", "is out of range; legal: any number of at least 1"),
            (fraction(), "0", "is out of range; legal: above 0 and at most 1, or a percentage"),
            (duration_of(1_000_000, 1_000_000_000_000), "1ns", "is out of range; legal: 1us to 1s"),
            (duration(), "5", "has no unit; did you mean 5us or 5ns?"),
            (length_of(0, 1000), "5m", "is out of range; legal: 0 to 1m"),
            (bytes(), "0", "is not a size; legal: 1 byte or more"),
            (flag(), "maybe", "is not a choice; legal: yes, no"),
            (shape(2, 9), "3x1", "is not a shape; legal: sizes joined by x, each 2 to 9"),
            (ALL, "some", "is not a whole number; legal: 1 to 9, or all"),
        ] {
            let Unreadable { problem, legal } = kind.read(text).unwrap_err();
            assert_eq!(format!("{problem}; {legal}"), refusal);
        }
    }
}
