//! Resolved parameter values and their canonical text.

use std::fmt;

use crate::{Field, Parameter, units};

/// The value of a parameter once read; `Display` gives text that reads back to the same value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A count or size.
    Integer(u64),
    /// A fraction or factor.
    Real(f64),
    /// Sizes per dimension or layer, as `11x11x11`.
    Shape(Vec<u64>),
    /// One of several words, a path, or a whole spec.
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

/// The parameter that stands for the whole spec after the colon, of names that take one ([`crate::Info::nested`]).
pub const NESTED: &str = "spec";

/// Resolved parameters in canonical order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters(pub Vec<(&'static str, Value)>);

impl Parameters {
    /// No parameters yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an integer.
    pub fn integer(self, name: &'static str, value: impl Into<u64>) -> Self {
        self.with(name, Value::Integer(value.into()))
    }

    /// Adds a real number.
    pub fn real(self, name: &'static str, value: f64) -> Self {
        self.with(name, Value::Real(value))
    }

    /// Adds a shape.
    pub fn shape<T: Copy + Into<u64>>(self, name: &'static str, sizes: &[T]) -> Self {
        self.with(name, Value::Shape(sizes.iter().map(|&size| size.into()).collect()))
    }

    /// Adds a word.
    pub fn word(self, name: &'static str, word: impl Into<String>) -> Self {
        self.with(name, Value::Word(word.into()))
    }

    /// Adds a number of bytes, as `9KB`.
    pub fn bytes(self, name: &'static str, bytes: u64) -> Self {
        self.word(name, units::write_bytes(bytes))
    }

    /// Adds picoseconds, as `50us`.
    pub fn duration(self, name: &'static str, picoseconds: u64) -> Self {
        self.word(name, units::write_duration(picoseconds))
    }

    /// Adds bits per second, as `40Mbps`.
    pub fn rate(self, name: &'static str, bits: u64) -> Self {
        self.word(name, units::write_rate(bits))
    }

    /// Adds the value of `field`, declared among `parameters` as `name`; nothing where canonical specs leave it out.
    ///
    /// # Panics
    /// Where nothing of that name is declared.
    pub fn field<F: Field>(self, parameters: &'static [Parameter], name: &str, field: &F) -> Self {
        let declared = parameters.iter().find(|parameter| parameter.name == name);
        let declared = declared.unwrap_or_else(|| panic!("{name} is not declared"));
        match declared.write(field) {
            Some(value) => self.with(declared.name, value),
            None => self,
        }
    }

    /// Adds any value.
    pub fn with(mut self, name: &'static str, value: Value) -> Self {
        self.0.push((name, value));
        self
    }

    /// The canonical spec of `name` with these parameters; where they are [`NESTED`] alone, `name:` and that spec.
    pub fn spec(&self, name: &str) -> String {
        match self.0.as_slice() {
            [] => return name.to_owned(),
            [(NESTED, Value::Word(spec))] => return format!("{name}:{spec}"),
            _ => {}
        }
        let pairs: Vec<String> = self.0.iter().map(|(key, value)| format!("{key}={value}")).collect();
        format!("{name}:{}", pairs.join(","))
    }
}
