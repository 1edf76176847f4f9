//! The oracle for tests of path sets: small random fabrics, and all their simple paths, found by brute force.

use proptest::prelude::*;
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_routing::{PathSet, Routing, verify_paths};

/// A path as channels.
pub type Path = Vec<u32>;

/// Returns a fabric with these cables and one endpoint per switch.
pub fn fabric(switches: u32, cables: impl IntoIterator<Item = (u32, u32)>) -> Fabric {
    let mut builder = FabricBuilder::new(switches);
    cables.into_iter().for_each(|(a, b)| builder.cable(a, b));
    builder.endpoints_each(1);
    builder.finish("edges", Default::default()).unwrap()
}

/// Generates connected fabrics with 2 to 8 switches. Each has a random tree and additional random cables, which may be parallel to others.
pub fn connected() -> impl Strategy<Value = Fabric> {
    (2u32..=8).prop_flat_map(|switches| {
        let parents: Vec<_> = (1..switches).map(|switch| 0..switch).collect();
        let more = prop::collection::vec((0..switches, 1..switches), 0..14);
        (parents, more).prop_map(move |(parents, more)| {
            let tree = parents.into_iter().zip(1..);
            fabric(switches, tree.chain(more.into_iter().map(|(a, step)| (a, (a + step) % switches))))
        })
    })
}

/// Returns the ordered pairs of distinct switches.
pub fn pairs(fabric: &Fabric) -> impl Iterator<Item = (u32, u32)> + use<> {
    let switches = fabric.num_switches() as u32;
    (0..switches).flat_map(move |from| (0..switches).map(move |to| (from, to))).filter(|(from, to)| from != to)
}

/// Returns all simple paths, ordered by length, then by channels.
pub fn simple_paths(fabric: &Fabric, source: u32, destination: u32) -> Vec<Path> {
    fn extend(fabric: &Fabric, destination: u32, switches: &mut Vec<u32>, path: &mut Path, all: &mut Vec<Path>) {
        let here = *switches.last().unwrap();
        if here == destination {
            all.push(path.clone());
            return;
        }
        for channel in fabric.channels_of(here) {
            let next = fabric.targets()[channel];
            if !switches.contains(&next) {
                switches.push(next);
                path.push(channel as u32);
                extend(fabric, destination, switches, path, all);
                path.pop();
                switches.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(fabric, destination, &mut vec![source], &mut Vec::new(), &mut all);
    all.sort_by_key(|path| (path.len(), path.clone()));
    all
}

/// Returns the cables of a path.
pub fn cables(fabric: &Fabric, path: &Path) -> Vec<u32> {
    path.iter().map(|&channel| channel.min(fabric.reverse()[channel as usize])).collect()
}

/// Returns the routing of `fabric` with the scheme in `spec`.
pub fn route(fabric: &Fabric, spec: &str, seed: u64) -> Routing {
    tulle_routing::build(fabric, spec, seed).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// Checks what every path set guarantees: paths are simple, lead from source to destination, are ordered by length, and occur only once.
pub fn verify(fabric: &Fabric, paths: &PathSet) {
    verify_paths(fabric, paths).unwrap();
    for (source, destination) in pairs(fabric) {
        let between: Vec<&[u16]> = paths.between(source, destination).map(|path| paths.ports(path)).collect();
        assert!(
            between.is_sorted_by_key(|path| path.len()),
            "the paths from {source} to {destination} are not ordered by length: {between:?}"
        );
        for (at, path) in between.iter().enumerate() {
            assert!(!between[..at].contains(path), "the path {path:?} from {source} to {destination} occurs twice");
        }
    }
}
