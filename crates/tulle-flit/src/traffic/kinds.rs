//! The traffics of this simulator alone, and those it takes from the workloads of tulle-traffic.

use tulle_spec::{Arguments, Info, Registered, SpecError};

use super::TRAFFICS;

/// A traffic as a plug-in.
pub(crate) trait Destinations: Registered {
    /// Where packets go.
    fn kind(&self) -> Kind;
}

/// The [`Info`] of every traffic of this simulator; besides there are all of `tulle_traffic::patterns`.
pub fn traffics() -> Vec<&'static Info> {
    TRAFFICS.infos()
}

/// A traffic, its parameters resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Uniform {
        to_self: bool,
    },
    HotSpot {
        share: f64,
        endpoints: u32,
    },
    Bursts {
        length: u32,
        of: Box<Self>,
    },
    /// Of tulle-traffic, with its canonical spec.
    Workload(String),
}

impl Kind {
    /// That of `spec`, and its canonical spec.
    pub fn read(spec: &str) -> Result<(Self, String), SpecError> {
        let name = Arguments::name(spec)?;
        if TRAFFICS.entries.iter().any(|entry| entry.info.name == name) {
            let (_, traffic) = TRAFFICS.read(spec, &())?;
            return Ok((traffic.kind(), traffic.spec()));
        }
        let (_, pattern) = tulle_traffic::patterns::pattern(spec)?;
        Ok((Self::Workload(pattern.spec()), pattern.spec()))
    }
}

/// The canonical form of `spec`: every parameter is there.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn canonical_traffic(spec: &str) -> Result<String, SpecError> {
    Ok(Kind::read(spec)?.1)
}
