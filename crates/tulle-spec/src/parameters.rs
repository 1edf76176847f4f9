//! The parameters of a plug-in with their final values, and the canonical spec that they form.

use crate::{Field, Parameter, Value};

/// The name of the only parameter of a plug-in that takes another spec ([`crate::Info::nested`]). Its value is the whole spec after the
/// colon.
pub const NESTED: &str = "spec";

/// The parameters of a plug-in with their final values, in the order of the canonical spec.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Parameters(pub Vec<(&'static str, Value)>);

impl Parameters {
    /// Returns an empty list of parameters.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter whose value is a text, for example a word or a path.
    pub fn word(self, name: &'static str, word: impl Into<String>) -> Self {
        self.with(name, Value::Word(word.into()))
    }

    /// Adds the parameter `name` with the value of `field`, unless canonical specs omit the parameter. `parameters` contains its
    /// declaration.
    ///
    /// # Panics
    /// Panics if `parameters` does not contain `name`.
    pub fn field<F: Field>(self, parameters: &'static [Parameter], name: &str, field: &F) -> Self {
        let declared = parameters.iter().find(|parameter| parameter.name == name);
        let declared = declared.unwrap_or_else(|| panic!("{name} is not declared"));
        match declared.write(field) {
            Some(value) => self.with(declared.name, value),
            None => self,
        }
    }

    /// Adds a parameter with any value.
    pub fn with(mut self, name: &'static str, value: Value) -> Self {
        self.0.push((name, value));
        self
    }

    /// Returns the canonical spec of the plug-in `name` with these parameters. If the only parameter is [`NESTED`], the result is `name:`
    /// followed by the nested spec.
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
