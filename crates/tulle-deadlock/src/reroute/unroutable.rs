//! Handles unroutable pairs. These are pairs of a path set that lost all paths and have no path that follows the channel order of the old
//! paths.
//!
//! A channel order allows only some of the paths that are free of deadlock together with the old paths. So unroutable pairs are tried again
//! with other orders, which come from certificates of old and new paths together. This repeats until no more paths are found. Each
//! remaining pair then gets a shortest path that follows no order.

use std::collections::BTreeMap;

use tulle_base::task;
use tulle_routing::{Error, Routes, Routing, SourcePaths};

use super::damage::Damage;
use super::detour::Detour;
use super::order::Order;
use super::paths::ReroutedPaths;
use crate::{InUse, RemovedChannels, acyclic_together};

/// New paths of pairs. They replace the old paths of these pairs; `None` leaves a pair without a path.
pub(super) type Paths = BTreeMap<[u32; 2], Option<Vec<u16>>>;

/// Returns the routing of a repaired path set, in which the unroutable pairs also have paths. As far as possible, these paths are free of
/// deadlock together with the paths of `old`. All remaining pairs get shortest paths; the second value holds these paths.
///
/// # Errors
/// Fails if two switches are disconnected.
pub(super) fn rerouted(damage: &Damage<'_>, old: &Routing, rerouted: ReroutedPaths) -> Result<(Routing, Paths), Error> {
    let ReroutedPaths { set, unroutable, load } = rerouted;
    let mut unroutable = Unroutable { pairs: unroutable, load };
    let mut routing = Routing::new(old.spec().to_owned(), Routes::Paths(set));
    if damage.order.is_some() {
        routing = unroutable.ordered(damage, old, routing)?;
    }
    let unordered = unroutable.shortest(damage)?;
    Ok((replaced(routing, &unordered), unordered))
}

/// Returns `routing`, a path set, with the paths of some pairs replaced. Each pair in `paths` gets one path, or none.
pub(super) fn replaced(routing: Routing, paths: &Paths) -> Routing {
    let Routes::Paths(set) = routing.routes() else { return routing };
    if paths.is_empty() {
        return routing;
    }
    let switches = set.num_switches() as u32;
    let sources = (0..switches).map(|source| {
        let mut replaced = SourcePaths::default();
        for destination in 0..switches {
            match paths.get(&[source, destination]) {
                Some(path) => replaced.destination(path.as_deref()),
                None => replaced.destination(set.between(source, destination).map(|path| set.ports(path))),
            }
        }
        replaced
    });
    Routing::new(routing.spec().to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
}

/// The pairs without a path, and the channel loads that the paths of all other pairs cause.
struct Unroutable {
    /// Each pair without a path, with the amount of traffic that one path of the pair carried before the failures.
    pairs: Vec<([u32; 2], f64)>,
    load: Vec<f64>,
}

impl Unroutable {
    /// Finds paths for the pairs, which have no path in `new`, so that the paths of `old` and `new` together are free of deadlock. Returns
    /// `new` with these paths. A pair without such a path stays without a path.
    ///
    /// # Errors
    /// Fails if a path of `old` does not lead to its destination.
    fn ordered(&mut self, damage: &Damage<'_>, old: &Routing, mut new: Routing) -> Result<Routing, Error> {
        while !self.pairs.is_empty() {
            let in_use = |fabric, routing| InUse { fabric, routing, plan: None };
            let Ok(certificate) =
                acyclic_together(in_use(damage.old, old), in_use(damage.new, &new), RemovedChannels::Carrying)?
            else {
                break;
            };
            let order = Order::certified(damage.new, damage.id_map, &certificate);
            let mut found = Paths::new();
            self.find(damage, Some(&order), |pair, path| {
                found.extend(path.map(|path| (pair, Some(path))));
                Ok(())
            })?;
            if found.is_empty() {
                break;
            }
            self.pairs.retain(|(pair, _)| !found.contains_key(pair));
            new = replaced(new, &found);
        }
        Ok(new)
    }

    /// Returns a shortest path for each pair. The path need not follow a channel order.
    ///
    /// # Errors
    /// Fails if a pair has no path.
    fn shortest(mut self, damage: &Damage<'_>) -> Result<Paths, Error> {
        let mut found = Paths::new();
        self.find(damage, None, |[source, destination], path| {
            let path = path.ok_or_else(|| damage.apart(source, destination))?;
            found.insert([source, destination], Some(path));
            Ok(())
        })?;
        Ok(found)
    }

    /// Searches a path for each pair, one pair after the other. The search takes the load of all earlier paths into account.
    fn find(
        &mut self,
        damage: &Damage<'_>,
        order: Option<&Order>,
        mut found: impl FnMut([u32; 2], Option<Vec<u16>>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut detour = Detour::new(damage.new, order, std::mem::take(&mut self.load));
        for &([source, destination], amount) in &self.pairs {
            task::check();
            let path = detour.find(source, destination, amount);
            path.iter().for_each(|path| detour.carry(source, path, amount));
            found([source, destination], path)?;
        }
        self.load = detour.load;
        Ok(())
    }
}
