//! Pairs of a path set that lost all paths and have none that keeps the order of the old ones.
//!
//! An order leaves room for some of the paths that are free of deadlock together with the old ones, not for all. So
//! stranded pairs are tried with other orders, those of certificates of old and new paths together, until no more are
//! found; the pairs left then get a shortest path out of any order.

use std::collections::BTreeMap;

use tulle_fabric::task;

use super::Places;
use super::detour::Detour;
use super::order::Order;
use crate::deadlock::{Gone, InUse, acyclic_together};
use crate::{Error, Routes, Routing, SourcePaths};

/// Paths of pairs, each in place of those the pair has.
pub(super) type Paths = BTreeMap<[u32; 2], Option<Vec<u16>>>;

/// `routing`, a path set, with other paths for the pairs of `paths`: one, or none.
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

/// Gives the pairs of `stranded`, which are without a path in `new`, paths such that those of `old` and `new` stay free of
/// deadlock together, as far as it finds any; what is left in `stranded` then has none.
///
/// # Errors
/// A path of `old` that does not lead to its destination.
pub(super) fn ordered(
    places: &Places<'_>,
    old: &Routing,
    mut new: Routing,
    stranded: &mut Vec<[u32; 2]>,
) -> Result<Routing, Error> {
    while !stranded.is_empty() {
        let in_use = |fabric, routing| InUse { fabric, routing, plan: None };
        let Ok(certificate) = acyclic_together(in_use(places.old, old), in_use(places.new, &new), Gone::Carrying)?
        else {
            break;
        };
        let order = Order::certified(places.new, places.lineage, &certificate);
        let mut detour = Detour::new(places.new, Some(&order));
        let mut found = Paths::new();
        for &[source, destination] in &*stranded {
            task::check();
            if let Some(path) = detour.find(source, destination) {
                found.insert([source, destination], Some(path));
            }
        }
        if found.is_empty() {
            break;
        }
        stranded.retain(|pair| !found.contains_key(pair));
        new = replaced(new, &found);
    }
    Ok(new)
}

/// A shortest path for each of the pairs of `stranded`, whatever the others are.
///
/// # Errors
/// Two switches that are cut apart.
pub(super) fn shortest(places: &Places<'_>, stranded: &[[u32; 2]]) -> Result<Paths, Error> {
    let mut detour = Detour::new(places.new, None);
    let path = |&[source, destination]: &[u32; 2]| {
        let path = detour.find(source, destination).ok_or_else(|| places.apart(source, destination))?;
        Ok(([source, destination], Some(path)))
    };
    stranded.iter().map(path).collect()
}
