//! Errors of an analysis. Each message is one line.

use tulle_base::memory::OutOfMemory;
use tulle_fabric::Fabric;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument outside its legal range.
    #[error("{name}={value} {problem}; legal: {legal}")]
    Argument {
        /// The argument.
        name: &'static str,
        /// Its value.
        value: String,
        /// The reason it is refused.
        problem: &'static str,
        /// The legal values or inputs.
        legal: String,
    },
    /// A fabric to which this analysis does not apply.
    #[error("{fabric}: {problem}; legal: {legal}")]
    Fabric {
        /// Its spec.
        fabric: String,
        /// The reason why the fabric is refused, with the offending values.
        problem: String,
        /// The legal values or inputs.
        legal: &'static str,
    },
    /// An error of the traffic. It is boxed because it is large.
    #[error(transparent)]
    Traffic(Box<tulle_traffic::Error>),
    /// An input that cannot be analysed.
    #[error("{problem}; legal: {legal}")]
    Input {
        /// The reason why the input is refused, with the offending values.
        problem: String,
        /// The legal values or inputs.
        legal: String,
    },
    /// More memory is needed than is available.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Traffic(tulle_traffic::Error) });

impl Error {
    /// An argument that is wrong.
    pub(crate) fn argument(
        name: &'static str,
        value: impl ToString,
        problem: &'static str,
        legal: impl Into<String>,
    ) -> Self {
        Self::Argument { name, value: value.to_string(), problem, legal: legal.into() }
    }

    /// An [`Error::Input`].
    pub(crate) fn input(problem: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::Input { problem: problem.into(), legal: legal.into() }
    }

    /// A fabric that is wrong.
    pub(crate) fn fabric(fabric: &Fabric, problem: impl Into<String>, legal: &'static str) -> Self {
        Self::Fabric { fabric: fabric.spec().to_owned(), problem: problem.into(), legal }
    }
}

/// Checks that `fabric` has the switch `switch`.
pub(crate) fn check_switch(fabric: &Fabric, switch: u32) -> Result<(), Error> {
    if (switch as usize) < fabric.num_switches() {
        return Ok(());
    }
    let legal = format!("0 to {}", fabric.num_switches().saturating_sub(1));
    Err(Error::argument("switch", switch, "is unknown", legal))
}

/// Checks that every pair has two different switches, and that `fabric` has both.
pub(crate) fn check_pairs(fabric: &Fabric, pairs: &[(u32, u32)]) -> Result<(), Error> {
    for &(a, b) in pairs {
        check_switch(fabric, a)?;
        check_switch(fabric, b)?;
        if a == b {
            return Err(Error::argument("switch", a, "is on both sides of a pair", "different switches"));
        }
    }
    Ok(())
}

/// Checks that `max_hops` is a legal hop limit.
pub(crate) fn check_hops(max_hops: u32) -> Result<(), Error> {
    if (1..=MAX_HOPS).contains(&max_hops) {
        return Ok(());
    }
    Err(Error::argument("max_hops", max_hops, "is out of range", format!("1 to {MAX_HOPS}")))
}

/// Checks that `fabric` is connected.
pub(crate) fn check_connected(fabric: &Fabric) -> Result<(), Error> {
    if tulle_fabric::distances::is_connected(fabric) {
        return Ok(());
    }
    Err(Error::fabric(fabric, "it is not connected", "a connected fabric"))
}

/// Maximum hop limit for counting paths. A small limit is enough, because path diversity is about short paths.
pub(crate) const MAX_HOPS: u32 = 64;
