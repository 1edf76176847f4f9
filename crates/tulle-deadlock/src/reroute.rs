//! Reroutes after failures. New next hops and paths balance the load and change as few entries as possible.
//!
//! Running a routing scheme again on the damaged fabric would change many more entries. This module changes as few entries as a balanced
//! load allows, in five steps:
//!
//! 1. *Find what is dead* (`damage`): the switches and channels that the damaged fabric does not have.
//! 2. *Find what remains* (`column`): remove next hops that are dead or no longer lead to the destination.
//! 3. *Find what is missing* (`column`): the switches that have no next hop left toward a destination.
//! 4. *Choose* (`choose`): give these switches new next hops, within the hop limit of the layer (`hop_limit`, `shorten`). In a layer with
//!    several next hops per entry, a switch gets all next hops with the fewest hops. In a layer with single next hops, the choice depends on
//!    how many upstream entries must change (`upstream`) and on the load of all channels (`load`). Then each single next hop is chosen again,
//!    because all other choices are now known (`improve`).
//! 5. *Prove* (`prove`): make a plan of virtual channels with the scheme of the previous plan.
//!
//! `tables` applies steps 2 to 4 to next-hop tables. Path sets (`paths`, `detour`, `unroutable`) need no step 3, because a surviving path
//! always reaches its destination. `order` keeps old and new paths together free of deadlock.

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
mod upstream;

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
    /// The new routing, with the switch and port numbers of the damaged fabric.
    pub routing: Routing,
    /// A plan for the new routing with a new proof, made by the scheme of the old plan.
    pub plan: Option<VcPlan>,
    /// The number of table entries between surviving switches, or of old paths between them. A table has one entry per layer, switch and
    /// destination (any other switch).
    pub entries: usize,
    /// The number of these entries that changed: table entries with a different set of ports, or removed paths.
    pub touched: usize,
    /// The number of these entries that used a dead channel and therefore had to change.
    pub broken: usize,
    /// The number of new paths in the path set; 0 for tables.
    pub added: usize,
    /// The pairs of a path set that have no path although the fabric connects them, in ascending order. With paths for these pairs, the
    /// plan's scheme could not make the routing free of deadlock.
    pub left_out: Vec<[u32; 2]>,
}

/// Reroutes `routing` for the fabric `damaged`, which must be a part of `fabric`, for example a result of [`Fabric::without`]. Changes as
/// few entries as a balanced load allows.
///
/// Tables of `minimal` with weight=latency or weight=cost are recomputed, as in OSPF. In all other tables, an entry keeps the next hops
/// that still lead to the destination. A switch without any such next hop gets new ones. If the table has several next hops per entry, the
/// switch gets all next hops with the fewest hops. Otherwise it gets one next hop within the hop limit: the one that changes the fewest
/// entries, and on a tie the least loaded one. If only the neighbour to which an entry forwards gets a new next hop, the entry itself
/// stays, unless the path now exceeds the hop limit or overloads a channel. In path sets, surviving paths stay, and a pair without any path
/// gets its least loaded shortest path.
///
/// If `routing` is free of deadlock on one virtual channel, old and new paths together stay free of deadlock if possible (see
/// [`crate::acyclic_together`]). Virtual up-down paths are replaced by virtual up-down paths (Flattened Clos (NSDI23) §7.2). In a path set,
/// a pair of switches gets as many paths as before, if enough paths exist that share no channel with the other paths of the pair.
/// If a pair has no deadlock-free path, it gets a shortest path that violates the channel order.
///
/// With `plan`, the scheme of that plan proves the new routing free of deadlock. If this fails, pairs whose new path violates the channel
/// order may be left without a path. If the scheme itself changes entries (`colouring`), `touched` counts these changes too.
///
/// # Errors
/// Fails if `damaged` is not a part of `fabric`, if `routing` belongs to another fabric, if two switches are disconnected, or if the plan's
/// scheme cannot make the new routing free of deadlock.
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
