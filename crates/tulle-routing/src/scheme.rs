//! Routing schemes.

use tulle_fabric::Fabric;
use tulle_spec::Registered;

use crate::{Error, Routes};

/// A routing scheme with a value for each of its parameters.
pub trait Scheme: Registered {
    /// Returns the tables or the path set for the connected `fabric`. Schemes with random choices use the random streams of `seed`.
    ///
    /// # Errors
    /// Fails if the scheme cannot route the fabric. The error names the fabrics that the scheme can route.
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error>;

    /// Returns whether the tables are computed from scratch after a failure, as switches with OSPF do. Otherwise, only the entries that the
    /// failure affects change.
    fn is_recomputed(&self) -> bool {
        false
    }

    /// Returns notes about properties of `fabric` that the scheme assumes because the data of the fabric do not state them. Each note is
    /// one line. Most schemes return no notes.
    fn notes(&self, _fabric: &Fabric) -> Vec<String> {
        Vec::new()
    }
}
