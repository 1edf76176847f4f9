//! Parses a spec with the help of the [`Info`] of the plug-in that the spec names.

use std::ops::RangeInclusive;

use crate::{DefaultValue, Field, Info, NESTED, Parameter, Raw, SpecError, did_you_mean};

/// The arguments of a spec. Every key is a parameter of the plug-in's [`Info`] and occurs at most once.
#[derive(Debug, Clone)]
pub struct Arguments {
    info: &'static Info,
    values: Vec<(&'static str, String)>,
    nested: Option<String>,
}

impl Arguments {
    /// Returns the plug-in name in `spec`: the part before the colon.
    ///
    /// # Errors
    /// Returns [`SpecError::Syntax`] if the name is empty or has characters other than letters, digits, dashes and underscores, or if the
    /// spec contains a control character.
    pub fn name(spec: &str) -> Result<&str, SpecError> {
        // Error messages quote the spec and its values in one line, so specs must not contain control characters.
        if spec.contains(char::is_control) {
            return Err(syntax(&spec.escape_debug().to_string(), "it contains a control character"));
        }
        let name = spec.split(':').next().unwrap_or_default();
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(legal) {
            return Err(syntax(spec, "it does not start with a name"));
        }
        Ok(name)
    }

    /// Parses `spec`. Its name must be the name of the plug-in that `info` describes.
    ///
    /// # Errors
    /// Returns [`SpecError::Syntax`], or [`SpecError::UnknownParameter`] if `info` does not list a key of the spec.
    pub fn parse(info: &'static Info, spec: &str) -> Result<Self, SpecError> {
        Self::name(spec)?;
        let rest = spec.split_once(':').map(|(_, rest)| rest);
        let mut arguments = Self { info, values: Vec::new(), nested: None };
        match rest {
            None => {}
            Some("") => return Err(syntax(spec, "nothing follows the colon")),
            Some(rest) if info.nested => arguments.nested = Some(rest.to_owned()),
            Some(rest) => {
                let value = rest.split_once(',').map_or(rest, |(value, _)| value);
                if let (false, [first, ..]) = (value.is_empty() || value.contains(['=', '"']), info.parameters) {
                    let problem = format!("'{value}' is not key=value (did you mean {}={value}?)", first.name);
                    return Err(syntax(spec, &problem));
                }
                for (key, value) in pairs(spec, rest)? {
                    arguments.add(spec, &key, value)?;
                }
            }
        }
        Ok(arguments)
    }

    /// Parses options that are given as pairs of a name and a text. Each name must be a parameter of `info`.
    ///
    /// # Errors
    /// Returns [`SpecError::UnknownParameter`], or [`SpecError::Syntax`] if a name is given twice.
    pub fn of(info: &'static Info, options: impl IntoIterator<Item = (String, String)>) -> Result<Self, SpecError> {
        let mut arguments = Self { info, values: Vec::new(), nested: None };
        for (name, value) in options {
            arguments.add(info.name, &name, value)?;
        }
        Ok(arguments)
    }

    fn add(&mut self, spec: &str, key: &str, value: String) -> Result<(), SpecError> {
        let names: Vec<&str> = self.info.parameters.iter().map(|p| p.name).collect();
        let Some(parameter) = self.info.parameter(key) else {
            let hint = if names.is_empty() { "it takes none".to_owned() } else { did_you_mean(key, &names) };
            return Err(SpecError::UnknownParameter { name: self.info.name, parameter: key.to_owned(), value, hint });
        };
        if self.values.iter().any(|(name, _)| *name == parameter.name) {
            let alias =
                if key == parameter.name { String::new() } else { format!("; {key}= means {}=", parameter.name) };
            return Err(syntax(spec, &format!("{}= is given twice{alias}", parameter.name)));
        }
        self.values.push((parameter.name, value));
        Ok(())
    }

    /// Returns the whole spec that follows the colon, if the plug-in takes another spec instead of parameters.
    ///
    /// # Errors
    /// Returns [`SpecError::Syntax`] if the spec has no colon.
    pub fn nested(&self) -> Result<&str, SpecError> {
        self.nested.as_deref().ok_or_else(|| {
            let example = self.info.examples.first().copied().unwrap_or(self.info.name);
            syntax(self.info.name, &format!("another spec must follow its colon, for example {example}"))
        })
    }

