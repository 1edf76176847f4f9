//! The traffics of this simulator alone, and those it takes from the workloads of tulle-traffic.

use tulle_spec::{Arguments, Info, Registered, SpecError};

use super::TRAFFICS;
use super::hot_spot::HotSpot;
use super::on_off::OnOff;
use super::uniform::Uniform;

/// A traffic as a plug-in.
pub(crate) trait Destinations: Registered {
    /// Where packets go.
    fn kind(&self) -> Kind;
}

/// What the traffics of this simulator say of themselves; besides there are all of `tulle_traffic::patterns`.
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
    /// That of `spec`.
    pub fn read(spec: &str) -> Result<Self, SpecError> {
        let name = Arguments::name(spec)?;
        if TRAFFICS.entries.iter().any(|entry| entry.info.name == name) {
            return Ok(TRAFFICS.read(spec, &())?.1.kind());
        }
        let (_, pattern) = tulle_traffic::patterns::pattern(spec)?;
        Ok(Self::Workload(pattern.spec()))
    }

    /// The canonical spec.
    pub fn spec(&self) -> String {
        match self {
            Self::Uniform { to_self } => Uniform { to_self: *to_self }.spec(),
            Self::HotSpot { share, endpoints } => HotSpot { share: *share, endpoints: *endpoints }.spec(),
            Self::Bursts { length, of } => OnOff::of(*length, of).spec(),
            Self::Workload(spec) => spec.clone(),
        }
    }
}

/// The canonical form of `spec`: every parameter is there.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn canonical_traffic(spec: &str) -> Result<String, SpecError> {
    Ok(Kind::read(spec)?.spec())
}
