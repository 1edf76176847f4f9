//! Routing schemes.

use tulle_fabric::Fabric;
use tulle_spec::Registered;

use crate::{Error, Routes};

/// A routing scheme with all of its parameters resolved.
pub trait Scheme: Registered {
    /// Returns the tables or path sets over the connected `fabric`. Random schemes draw from streams of `seed`.
    ///
    /// # Errors
    /// A fabric that the scheme cannot route; the error names the legal kinds of fabrics.
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error>;

    /// Whether rerouting computes the tables from scratch, as switches that run OSPF do after a failure. Entries that the failure does not
    /// affect stay the same.
    fn is_recomputed(&self) -> bool {
        false
    }

    /// Returns the assumptions of the scheme about `fabric` that its data do not state, one line each; most schemes make none.
    fn notes(&self, _fabric: &Fabric) -> Vec<String> {
        Vec::new()
    }
}