    /// Returns the text of a parameter as the user gave it; `None` if it is not given.
    pub fn text(&self, parameter: &str) -> Option<&str> {
        debug_assert!(self.info.parameters.iter().any(|p| p.name == parameter), "{parameter} is not declared");
        self.values.iter().find(|(name, _)| *name == parameter).map(|(_, value)| value.as_str())
    }

    /// Returns whether the parameter was given.
    pub fn has(&self, parameter: &str) -> bool {
        self.text(parameter).is_some()
    }

    /// Returns the parsed value of a parameter; `None` if it is not given.
    ///
    /// # Errors
    /// Returns [`SpecError::Value`] with the legal range, if the value is not legal.
    pub fn given<F: Field>(&self, parameter: &str) -> Result<Option<F>, SpecError> {
        let Some(text) = self.text(parameter) else { return Ok(None) };
        self.declared(parameter).read(text).map(Some).map_err(|why| self.bad(parameter, text, &why.problem, why.legal))
    }

    /// Returns the value of a parameter. If the user did not give it, returns its fixed default. An optional parameter without a fixed
    /// default gives `None`.
    ///
    /// # Errors
    /// Returns [`SpecError::Missing`] if the parameter is not given, has no fixed default and is not optional. Returns
    /// [`SpecError::Value`] with the legal range, if the value is not legal.
    pub fn get<F: Field>(&self, parameter: &str) -> Result<F, SpecError> {
        if let Some(value) = self.given(parameter)? {
            return Ok(value);
        }
        let declared = self.declared(parameter);
        match declared.default {
            DefaultValue::Literal(text) => {
                declared.read(text).map_err(|why| self.bad(parameter, text, &why.problem, why.legal))
            }
            DefaultValue::Derived(_) => F::absent().ok_or_else(|| self.missing(parameter)),
            DefaultValue::Required => Err(self.missing(parameter)),
        }
    }

    /// Returns every parameter in order, with the value that the user gave, or with its default. Plug-ins use this method if they do not
    /// store parameters in fields.
    ///
    /// # Errors
    /// Returns [`SpecError::Missing`] if a parameter is not given and its default is not a fixed text. Returns [`SpecError::Value`] with
    /// the legal range, if a value is not legal.
    pub fn values(&self) -> Result<Vec<(&'static Parameter, Raw)>, SpecError> {
        let value = |declared: &'static Parameter| {
            let default = match declared.default {
                DefaultValue::Literal(text) => Some(text),
                DefaultValue::Derived(_) | DefaultValue::Required => None,
            };
            let text = self.text(declared.name).or(default).ok_or_else(|| self.missing(declared.name))?;
            let raw = declared.kind.read(text);
            raw.map(|raw| (declared, raw)).map_err(|why| self.bad(declared.name, text, &why.problem, why.legal))
        };
        self.info.parameters.iter().map(value).collect()
    }

    /// Returns the whole spec that follows the colon, if `parameter` is [`NESTED`]; otherwise the value of the parameter or its default.
    #[doc(hidden)]
    pub fn field<F: Field>(&self, parameter: &str) -> Result<F, SpecError> {
        if parameter == NESTED {
            let spec = Raw::Text(self.nested()?.to_owned());
            return F::from_raw(spec).map_err(|why| self.bad(parameter, "", why, ""));
        }
        self.get(parameter)
    }

    /// Checks a value whose legal range depends on other values.
    ///
    /// # Errors
    /// Returns [`SpecError::Value`] with `range`, if the value is outside `range`.
    pub fn check(&self, parameter: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), SpecError> {
        if range.contains(&value) {
            return Ok(());
        }
        let kind = self.declared(parameter).kind;
        let text = |value| kind.write(Raw::Integer(value)).to_string();
        let legal = format!("legal: {} to {}", text(*range.start()), text(*range.end()));
        Err(self.bad(
            parameter,
            self.text(parameter).map_or_else(|| text(value), str::to_owned),
            "is out of range",
            legal,
        ))
    }

