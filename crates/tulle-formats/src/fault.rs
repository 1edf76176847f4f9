//! An error in one of several texts that belong together.

/// A problem, and the index of the text that has it.
#[derive(Debug)]
pub struct Fault {
    pub at: usize,
    pub problem: String,
}

impl Fault {
    /// Returns the same error for a list in which the text comes `by` positions later.
    pub fn after(self, by: usize) -> Self {
        Self { at: self.at + by, ..self }
    }
}

/// Says in which text a problem is.
pub trait InPart<T> {
    /// In the text numbered `at`.
    fn in_part(self, at: usize) -> Result<T, Fault>;
}

impl<T, E: Into<String>> InPart<T> for Result<T, E> {
    fn in_part(self, at: usize) -> Result<T, Fault> {
        self.map_err(|problem| Fault { at, problem: problem.into() })
    }
}
