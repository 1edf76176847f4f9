//! Parser of traffic specs: the patterns of this simulator, and all patterns of tulle-traffic.

use tulle_spec::{Arguments, Info, Registered, SpecError};

use super::TRAFFICS;

/// A traffic as a plug-in.
pub(crate) trait TrafficPlugin: Registered {
    /// Returns the pattern with its parameters.
    fn kind(&self) -> Kind;
}

/// Returns the [`Info`] of every traffic pattern that only this simulator has. All `tulle_traffic::patterns` are legal
/// traffics too.
pub fn traffics() -> Vec<&'static Info> {
    TRAFFICS.infos()
}

/// A traffic with its parameters resolved.
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
    /// A pattern of tulle-traffic, as a canonical spec.
    Workload(String),
}

impl Kind {
    /// Parses `spec`; also returns its canonical form.
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

/// Returns the canonical form of `spec`, which states every parameter.
///
/// # Errors
/// Fails if a name or parameter is unknown, or if a value is illegal.
pub fn canonical_traffic(spec: &str) -> Result<String, SpecError> {
    Ok(Kind::read(spec)?.1)
}
