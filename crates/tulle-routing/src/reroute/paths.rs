//! Path sets after failures.

use rayon::prelude::*;
use tulle_fabric::task;

use super::detour::Detour;
use super::{Counts, Places};
use crate::{PathSet, SourcePaths};

/// A path set after failures.
pub(super) struct Mended {
    /// The paths: what is left, and what takes the place of the others.
    pub set: PathSet,
    /// The pairs that lost all paths and have none that keeps the order of the others.
    pub stranded: Vec<[u32; 2]>,
}

/// `set` over the damaged fabric: what is left of it, and new paths for pairs that lost some.
pub(super) fn rerouted(places: &Places<'_>, set: &PathSet) -> Mended {
    let switches = places.new.num_switches() as u32;
    let sources: Vec<(SourcePaths, Vec<[u32; 2]>)> = (0..switches)
        .into_par_iter()
        .map_init(
            || Detour::new(places.new, places.order.as_ref()),
            |detour, source| {
                let (mut rerouted, mut stranded) = (SourcePaths::default(), Vec::new());
                for destination in 0..switches {
                    task::check();
                    let had = set.between(places.lineage.old_switch(source), places.lineage.old_switch(destination));
                    let wanted = had.len();
                    let left = had.filter_map(|path| moved(places, source, set.ports(path))).collect();
                    let paths = restored(places, detour, [source, destination], left, wanted);
                    rerouted.destination(paths.iter().map(|path| &path[..]));
                    if paths.is_empty() && wanted > 0 {
                        stranded.push([source, destination]);
                    }
                }
                (rerouted, stranded)
            },
        )
        .collect();
    let (sources, stranded): (Vec<SourcePaths>, Vec<_>) = sources.into_iter().unzip();
    Mended { set: SourcePaths::join(sources), stranded: stranded.concat() }
}

/// The paths of a pair: those that are `left` first, then new ones, up to `wanted` in all, each a shortest one that keeps
/// the order and shares no channel with the others of the pair. Without an order nothing tells which new paths do no harm:
/// a pair gets one where it has lost all.
fn restored(
    places: &Places<'_>,
    detour: &mut Detour<'_>,
    [source, destination]: [u32; 2],
    left: Vec<Vec<u16>>,
    wanted: usize,
) -> Vec<Vec<u16>> {
    let wanted = if places.order.is_none() { wanted.min(1) } else { wanted };
    let mut paths = left;
    if paths.len() >= wanted {
        return paths;
    }
    paths.iter().for_each(|path| detour.close(source, path, true));
    while paths.len() < wanted
        && let Some(path) = detour.find(source, destination)
    {
        detour.close(source, &path, true);
        paths.push(path);
    }
    paths.iter().for_each(|path| detour.close(source, path, false));
    paths
}

/// The path of `old` ports from the damaged fabric's `source`; `None` where some channel of it is gone.
fn moved(places: &Places<'_>, source: u32, old: &[u16]) -> Option<Vec<u16>> {
    let mut switch = source;
    let mut ports = Vec::with_capacity(old.len());
    for &port in old {
        let port = places.port(switch, port)?;
        switch = crate::columns::beyond(places.new, switch, port);
        ports.push(port);
    }
    Some(ports)
}

/// Counts the paths of `before` that are not in `after`, and those of `after` that are new.
pub(super) fn compare(places: &Places<'_>, before: &PathSet, after: &PathSet, counts: &mut Counts) {
    let switches = 0..places.new.num_switches() as u32;
    for source in switches.clone() {
        for destination in switches.clone() {
            let had = before.between(places.lineage.old_switch(source), places.lineage.old_switch(destination));
            let left: Vec<Option<Vec<u16>>> = had.map(|path| moved(places, source, before.ports(path))).collect();
            let has: Vec<&[u16]> = after.between(source, destination).map(|path| after.ports(path)).collect();
            let kept = left.iter().flatten().filter(|path| has.contains(&&path[..])).count();
            counts.entries += left.len();
            counts.touched += left.len() - kept;
            counts.broken += left.iter().filter(|path| path.is_none()).count();
            counts.added += has.len() - kept;
        }
    }
}
