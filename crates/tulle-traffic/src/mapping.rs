//! Where the ranks (processes) of a pattern run.

use rand::seq::SliceRandom;
use tulle_fabric::Fabric;
use tulle_spec::random::stream;
use tulle_spec::{Arguments, Parameter, Parameters, SpecError};

use crate::Error;
use crate::formats::places;

/// How the ranks of a pattern are placed on endpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mapping {
    /// Rank i runs on endpoint i.
    Linear,
    /// Ranks run on endpoints in random order (FatPaths §III-D; deployment §7.3).
    Random,
    /// Line i of the file at this path says where rank i runs.
    File(String),
}

impl Mapping {
    /// The parameters that patterns offer.
    pub const PARAMETERS: [Parameter; 2] = [
        Parameter::prose(
            "mapping",
            "linear or random",
            "linear",
            "rank i on endpoint i, or ranks on endpoints in random order",
        ),
        Parameter::prose(
            "places",
            "the path of a text file",
            "none",
            "endpoint of every rank, one a line, in place of mapping",
        ),
    ];

    /// Reads the parameters.
    ///
    /// # Errors
    /// A word that is neither, or both given.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let word = arguments.word("mapping", &["linear", "random"])?;
        match (word, arguments.text("places")) {
            (Some(word), Some(path)) => Err(arguments.clash(
                format!("mapping={word}, places={path}"),
                "exclude each other",
                "legal: one of them",
            )),
            (None, Some(path)) => Ok(Self::File(path.to_owned())),
            (Some("random"), None) => Ok(Self::Random),
            _ => Ok(Self::Linear),
        }
    }

    /// Adds the parameter to those of a spec.
    pub fn write(&self, parameters: Parameters) -> Parameters {
        match self {
            Self::Linear => parameters.word("mapping", "linear"),
            Self::Random => parameters.word("mapping", "random"),
            Self::File(path) => parameters.word("places", path.clone()),
        }
    }

    /// Per rank its endpoint of `fabric`: as many as the fabric has, or as the file names.
    ///
    /// # Errors
    /// A file that cannot be read, or that names an endpoint twice or one that is not there.
    pub fn place(&self, fabric: &Fabric, seed: u64) -> Result<Vec<u32>, Error> {
        let mut all: Vec<u32> = (0..fabric.num_endpoints() as u32).collect();
        match self {
            Self::Linear => {}
            Self::Random => all.shuffle(&mut stream(seed, "traffic/mapping", 0)),
            Self::File(path) => return places::load(path.as_ref(), fabric),
        }
        Ok(all)
    }
}

/// How many ranks a pattern has, and where they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranks {
    count: Option<u64>,
    mapping: Mapping,
}

impl Ranks {
    /// The parameters that patterns offer.
    pub const PARAMETERS: [Parameter; 3] = [
        Parameter::prose(
            "ranks",
            "2 to endpoints",
            "as many as endpoints, or as lines in places",
            "ranks (processes); the first ones of the mapping take part",
        ),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ];

    /// Reads the parameters.
    ///
    /// # Errors
    /// A value outside its legal range.
    pub fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        let count = arguments.integer("ranks", 2..=u64::from(u32::MAX))?;
        Ok(Self { count, mapping: Mapping::read(arguments)? })
    }

    /// Adds the parameters to those of a spec.
    pub fn write(&self, parameters: Parameters) -> Parameters {
        let parameters = match self.count {
            Some(count) => parameters.integer("ranks", count),
            None => parameters,
        };
        self.mapping.write(parameters)
    }

    /// Per rank of `pattern` its endpoint of `fabric`; at least two.
    ///
    /// # Errors
    /// More ranks than endpoints or lines, or what [`Mapping::place`] refuses.
    pub fn place(&self, pattern: &str, fabric: &Fabric, seed: u64) -> Result<Vec<u32>, Error> {
        let mut places = self.mapping.place(fabric, seed)?;
        if places.len() < 2 {
            return Err(Error::misfit(pattern, format!("{} rank is placed", places.len()), "2 or more"));
        }
        if let Some(count) = self.count {
            if count > places.len() as u64 {
                let problem = format!("ranks={count} is out of range on {}", fabric.spec());
                return Err(Error::misfit(pattern, problem, format!("2 to {}", places.len())));
            }
            places.truncate(count as usize);
        }
        Ok(places)
    }
}