    /// Calls [`Arguments::given`], then [`Arguments::check`] with the value.
    ///
    /// # Errors
    /// Returns the errors of [`Arguments::given`] and [`Arguments::check`].
    pub fn given_within(&self, parameter: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, SpecError> {
        let value = self.given(parameter)?;
        value.map_or(Ok(()), |value| self.check(parameter, value, range))?;
        Ok(value)
    }

    /// Returns the declaration of a parameter.
    ///
    /// # Panics
    /// Panics if the plug-in does not declare this parameter.
    pub fn declared(&self, parameter: &str) -> &'static Parameter {
        self.info.parameter(parameter).unwrap_or_else(|| panic!("{}: {parameter} is not declared", self.info.name))
    }

    /// Returns the error for a value that is well-formed, but invalid for this plug-in.
    pub fn bad(&self, parameter: &str, value: impl ToString, problem: &str, legal: impl Into<String>) -> SpecError {
        SpecError::Value {
            name: self.info.name.to_owned(),
            parameter: parameter.to_owned(),
            value: value.to_string(),
            problem: problem.to_owned(),
            legal: legal.into(),
        }
    }

    /// Returns the error for values that are legal one by one, but not in combination.
    pub fn clash(&self, values: impl Into<String>, problem: impl Into<String>, legal: impl Into<String>) -> SpecError {
        SpecError::Combination {
            name: self.info.name.to_owned(),
            values: values.into(),
            problem: problem.into(),
            legal: legal.into(),
        }
    }

    /// Returns the error for a missing required parameter.
    pub fn missing(&self, parameter: &str) -> SpecError {
        SpecError::Missing {
            name: self.info.name,
            parameter: parameter.to_owned(),
            example: self.info.examples.first().copied().unwrap_or(self.info.name).to_owned(),
        }
    }
}

fn syntax(spec: &str, problem: &str) -> SpecError {
    SpecError::Syntax { spec: spec.to_owned(), problem: problem.to_owned() }
}

/// Returns the name in `spec`, and its keys with their values. The function does not check that the name and the keys exist.
///
/// # Errors
/// Returns [`SpecError::Syntax`] if the text does not have the form `name:key=value,key=value`.
pub fn split(spec: &str) -> Result<(String, Vec<(String, String)>), SpecError> {
    let name = Arguments::name(spec)?.to_owned();
    let arguments = match spec.split_once(':') {
        None => Vec::new(),
        Some((_, "")) => return Err(syntax(spec, "nothing follows the colon")),
        Some((_, rest)) => pairs(spec, rest)?,
    };
    Ok((name, arguments))
}

/// Splits a text like `a=1,b="x,y"` into pairs of key and value. Inside quotes, two quotes in a row stand for one quote.
fn pairs(spec: &str, text: &str) -> Result<Vec<(String, String)>, SpecError> {
    let mut result: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    loop {
        let in_quotes = || {
            let part = rest.split([',', '"']).next().unwrap_or(rest);
            match result.last() {
                Some((key, value)) if looks_like_path(value) || looks_like_path(part) => {
                    format!(" (quotes enclose a value with a comma: {key}=\"{value},{part}\")")
                }
                _ => String::new(),
            }
        };
        let Some((key, after)) = rest.split_once('=') else {
            return Err(syntax(spec, &format!("'{rest}' is not key=value{}", in_quotes())));
        };
        if key.is_empty() || key.contains([',', '"', ':']) {
            return Err(syntax(spec, &format!("'{key}' is not a parameter name{}", in_quotes())));
        }
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => unquote(spec, quoted)?,
            None => match after.find(',') {
                Some(comma) => (after[..comma].to_owned(), &after[comma..]),
                None => (after.to_owned(), ""),
            },
        };
        if value.is_empty() {
            return Err(syntax(spec, &format!("{key}= has no value")));
        }
        result.push((key.to_owned(), value));
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(result),
            None => return Err(syntax(spec, &format!("'{after}' follows a closing quote"))),
        }
    }
}

/// Whether a text looks like a path or a file name, and not like a number.
fn looks_like_path(text: &str) -> bool {
    let has_suffix =
        text.rsplit_once('.').is_some_and(|(_, suffix)| suffix.starts_with(|c: char| c.is_ascii_alphabetic()));
    text.contains('/') || has_suffix
}

