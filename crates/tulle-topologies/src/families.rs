//! The registry of topology families. Each family has its own file and one line in this registry.

use crate::design::{Candidates, Largest};
use crate::{Expect, Family};
use tulle_base::{memory, task};
use tulle_fabric::{Error, Fabric, MAX_SIZE, RackStructure, Shape};
use tulle_spec::{Entry, Registered, SpecError, registry};

registry! {
    /// All registered families, in the order of `tulle list fabrics`.
    pub static FAMILIES: Families("fabric", (), Facts) -> Error = Box<dyn Member>;
    pub mod clique: Clique;
    pub mod jellyfish: Jellyfish;
    pub mod jellyfish_like: JellyfishLike;
    pub mod xpander: Xpander;
    pub mod fattree: FatTree;
    pub mod clos: Clos;
    pub mod flattenedclos: FlattenedClos;
    pub mod file: File;
    pub mod slimfly: SlimFly;
    pub mod polarfly: PolarFly;
    pub mod polarstar: PolarStar;
    pub mod polarfly_extended: PolarFlyExtended;
    pub mod bundlefly: Bundlefly;
    pub mod spectralfly: SpectralFly;
    pub mod oft: Oft;
    pub mod mlfm: Mlfm;
    pub mod sspt: Sspt;
    pub mod dragonfly: Dragonfly;
    pub mod dragonfly_map: DragonflyMap;
    pub mod megafly: Megafly;
    pub mod hyperx: HyperX;
    pub mod torus: Torus;
    pub mod twisted_torus: TwistedTorus;
    pub mod mesh: Mesh;
    pub mod hypercube: Hypercube;
    pub mod hammingmesh: HammingMesh;
    pub mod circulant: Circulant;
    pub mod debruijn: DeBruijn;
    pub mod kautz: Kautz;
    pub mod star: Star;
    #[cfg(test)]
    mod folded_hypercube: FoldedHypercube;
    #[cfg(test)]
    mod toy: Toy;
}

// What several families share.
mod arrangement;
mod grid;
mod lines;
mod prime;
mod prime_power;
mod projective;
mod single_path_tree;
mod star_product;
mod vertex_transitive;

/// Properties of a family that are the same for all members. They are constants of [`Family`].
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// [`Family::RACKS`].
    pub racks: RackStructure,
    /// [`Family::CANDIDATES`].
    pub candidates: Option<Candidates>,
    /// [`Family::LARGEST`].
    pub largest: Option<Largest>,
}

impl Facts {
    const fn of<F: Family>() -> Self {
        Self { racks: F::RACKS, candidates: F::CANDIDATES, largest: F::LARGEST }
    }
}

/// A member of any family, usable as a trait object. [`Family`] cannot be a trait object, because it has constants.
pub trait Member: Registered {
    /// The closed forms.
    fn expect(&self) -> Expect;
    /// The bound of [`Family::all_to_all`].
    fn all_to_all(&self) -> Option<f64>;
    /// Builds the fabric.
    ///
    /// # Errors
    /// Fails if the fabric would have more than [`MAX_SIZE`] switches, cables or endpoints, if too little memory is free, or if
    /// [`Family::build`] fails.
    fn build(&self, seed: u64) -> Result<Fabric, Error>;
}

impl<F: Family> Member for F {
    fn expect(&self) -> Expect {
        Family::expect(self)
    }

    fn all_to_all(&self) -> Option<f64> {
        Family::all_to_all(self)
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        let expected = Family::expect(self);
        check_size(F::INFO.name, expected)?;
        memory::require(|| format!("the fabric {}", self.spec()), bytes(expected))?;
        task::begin(usize::try_from(expected.cables).unwrap_or(usize::MAX));
        let shape = Shape { racks: F::RACKS, worst_case: F::WORST_CASE, has_devices: Family::has_devices(self) };
        Ok(Family::build(self, seed)?.with_shape(shape))
    }
}

/// All registered families.
pub fn families() -> &'static [Entry<Families>] {
    FAMILIES.entries
}

/// Returns the registered family of `spec`, and the member of this family that `spec` describes.
///
/// # Errors
/// Fails if a name or parameter is unknown, or if a value is illegal.
pub fn member(spec: &str) -> Result<(&'static Entry<Families>, Box<dyn Member>), Error> {
    FAMILIES.read(spec, &())
}

/// Builds the fabric of `spec`. Random families use the random streams of `seed`.
///
/// # Errors
/// Fails if a name or parameter is unknown, if a value is illegal, if the fabric is too large, if a file cannot be read, or if a random
/// construction fails in all attempts.
pub fn build(spec: &str, seed: u64) -> Result<Fabric, Error> {
    let (_, member) = member(spec)?;
    member.build(seed)
}

/// Refuses a member of the family `name` that has more than [`MAX_SIZE`] switches, cables or endpoints.
///
/// [`Member::build`] calls this function. A family that derives its sizes from another family also calls it for that family first, so that
/// the arithmetic cannot overflow.
fn check_size(name: &str, expect: Expect) -> Result<(), SpecError> {
    let Expect { switches, cables, endpoints, .. } = expect;
    if switches.max(cables).max(endpoints) <= MAX_SIZE {
        return Ok(());
    }
    Err(SpecError::Combination {
        name: name.to_owned(),
        values: format!("{switches} switches, {cables} cables, {endpoints} endpoints"),
        problem: "are too many".to_owned(),
        legal: format!("legal: at most {MAX_SIZE} of each"),
    })
}

/// Returns the peak memory in bytes that building a fabric takes, computed by a closed form. The peak occurs while the channels are sorted.
/// Memory then contains the list of cables and both channels of each cable.
fn bytes(expect: Expect) -> u64 {
    let Expect { switches, cables, endpoints, .. } = expect;
    80 * cables + 16 * switches + 16 * endpoints
}
