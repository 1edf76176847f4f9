//! What is registered, as plain Python values.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tulle_fabric::spec::Info;

use crate::errors::{self, OrRaise};

fn infos(kind: &str) -> Option<Vec<&'static Info>> {
    Some(match kind {
        "fabrics" => tulle_fabric::families().iter().map(|entry| entry.info).collect(),
        _ => return None,
    })
}

/// What is registered under `kind`, in the order of the registry: a dictionary each.
#[pyfunction]
pub fn registered<'py>(py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyList>> {
    let infos = infos(kind).ok_or_else(|| errors::input(py, &format!("nothing is registered under '{kind}'")))?;
    let entries: PyResult<Vec<_>> = infos.into_iter().map(|info| entry(py, info)).collect();
    PyList::new(py, entries?)
}

fn entry<'py>(py: Python<'py>, info: &Info) -> PyResult<Bound<'py, PyDict>> {
    let parameters = PyList::empty(py);
    for parameter in info.parameters {
        let fields = PyDict::new(py);
        fields.set_item("name", parameter.name)?;
        fields.set_item("legal", parameter.legal)?;
        fields.set_item("default", parameter.default)?;
        fields.set_item("help", parameter.help)?;
        parameters.append(fields)?;
    }
    let fields = PyDict::new(py);
    fields.set_item("name", info.name)?;
    fields.set_item("summary", info.summary)?;
    fields.set_item("parameters", parameters)?;
    fields.set_item("nested", info.nested)?;
    fields.set_item("paper", info.paper)?;
    fields.set_item("limitations", info.limitations)?;
    fields.set_item("examples", info.examples)?;
    Ok(fields)
}

/// The canonical spec of a fabric, every parameter resolved, without building it.
#[pyfunction]
pub fn canonical(py: Python<'_>, spec: &str) -> PyResult<String> {
    let (entry, member) = tulle_fabric::families::member(spec).or_raise(py)?;
    Ok(member.parameters().spec(entry.info.name))
}