fn unquote<'a>(spec: &str, text: &'a str) -> Result<(String, &'a str), SpecError> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let Some((part, after)) = rest.split_once('"') else {
            return Err(syntax(spec, "a quote is not closed"));
        };
        value.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return Ok((value, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::*;
    use crate::{Parameter, Parameters, Value};

    static INFO: Info = Info {
        name: "thing",
        aliases: &[],
        summary: "a thing",
        parameters: &[
            Parameter { name: "q", alias: "quantity", kind: integer(1, 9), ..Parameter::NONE },
            Parameter { name: "path", kind: path("a file"), ..Parameter::NONE },
        ],
        nested: false,
        paper: "",
        limitations: "",
        examples: &["thing:q=3"],
        rejects: &[],
    };

    #[test]
    fn quoted_values_round_trip() {
        let parameters = Parameters::new().with("q", Value::Integer(3)).word("path", "a,\"b\".csv");
        let spec = parameters.spec("thing");
        let arguments = Arguments::parse(&INFO, &spec).unwrap();
        assert_eq!(arguments.text("path"), Some("a,\"b\".csv"));
        assert_eq!(arguments.get::<u64>("q").unwrap(), 3);
    }

    #[test]
    fn errors_are_one_line_and_name_the_value() {
        for (spec, fragment) in [
            ("thing:", "nothing follows"),
            ("thing:q", "'q' is not key=value (did you mean q=q?); a spec reads"),
            ("thing:q,p=5", "'q' is not key=value (did you mean q=q?); a spec reads"),
            ("thing:q=5,p", "'p' is not key=value; a spec reads"),
            (
                "thing:path=a,b/c.csv",
                "'b/c.csv' is not key=value (quotes enclose a value with a comma: path=\"a,b/c.csv\")",
            ),
            (
                "thing:path=a,b.csv,q=3",
                "is not a parameter name (quotes enclose a value with a comma: path=\"a,b.csv\")",
            ),
            ("thing:q=", "q= has no value"),
            ("thing:q=1,q=2", "q= is given twice; a spec reads"),
            ("thing:q=1,quantity=2", "q= is given twice; quantity= means q=; a spec reads"),
            ("thing:z=1", "unknown parameter 'z=1'"),
            ("thing:path=\"a", "not closed"),
            ("thing:path=\"a\"b", "follows a closing quote"),
            ("thing:path=a\nb", "'thing:path=a\\nb' is not a spec: it contains a control character"),
        ] {
            let error = Arguments::parse(&INFO, spec).unwrap_err().to_string();
            assert!(error.contains(fragment), "{spec}: {error}");
            assert!(!error.contains('\n'));
        }
        let arguments = Arguments::parse(&INFO, "thing:q=12").unwrap();
        let error = arguments.get::<u64>("q").unwrap_err().to_string();
        assert_eq!(error, "thing: q=12 is out of range; legal: 1 to 9");
    }

    #[test]
    fn aliases_name_parameters() {
        let arguments = Arguments::parse(&INFO, "thing:quantity=3").unwrap();
        assert_eq!(arguments.get::<u64>("q").unwrap(), 3);
        let error = Arguments::parse(&INFO, "thing:quantity=12").unwrap().get::<u64>("q").unwrap_err().to_string();
        assert_eq!(error, "thing: q=12 is out of range; legal: 1 to 9");
    }

    #[test]
    fn all_values_are_read_at_once() {
        let arguments = Arguments::parse(&INFO, "thing:path=a,q=3").unwrap();
        let raws: Vec<Raw> = arguments.values().unwrap().into_iter().map(|(_, raw)| raw).collect();
        assert_eq!(raws, [Raw::Integer(3), Raw::Text("a".to_owned())]);
        let error = |spec| Arguments::parse(&INFO, spec).unwrap().values().unwrap_err().to_string();
        assert_eq!(error("thing:q=3"), "thing: needs path=; for example thing:q=3");
        assert_eq!(error("thing:path=a,q=x"), "thing: q=x is not a whole number; legal: 1 to 9");
    }

    #[test]
    fn splits_without_knowing_the_names() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let found = split("any:a=1,b=\"x,y=\"\"2\"").unwrap();
        assert_eq!(found, ("any".to_owned(), vec![pair("a", "1"), pair("b", "x,y=\"2")]));
        assert_eq!(split("any").unwrap(), ("any".to_owned(), vec![]));
        assert!(split("any:").is_err() && split(":a=1").is_err() && split("any:a").is_err());
    }
}
