//! Finds the shortest simple paths of every pair. Ties go to the switches with the lowest ids. The schemes `ksp` and `llskr` use it.

use tulle_fabric::Fabric;
use tulle_spec::Info;

use super::all_pairs::{Finder, Found, all_pairs};
use super::neighbours::{Neighbours, WalkLengths};
use super::shortest::{Shortest, Wanted};
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::{Error, Routes};

/// Returns the simple paths that `wanted` requests, for all pairs. Error messages name the scheme of `info`.
///
/// # Errors
/// Fails if the fabric is not connected, or if the paths have too many hops for a path set.
pub(crate) fn lowest(info: &'static Info, fabric: &Fabric, wanted: Wanted) -> Result<Routes, Error> {
    connected_distances(info, fabric, &LayerLinks::all(fabric))?;
    let neighbours = Neighbours::of(fabric);
    let lengths = WalkLengths::of(&neighbours);
    let finder = || Pair { shortest: Shortest::new(&neighbours, &lengths), source: 0, wanted };
    Ok(Routes::Paths(all_pairs(info, fabric, finder)?))
}

struct Pair<'a> {
    shortest: Shortest<'a>,
    source: u16,
    wanted: Wanted,
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source as u16;
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        self.shortest.lowest(self.source, destination as u16, self.wanted, paths);
    }
}
