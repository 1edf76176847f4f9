//! Conversion of errors of the Rust crates to the exceptions of `tulle.errors`.

use pyo3::prelude::*;
use tulle_base::memory::{self, OutOfMemory};
use tulle_spec::SpecError;

/// Creates the exception `name` of `tulle.errors` with `message`.
pub fn raise(py: Python<'_>, name: &str, message: &str) -> PyErr {
    let message = without_number(message);
    let exception = py.import("tulle.errors").and_then(|module| module.getattr(name)?.call1((message,)));
    match exception {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Returns the message without the number of an operating system error, which Rust adds, for example in `No such file or directory (os
/// error 2)`.
fn without_number(message: &str) -> String {
    match message.split_once(" (os error ") {
        Some((before, rest)) => format!("{before}{}", rest.split_once(')').map_or("", |(_, after)| after)),
        None => message.to_owned(),
    }
}

/// Creates the exception for illegal arrays or values.
pub fn input(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InputError", message)
}

/// Creates the exception for work that needs more memory than is available.
pub fn out_of_memory(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "OutOfMemoryError", message)
}

/// Raises an exception if `need` bytes of memory are not available.
#[pyfunction]
pub fn require_memory(py: Python<'_>, what: String, need: u64) -> PyResult<()> {
    memory::require(|| what, need).or_raise(py)
}

/// Returns a text with the available memory and its limit.
#[pyfunction]
pub fn memory_left() -> String {
    memory::free_memory().to_string()
}

/// An error of a Rust crate of tulle.
pub trait Raise {
    /// Returns the name of the exception in `tulle.errors`.
    fn exception(&self) -> &'static str;
}

impl Raise for OutOfMemory {
    fn exception(&self) -> &'static str {
        "OutOfMemoryError"
    }
}

impl Raise for SpecError {
    fn exception(&self) -> &'static str {
        "SpecError"
    }
}

impl Raise for tulle_fabric::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Graph(_) => "InputError",
            Self::File { .. } => "FileError",
            Self::Format { .. } => "FormatError",
            Self::Construction { .. } => "ConstructionError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_layout::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Input(_) => "InputError",
            Self::Construction(_) => "ConstructionError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_routing::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Fabric { .. } | Self::Deadlock { .. } | Self::Flaw(_) | Self::Array { .. } => "InputError",
            Self::Build(error) => error.exception(),
            Self::Memory(error) => error.exception(),
            Self::File { .. } => "FileError",
            Self::Format { .. } => "FormatError",
        }
    }
}

impl Raise for tulle_deploy::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Input(_) | Self::Wrong(_) => "InputError",
            Self::File { .. } => "FileError",
            Self::Format { .. } => "FormatError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_traffic::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Fabric { .. } => "InputError",
            Self::File { .. } => "FileError",
            Self::Format { .. } => "FormatError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_analysis::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Traffic(error) => error.exception(),
            Self::Argument { .. } | Self::Fabric { .. } | Self::Input { .. } => "InputError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_packet::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Fabric(error) => error.exception(),
            Self::Config { .. } => "SpecError",
            Self::Flow { .. } | Self::Shape { .. } => "InputError",
            Self::Memory(error) => error.exception(),
        }
    }
}

impl Raise for tulle_flit::Error {
    fn exception(&self) -> &'static str {
        match self {
            Self::Spec(error) => error.exception(),
            Self::Traffic(error) => error.exception(),
            Self::Routing(error) => error.exception(),
            Self::Config { .. } => "SpecError",
            Self::Shape { .. } => "InputError",
            Self::Memory(error) => error.exception(),
        }
    }
}

/// Converts errors of the Rust crates to exceptions.
pub trait OrRaise<T> {
    /// Returns the value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Raise + std::fmt::Display> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raise(py, error.exception(), &error.to_string()))
    }
}
