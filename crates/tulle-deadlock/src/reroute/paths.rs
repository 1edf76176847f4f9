//! Path sets after failures.

use rayon::prelude::*;
use tulle_base::task;
use tulle_routing::{PathSet, SourcePaths};

use super::Counts;
use super::damage::Damage;
use super::detour::{Detour, carry};

/// A path set after failures.
pub(super) struct ReroutedPaths {
    /// The paths that survived the failures, and the paths that replace lost paths.
    pub set: PathSet,
    /// The pairs that lost all paths and have no new path that follows the channel order. The number with each pair is the amount of
    /// traffic on one of its paths.
    pub unroutable: Vec<([u32; 2], f64)>,
    /// The load of each channel.
    pub load: Vec<f64>,
}

/// The number of rounds in which pairs get new paths. The sources of one round choose in parallel; each knows its own choices and those of
/// earlier rounds. The number is fixed, so that the paths do not depend on the number of threads.
const ROUNDS: usize = 32;

/// Returns the path set on the damaged fabric: the surviving paths of `set`, and new paths for pairs that lost paths.
pub(super) fn rerouted(damage: &Damage<'_>, set: &PathSet) -> ReroutedPaths {
    let fabric = damage.new;
    let switches = fabric.num_switches() as u32;
    let left: Vec<Vec<Pair>> = (0..switches)
        .into_par_iter()
        .map(|source| {
            task::check();
            (0..switches).map(|destination| Pair::left(damage, set, source, destination)).collect()
        })
        .collect();
    let mut load = vec![0.0; fabric.num_channels()];
    for (pairs, source) in left.iter().zip(0..) {
        for pair in pairs {
            pair.paths.iter().for_each(|path| carry(fabric, source, path, pair.amount, &mut load));
        }
    }
    let mut sources: Vec<Vec<Pair>> = left;
    for round in 0..ROUNDS {
        let mut of_round: Vec<(usize, &mut Vec<Pair>)> =
            sources.iter_mut().enumerate().skip(round).step_by(ROUNDS).collect();
        let new: Vec<Vec<(usize, Vec<u16>)>> = of_round
            .par_iter_mut()
            .map_init(
                || Detour::new(fabric, damage.order.as_ref(), load.clone()),
                |detour, (source, pairs)| {
                    detour.load.copy_from_slice(&load);
                    let mut new = Vec::new();
                    for (destination, pair) in pairs.iter_mut().enumerate() {
                        task::check();
                        let had = pair.paths.len();
                        pair.restore(damage, detour, [*source as u32, destination as u32]);
                        new.extend(pair.paths[had..].iter().map(|path| (destination, path.clone())));
                    }
                    new
                },
            )
            .collect();
        for ((source, pairs), new) in of_round.iter().zip(new) {
            for (destination, path) in new {
                carry(fabric, *source as u32, &path, pairs[destination].amount, &mut load);
            }
        }
    }
    let mut unroutable = Vec::new();
    let joined = sources.iter().zip(0..).map(|(pairs, source)| {
        let mut paths = SourcePaths::default();
        for (pair, destination) in pairs.iter().zip(0..) {
            paths.destination(pair.paths.iter().map(|path| &path[..]));
            if pair.paths.is_empty() && pair.wanted > 0 {
                unroutable.push(([source, destination], pair.amount));
            }
        }
        paths
    });
    let set = SourcePaths::join(joined.collect());
    ReroutedPaths { set, unroutable, load }
}

/// The paths from one source to one destination.
struct Pair {
    paths: Vec<Vec<u16>>,
    /// The number of paths before the failures.
    wanted: usize,
    /// The traffic of each path: the product of the endpoint counts of both switches (1 in a fabric without endpoints), split evenly over
    /// the paths of the pair.
    amount: f64,
}

impl Pair {
    /// Returns the surviving paths of a pair.
    fn left(damage: &Damage<'_>, set: &PathSet, source: u32, destination: u32) -> Self {
        let had = set.between(damage.id_map.old_switch(source), damage.id_map.old_switch(destination));
        let wanted = had.len();
        let ends = |switch| match damage.new.num_endpoints() {
            0 => 1.0,
            _ => damage.new.endpoints_of(switch).len() as f64,
        };
        let amount = ends(source) * ends(destination) / wanted.max(1) as f64;
        Self { paths: had.filter_map(|path| moved(damage, source, set.ports(path))).collect(), wanted, amount }
    }

    /// Adds new paths until the pair has as many paths as before. Each new path is a shortest path that follows the channel order and
    /// shares no channel with the other paths of the pair. Without a channel order, it is unknown which new paths are free of deadlock.
    /// Then only a pair that has lost all its paths gets one new path.
    fn restore(&mut self, damage: &Damage<'_>, detour: &mut Detour<'_>, [source, destination]: [u32; 2]) {
        let wanted = if damage.order.is_none() { self.wanted.min(1) } else { self.wanted };
        if self.paths.len() >= wanted {
            return;
        }
        self.paths.iter().for_each(|path| detour.close(source, path, true));
        while self.paths.len() < wanted
            && let Some(path) = detour.find(source, destination, self.amount)
        {
            detour.close(source, &path, true);
            detour.carry(source, &path, self.amount);
            self.paths.push(path);
        }
        self.paths.iter().for_each(|path| detour.close(source, path, false));
    }
}

/// Returns the path with the port numbers of the damaged fabric, or `None` if one of its channels is dead. `old` holds the old port numbers
/// of the path, which starts at `source`.
fn moved(damage: &Damage<'_>, source: u32, old: &[u16]) -> Option<Vec<u16>> {
    let mut switch = source;
    let mut ports = Vec::with_capacity(old.len());
    for &port in old {
        let port = damage.port(switch, port)?;
        switch = tulle_routing::columns::beyond(damage.new, switch, port);
        ports.push(port);
    }
    Some(ports)
}

/// Counts the paths of `before` that are missing in `after`, and the new paths of `after`.
pub(super) fn compare(damage: &Damage<'_>, before: &PathSet, after: &PathSet, counts: &mut Counts) {
    let switches = 0..damage.new.num_switches() as u32;
    for source in switches.clone() {
        for destination in switches.clone() {
            let had = before.between(damage.id_map.old_switch(source), damage.id_map.old_switch(destination));
            let left: Vec<Option<Vec<u16>>> = had.map(|path| moved(damage, source, before.ports(path))).collect();
            let has: Vec<&[u16]> = after.between(source, destination).map(|path| after.ports(path)).collect();
            let kept = left.iter().flatten().filter(|path| has.contains(&&path[..])).count();
            counts.entries += left.len();
            counts.touched += left.len() - kept;
            counts.broken += left.iter().filter(|path| path.is_none()).count();
            counts.added += has.len() - kept;
        }
    }
}
