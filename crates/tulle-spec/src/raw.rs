//! The values that kinds parse and fields hold.

/// A value as its [`Kind`](crate::Kind) parses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Raw {
    /// The value of integers, durations, bytes and rates.
    Integer(u64),
    /// Of real numbers and fractions.
    Real(f64),
    /// Of flags.
    Flag(bool),
    /// Of words.
    Word(&'static str),
    /// Of shapes.
    Sizes(Vec<u64>),
    /// Of specs, paths and texts.
    Text(String),
    /// The word of [`Kind::Or`](crate::Kind::Or).
    Absent,
}

/// The sort of value that a kind parses and a field holds. Both must agree, which is checked where a parameter is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Whole numbers, with or without units.
    Integer,
    /// Numbers.
    Real,
    /// Truth.
    Flag,
    /// One of several words.
    Word,
    /// Sizes of a shape.
    Sizes,
    /// Any text.
    Text,
}
