//! Placement of the ranks (processes) of a pattern on endpoints.

use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{parameters, words};

use crate::Error;
use crate::formats::places;

words! {
    /// The order in which ranks are placed on endpoints.
    pub enum Order {
        /// Rank i on endpoint i.
        Linear = "linear",
        /// A random order, which depends on the seed.
        Random = "random",
    }
}

parameters! {
    /// The placement of the ranks of a pattern on endpoints.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Mapping(arguments) {
        /// order of ranks: rank i on endpoint i, or a random order
        mapping: Option<Order> = word(Order::WORDS), default "linear";
        /// file with the endpoint of every rank, one per line, instead of mapping=
        places: Option<String> = path("a text file"), or "none";
    }
    check {
        if let Some(path) = &places {
            if let Some(word) = arguments.text("mapping") {
                let values = format!("mapping={word}, places={path}");
                return Err(arguments.clash(values, "exclude each other", "legal: one of them"));
            }
            mapping = None;
        }
    }
}

impl Mapping {
    /// Returns whether a file defines the placement.
    pub fn has_places(&self) -> bool {
        self.places.is_some()
    }

    /// Returns the endpoint of each rank. There are as many ranks as `fabric` has endpoints, or as the file has lines.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or if it has an unknown or a repeated endpoint.
    pub fn place(&self, fabric: &Fabric, seed: u64) -> Result<Vec<u32>, Error> {
        let mut all: Vec<u32> = (0..fabric.num_endpoints() as u32).collect();
        if let Some(path) = &self.places {
            return places::load(path.as_ref(), fabric);
        }
        if self.mapping == Some(Order::Random) {
            all.shuffle(&mut stream(seed, "traffic/mapping", 0));
        }
        Ok(all)
    }
}

parameters! {
    /// The number of ranks of a pattern, and their placement.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Ranks {
        /// number of ranks (processes); they are placed on the first endpoints of the mapping
        count "ranks": Option<u64> = integer(2, u32::MAX as u64), note "at most the number of endpoints",
            or "one per endpoint, or one per line of the file places=";
        mapping: Mapping;
    }
}

impl Ranks {
    /// Returns the endpoint of each rank of `pattern`; there are at least two ranks.
    ///
    /// # Errors
    /// Fails if fewer than two ranks can be placed, if there are more ranks than endpoints or lines, or if [`Mapping::place`] fails.
    pub fn place(&self, pattern: &str, fabric: &Fabric, seed: u64) -> Result<Vec<u32>, Error> {
        let mut places = self.mapping.place(fabric, seed)?;
        if places.len() < 2 {
            return Err(Error::misfit(pattern, format!("the number of ranks is {}", places.len()), "2 or more"));
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

#[cfg(test)]
mod tests;
