//! Plug-ins written in Python. They declare their parameters, and this module parses their specs like those of Rust plug-ins.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_spec::{Arguments, DefaultValue, Info, Kind, MAX_QUANTITY, Parameter, Parameters, Raw, Value};

use crate::errors::{self, OrRaise};
use crate::registry;

/// The description of a plug-in written in Python. It lives as long as the process, because a plug-in is declared only once, when its
/// module is loaded.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct Declared(&'static Info);

#[pymethods]
impl Declared {
    /// Creates a description from the keys `name`, `summary`, `parameters`, `paper`, `limitations` and `examples`, and from `aliases`, which
    /// may be missing. A parameter has the keys `name`, `kind` (as in [`registry::registered`]), `default` (empty if the parameter is
    /// required) and `help`.
    #[new]
    fn new(py: Python<'_>, entry: &Bound<'_, PyDict>) -> PyResult<Self> {
        let texts: Vec<String> = field(entry, "examples")?;
        let aliases: Vec<String> = entry.get_item("aliases")?.map_or(Ok(Vec::new()), |value| value.extract())?;
        let parameters: Vec<Bound<'_, PyDict>> = field(entry, "parameters")?;
        let parameters: PyResult<Vec<Parameter>> = parameters.iter().map(parameter).collect();
        let info: &'static Info = Box::leak(Box::new(Info {
            name: text(entry, "name")?,
            aliases: aliases.into_iter().map(|alias| &*alias.leak()).collect::<Vec<_>>().leak(),
            summary: text(entry, "summary")?,
            parameters: parameters?.leak(),
            nested: false,
            paper: text(entry, "paper")?,
            limitations: text(entry, "limitations")?,
            examples: texts.into_iter().map(|text| &*text.leak()).collect::<Vec<_>>().leak(),
            rejects: &[],
        }));
        match info.fault() {
            Some(fault) => Err(errors::input(py, &fault)),
            None => Ok(Self(info)),
        }
    }

    /// Returns the description as an entry of the registry.
    fn entry<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        registry::entry(py, self.0)
    }

    /// Returns the canonical form of `spec`, and the values of all parameters.
    fn read<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<(String, Bound<'py, PyDict>)> {
        let arguments = Arguments::parse(self.0, spec).or_raise(py)?;
        let mut canonical = Parameters::new();
        let values = PyDict::new(py);
        for (parameter, mut raw) in arguments.values().or_raise(py)? {
            if let (Kind::Spec(of), Raw::Text(inner)) = (parameter.kind.plain(), &mut raw) {
                *inner = registry::canonical(py, &format!("{of}s"), inner)?;
            }
            let written = parameter.kind.write(raw.clone());
            match (raw, &written) {
                (Raw::Integer(value), _) => values.set_item(parameter.name, value)?,
                (Raw::Real(value), _) => values.set_item(parameter.name, value)?,
                (Raw::Flag(value), _) => values.set_item(parameter.name, value)?,
                (Raw::Sizes(sizes), _) => values.set_item(parameter.name, sizes)?,
                (_, Value::Word(word)) => values.set_item(parameter.name, word)?,
                _ => values.set_item(parameter.name, written.to_string())?,
            }
            canonical = canonical.with(parameter.name, written);
        }
        Ok((canonical.spec(self.0.name), values))
    }
}

fn parameter(declared: &Bound<'_, PyDict>) -> PyResult<Parameter> {
    let default = match text(declared, "default")? {
        "" => DefaultValue::Required,
        text => DefaultValue::Literal(text),
    };
    let (name, kind) = (text(declared, "name")?, kind(&field(declared, "kind")?)?);
    Ok(Parameter { name, kind, default, help: text(declared, "help")?, ..Parameter::NONE })
}

/// Returns the kind that [`registry::registered`] describes as `fields`. The kinds `path`, `text`, `texts`, `specs` and `counts` are not
/// supported.
fn kind(fields: &Bound<'_, PyDict>) -> PyResult<Kind> {
    let ends = |none: u64| -> PyResult<(u64, u64)> {
        let max: Option<u64> = field(fields, "max")?;
        Ok((field(fields, "min")?, max.unwrap_or(none)))
    };
    Ok(match text(fields, "type")? {
        "integer" => ends(u64::MAX).map(|(min, max)| Kind::Integer { min, max })?,
        "duration" => ends(MAX_QUANTITY).map(|(min, max)| Kind::Duration { min, max })?,
        "length" => ends(MAX_QUANTITY).map(|(min, max)| Kind::Length { min, max })?,
        "bytes" => ends(MAX_QUANTITY).map(|(min, max)| Kind::Bytes { min, max })?,
        "rate" => ends(MAX_QUANTITY).map(|(min, max)| Kind::Rate { min, max })?,
        "shape" => ends(u64::MAX).map(|(min, max)| Kind::Shape { min, max })?,
        "number" => Kind::Real { min: field(fields, "min")?, above: field(fields, "above")? },
        "fraction" => Kind::Fraction { zero: !field::<bool>(fields, "above")? },
        "word" => Kind::Word(words(fields)?),
        "flag" => match words(fields)? {
            &[yes, no] => Kind::Flag { yes, no },
            _ => return Err(errors::input(fields.py(), "a flag has two words")),
        },
        "spec" => Kind::Spec(text(fields, "of")?),
        "or" => {
            let other = kind(&field(fields, "kind")?)?;
            Kind::Or { word: text(fields, "word")?, kind: Box::leak(Box::new(other)) }
        }
        other => {
            return Err(errors::input(
                fields.py(),
                &format!("parameters of kind '{other}' are not supported in Python"),
            ));
        }
    })
}

fn words(fields: &Bound<'_, PyDict>) -> PyResult<&'static [&'static str]> {
    let words: Vec<String> = field(fields, "words")?;
    Ok(words.into_iter().map(|word| &*word.leak()).collect::<Vec<_>>().leak())
}

fn text(fields: &Bound<'_, PyDict>, name: &str) -> PyResult<&'static str> {
    Ok(field::<String>(fields, name)?.leak())
}

fn field<'py, T: FromPyObjectOwned<'py>>(fields: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
    let value = fields.get_item(name)?;
    let value = value.ok_or_else(|| errors::input(fields.py(), &format!("a declaration lacks its {name}")))?;
    value.extract().map_err(Into::into)
}
