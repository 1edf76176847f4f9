//! An error in one of several texts that are checked together, for example the values of a row.

/// A problem, and the index of the text that causes it.
#[derive(Debug)]
pub struct Fault {
    pub at: usize,
    pub problem: String,
}

impl Fault {
    /// Returns the same error for a longer list, in which the text's index is higher by `by`.
    pub fn after(self, by: usize) -> Self {
        Self { at: self.at + by, ..self }
    }
}

/// Adds the index of the faulty text to an error.
pub trait InPart<T> {
    /// Adds the index of the text, `at`, to the error.
    fn in_part(self, at: usize) -> Result<T, Fault>;
}

impl<T, E: Into<String>> InPart<T> for Result<T, E> {
    fn in_part(self, at: usize) -> Result<T, Fault> {
        self.map_err(|problem| Fault { at, problem: problem.into() })
    }
}
