//! Step 5 of rerouting: proves the new routing free of deadlock. The scheme of the old plan makes a new plan.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};

use super::unroutable::{self, Paths};
use crate::{VcPlan, assign_vcs};

/// A routing, with the plan that proves it free of deadlock.
pub(super) struct Proved {
    /// The routing. If the scheme changes paths itself (`colouring`), this includes its changes.
    pub routing: Routing,
    pub plan: VcPlan,
    /// Pairs left without a path.
    pub left_out: Vec<[u32; 2]>,
}

/// Proves `routing` free of deadlock by the scheme of `plan`. If this fails, removes the `unordered` paths, which violate the channel
/// order, and tries again.
///
/// # Errors
/// Fails if the scheme cannot make the routing free of deadlock.
pub(super) fn proved(
    fabric: &Fabric,
    mut routing: Routing,
    mut unordered: Paths,
    plan: &VcPlan,
) -> Result<Proved, Error> {
    let mut left_out = Vec::new();
    let mut found = assign_vcs(fabric, &routing, plan.spec());
    if matches!(found, Err(Error::Deadlock { .. })) && !unordered.is_empty() {
        unordered.values_mut().for_each(|path| *path = None);
        routing = unroutable::replaced(routing, &unordered);
        left_out = unordered.into_keys().collect();
        found = assign_vcs(fabric, &routing, plan.spec());
    }
    let (plan, repaired) = found?;
    Ok(Proved { routing: repaired.unwrap_or(routing), plan, left_out })
}
