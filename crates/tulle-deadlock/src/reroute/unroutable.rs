//! Unroutable pairs: pairs of a path set that lost all paths and have no possible path that follows the channel order of the old paths.
//!
//! A channel order admits only some of the paths that are free of deadlock together with the old paths. So unroutable pairs are tried with
//! other orders, from certificates of old and new paths together, until no more paths are found. The remaining pairs then get a shortest
//! path that follows no order.

use std::collections::BTreeMap;

use tulle_base::task;
use tulle_routing::{Error, Routes, Routing, SourcePaths};

use super::damage::Damage;
use super::detour::Detour;
use super::order::Order;
use super::paths::Mended;
use crate::{Gone, InUse, acyclic_together};

/// New paths of pairs, which replace the pairs' old paths.
pub(super) type Paths = BTreeMap<[u32; 2], Option<Vec<u16>>>;

/// Returns the routing of a repaired path set, with paths for its unroutable pairs. As far as possible, these paths are free of deadlock
/// together with `old`. All other pairs get shortest paths, and are returned as well.
///
/// # Errors
/// Two switches that are disconnected.
pub(super) fn rerouted(damage: &Damage<'_>, old: &Routing, rerouted: Mended) -> Result<(Routing, Paths), Error> {
    let Mended { set, unroutable, load } = rerouted;
    let mut unroutable = Unroutable { pairs: unroutable, load };
    let mut routing = Routing::new(old.spec().to_owned(), Routes::Paths(set));
    if damage.order.is_some() {
        routing = unroutable.ordered(damage, old, routing)?;
    }
    let unordered = unroutable.shortest(damage)?;
    Ok((replaced(routing, &unordered), unordered))
}

/// Returns the path set `routing` with new paths for the pairs in `paths`: one path each, or none.
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

/// Pairs without a path, and the load of all other pairs' paths.
struct Unroutable {
    /// Each pair with the traffic on one of its paths.
    pairs: Vec<([u32; 2], f64)>,
    load: Vec<f64>,
}

impl Unroutable {
    /// Gives paths to the pairs, which have none in `new`, so that the paths of `old` and `new` are free of deadlock together. Pairs for
    /// which no such path is found stay without a path.
    ///
    /// # Errors
    /// A path of `old` that does not lead to its destination.
    fn ordered(&mut self, damage: &Damage<'_>, old: &Routing, mut new: Routing) -> Result<Routing, Error> {
        while !self.pairs.is_empty() {
            let in_use = |fabric, routing| InUse { fabric, routing, plan: None };
            let Ok(certificate) = acyclic_together(in_use(damage.old, old), in_use(damage.new, &new), Gone::Carrying)?
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

    /// Returns a shortest path for each of the pairs, whether or not it follows a channel order.
    ///
    /// # Errors
    /// Two switches that are disconnected.
    fn shortest(mut self, damage: &Damage<'_>) -> Result<Paths, Error> {
        let mut found = Paths::new();
        self.find(damage, None, |[source, destination], path| {
            let path = path.ok_or_else(|| damage.apart(source, destination))?;
            found.insert([source, destination], Some(path));
            Ok(())
        })?;
        Ok(found)
    }

    /// Searches a path for each pair, one pair after the other, by the load of all earlier paths.
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
