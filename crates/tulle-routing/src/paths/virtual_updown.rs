//! The scheme `virtual-updown`: edge-disjoint virtual up-down routing of Flattened Clos.

mod cones;
mod pair;

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::{Fabric, NO_VIRTUAL_LAYER};
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::scheme::Scheme;
use crate::{Error, PathSet, Routes};

plugin! {
    pub struct VirtualUpdown {
        /// minimum number of paths per pair; a pair with fewer paths is an error (with 0, pairs may have no path)
        min_paths: u16 = integer(0, 65_535), default "1";
    }
    name: "virtual-updown",
    summary: "the maximum number of edge-disjoint virtual up-down paths per pair, with the least total length; \
        deadlock-free with one VC",
    paper: "Flattened Clos (NSDI23) §3.2, App. A.1 (Algorithm 1), A.2",
    limitations: "The fabric must have virtual layers. Their number is a parameter of the fabric (strategy (*) of Flattened Clos §3.2.3 \
        chooses the least number k of eq. 4, or k + 1 if pairs have fewer than min_paths paths). An edge is a channel, so two paths of a \
        pair may use the two directions of a cable. Path lengths count hops; the paper counts switches, which gives one more. If a pair \
        has several best sets of paths, the order of ports decides.",
    examples: ["virtual-updown:min_paths=0"],
    rejects: [
        ("virtual-updown:min_paths=-1", "min_paths=-1 is out of range; legal: 0 to 65535"),
        ("virtual-updown:layers=3", "unknown parameter 'layers=3'"),
    ],
}

impl Scheme for VirtualUpdown {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        connected_distances(&VirtualUpdown::INFO, fabric, &LayerLinks::all(fabric))?;
        let layers = num_layers(fabric)?;
        let cones = cones::cones(fabric, layers);
        let paths = all_pairs(&VirtualUpdown::INFO, fabric, || pair::Pair::new(fabric, &cones))?;
        self.check(fabric, layers, &paths)?;
        Ok(Routes::Paths(paths))
    }
}

impl VirtualUpdown {
    /// Checks that every pair has at least `min_paths` paths.
    fn check(&self, fabric: &Fabric, layers: u8, paths: &PathSet) -> Result<(), Error> {
        let switches = 0..fabric.num_switches() as u32;
        let pairs = switches.clone().flat_map(|from| switches.clone().map(move |to| (from, to)));
        for (from, to) in pairs.filter(|(from, to)| from != to) {
            let count = paths.between(from, to).len();
            if count < usize::from(self.min_paths) {
                let [from, to] = [from, to].map(|switch| fabric.called(switch));
                return Err(Error::Fabric {
                    scheme: VirtualUpdown::INFO.name.to_owned(),
                    problem: format!(
                        "{count} virtual up-down paths from switch {from} to {to} of {}, fewer than min_paths={}",
                        fabric.spec(),
                        self.min_paths
                    ),
                    legal: format!(
                        "legal: min_paths={count} or less, or a fabric with more than {layers} virtual layers"
                    ),
                });
            }
        }
        Ok(())
    }
}

/// Returns, for each pair of switches, the number of its edge-disjoint virtual up-down paths, and the total number of their hops. The
/// function does not store the paths, so it also works for fabrics whose path set would not fit in memory.
///
/// # Errors
/// Fails if the fabric is not connected, has no virtual layers, or has a cable that does not join two adjacent virtual layers.
pub fn counts(fabric: &Fabric, pairs: &[(u32, u32)]) -> Result<Vec<[u32; 2]>, Error> {
    connected_distances(&VirtualUpdown::INFO, fabric, &LayerLinks::all(fabric))?;
    let cones = cones::cones(fabric, num_layers(fabric)?);
    let finder = || (pair::Pair::new(fabric, &cones), Found::default());
    task::begin(pairs.len());
    let count = |(finder, paths): &mut (pair::Pair<'_>, Found), &(source, destination): &(u32, u32)| {
        task::step();
        paths.clear();
        if source != destination {
            finder.begin(source);
            finder.find(destination, paths);
        }
        [paths.len() as u32, paths.iter().map(|path| path.len() as u32).sum()]
    };
    Ok(pairs.par_iter().map_init(finder, count).collect())
}

/// Returns the number of virtual layers. Fails if a cable does not join two adjacent virtual layers; the error names the cable.
fn num_layers(fabric: &Fabric) -> Result<u8, Error> {
    let refused = |problem: String| Error::Fabric {
        scheme: VirtualUpdown::INFO.name.to_owned(),
        problem,
        legal: "legal: fabrics in which every cable joins two adjacent virtual layers, for example flattenedclos"
            .to_owned(),
    };
    if fabric.virtual_layers().is_empty() {
        return Err(refused(format!("{} has no virtual layers", fabric.spec())));
    }
    for (channel, &[near, far]) in fabric.virtual_layers().iter().enumerate() {
        if near.abs_diff(far) != 1 || near.max(far) == NO_VIRTUAL_LAYER {
            let [from, to] = [fabric.sources()[channel], fabric.targets()[channel]].map(|switch| fabric.called(switch));
            return Err(refused(format!("the cable from switch {from} to {to} joins virtual layers {near} and {far}")));
        }
    }
    Ok(fabric.virtual_layers().iter().map(|&[near, _]| near).max().unwrap_or(0) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_path_set() {
        let fabric = tulle_topologies::build("flattenedclos:switches=30,ports=12", 1).unwrap();
        let routing = crate::build(&fabric, "virtual-updown:min_paths=0", 0).unwrap();
        let set = routing.path_set().expect("it is made of paths");
        let pairs: Vec<(u32, u32)> = (0..30).flat_map(|from| (0..30).rev().map(move |to| (from, to))).collect();
        for (&(from, to), count) in pairs.iter().zip(counts(&fabric, &pairs).unwrap()) {
            let hops: usize = set.between(from, to).map(|path| set.ports(path).len()).sum();
            assert_eq!(count, [set.between(from, to).len() as u32, hops as u32], "{from} to {to}");
        }
        let without = tulle_topologies::build("slimfly:q=5", 0).unwrap();
        assert!(counts(&without, &[(0, 1)]).unwrap_err().to_string().contains("no virtual layers"));
    }
}
