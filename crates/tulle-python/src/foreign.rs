//! Lets Rust code read graph files with networkx, which is a Python library.

use std::path::Path;

use pyo3::prelude::*;

/// Returns the graph of a file as networkx JSON, or an error of one line. The function acquires the interpreter's lock, because calls that
/// read files run without it.
pub fn convert(path: &Path, word: &str) -> Result<String, String> {
    Python::attach(|py| {
        let converted =
            py.import("tulle.fabric.foreign").and_then(|module| module.getattr("convert")?.call1((path, word)));
        converted
            .and_then(|json| json.extract())
            .map_err(|error| error.value(py).to_string().replace(['\n', '\r'], " "))
    })
}
