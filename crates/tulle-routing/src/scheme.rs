//! Routing schemes.

use tulle_fabric::Fabric;
use tulle_spec::Registered;

use crate::{Error, Routes};

/// A routing scheme, its parameters resolved.
pub trait Scheme: Registered {
    /// The tables or path sets over a connected `fabric`; random schemes draw from streams under `seed`.
    ///
    /// # Errors
    /// A fabric that the scheme cannot route, with what would be legal.
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error>;

    /// Whether switches compute the tables anew after a failure, as those that run OSPF do; rerouting then does so too. The
    /// entries that a failure does not concern come out as before.
    fn is_recomputed(&self) -> bool {
        false
    }

    /// Lines on what the scheme takes for granted about `fabric` that its data do not say; most take nothing.
    fn notes(&self, _fabric: &Fabric) -> Vec<String> {
        Vec::new()
    }
}
