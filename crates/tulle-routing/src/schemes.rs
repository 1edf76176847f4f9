//! The list of all routing schemes. The modules [`layers`](crate::layers) and [`paths`](crate::paths) register them.

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

/// Returns all registered schemes, in the order of `tulle list routings`.
pub fn schemes() -> &'static [Entry<Schemes>] {
    &SCHEMES
}

/// Returns the scheme that `spec` names, with the parameters that `spec` gives, and its entry in the registry.
///
/// # Errors
/// Fails if the name or a parameter is unknown, or if a value is illegal.
pub fn scheme(spec: &str) -> Result<(&'static Entry<Schemes>, Box<dyn Scheme>), SpecError> {
    Registry { entries: schemes() }.read(spec, &())
}

/// Routes `fabric` with the scheme of `spec`. Schemes with random choices use the random streams of `seed`.
///
/// # Errors
/// Fails if the name or a parameter is unknown, or if a value is illegal. Also fails if the scheme cannot route the fabric, or if there is
/// not enough memory.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Routing, Error> {
    let (_, scheme) = scheme(spec)?;
    let spec = scheme.spec();
    let need = bytes(&scheme.parameters(), fabric.num_switches() as u64);
    memory::require(|| format!("{spec} over {} switches", fabric.num_switches()), need)?;
    Ok(Routing::new(spec, scheme.routes(fabric, seed)?))
}

/// Returns notes about assumptions that the scheme of `spec` makes about `fabric`, for example the source of levels. There is one line per
/// note.
///
/// # Errors
/// Fails if the name or a parameter is unknown, or if a value is illegal.
pub fn notes(fabric: &Fabric, spec: &str) -> Result<Vec<String>, Error> {
    let (_, scheme) = scheme(spec)?;
    Ok(scheme.notes(fabric))
}

/// Returns whether the tables of the scheme in `spec` are computed from scratch after a failure ([`Scheme::is_recomputed`]).
pub fn is_recomputed(spec: &str) -> bool {
    scheme(spec).is_ok_and(|(_, scheme)| scheme.is_recomputed())
}

/// Returns the minimum number of bytes of a routing: two per layer and ordered pair of switches. A path set needs more. Each scheme itself
/// checks whether the additional memory that it needs is free.
fn bytes(parameters: &Parameters, switches: u64) -> u64 {
    let layers = parameters.0.iter().find_map(|(name, value)| match value {
        Value::Integer(layers) if *name == "layers" => Some(*layers),
        _ => None,
    });
    2 * layers.unwrap_or(1).saturating_mul(switches * switches)
}
