//! An error in one of several texts that are checked together, for example the values of a row.

/// A problem, and the index of the text that causes it.
#[derive(Debug)]
pub struct IndexedError {
    pub at: usize,
    pub problem: String,
}

impl IndexedError {
    /// Returns the same error with its index increased by `by`. The caller uses this if the text belongs to a list in which `by` other
    /// texts come first.
    pub fn after(self, by: usize) -> Self {
        Self { at: self.at + by, ..self }
    }
}

/// Adds the index of the faulty text to an error.
pub trait AtIndex<T> {
    /// Adds the index of the text, `at`, to the error.
    fn at_index(self, at: usize) -> Result<T, IndexedError>;
}

impl<T, E: Into<String>> AtIndex<T> for Result<T, E> {
    fn at_index(self, at: usize) -> Result<T, IndexedError> {
        self.map_err(|problem| IndexedError { at, problem: problem.into() })
    }
}
