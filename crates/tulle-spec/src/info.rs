//! The description of a plug-in, and its look-up by name.

use crate::{DefaultValue, NESTED, Parameter, SpecError};

/// The description of a plug-in. The spec parser, `tulle list`, the documentation tables and the conformance suite use it.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// The name in a spec.
    pub name: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// Parameters in canonical order.
    pub parameters: &'static [Parameter],
    /// Whether another whole spec follows the colon, instead of parameters.
    pub nested: bool,
    /// Source: paper and section.
    pub paper: &'static str,
    /// Limitations: behaviour that the plug-in does not model.
    pub limitations: &'static str,
    /// Small legal specs; the first one is shown as an example.
    pub examples: &'static [&'static str],
    /// Illegal specs, each with a fragment that its one-line error must contain.
    pub rejects: &'static [(&'static str, &'static str)],
}

impl Info {
    /// The parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns the error in the declaration, in one line: a default that its parameter cannot parse, a duplicate name, or a text that is
    /// missing or not one line.
    pub fn fault(&self) -> Option<String> {
        let name = self.name;
        for (field, text) in [("summary", self.summary), ("paper", self.paper), ("limitations", self.limitations)] {
            if text.trim().is_empty() || text.contains('\n') || text.contains("  ") {
                return Some(format!("{name}: its {field} is missing or not one line"));
            }
        }
        if self.examples.is_empty() {
            return Some(format!("{name}: no examples"));
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            let of = format!("{name}: {}=", parameter.name);
            if self.parameters[..at].iter().any(|other| other.name == parameter.name) {
                return Some(format!("{of} is declared twice"));
            }
            if parameter.help.trim().is_empty() || parameter.help.contains('\n') || parameter.help.contains("  ") {
                return Some(format!("{of} its help is missing or not one line"));
            }
            if let DefaultValue::Literal(text) = parameter.default
                && let Err(why) = parameter.kind.read(text)
            {
                return Some(format!("{of}{text} {}; {}", why.problem, why.legal));
            }
        }
        None
    }
}

/// Whether `parameters` consists of the one parameter that stands for a whole spec.
#[doc(hidden)]
pub const fn is_nested(parameters: &[Parameter]) -> bool {
    match parameters {
        [only] => equal(only.name.as_bytes(), NESTED.as_bytes()),
        _ => false,
    }
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the entry called `name` among `entries`.
///
/// # Errors
/// [`SpecError::UnknownName`] with the nearest registered names.
pub fn find<'a, T>(
    kind: &'static str,
    name: &str,
    entries: &'a [T],
    info: impl Fn(&T) -> &'static Info,
) -> Result<&'a T, SpecError> {
    if let Some(entry) = entries.iter().find(|entry| info(entry).name == name) {
        return Ok(entry);
    }
    let names: Vec<&str> = entries.iter().map(|entry| info(entry).name).collect();
    Err(SpecError::UnknownName { kind, name: name.to_owned(), hint: did_you_mean(name, &names) })
}

/// Returns `did you mean a or b?` if names are similar, otherwise `legal: …` with all names.
pub fn did_you_mean(name: &str, names: &[&str]) -> String {
    const NEAR: f64 = 0.75;
    let mut near: Vec<(f64, &str)> = names
        .iter()
        .map(|&candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|&(score, _)| score >= NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    if near.is_empty() {
        return format!("legal: {}", names.join(", "));
    }
    let best: Vec<&str> = near.iter().take(3).map(|&(_, name)| name).collect();
    format!("did you mean {}?", best.join(" or "))
}
