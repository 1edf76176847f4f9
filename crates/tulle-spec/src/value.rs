//! The values of parsed parameters, and their text in canonical specs.

use std::fmt;

/// The value of a parsed parameter. `Display` writes a text that parses to the same value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A fraction or another real number.
    Real(f64),
    /// Sizes per dimension or layer, for example `11x11x11`.
    Shape(Vec<u64>),
    /// A text: a word, a quantity with its unit, a path, or a whole spec.
    Word(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Shape(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                f.write_str(&sizes.join("x"))
            }
            Value::Word(word) if word.contains([',', '"']) => {
                write!(f, "\"{}\"", word.replace('"', "\"\""))
            }
            Value::Word(word) => f.write_str(word),
        }
    }
}
