//! Parameters and helpers shared by the proxy applications of neural-network training.
//!
//! Message sizes and computing times are those of the proxies in Slim Fly deployment (NSDI24) §7.2 and in Hoefler et al. (HammingMesh, SC
//! 2022). The times were measured on A100 GPUs; gradients have 4 bytes. A proxy sends the same messages as the training, but their content
//! is meaningless.

use tulle_spec::parameters;

use crate::collectives::Allreduce;
use crate::{Error, Ranks};

/// Size of a number in bytes.
const FLOAT: f64 = 4.0;

/// A microsecond in picoseconds.
const MICROSECOND: f64 = 1e6;

/// Upper limit of the factors `size` and `time`; it keeps sizes and times far below 2⁶⁴.
const MAX_FACTOR: f64 = 1e6;

parameters! {
    /// Parameters that the proxy applications share.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Training(arguments) {
        /// number of training iterations
        pub iterations: u64 = integer(1, 65_535), default "1";
        /// allreduce algorithm
        pub algorithm: Allreduce = word(Allreduce::WORDS), default "ring";
        /// factor on all sizes
        size: f64 = positive(), note "at most 1e6", default "1";
        /// factor by which all computing times are multiplied
        time: f64 = positive(), note "at most 1e6", default "1";
        pub ranks: Ranks;
    }
    check {
        if let Some((name, value)) = [("size", size), ("time", time)].into_iter().find(|(_, value)| *value > MAX_FACTOR) {
            return Err(arguments.bad(name, value, "is out of range", "legal: above 0 and at most 1e6"));
        }
    }
}

impl Training {
    /// Returns the size in bytes of `floats` numbers, scaled by `size`; at least 1.
    pub fn bytes(&self, floats: u64) -> u64 {
        (floats as f64 * FLOAT * self.size).round().max(1.0) as u64
    }

    /// Converts microseconds to picoseconds, scaled by `time`.
    pub fn picoseconds(&self, microseconds: u64) -> u64 {
        (microseconds as f64 * MICROSECOND * self.time).round() as u64
    }

    /// Checks that `ranks` is a multiple of `unit`.
    ///
    /// # Errors
    /// Fails if `ranks` is not a multiple of `unit`; the error names `pattern`.
    pub fn check_multiple(pattern: &str, ranks: usize, unit: usize) -> Result<(), Error> {
        if ranks.is_multiple_of(unit) {
            return Ok(());
        }
        let below = ranks / unit * unit;
        let legal =
            if below == 0 { format!("{unit} or its multiples") } else { format!("nearest {below}, {}", below + unit) };
        Err(Error::misfit(pattern, format!("ranks={ranks} is not a multiple of {unit}"), legal))
    }

    /// Returns an upper bound on the number of messages of an allreduce among `members` members.
    pub fn messages_of_allreduce(&self, members: u64) -> u64 {
        let rounds = if self.algorithm == Allreduce::Ring { 2 * members } else { 66 };
        members.saturating_mul(rounds)
    }
}
