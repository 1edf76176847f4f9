//! Finds all shortest next hops, or a random one for each switch and destination, from the distances between all pairs of switches.
//!
//! A switch `s` may forward toward `d` over a link to `n` if `n` is one hop nearer to `d`. For one switch and one link, this test compares
//! two rows of bytes, with one byte per destination. The compiler uses vector instructions for this loop. With S switches of k' network
//! ports, a table takes about S²·k'/32 steps, and needs no search per destination.

use rand::RngExt;
use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use crate::Table;
use crate::columns::NO_PORT;
use crate::links::LayerLinks;
use crate::table::TableBuilder;

/// All shortest next hops of a fabric, in a memory layout for searches toward one destination at a time.
#[derive(Debug)]
pub(crate) struct Nearer {
    all: Table,
    /// By destination and switch: the port, if there is only one shortest next hop, otherwise [`NO_PORT`]. The entries of one destination
    /// are contiguous in memory; in a table, they would be far apart.
    only: Vec<u16>,
}

impl Nearer {
    /// Returns the shortest next hops of `fabric`.
    pub fn of(fabric: &Fabric, distances: &Distances) -> Self {
        let switches = fabric.num_switches();
        let mut builder = TableBuilder::new(fabric);
        all_next_hops(&mut builder, &LayerLinks::all(fabric), distances);
        let all = builder.finish();
        let mut only = memory::matrix("shortest next hops", NO_PORT, switches, switches);
        only.par_chunks_mut(switches.max(1)).zip(0..switches as u32).for_each(|(only, destination)| {
            for (only, switch) in only.iter_mut().zip(0..) {
                if let &[port] = all.next(switch, destination) {
                    *only = port;
                }
            }
        });
        Self { all, only }
    }

    /// Returns the only port of `switch` that leads nearer to `destination`; `None` if there are several such ports.
    pub fn only(&self, switch: u32, destination: u32) -> Option<u16> {
        let only = self.only[destination as usize * self.all.num_switches() + switch as usize];
        (only != NO_PORT).then_some(only)
    }

    /// Prefetches the memory that [`Self::only`] reads.
    pub fn prefetch(&self, switch: u32, destination: u32) {
        prefetch(&self.only, destination as usize * self.all.num_switches() + switch as usize);
    }

    /// Returns the ports of `switch` that lead nearer to `destination`, ascending.
    #[inline]
    pub fn next(&self, switch: u32, destination: u32) -> &[u16] {
        let only = &self.only[destination as usize * self.all.num_switches() + switch as usize];
        if *only == NO_PORT { self.all.next(switch, destination) } else { std::slice::from_ref(only) }
    }
}

/// Fills `builder` with all shortest next hops over `links`.
pub(crate) fn all_next_hops(builder: &mut TableBuilder, links: &LayerLinks, distances: &Distances) {
    let switches = builder.rows().len();
    builder.rows().for_each_init(
        || (Vec::new(), Vec::new()),
        |(bytes, words), mut row| {
            // Per group of eight ports and destination, a byte with one bit per port. The bit is 1 if the port leads nearer to the
            // destination.
            let eights = links.of_switch(row.switch).map(|(_, port)| usize::from(port) / 8 + 1).max().unwrap_or(0);
            bytes.clear();
            bytes.resize(eights * switches, 0u8);
            let here = distances.row(row.switch);
            for (next, port) in links.of_switch(row.switch) {
                let bit = 1u8 << (port % 8);
                let nearer = &mut bytes[usize::from(port) / 8 * switches..][..switches];
                for ((nearer, &there), &here) in nearer.iter_mut().zip(distances.row(next)).zip(here) {
                    *nearer |= if there.wrapping_add(1) == here { bit } else { 0 };
                }
            }
            for destination in 0..switches {
                words.clear();
                words.resize(row.words(), 0u64);
                for eight in 0..eights {
                    words[eight / 8] |= u64::from(bytes[eight * switches + destination]) << (eight % 8 * 8);
                }
                if words.iter().any(|&word| word != 0) {
                    row.set_bits(destination as u32, words);
                }
            }
        },
    );
}

/// Fills `builder` with one next hop per switch and destination, chosen uniformly at random among all next hops on shortest paths over
/// `links` (FatPaths §V-C). Each `layer` has its own random streams.
pub(crate) fn random_next_hops(
    builder: &mut TableBuilder,
    links: &LayerLinks,
    distances: &Distances,
    seed: u64,
    layer: u64,
) {
    let switches = builder.rows().len();
    builder.rows().for_each_init(
        || Choices::new(switches),
        |choices, row| {
            choices.count(links, distances, row.switch);
            let mut rng = stream(seed, "routing/next-hop", layer * switches as u64 + u64::from(row.switch));
            for (pick, &count) in choices.picks.iter_mut().zip(&choices.counts) {
                if count > 1 {
                    *pick = rng.random_range(0..count);
                }
            }
            choices.pick(links, distances, row.switch, row.groups);
        },
    );
}

/// For one switch and each destination: the number of shortest next hops, and the index of the selected one.
struct Choices {
    counts: Vec<u16>,
    picks: Vec<u16>,
}

impl Choices {
    fn new(switches: usize) -> Self {
        Self { counts: vec![0; switches], picks: vec![0; switches] }
    }

    /// Counts the shortest next hops of `switch` in `counts`, and selects the first one for every destination in `picks`. The caller may
    /// then change the selection.
    fn count(&mut self, links: &LayerLinks, distances: &Distances, switch: u32) {
        self.counts.fill(0);
        self.picks.fill(0);
        let here = distances.row(switch);
        for (next, _) in links.of_switch(switch) {
            for ((count, &there), &here) in self.counts.iter_mut().zip(distances.row(next)).zip(here) {
                *count += u16::from(there.wrapping_add(1) == here);
            }
        }
    }

    /// Writes the port of the selected next hop per destination to `groups`. If a destination has no next hop, its entry does not change.
    fn pick(&mut self, links: &LayerLinks, distances: &Distances, switch: u32, groups: &mut [u16]) {
        let here = distances.row(switch);
        for (next, port) in links.of_switch(switch) {
            let rows = self.picks.iter_mut().zip(distances.row(next)).zip(here).zip(groups.iter_mut());
            for (((pick, &there), &here), group) in rows {
                let nearer = there.wrapping_add(1) == here;
                *group = if nearer & (*pick == 0) { port } else { *group };
                // `pick` counts down to 0 at the selected next hop. Then it wraps around to a large value, so that no later next hop is
                // selected.
                *pick = pick.wrapping_sub(u16::from(nearer));
            }
        }
    }
}
