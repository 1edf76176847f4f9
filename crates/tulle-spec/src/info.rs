//! What a registered thing says of itself, and finding it by name.

use crate::SpecError;

/// One parameter of a registered thing.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Parameter {
    /// The key in a spec.
    pub name: &'static str,
    /// Its kind and legal range in words: `prime power ≥ 3`.
    pub legal: &'static str,
    /// The default in words; empty where the parameter must be given.
    pub default: &'static str,
    /// What it means, with its symbol in the paper.
    pub help: &'static str,
}

/// What a registered thing says of itself: the source of the spec reader, `tulle list`, the documentation tables and the
/// cases of the conformance suite.
#[derive(Debug, Clone, Copy, serde::Serialize)]
pub struct Info {
    /// The name in a spec.
    pub name: &'static str,
    /// One line: what it is.
    pub summary: &'static str,
    /// Its parameters, in canonical order.
    pub parameters: &'static [Parameter],
    /// Whether a whole spec follows the colon in place of parameters.
    pub nested: bool,
    /// Where it comes from: paper and section.
    pub paper: &'static str,
    /// What it does not do.
    pub limitations: &'static str,
    /// Small legal specs; the first is the one shown as an example.
    pub examples: &'static [&'static str],
    /// Illegal specs, each with a fragment that its one-line error must hold.
    pub rejects: &'static [(&'static str, &'static str)],
}

/// Finds the entry called `name` among `entries`.
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

/// `did you mean a or b?` for near names, otherwise `legal: …` with all of them.
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
