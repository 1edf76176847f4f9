//! The registry of routing schemes: one file and one line here each.

use tulle_fabric::{Fabric, memory};
use tulle_spec::{Arguments, Info, Parameters, SpecError, Value, find};

use crate::layers::{
    almost_minimal, balanced, edst, gateway, hierarchical, low_overlap, minimal, past, random, spain, updown,
};
use crate::paths::{edksp, edst as edst_paths, ksp, llskr, redksp, rksp, spain as spain_paths, virtual_updown};
use crate::{Error, Routes, Routing};

/// A routing scheme, its parameters resolved.
pub trait Scheme {
    /// The resolved parameters in canonical order.
    fn parameters(&self) -> Parameters;

    /// The tables or path sets over a connected `fabric`; random schemes draw from streams under `seed`.
    ///
    /// # Errors
    /// A fabric that the scheme cannot route, with what would be legal.
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error>;
}

/// A registered scheme.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments) -> Result<Box<dyn Scheme>, SpecError>,
}

/// Registers schemes; the order is that of `tulle list routings`.
macro_rules! register {
    ($($module:ident),+ $(,)?) => {
        static SCHEMES: &[Entry] = &[$(Entry { info: &$module::INFO, read: $module::read }),+];
    };
}

register! {
    minimal,
    hierarchical,
    balanced,
    random,
    low_overlap,
    almost_minimal,
    gateway,
    spain,
    past,
    updown,
    edst,
    ksp,
    rksp,
    edksp,
    redksp,
    llskr,
    virtual_updown,
    edst_paths,
    spain_paths,
}

/// All registered schemes.
pub fn schemes() -> &'static [Entry] {
    SCHEMES
}

/// The registered scheme that `spec` names, and the scheme with the parameters that `spec` gives.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn scheme(spec: &str) -> Result<(&'static Entry, Box<dyn Scheme>), SpecError> {
    let entry = find("routing", Arguments::name(spec)?, schemes(), |entry| entry.info)?;
    Ok((entry, (entry.read)(&Arguments::parse(entry.info, spec)?)?))
}

/// Routes `fabric` as `spec` says; random schemes draw from streams under `seed`.
///
/// # Errors
/// An unknown name, an unknown parameter, an illegal value, a fabric that the scheme cannot route, or not the memory for it.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Routing, Error> {
    let (entry, scheme) = scheme(spec)?;
    let spec = scheme.parameters().spec(entry.info.name);
    let need = bytes(&scheme.parameters(), fabric.num_switches() as u64);
    memory::require(|| format!("{spec} over {} switches", fabric.num_switches()), need)?;
    Ok(Routing::new(spec, scheme.routes(fabric, seed)?))
}

/// What a routing takes at least: two bytes per layer and ordered pair of switches, a path set more. What a scheme needs
/// beside, it asks for itself.
fn bytes(parameters: &Parameters, switches: u64) -> u64 {
    let layers = parameters.0.iter().find_map(|(name, value)| match value {
        Value::Integer(layers) if *name == "layers" => Some(*layers),
        _ => None,
    });
    2 * layers.unwrap_or(1).saturating_mul(switches * switches)
}
