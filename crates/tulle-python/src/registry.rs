//! Registries of plug-ins as plain Python values, and canonical specs.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tulle_fabric::Faults;
use tulle_formats::Described;
use tulle_packet::Config;
use tulle_routing::schemes::scheme;
use tulle_spec::{Arguments, DefaultValue, Info, Kind, MAX_QUANTITY, NESTED, Value};
use tulle_topologies::families::member;
use tulle_traffic::patterns::pattern;

use crate::errors::{self, OrRaise};

/// Returns the [`Info`] of all plug-ins of `kind`; `None` for an unknown kind.
fn infos(kind: &str) -> Option<Vec<&'static Info>> {
    Some(match kind {
        "fabrics" => tulle_topologies::families().iter().map(|entry| entry.info).collect(),
        "routings" => tulle_routing::schemes().iter().map(|entry| entry.info).collect(),
        "deadlocks" => tulle_deadlock::schemes(),
        "traffics" => tulle_traffic::patterns().iter().map(|entry| entry.info).collect(),
        "transports" => tulle_packet::transports(),
        "selectors" => tulle_packet::selectors(),
        "queues" => tulle_packet::queues(),
        "nics" => tulle_packet::nics(),
        "routers" => tulle_flit::routers(),
        "flit-selectors" => tulle_flit::selectors(),
        "policies" => tulle_flit::policies(),
        "flit-traffics" => tulle_flit::traffics(),
        "faults" => tulle_packet::faults(),
        _ => return None,
    })
}

fn unknown(py: Python<'_>, kind: &str) -> PyErr {
    errors::input(py, &format!("nothing is registered under '{kind}'"))
}

/// Returns the plug-ins registered under `kind`, in the order of the registry. Each plug-in is a dictionary.
#[pyfunction]
pub fn registered<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyList>> {
    let infos = infos(kind).ok_or_else(|| unknown(py, kind))?;
    let entries: PyResult<Vec<_>> = infos.into_iter().map(|info| entry(py, info)).collect();
    PyList::new(py, entries?)
}

/// Returns the description of a plug-in as a dictionary.
pub fn entry<'py>(py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyDict>> {
    let parameters = parameters(py, info)?;
    let fields = PyDict::new(py);
    fields.set_item("name", info.name)?;
    fields.set_item("aliases", info.aliases)?;
    fields.set_item("summary", info.summary)?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("nested", info.nested)?;
    fields.set_item("paper", info.paper)?;
    fields.set_item("limitations", info.limitations)?;
    fields.set_item("examples", info.examples)?;
    Ok(fields)
}

/// Returns the parameters of `info`. Each parameter is a dictionary.
pub fn parameters<'py>(py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyList>> {
    let parameters = PyList::empty(py);
    for parameter in info.parameters {
        let fields = PyDict::new(py);
        fields.set_item("name", parameter.name)?;
        fields.set_item("alias", parameter.alias)?;
        fields.set_item("kind", kind_of(py, &parameter.kind)?)?;
        fields.set_item("note", parameter.note)?;
        fields.set_item("legal", parameter.legal())?;
        fields.set_item("default", parameter.default_words())?;
        fields.set_item("derived", matches!(parameter.default, DefaultValue::Derived(_)))?;
        fields.set_item("help", parameter.help)?;
        parameters.append(fields)?;
    }
    Ok(parameters)
}

/// Returns the type of a parameter and its legal range. Numbers are in the smallest unit. `None` means no upper limit.
fn kind_of<'py>(py: Python<'py>, kind: &Kind) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    let ranged = |name: &str, min: u64, max: u64| {
        fields.set_item("type", name)?;
        fields.set_item("min", min)?;
        fields.set_item("max", (max < MAX_QUANTITY).then_some(max))
    };
    match *kind {
        Kind::Integer { min, max } => ranged("integer", min, max)?,
        Kind::Duration { min, max } => ranged("duration", min, max)?,
        Kind::Length { min, max } => ranged("length", min, max)?,
        Kind::Bytes { min, max } => ranged("bytes", min, max)?,
        Kind::Rate { min, max } => ranged("rate", min, max)?,
        Kind::Shape { min, max } => ranged("shape", min, max)?,
        Kind::Real { min, above } => {
            fields.set_item("type", "number")?;
            fields.set_item("min", min)?;
            fields.set_item("above", above)?;
        }
        Kind::Fraction { zero } => {
            fields.set_item("type", "fraction")?;
            fields.set_item("min", 0.0)?;
            fields.set_item("max", 1.0)?;
            fields.set_item("above", !zero)?;
        }
        Kind::Word(words) => {
            fields.set_item("type", "word")?;
            fields.set_item("words", words)?;
        }
        Kind::Flag { yes, no } => {
            fields.set_item("type", "flag")?;
            fields.set_item("words", [yes, no])?;
        }
        Kind::Spec(of) => {
            fields.set_item("type", "spec")?;
            fields.set_item("of", of)?;
        }
        Kind::Specs(of) => {
            fields.set_item("type", "specs")?;
            fields.set_item("of", of)?;
        }
        Kind::Counts(of) => {
            fields.set_item("type", "counts")?;
            fields.set_item("of", of)?;
        }
        Kind::Path(_) => fields.set_item("type", "path")?,
        Kind::Texts(_) => fields.set_item("type", "texts")?,
        Kind::Text(_) => fields.set_item("type", "text")?,
        Kind::Or { word, kind } => {
            fields.set_item("type", "or")?;
            fields.set_item("word", word)?;
            fields.set_item("kind", kind_of(py, kind)?)?;
        }
    }
    Ok(fields)
}

