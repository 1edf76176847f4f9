//! Shared by the proxies of neural networks under training.
//!
//! Sizes and times are those of the proxies that deployment §7.2 and Hoefler et al. (HammingMesh, SC 2022) ran: measured on
//! A100 GPUs, gradients of 4 bytes. Communicators, not contents, make the messages.

use tulle_spec::parameters;

use crate::collectives::Allreduce;
use crate::{Error, Ranks};

/// Bytes of a number.
const FLOAT: f64 = 4.0;

/// Picoseconds of a microsecond.
const MICROSECOND: f64 = 1e6;

/// Sizes and times stay far below the end of 64 bits.
const MAX_FACTOR: f64 = 1e6;

parameters! {
    /// Parameters that the proxies share.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Training(arguments) {
        /// training steps
        pub iterations: u64 = integer(1, 65_535), default "1";
        /// algorithm of allreduces
        pub algorithm: Allreduce = word(Allreduce::WORDS), default "ring";
        /// factor to all sizes
        size: f64 = positive(), note "at most 1e6", default "1";
        /// factor to all times of computations
        time: f64 = positive(), note "at most 1e6", default "1";
        pub ranks: Ranks;
    }
    check {
        if let Some((name, value)) = [("size", size), ("time", time)].into_iter().find(|(_, value)| *value > MAX_FACTOR) {
            return Err(arguments.bad(name, value, "is out of range", "legal: above 0, to 1e6"));
        }
    }
}

impl Training {
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
