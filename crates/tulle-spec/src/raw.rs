//! The parsed values of parameters, before they are converted to the types of their fields.

/// The value of a parameter, as its [`Kind`](crate::Kind) parses it.
#[derive(Debug, Clone, PartialEq)]
pub enum Raw {
    /// The value of an integer, a duration, a length, a size in bytes, or a rate.
    Integer(u64),
    /// The value of a real number or a fraction.
    Real(f64),
    /// The value of a flag.
    Flag(bool),
    /// One of several words.
    Word(&'static str),
    /// The sizes of a shape.
    Sizes(Vec<u64>),
    /// A spec, a path or another text.
    Text(String),
    /// No value: the word of [`Kind::Or`](crate::Kind::Or).
    Absent,
}

/// The type of a parameter's value. A [`Kind`](crate::Kind) has such a type, and so has a field that holds a value. The declaration of a
/// parameter checks that both types are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Whole numbers, with or without a unit.
    Integer,
    /// Real numbers.
    Real,
    /// True or false.
    Flag,
    /// One of several words.
    Word,
    /// The sizes of a shape.
    Sizes,
    /// Any text.
    Text,
}
