//! Computes next hops on paths of least weight (Dijkstra, Numerische Mathematik 1, 1959).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;
use tulle_base::{memory, task};
use tulle_fabric::Fabric;

use crate::{Table, TableBuilder};

/// The least weight of a path, and the fewest hops among the paths of this weight.
type Far = (u64, u32);

const UNREACHED: Far = (u64::MAX, u32::MAX);

/// Returns a table with all next hops on paths of least weight. `fabric` must be connected, and `weights` has one entry per channel.
///
/// The next hops of paths of equal weight form a group, even if the paths have different numbers of hops. No choice of ports forms a loop.
/// Each hop over a channel of positive weight reduces the remaining weight, and a channel of weight 0 is used only if it reduces the
/// remaining hops.
pub(super) fn weighted_next_hops(fabric: &Fabric, weights: &[u64]) -> Table {
    let switches = fabric.num_switches();
    // One row per destination: the weight and the hops of the best path from every switch.
    let mut far = memory::matrix("weights of paths", UNREACHED, switches, switches);
    far.par_chunks_mut(switches.max(1)).enumerate().for_each_init(BinaryHeap::new, |waiting, (destination, row)| {
        task::check();
        search_back(fabric, weights, destination as u32, row, waiting);
    });
    let mut builder = TableBuilder::new(fabric);
    builder.rows().for_each_init(Vec::new, |ports, mut row| {
        let switch = row.switch as usize;
        for destination in (0..switches).filter(|&destination| destination != switch) {
            let far = &far[destination * switches..(destination + 1) * switches];
            ports.clear();
            for (port, channel) in fabric.channels_of(row.switch).enumerate() {
                let (there, here, weight) = (far[fabric.targets()[channel] as usize], far[switch], weights[channel]);
                if there.0 + weight == here.0 && (weight > 0 || there.1 < here.1) {
                    ports.push(port as u16);
                }
            }
            row.set(destination as u32, ports);
        }
    });
    builder.finish()
}

/// Writes to `row` the weight and the hops of the best path from every switch to `destination`.
fn search_back(
    fabric: &Fabric,
    weights: &[u64],
    destination: u32,
    row: &mut [Far],
    waiting: &mut BinaryHeap<Reverse<(Far, u32)>>,
) {
    row[destination as usize] = (0, 0);
    waiting.push(Reverse(((0, 0), destination)));
    while let Some(Reverse((far, switch))) = waiting.pop() {
        if far > row[switch as usize] {
            continue;
        }
        for channel in fabric.channels_of(switch) {
            let (before, back) = (fabric.targets()[channel] as usize, fabric.reverse()[channel] as usize);
            let there = (far.0 + weights[back], far.1 + 1);
            if there < row[before] {
                row[before] = there;
                waiting.push(Reverse((there, before as u32)));
            }
        }
    }
}
