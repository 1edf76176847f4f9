//! Where the processes of a pattern run.

use rand::seq::SliceRandom;
use tulle_fabric::random::stream;
use tulle_fabric::spec::{Arguments, Parameter, SpecError};

/// How the processes of a pattern are placed on endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Process i runs on endpoint i.
    Linear,
    /// Processes run on endpoints in random order (FatPaths §III-D).
    Random,
}

impl Mapping {
    /// The parameter that patterns offer.
    pub const PARAMETER: Parameter = Parameter {
        name: "mapping",
        legal: "linear or random",
        default: "linear",
        help: "process i on endpoint i, or processes on endpoints in random order",
    };

    /// Reads the parameter.
    ///
    /// # Errors
    /// A word that is neither.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        Ok(match arguments.word("mapping", &["linear", "random"])? {
            Some("random") => Self::Random,
            _ => Self::Linear,
        })
    }

    /// The word in a spec.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Random => "random",
        }
    }

    /// Per process its endpoint.
    pub fn place(self, endpoints: usize, seed: u64) -> Vec<u32> {
        let mut place: Vec<u32> = (0..endpoints as u32).collect();
        if self == Self::Random {
            place.shuffle(&mut stream(seed, "traffic/mapping", 0));
        }
        place
    }
}