/// Returns the canonical form of `spec` without building anything. `kind` is a kind of plug-ins, `faults` or `faults-in-time`.
///
/// Every parameter is resolved. Transports, queues and selectors have defaults that depend on the link; this function uses the link of the
/// default configuration. For another configuration, [`crate::packet::resolve`] resolves transport, queue and selector together.
#[pyfunction]
pub fn canonical(py: Python<'_>, kind: &str, spec: &str) -> PyResult<String> {
    match kind {
        "fabrics" => {
            let (entry, member) = member(spec).or_raise(py)?;
            Ok(member.parameters().spec(entry.info.name))
        }
        "routings" => {
            let (entry, scheme) = scheme(spec).or_raise(py)?;
            Ok(scheme.parameters().spec(entry.info.name))
        }
        "deadlocks" => tulle_deadlock::canonical(spec).or_raise(py),
        "traffics" => {
            let (entry, pattern) = pattern(spec).or_raise(py)?;
            Ok(pattern.parameters().spec(entry.info.name))
        }
        "faults" => Ok(spec.parse::<Faults>().or_raise(py)?.to_string()),
        "faults-in-time" => {
            let config = Config { faults: vec![spec.to_owned()], ..Config::default() };
            Ok(tulle_packet::resolve(&config).or_raise(py)?.faults.concat())
        }
        "transports" => {
            let config = Config { transport: spec.to_owned(), ..Config::default() };
            Ok(tulle_packet::resolve(&config).or_raise(py)?.transport)
        }
        "selectors" => {
            let config = Config { selector: spec.to_owned(), ..Config::default() };
            Ok(tulle_packet::resolve(&config).or_raise(py)?.selector)
        }
        "queues" => {
            let config = Config { queue: spec.to_owned(), ..Config::default() };
            Ok(tulle_packet::resolve(&config).or_raise(py)?.queue)
        }
        "nics" => {
            let config = Config { nic: spec.to_owned(), ..Config::default() };
            Ok(tulle_packet::resolve(&config).or_raise(py)?.nic)
        }
        "routers" => {
            let config = tulle_flit::Config { router: spec.to_owned(), ..Default::default() };
            Ok(tulle_flit::resolve(&config).or_raise(py)?.router)
        }
        "flit-selectors" => {
            let config = tulle_flit::Config { selector: spec.to_owned(), ..Default::default() };
            Ok(tulle_flit::resolve(&config).or_raise(py)?.selector)
        }
        "flit-traffics" => tulle_flit::canonical_traffic(spec).or_raise(py),
        "policies" => {
            let config = tulle_flit::Config { policy: spec.to_owned(), ..Default::default() };
            Ok(tulle_flit::resolve(&config).or_raise(py)?.policy)
        }
        _ => Err(unknown(py, kind)),
    }
}

/// Returns the name at the start of `spec`.
#[pyfunction]
pub fn spec_name(py: Python<'_>, spec: &str) -> PyResult<String> {
    Arguments::name(spec).map(str::to_owned).or_raise(py)
}

/// Splits `spec` into its name and a list of keys with their values.
#[pyfunction]
pub fn split_spec(py: Python<'_>, spec: &str) -> PyResult<(String, Vec<(String, String)>)> {
    tulle_spec::split(spec).or_raise(py)
}

/// Joins a name, keys and values to a spec. This is the inverse of `split_spec`.
#[pyfunction]
pub fn join_spec(name: &str, arguments: Vec<(String, String)>) -> String {
    let pairs: Vec<String> =
        arguments.into_iter().map(|(key, value)| format!("{key}={}", Value::Word(value))).collect();
    if pairs.is_empty() { name.to_owned() } else { format!("{name}:{}", pairs.join(",")) }
}

/// Returns the file formats of fabrics. Fields: name, description, extensions, whether endpoints are in a separate file, properties that
/// the format cannot represent, and whether tulle can also write it.
#[pyfunction]
pub fn graph_formats(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    let tuple = |Described { word, name, extensions, nodes_beside, lacks, is_written }| {
        (word, name, extensions.to_vec(), nodes_beside, lacks, is_written).into_pyobject(py)
    };
    tulle_formats::described().into_iter().map(tuple).collect()
}

/// Returns the files that the fabric of `spec` is read from.
#[pyfunction]
pub fn input_files(py: Python<'_>, spec: &str) -> PyResult<Vec<String>> {
    let (entry, member) = member(spec).or_raise(py)?;
    let mut files = Vec::new();
    for (name, value) in member.parameters().0 {
        match value {
            Value::Word(inner) if name == NESTED => files.extend(input_files(py, &inner)?),
            Value::Word(path) if is_path(entry.info, name) => files.push(path),
            _ => {}
        }
    }
    Ok(files)
}

/// Returns the files that the traffic of `spec` is read from.
#[pyfunction]
pub fn traffic_files(py: Python<'_>, spec: &str) -> PyResult<Vec<String>> {
    let (entry, pattern) = pattern(spec).or_raise(py)?;
    let values = pattern.parameters().0.into_iter();
    Ok(values.filter(|(name, _)| is_path(entry.info, name)).map(|(_, value)| text(&value)).collect())
}

/// Returns the text of a value, without quotes.
fn text(value: &Value) -> String {
    match value {
        Value::Word(word) => word.clone(),
        other => other.to_string(),
    }
}

/// Returns whether the parameter called `name` is a path.
fn is_path(info: &Info, name: &str) -> bool {
    info.parameter(name).is_some_and(|parameter| matches!(parameter.kind.plain(), Kind::Path(_)))
}
