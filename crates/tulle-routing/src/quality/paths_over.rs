//! Counts the paths over every channel, for all pairs, without following each path of a table.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;

use super::senders;
use crate::columns::{beyond, channel};
use crate::{Routes, Routing, Table};

/// The number of units into which each path is divided. Sums of whole units do not depend on the order of threads.
const WHOLE: u64 = 1 << 20;

/// Returns, per channel, the number of paths over it. The function counts the paths of all ordered pairs of switches with endpoints, or of
/// all switches if no switch has endpoints. Paths split evenly over the ports of a group. If all groups are single ports, the result equals
/// the field `Quality::paths_over`.
///
/// For tables, the time grows as layers · S², where S is the number of switches. The lengths of paths have no effect on the time.
///
/// # Panics
/// Panics if `routing` does not belong to `fabric` (see [`crate::verify`]).
pub fn paths_over(fabric: &Fabric, routing: &Routing) -> Vec<f64> {
    let edge = senders(fabric);
    let none = || vec![0u64; fabric.num_channels()];
    let counted = edge.par_iter().fold(none, |mut counts, &end| {
        task::check();
        match routing.routes() {
            Routes::Layers(layers) => layers.iter().for_each(|table| toward(fabric, table, &edge, end, &mut counts)),
            Routes::Paths(set) => {
                for &destination in &edge {
                    let channels = set.between(end, destination).flat_map(|path| set.channels(fabric, end, path));
                    channels.for_each(|channel| counts[channel as usize] += WHOLE);
                }
            }
        }
        counts
    });
    let counts = counted.reduce(none, |mut counts, others| {
        counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        counts
    });
    counts.into_iter().map(|count| count as f64 / WHOLE as f64).collect()
}

/// Counts the paths from all switches in `edge` to `destination`, and adds these numbers to `counts`.
fn toward(fabric: &Fabric, table: &Table, edge: &[u32], destination: u32, counts: &mut [u64]) {
    let switches = fabric.num_switches();
    // Per switch, the number of unprocessed switches that forward to it. A switch can be processed when this number is 0.
    let mut before = vec![0u32; switches];
    let mut through = vec![0u64; switches];
    edge.iter().for_each(|&source| through[source as usize] = WHOLE);
    let others = (0..switches as u32).filter(|&switch| switch != destination);
    for switch in others.clone() {
        let next = table.next(switch, destination).iter();
        next.for_each(|&port| before[beyond(fabric, switch, port) as usize] += 1);
    }
    let mut ready: Vec<u32> = others.filter(|&switch| before[switch as usize] == 0).collect();
    while let Some(switch) = ready.pop() {
        let ports = table.next(switch, destination);
        let (share, rest) =
            (through[switch as usize] / ports.len() as u64, through[switch as usize] % ports.len() as u64);
        for (at, &port) in (0..).zip(ports) {
            // If the units cannot be divided evenly, each of the first ports gets one unit more than the others.
            let paths = share + u64::from(at < rest);
            let next = beyond(fabric, switch, port);
            counts[channel(fabric, switch, port) as usize] += paths;
            through[next as usize] += paths;
            before[next as usize] -= 1;
            if before[next as usize] == 0 && next != destination {
                ready.push(next);
            }
        }
    }
}
