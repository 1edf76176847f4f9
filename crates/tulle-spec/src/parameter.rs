//! The declaration of a parameter. The parser, canonical specs, lists, the schema and shell completion all use it.

use crate::units::Unreadable;
use crate::{Field, Kind, Value};

/// A parameter of a plug-in.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name of the parameter, which is its key in a spec.
    pub name: &'static str,
    /// Another key by which a spec may give the parameter; empty if there is none. Canonical specs use `name`.
    pub alias: &'static str,
    /// The type of the value, with its unit and legal range.
    pub kind: Kind,
    /// A restriction that the type does not express, in words, for example `a prime power`. Empty if there is none.
    pub note: &'static str,
    /// The default value.
    pub default: DefaultValue,
    /// Whether canonical specs omit the parameter if its value is the default.
    pub implied: bool,
    /// The meaning of the parameter, with the symbol that the paper uses.
    pub help: &'static str,
}

/// The default value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    /// There is no default: a spec must give the parameter.
    Required,
    /// A fixed default, written and parsed like a value in a spec.
    Literal(&'static str),
    /// A default that is computed from other parameters or from the context. The text describes it.
    Derived(&'static str),
}

impl Parameter {
    #[doc(hidden)]
    pub const NONE: Self = Self {
        name: "",
        alias: "",
        kind: Kind::Text(""),
        note: "",
        default: DefaultValue::Required,
        implied: false,
        help: "",
    };

    /// Returns whether a spec may give the parameter by the key `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || (!self.alias.is_empty() && self.alias == name)
    }

    /// Returns the legal values in words, for example `3 to 256; a prime power`.
    pub fn legal(&self) -> String {
        if self.note.is_empty() { self.kind.to_string() } else { format!("{}; {}", self.kind, self.note) }
    }

    /// Returns the default as text; empty if the parameter is required.
    pub fn default_words(&self) -> &'static str {
        match self.default {
            DefaultValue::Required => "",
            DefaultValue::Literal(words) | DefaultValue::Derived(words) => words,
        }
    }

    /// Parses `text` into the Rust type of the field.
    ///
    /// # Errors
    /// Returns the reason why the value is refused, and the legal values.
    pub fn read<F: Field>(&self, text: &str) -> Result<F, Unreadable> {
        let raw = self.kind.read(text).map_err(|why| match self.kind {
            // `self.legal()` includes the note. The note of a parameter of this kind names alternatives to its words.
            Kind::Word(_) => Unreadable { legal: format!("legal: {}", self.legal()), ..why },
            _ => why,
        })?;
        F::from_raw(raw)
            .map_err(|problem| Unreadable { problem: problem.to_owned(), legal: format!("legal: {}", self.kind) })
    }

    /// Returns the value of `field` as the canonical spec writes it; `None` if the canonical spec omits it.
    pub fn write<F: Field>(&self, field: &F) -> Option<Value> {
        let value = match (field.raw(), self.kind) {
            (Some(raw), kind) => kind.write(raw),
            (None, Kind::Or { word, .. }) => Value::Word(word.to_owned()),
            (None, _) => return None,
        };
        match self.default {
            DefaultValue::Literal(text) if self.implied => {
                let usual = self.kind.read(text).ok().map(|raw| self.kind.write(raw));
                (usual.as_ref() != Some(&value)).then_some(value)
            }
            _ => Some(value),
        }
    }
}

/// Returns the total number of parameters in `slices`.
#[doc(hidden)]
pub const fn count(slices: &[&[Parameter]]) -> usize {
    let (mut total, mut at) = (0, 0);
    while at < slices.len() {
        total += slices[at].len();
        at += 1;
    }
    total
}

/// Concatenates the lists of parameters in `slices`.
#[doc(hidden)]
pub const fn flatten<const N: usize>(slices: &[&[Parameter]]) -> [Parameter; N] {
    let mut all = [Parameter::NONE; N];
    let (mut slice, mut to) = (0, 0);
    while slice < slices.len() {
        let mut from = 0;
        while from < slices[slice].len() {
            all[to] = slices[slice][from];
            from += 1;
            to += 1;
        }
        slice += 1;
    }
    all
}

/// Returns the text of a documentation comment without the space at its start.
#[doc(hidden)]
pub const fn documentation(text: &'static str) -> &'static str {
    match text.as_bytes() {
        [b' ', ..] => text.split_at(1).1,
        _ => text,
    }
}
