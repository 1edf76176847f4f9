//! Resolved parameters in canonical order, and their canonical spec.

use crate::{Field, Parameter, Value};

/// The name of the parameter that stands for the whole spec after the colon, in plug-ins that take another spec ([`crate::Info::nested`]).
pub const NESTED: &str = "spec";

/// Resolved parameters in canonical order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters(pub Vec<(&'static str, Value)>);

impl Parameters {
    /// No parameters yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a word.
    pub fn word(self, name: &'static str, word: impl Into<String>) -> Self {
        self.with(name, Value::Word(word.into()))
    }

    /// Adds the value of `field`, which is declared among `parameters` as `name`, unless canonical specs omit it.
    ///
    /// # Panics
    /// If `parameters` has no such name.
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

    /// Returns the canonical spec of `name` with these parameters. If the only parameter is [`NESTED`], this is `name:` and the nested
    /// spec.
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
