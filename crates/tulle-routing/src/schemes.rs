//! The registry of routing schemes. Their files and lines are in [`layers`](crate::layers) and [`paths`](crate::paths).

use std::sync::LazyLock;

use tulle_base::memory;
use tulle_fabric::Fabric;
use tulle_spec::{Entry, Parameters, Registry, SpecError, Value};

use crate::layers::LAYERS;
pub use crate::layers::Schemes;
use crate::paths::PATHS;
use crate::scheme::Scheme;
use crate::{Error, Routing};

static SCHEMES: LazyLock<Vec<Entry<Schemes>>> = LazyLock::new(|| [LAYERS.entries, PATHS.entries].concat());

/// All registered schemes; the order is that of `tulle list routings`.
pub fn schemes() -> &'static [Entry<Schemes>] {
    &SCHEMES
}

/// Returns the entry of the registered scheme that `spec` names, and the scheme with the parameters that `spec` gives.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn scheme(spec: &str) -> Result<(&'static Entry<Schemes>, Box<dyn Scheme>), SpecError> {
    Registry { entries: schemes() }.read(spec, &())
}

/// Routes `fabric` by `spec`. Random schemes draw from streams of `seed`.
///
/// # Errors
/// An unknown name, an unknown parameter, an illegal value, a fabric that the scheme cannot route, or too little memory.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Routing, Error> {
    let (_, scheme) = scheme(spec)?;
    let spec = scheme.spec();
    let need = bytes(&scheme.parameters(), fabric.num_switches() as u64);
    memory::require(|| format!("{spec} over {} switches", fabric.num_switches()), need)?;
    Ok(Routing::new(spec, scheme.routes(fabric, seed)?))
}

/// Returns the assumptions that the scheme of `spec` makes about `fabric`, such as derived levels, one line each.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn notes(fabric: &Fabric, spec: &str) -> Result<Vec<String>, Error> {
    let (_, scheme) = scheme(spec)?;
    Ok(scheme.notes(fabric))
}

/// Whether the tables of the scheme in `spec` are computed from scratch after a failure ([`Scheme::is_recomputed`]).
pub fn is_recomputed(spec: &str) -> bool {
    scheme(spec).is_ok_and(|(_, scheme)| scheme.is_recomputed())
}

/// The minimum number of bytes of a routing: two per layer and ordered pair of switches (a path set takes more). Each scheme itself checks
/// the further memory that it needs.
fn bytes(parameters: &Parameters, switches: u64) -> u64 {
    let layers = parameters.0.iter().find_map(|(name, value)| match value {
        Value::Integer(layers) if *name == "layers" => Some(*layers),
        _ => None,
    });
    2 * layers.unwrap_or(1).saturating_mul(switches * switches)
}
