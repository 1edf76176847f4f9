//! Errors of a spec; each is one line with the offending value and the legal range.

use std::borrow::Cow;

/// Maximum number of characters of a value that an error repeats.
const MOST: usize = 60;

/// Returns a value in the form in which an error quotes it. A long value is cut off with an ellipsis. A path is not, because its end is
/// most informative.
fn brief(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(MOST) {
        Some((end, _)) if !value.contains('/') || value.contains(' ') => format!("{}…", &value[..end]).into(),
        _ => value.into(),
    }
}

/// Returns the beginning of an error about the plug-in `name`. Options of a simulator have no such name.
fn of(name: &str) -> Cow<'_, str> {
    if name.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{name}: ")) }
}

/// An error in a spec or in one of its values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text does not follow `name:key=value,key=value`.
    #[error("'{}' is not a spec: {problem}; a spec reads name:key=value,key=value", brief(spec))]
    Syntax {
        /// The text as given.
        spec: String,
        /// The reason it is no spec.
        problem: String,
    },
    /// No plug-in of this kind has the name.
    #[error("unknown {kind} '{}'; {hint}", brief(name))]
    UnknownName {
        /// The requested kind: `fabric`, `routing`, …
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The legal neighbours.
        hint: String,
    },
    /// A known name with an unknown parameter.
    #[error("{}unknown parameter '{}={}'; {hint}", of(name), brief(parameter), brief(value))]
    UnknownParameter {
        /// The registered name.
        name: &'static str,
        /// The parameter as given.
        parameter: String,
        /// Its value as given.
        value: String,
        /// The legal parameters.
        hint: String,
    },
    /// A parameter without a default is missing.
    #[error("{name}: needs {parameter}=; for example {example}")]
    Missing {
        /// The registered name.
        name: &'static str,
        /// The missing parameter.
        parameter: String,
        /// A legal spec.
        example: String,
    },
    /// A value that is malformed or outside its legal range.
    #[error("{}{parameter}={} {problem}; {legal}", of(name), brief(value))]
    Value {
        /// The registered name.
        name: String,
        /// The parameter.
        parameter: String,
        /// The value as given or computed.
        value: String,
        /// The reason why the value is refused: `is not a prime power`.
        problem: String,
        /// The legal values, for example `nearest 5, 7`.
        legal: String,
    },
    /// Every value is legal alone, but the values are illegal together.
    #[error("{name}: {values} {problem}; {legal}")]
    Combination {
        /// The registered name.
        name: String,
        /// The conflicting values: `switches=5, degree=3`.
        values: String,
        /// The reason they are refused.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_end_in_an_ellipsis() {
        let value = |value: &str| SpecError::Value {
            name: "thing".to_owned(),
            parameter: "q".to_owned(),
            value: value.to_owned(),
            problem: "is wrong".to_owned(),
            legal: "legal: 5".to_owned(),
        };
        let long = "π ".repeat(200);
        assert_eq!(value(&long).to_string(), format!("thing: q={}… is wrong; legal: 5", "π ".repeat(30)));
        let path = format!("{}/x.csv", "folder/".repeat(20));
        assert_eq!(value(&path).to_string(), format!("thing: q={path} is wrong; legal: 5"));
        let name = SpecError::UnknownName { kind: "fabric", name: "x".repeat(61), hint: "legal: none".to_owned() };
        assert_eq!(name.to_string(), format!("unknown fabric '{}…'; legal: none", "x".repeat(60)));
    }
}
