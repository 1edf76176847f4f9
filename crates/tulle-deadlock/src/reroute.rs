//! Reroutes after failures: new next hops and paths keep the load balanced and change as few entries as possible.
//!
//! A scheme that is run anew on the damaged fabric would change nearly every entry. This module changes an entry only if it has to, in five
//! steps:
//!
//! 1. *What is dead* (`damage`): switches and channels that the damaged fabric does not have.
//! 2. *What remains* (`column`): dead next hops leave their groups, and so do next hops that no longer lead to the destination.
//! 3. *What is missing* (`column`): switches without any next hop left toward a destination.
//! 4. *Choose* (`choose`): new next hops for these, within the hop limit of the layer (`hop_limit`, `shorten`); whole groups if the
//!    switches have groups, otherwise single next hops by the changes needed behind them (`behind`) and by the load of all channels
//!    (`load`). Single next hops are then chosen again, with all others known (`improve`).
//! 5. *Prove* (`prove`): a plan of virtual channels by the scheme of the previous plan.
//!
//! `tables` takes next-hop tables through steps 2 to 4. Path sets (`paths`, `detour`, `unroutable`) need no step 3, because a surviving path
//! reaches its destination. `order` keeps old and new paths free of deadlock together.

mod behind;
mod choose;
mod column;
mod damage;
mod detour;
mod hop_limit;
mod improve;
mod load;
mod order;
mod paths;
mod prove;
mod shorten;
mod tables;
mod unroutable;

use tulle_fabric::Fabric;
use tulle_routing::schemes::is_recomputed;
use tulle_routing::{Error, Routes, Routing};

use crate::VcPlan;
use crate::id_map::IdMap;
use damage::Damage;
use order::Order;

/// A routing after failures.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerouted {
    /// The routing over the damaged fabric, in its numbering.
    pub routing: Routing,
    /// The plan of the new routing, by the scheme of the old plan, with a new proof.
    pub plan: Option<VcPlan>,
    /// The number of table entries (per layer, a switch and another switch as destination) or of old paths of the path set, between
    /// surviving switches.
    pub entries: usize,
    /// The number of `entries` that changed: table entries with another set of ports, or removed paths.
    pub touched: usize,
    /// The number of `entries` that had to change in any case, because they used a dead channel.
    pub broken: usize,
    /// Paths of the path set that are new; 0 for tables.
    pub added: usize,
    /// Pairs of a path set, ascending, that are left without a path although the fabric connects them. Every possible path could deadlock
    /// with other paths, and the plan's scheme cannot prevent that.
    pub left_out: Vec<[u32; 2]>,
}

/// Reroutes `damaged`, which came from `fabric` by [`Fabric::without`], and changes as little of `routing` as balanced load allows.
///
/// Weighted tables (`minimal:weight=cost`) are recomputed, as in OSPF. In other tables, a group keeps the next hops that still lead to the
/// destination. A switch without any such next hop gets new ones. If the table has groups, the switch gets all next hops with the fewest
/// hops. Otherwise it gets one next hop within the hop limit: the one that changes the fewest entries, and on a tie the least loaded one.
/// An entry stays if its next hop has found another path, unless that path exceeds the hop limit or overloads a channel. In path sets,
/// surviving paths stay, and a pair without any gets its least loaded shortest path.
///
/// If `routing` is free of deadlock on one virtual channel, new next hops and paths are chosen so that old and new paths together stay
/// free of deadlock, if possible (see [`crate::acyclic_together`]). Virtual up-down paths are replaced by virtual up-down paths
/// (Flattened Clos §7.2). A pair of a path set gets as many paths as it had, as long as there are shortest paths that share no channel
/// with the pair's other paths. A pair without any deadlock-free path gets a shortest path that violates the channel order.
///
/// With `plan`, the scheme of that plan proves the new routing free of deadlock, possibly without the pairs whose new path violates the
/// order. If this scheme repairs the routing (`colouring`), its changes count as touched.
///
/// # Errors
/// A `damaged` fabric that did not come from `fabric`, a `routing` of another fabric, two switches that are disconnected, or a new routing
/// that the plan's scheme cannot make free of deadlock.
pub fn reroute(fabric: &Fabric, routing: &Routing, plan: Option<&VcPlan>, damaged: &Fabric) -> Result<Rerouted, Error> {
    let id_map = IdMap::of(fabric, damaged)?;
    if routing.num_switches() != fabric.num_switches() {
        return Err(tulle_routing::Flaw::Size { routing: routing.num_switches(), fabric: fabric.num_switches() }.into());
    }
    let order = Order::of(fabric, damaged, &id_map, routing)?;
    let damage = Damage { old: fabric, new: damaged, id_map: &id_map, order };
    let (mut rerouted, unordered) = match routing.routes() {
        Routes::Layers(_) if is_recomputed(routing.spec()) => {
            (tulle_routing::build(damaged, routing.spec(), 0)?, unroutable::Paths::new())
        }
        Routes::Layers(tables) => {
            let routes = Routes::Layers(tables::rerouted(&damage, tables)?);
            (Routing::new(routing.spec().to_owned(), routes), unroutable::Paths::new())
        }
        Routes::Paths(set) => unroutable::rerouted(&damage, routing, paths::rerouted(&damage, set))?,
    };
    let mut left_out = Vec::new();
    let plan = match plan {
        None => None,
        Some(plan) => {
            let proved = prove::proved(damaged, rerouted, unordered, plan)?;
            (rerouted, left_out) = (proved.routing, proved.left_out);
            Some(proved.plan)
        }
    };
    let mut counts = Counts::default();
    match (routing.routes(), rerouted.routes()) {
        (Routes::Layers(old), Routes::Layers(new)) => {
            old.iter().zip(new).for_each(|(old, new)| tables::compare(&damage, old, new, &mut counts));
        }
        (Routes::Paths(old), Routes::Paths(new)) => paths::compare(&damage, old, new, &mut counts),
        _ => unreachable!("a routing keeps its form"),
    }
    let Counts { entries, touched, broken, added } = counts;
    Ok(Rerouted { routing: rerouted, plan, entries, touched, broken, added, left_out })
}

/// The counts of changes.
#[derive(Debug, Default)]
struct Counts {
    entries: usize,
    touched: usize,
    broken: usize,
    added: usize,
}
