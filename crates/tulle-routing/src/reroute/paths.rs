//! Path sets after failures.

use rayon::prelude::*;
use tulle_fabric::task;

use super::{Counts, Places};
use crate::{Error, PathSet, SourcePaths};

/// `set` over the damaged fabric: what is left of it, and a path for every pair that has lost all of its own.
pub(super) fn rerouted(places: &Places<'_>, set: &PathSet) -> Result<PathSet, Error> {
    let switches = places.new.num_switches() as u32;
    let sources: Vec<Result<SourcePaths, Error>> = (0..switches)
        .into_par_iter()
        .map(|source| {
            let mut rerouted = SourcePaths::default();
            for destination in 0..switches {
                task::check();
                let (old_source, old_destination) =
                    (places.lineage.old_switch(source), places.lineage.old_switch(destination));
                let had = set.between(old_source, old_destination);
                let mut left: Vec<Vec<u16>> =
                    had.clone().filter_map(|path| moved(places, source, set.ports(path))).collect();
                if left.is_empty() && !had.is_empty() {
                    let path = shortest(places, source, destination, |before, next| places.rises(before, next))
                        .or_else(|| shortest(places, source, destination, |_, _| true));
                    left.push(path.ok_or_else(|| places.apart(source, destination))?);
                }
                rerouted.destination(left.iter().map(|path| &path[..]));
            }
            Ok(rerouted)
        })
        .collect();
    Ok(SourcePaths::join(sources.into_iter().collect::<Result<_, _>>()?))
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

/// A shortest path whose every channel may follow the one before, by the lowest ports; `None` where there is none.
///
/// It meets no switch twice as long as `may_follow` is an order: what comes after the second meeting could have come after
/// the first.
fn shortest(
    places: &Places<'_>,
    source: u32,
    destination: u32,
    may_follow: impl Fn(u32, u32) -> bool,
) -> Option<Vec<u16>> {
    const NEW: u32 = u32::MAX;
    let new = places.new;
    // Per channel the one before it on the way found first; itself at the source.
    let mut before = vec![NEW; new.num_channels()];
    let mut queue: Vec<u32> = new.channels_of(source).map(|channel| channel as u32).collect();
    queue.iter().for_each(|&channel| before[channel as usize] = channel);
    let mut at = 0;
    while let Some(&channel) = queue.get(at) {
        at += 1;
        let switch = new.targets()[channel as usize];
        if switch == destination {
            let mut ports = Vec::new();
            let mut channel = channel;
            loop {
                ports.push(crate::columns::port(new, channel));
                if before[channel as usize] == channel {
                    ports.reverse();
                    return Some(ports);
                }
                channel = before[channel as usize];
            }
        }
        for next in new.channels_of(switch) {
            if before[next] == NEW && new.targets()[next] != source && may_follow(channel, next as u32) {
                before[next] = channel;
                queue.push(next as u32);
            }
        }
    }
    None
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
