//! What the proxies of neural networks under training have in common.
//!
//! Sizes and times are those of the proxies that deployment §7.2 and Hoefler et al. (HammingMesh, SC 2022) ran: measured on
//! A100 GPUs, gradients of 4 bytes. Communicators, not contents, make the messages.

use tulle_spec::{Arguments, Parameter, Parameters, SpecError};

use crate::collectives::{ALLREDUCE, Allreduce};
use crate::{Error, Ranks};

/// Bytes of a number.
const FLOAT: f64 = 4.0;

/// Picoseconds of a microsecond.
const MICROSECOND: f64 = 1e6;

/// Parameters that the proxies share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Training {
    pub iterations: u64,
    pub algorithm: Allreduce,
    /// What sizes and times are multiplied by.
    size: f64,
    time: f64,
    pub ranks: Ranks,
}

impl Training {
    /// The parameters that the proxies offer.
    pub const PARAMETERS: [Parameter; 7] = [
        Parameter::prose("iterations", "1 to 65535", "1", "training steps"),
        Parameter::prose("algorithm", "ring, recursive-doubling or rabenseifner", "ring", "algorithm of allreduces"),
        Parameter::prose("size", "above 0", "1", "factor to all sizes"),
        Parameter::prose("time", "above 0", "1", "factor to all times of computations"),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ];

    /// Reads the parameters.
    ///
    /// # Errors
    /// A value outside its legal range.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        /// Sizes and times stay far below the end of 64 bits.
        const MAX_FACTOR: f64 = 1e6;
        let factor = |name| match arguments.positive(name)? {
            Some(value) if value > MAX_FACTOR => {
                Err(arguments.bad(name, value, "is out of range", "legal: above 0, to 1e6"))
            }
            value => Ok(value.unwrap_or(1.0)),
        };
        Ok(Self {
            iterations: arguments.integer("iterations", 1..=65_535)?.unwrap_or(1),
            algorithm: crate::patterns::choice(arguments, "algorithm", &ALLREDUCE)?.unwrap_or(Allreduce::Ring),
            size: factor("size")?,
            time: factor("time")?,
            ranks: Ranks::read(arguments)?,
        })
    }

    /// Adds the parameters to those of a spec.
    pub fn write(&self, parameters: Parameters) -> Parameters {
        let parameters = parameters
            .integer("iterations", self.iterations)
            .word("algorithm", crate::patterns::word(self.algorithm, &ALLREDUCE))
            .real("size", self.size)
            .real("time", self.time);
        self.ranks.write(parameters)
    }

    /// The bytes of so many numbers, at least 1.
    pub fn bytes(&self, floats: u64) -> u64 {
        (floats as f64 * FLOAT * self.size).round().max(1.0) as u64
    }

    /// The picoseconds of so many microseconds.
    pub fn picoseconds(&self, microseconds: u64) -> u64 {
        (microseconds as f64 * MICROSECOND * self.time).round() as u64
    }

    /// Refuses ranks that are no multiple of `unit`.
    ///
    /// # Errors
    /// Those of `pattern` that are none.
    pub fn check_multiple(pattern: &str, ranks: usize, unit: usize) -> Result<(), Error> {
        if ranks.is_multiple_of(unit) {
            return Ok(());
        }
        let below = ranks / unit * unit;
        let legal =
            if below == 0 { format!("{unit} or its multiples") } else { format!("nearest {below}, {}", below + unit) };
        Err(Error::misfit(pattern, format!("ranks={ranks} is no multiple of {unit}"), legal))
    }

    /// The messages of an allreduce among so many members, or more.
    pub fn messages_of_allreduce(&self, members: u64) -> u64 {
        let rounds = if self.algorithm == Allreduce::Ring { 2 * members } else { 66 };
        members.saturating_mul(rounds)
    }
}
