//! Errors in a spec. Each message is one line with the offending value and the legal range.

use std::borrow::Cow;

/// Maximum number of characters of a value that an error message quotes.
const MOST: usize = 60;

/// Returns a value as an error message quotes it. A long value ends in an ellipsis. A path (a value with a slash and without spaces) is not
/// shortened, because its end, the file name, matters most.
fn brief(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(MOST) {
        Some((end, _)) if !value.contains('/') || value.contains(' ') => format!("{}…", &value[..end]).into(),
        _ => value.into(),
    }
}

/// Returns the start of an error message about the plug-in `name`. `name` is empty if the error is about an option of a simulator.
fn of(name: &str) -> Cow<'_, str> {
    if name.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{name}: ")) }
}

/// An error in a spec or in one of its values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text does not follow `name:key=value,key=value`.
    #[error("'{}' is not a spec: {problem}; a spec reads name:key=value,key=value", brief(spec))]
    Syntax {
        /// The spec as the user gave it.
        spec: String,
        /// The reason why the text is not a spec.
        problem: String,
    },
    /// No registered plug-in of this kind has the given name.
    #[error("unknown {kind} '{}'; {hint}", brief(name))]
    UnknownName {
        /// The kind of the plug-in: `fabric`, `routing`, …
        kind: &'static str,
        /// The name as the user gave it.
        name: String,
        /// A hint: similar names, or all legal names.
        hint: String,
    },
    /// The plug-in exists, but it has no parameter of the given name.
    #[error("{}unknown parameter '{}={}'; {hint}", of(name), brief(parameter), brief(value))]
    UnknownParameter {
        /// The name of the plug-in.
        name: &'static str,
        /// The name of the parameter as the user gave it.
        parameter: String,
        /// The value of the parameter as the user gave it.
        value: String,
        /// A hint: similar parameters, or all legal parameters.
        hint: String,
    },
    /// A required parameter is missing.
    #[error("{name}: needs {parameter}=; for example {example}")]
    Missing {
        /// The name of the plug-in.
        name: &'static str,
        /// The name of the missing parameter.
        parameter: String,
        /// A legal spec, as an example.
        example: String,
    },
    /// A value is malformed or outside its legal range.
    #[error("{}{parameter}={} {problem}; {legal}", of(name), brief(value))]
    Value {
        /// The name of the plug-in.
        name: String,
        /// The name of the parameter.
        parameter: String,
        /// The value as given or computed.
        value: String,
        /// The reason why the value is refused, for example `is not a prime power`.
        problem: String,
        /// The legal values, for example `legal: nearest 5, 7`.
        legal: String,
    },
    /// Each value is legal alone, but the combination of values is not.
    #[error("{name}: {values} {problem}; {legal}")]
    Combination {
        /// The name of the plug-in.
        name: String,
        /// The conflicting values, for example `switches=5, degree=3`.
        values: String,
        /// The reason why the values are refused.
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
