//! Paths per channel over all pairs, without walking each path of a table.

use rayon::prelude::*;
use tulle_fabric::Fabric;

use super::senders;
use crate::columns::{beyond, channel};
use crate::{Routes, Routing, Table};

/// Per channel, the paths over it of all ordered pairs of switches that carry endpoints (of all switches, where none does):
/// what `Quality::paths_over` counts, of tables in time that grows with layers · S² however long the paths are.
///
/// # Panics
/// Where the routing is not one of `fabric` (see [`crate::verify`]).
pub fn paths_over(fabric: &Fabric, routing: &Routing) -> Vec<u64> {
    let edge = senders(fabric);
    let none = || vec![0u64; fabric.num_channels()];
    let counted = edge.par_iter().fold(none, |mut counts, &end| {
        match routing.routes() {
            Routes::Layers(layers) => layers.iter().for_each(|table| tree(fabric, table, &edge, end, &mut counts)),
            Routes::Paths(set) => {
                for &destination in &edge {
                    let channels = set.between(end, destination).flat_map(|path| set.channels(fabric, end, path));
                    channels.for_each(|channel| counts[channel as usize] += 1);
                }
            }
        }
        counts
    });
    // Sums of whole numbers: the same whatever the order of the threads.
    counted.reduce(none, |mut counts, others| {
        counts.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        counts
    })
}

/// Counts the paths from all of `edge` along the tree of lowest ports toward `destination`.
fn tree(fabric: &Fabric, table: &Table, edge: &[u32], destination: u32, counts: &mut [u64]) {
    let switches = fabric.num_switches();
    let port = |switch: u32| table.next(switch, destination)[0];
    // Per switch, how many others send directly to it: leaves are counted first, then what they lead to.
    let mut before = vec![0u32; switches];
    let mut through = vec![0u64; switches];
    edge.iter().for_each(|&source| through[source as usize] = 1);
    let others = (0..switches as u32).filter(|&switch| switch != destination);
    others.clone().for_each(|switch| before[beyond(fabric, switch, port(switch)) as usize] += 1);
    let mut ready: Vec<u32> = others.filter(|&switch| before[switch as usize] == 0).collect();
    while let Some(switch) = ready.pop() {
        let (paths, next) = (through[switch as usize], beyond(fabric, switch, port(switch)));
        counts[channel(fabric, switch, port(switch)) as usize] += paths;
        through[next as usize] += paths;
        before[next as usize] -= 1;
        if before[next as usize] == 0 && next != destination {
            ready.push(next);
        }
    }
}
