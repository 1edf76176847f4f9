//! Options of the simulators: conversion of declarations and of option values between Rust and Python.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyString};
use tulle_spec::{DefaultValue, Group, Info, Kind, Parameter, Parameters, Raw, Value};

use crate::errors;
use crate::registry;

/// Returns the declared options of a simulator: `packet`, `flit`, or `exchange`. For `exchange`, these are only the options that flit-level
/// collectives have in addition to the options of `flit`.
#[pyfunction]
pub fn simulator_options<'py>(py: Python<'py>, simulator: &str) -> PyResult<Bound<'py, PyList>> {
    let info: &Info = match simulator {
        "packet" => &tulle_packet::OPTIONS,
        "flit" => &tulle_flit::OPTIONS,
        "exchange" => &tulle_flit::COMPLETION_OPTIONS,
        _ => {
            return Err(errors::input(
                py,
                &format!("simulator={simulator} is not a simulator; legal: packet, flit, exchange"),
            ));
        }
    };
    let options = registry::parameters(py, info)?;
    for (option, parameter) in options.iter().zip(info.parameters) {
        option.set_item("value", default(py, parameter)?)?;
        option.set_item("open_loop", tulle_flit::OPEN_LOOP.contains(&parameter.name) && simulator == "flit")?;
    }
    Ok(options)
}

/// Option values in a Python dictionary: texts, numbers, booleans, lists of texts, and counts by name. `None` stands for the default.
pub struct Options(pub Vec<(String, String)>);

impl FromPyObject<'_, '_> for Options {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let mut options = Vec::new();
        for (name, value) in object.cast::<PyDict>()?.iter() {
            if !value.is_none() {
                options.push((name.extract()?, text(&value)?));
            }
        }
        Ok(Self(options))
    }
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(value) = value.extract::<bool>() {
        return Ok(if value { "yes" } else { "no" }.to_owned());
    }
    if let Ok(list) = value.cast::<PyList>() {
        let line = |item: Bound<'_, PyAny>| match item.extract::<(String, u32)>() {
            Ok((name, count)) => Ok(format!("{}={count}", one_line(&name))),
            Err(_) => Ok(one_line(&item.extract::<String>()?)),
        };
        return Ok(list.iter().map(line).collect::<PyResult<Vec<_>>>()?.join("\n"));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(value.extract::<f64>()?.to_string());
    }
    if let Ok(value) = value.cast::<PyString>() {
        return Ok(one_line(&value.to_string()));
    }
    Ok(value.str()?.to_string())
}

/// Returns the text on one line, with control characters escaped, because error messages repeat it.
fn one_line(text: &str) -> String {
    if text.contains(char::is_control) { text.escape_debug().to_string() } else { text.to_owned() }
}

/// Returns the values of `options` that are specs, by name.
pub fn specs<'py, G: Group>(py: Python<'py>, options: &G) -> PyResult<Bound<'py, PyDict>> {
    let specs = PyDict::new(py);
    let written = options.write(Parameters::new()).0;
    for (name, value) in written {
        let Value::Word(text) = value else { continue };
        match G::PARAMETERS.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.kind) {
            Some(Kind::Spec(_)) => specs.set_item(name, text)?,
            Some(Kind::Specs(_)) => specs.set_item(name, text.lines().collect::<Vec<_>>())?,
            _ => {}
        }
    }
    Ok(specs)
}

/// Returns the default of `parameter` as a Python value. Returns `None` if the default depends on other options, or if it means that the
/// option is unset.
fn default<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Bound<'py, PyAny>> {
    let DefaultValue::Literal(text) = parameter.default else { return Ok(py.None().into_bound(py)) };
    Ok(match (parameter.kind, parameter.kind.read(text)) {
        (_, Err(_) | Ok(Raw::Absent)) => py.None().into_bound(py),
        (Kind::Specs(_) | Kind::Texts(_) | Kind::Counts(_), _) => PyList::empty(py).into_any(),
        (Kind::Integer { .. }, Ok(Raw::Integer(value))) => value.into_pyobject(py)?.into_any(),
        (_, Ok(Raw::Real(value))) => value.into_pyobject(py)?.into_any(),
        (_, Ok(Raw::Flag(value))) => value.into_pyobject(py)?.to_owned().into_any(),
        _ => text.into_pyobject(py)?.into_any(),
    })
}
