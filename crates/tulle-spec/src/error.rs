//! Errors of a spec, each one line with the offending value and the legal range.

/// An error in a spec or in one of its values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text does not follow `name:key=value,key=value`.
    #[error("'{spec}' is not a spec: {problem}; a spec reads name:key=value,key=value")]
    Syntax {
        /// The text as given.
        spec: String,
        /// The reason it is no spec.
        problem: String,
    },
    /// Nothing of that kind has this name.
    #[error("unknown {kind} '{name}'; {hint}")]
    UnknownName {
        /// The kind looked for: `fabric`, `routing`, …
        kind: &'static str,
        /// The name as given.
        name: String,
        /// The legal neighbours.
        hint: String,
    },
    /// The name is known, one of its parameters is not.
    #[error("{name}: unknown parameter '{parameter}={value}'; {hint}")]
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
    /// A value that cannot be read or lies outside its legal range.
    #[error("{name}: {parameter}={value} {problem}; {legal}")]
    Value {
        /// The registered name.
        name: String,
        /// The parameter.
        parameter: String,
        /// The value as given or computed.
        value: String,
        /// The reason it is refused: `is not a prime power`.
        problem: String,
        /// The legal alternative: `nearest 5, 7`.
        legal: String,
    },
    /// Every value is legal alone, together they are not.
    #[error("{name}: {values} {problem}; {legal}")]
    Combination {
        /// The registered name.
        name: String,
        /// The values that clash: `switches=5, degree=3`.
        values: String,
        /// The reason they are refused.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
}
