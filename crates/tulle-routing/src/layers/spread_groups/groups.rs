//! Computes groups of next hops from potentials: a switch forwards to all neighbours of lower potential.

use rayon::prelude::*;
use tulle_base::{memory, task};
use tulle_fabric::Fabric;

use crate::{Table, TableBuilder};

/// Returns the table of `layer`. `columns` has one entry per destination: the potentials of all switches, one layer after the other.
pub(super) fn table(fabric: &Fabric, columns: &[Vec<u16>], layer: usize) -> Table {
    let switches = fabric.num_switches();
    let mut builder = TableBuilder::new(fabric);
    let words = builder.rows().map(|row| row.words()).max().unwrap_or(0);
    // The first loop runs over destinations, because the potentials toward one destination are contiguous in memory.
    let mut lower = memory::matrix("groups", 0u64, switches, switches * words);
    lower.par_chunks_mut((switches * words).max(1)).zip(columns).for_each(|(lower, column)| {
        task::check();
        let potential = &column[layer * switches..][..switches];
        for (switch, lower) in lower.chunks_mut(words).enumerate() {
            for (port, &next) in fabric.neighbours(switch as u32).iter().enumerate() {
                lower[port / 64] |= u64::from(potential[next as usize] < potential[switch]) << (port % 64);
            }
        }
    });
    builder.rows().for_each(|mut row| {
        let (switch, words_here) = (row.switch as usize, row.words());
        for destination in (0..switches).filter(|&destination| destination != switch) {
            let at = (destination * switches + switch) * words;
            row.set_bits(destination as u32, &lower[at..at + words_here]);
        }
    });
    builder.finish()
}
