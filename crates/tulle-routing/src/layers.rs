//! The registry of layer schemes: one file and one line here each.

use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};
use tulle_fabric::spec::{Arguments, Info, Parameters, SpecError, find};

use crate::links::LayerLinks;
use crate::{Error, Routing, Table};

/// A scheme that makes layers, its parameters resolved.
pub trait LayerScheme {
    /// The resolved parameters in canonical order.
    fn parameters(&self) -> Parameters;

    /// The layers over a connected `fabric`; random schemes draw from streams under `seed`.
    ///
    /// # Errors
    /// A fabric that the scheme cannot route, with what would be legal.
    fn layers(&self, fabric: &Fabric, seed: u64) -> Result<Vec<Table>, Error>;
}

/// A registered scheme.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it says of itself.
    pub info: &'static Info,
    read: fn(&Arguments) -> Result<Box<dyn LayerScheme>, SpecError>,
}

/// Registers schemes; the order is that of `tulle list routings`.
macro_rules! register {
    ($($module:ident),+ $(,)?) => {
        $(pub mod $module;)+
        static SCHEMES: &[Entry] = &[$(Entry { info: &$module::INFO, read: $module::read }),+];
    };
}

register! {
    minimal,
    random,
}

/// All registered schemes.
pub fn schemes() -> &'static [Entry] {
    SCHEMES
}

/// The registered scheme that `spec` names, and the scheme with the parameters that `spec` gives.
///
/// # Errors
/// An unknown name, an unknown parameter or an illegal value.
pub fn scheme(spec: &str) -> Result<(&'static Entry, Box<dyn LayerScheme>), SpecError> {
    let entry = find("routing", Arguments::name(spec)?, schemes(), |entry| entry.info)?;
    Ok((entry, (entry.read)(&Arguments::parse(entry.info, spec)?)?))
}

/// Routes `fabric` as `spec` says; random schemes draw from streams under `seed`.
///
/// # Errors
/// An unknown name, an unknown parameter, an illegal value, or a fabric that the scheme cannot route.
pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Routing, Error> {
    let (entry, scheme) = scheme(spec)?;
    let layers = scheme.layers(fabric, seed)?;
    Ok(Routing::new(scheme.parameters().spec(entry.info.name), layers))
}

/// Distances over all cables of `fabric`, which must be connected.
fn connected_distances(scheme: &Info, fabric: &Fabric, links: &LayerLinks) -> Result<Distances, Error> {
    // Ports and groups are 16-bit numbers, with room for as many groups as destinations.
    const MOST: usize = 32_767;
    let widest = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
    if fabric.num_switches() > MOST || widest > MOST {
        return Err(Error::Fabric {
            scheme: scheme.name.to_owned(),
            problem: format!("{} switches with up to {widest} ports are too many", fabric.num_switches()),
            legal: format!("legal: at most {MOST} of each"),
        });
    }
    let distances = Distances::of(links);
    match distances.first_unreached() {
        None => Ok(distances),
        Some((from, to)) => Err(Error::Fabric {
            scheme: scheme.name.to_owned(),
            problem: format!("{} has no path of at most {FARTHEST} hops from switch {from} to {to}", fabric.spec()),
            legal: "legal: connected fabrics of a diameter up to that".to_owned(),
        }),
    }
}
