//! The description of a plug-in, and the search for a plug-in by name.

use crate::{DefaultValue, NESTED, Parameter, SpecError};

/// The description of a plug-in. The spec parser, `tulle list`, the documentation tables and the conformance tests use it.
#[derive(Debug, Clone, Copy)]
pub struct Info {
    /// The name of the plug-in in a spec.
    pub name: &'static str,
    /// Other names by which a spec may name the plug-in. Canonical specs use `name`.
    pub aliases: &'static [&'static str],
    /// A summary of the plug-in, in one line.
    pub summary: &'static str,
    /// The parameters, in the order of the canonical spec.
    pub parameters: &'static [Parameter],
    /// Whether another whole spec follows the colon instead of parameters.
    pub nested: bool,
    /// The source of the plug-in: paper and section.
    pub paper: &'static str,
    /// The limitations of the plug-in: behaviour that it does not model.
    pub limitations: &'static str,
    /// Small legal specs. Error messages show the first one as an example.
    pub examples: &'static [&'static str],
    /// Illegal specs, each with a part of the error message that it must cause.
    pub rejects: &'static [(&'static str, &'static str)],
}

impl Info {
    /// Returns the parameter called `name`, or with the alias `name`; `None` if it does not exist.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.is_called(name))
    }

    /// Returns whether a spec may name the plug-in by `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Checks this description. Every text must be present and be one line, no parameter name may occur twice, and every parameter must be
    /// able to parse its default. Returns a one-line message about the first mistake; `None` if there is none.
    pub fn fault(&self) -> Option<String> {
        let name = self.name;
        for (field, text) in [("summary", self.summary), ("paper", self.paper), ("limitations", self.limitations)] {
            if text.trim().is_empty() || text.contains('\n') || text.contains("  ") {
                return Some(format!("{name}: its {field} is missing, has several lines, or has two spaces in a row"));
            }
        }
        if self.examples.is_empty() {
            return Some(format!("{name}: no examples"));
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            let of = format!("{name}: {}=", parameter.name);
            let others = &self.parameters[..at];
            if others.iter().any(|other| other.is_called(parameter.name) || parameter.is_called(other.name)) {
                return Some(format!("{of} is declared twice"));
            }
            if parameter.help.trim().is_empty() || parameter.help.contains('\n') || parameter.help.contains("  ") {
                return Some(format!("{of} the help text is missing, has several lines, or has two spaces in a row"));
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

/// Returns whether the plug-in takes another whole spec. The only parameter of such a plug-in is [`NESTED`].
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

/// Returns the plug-in called `name` among `entries`.
///
/// # Errors
/// Returns [`SpecError::UnknownName`] with similar registered names, or with all names if none is similar.
pub fn find<'a, T>(
    kind: &'static str,
    name: &str,
    entries: &'a [T],
    info: impl Fn(&T) -> &'static Info,
) -> Result<&'a T, SpecError> {
    if let Some(entry) = entries.iter().find(|entry| info(entry).is_called(name)) {
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
