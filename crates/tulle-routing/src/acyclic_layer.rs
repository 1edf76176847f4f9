//! Builds layers of some of the channels, usually of channels that form no cycle, because every channel leads to a switch of higher rank.
//! Such a layer may have no path for some pairs.

use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_fabric::distances::UNREACHED;

use crate::Table;
use crate::columns::{Columns, port};
use crate::loads::Least;

/// Returns a layer of shortest paths over the channels that `keep` marks. For each switch and destination, one shortest next hop is chosen
/// uniformly at random (FatPaths §V-C). If the marked channels have no path, the next hop comes from the table `base`.
///
/// If the layer has no path at a switch, the packet follows `base` until it reaches a switch at which the layer has a path. From there on,
/// the packet stays in the layer, because every later switch on this path also has a path in the layer. Packets therefore cannot loop if
/// `base` has no loops.
pub(crate) fn acyclic_layer(fabric: &Fabric, keep: &[bool], base: &Table, seed: u64, layer: u64) -> Table {
    let switches = fabric.num_switches();
    let mut columns = Columns::new(switches);
    columns.par_columns().for_each_init(
        || (vec![UNREACHED; switches], Vec::new()),
        |(hops, queue), (destination, column)| {
            search_back(fabric, keep, destination, hops, queue);
            let mut rng = stream(seed, "routing/one-way", layer * switches as u64 + u64::from(destination));
            for switch in (0..switches as u32).filter(|&switch| switch != destination) {
                column[switch as usize] = match hops[switch as usize] {
                    UNREACHED => base.group(switch, destination),
                    here => one_of_shortest(fabric, keep, hops, switch, here, &mut rng),
                };
            }
        },
    );
    columns.table(fabric)
}

/// Returns a random rank for every switch.
pub(crate) fn permutation(switches: usize, rng: &mut impl Rng) -> Vec<u32> {
    let mut rank: Vec<u32> = (0..switches as u32).collect();
    rank.shuffle(rng);
    rank
}

/// Writes to `hops`, per switch, the number of hops to `destination` over the channels in `keep`. It writes [`UNREACHED`] if there is no
/// path, or if the number of hops does not fit in a byte.
fn search_back(fabric: &Fabric, keep: &[bool], destination: u32, hops: &mut [u8], queue: &mut Vec<u32>) {
    hops.fill(UNREACHED);
    hops[destination as usize] = 0;
    queue.clear();
    queue.push(destination);
    let mut at = 0;
    while let Some(&switch) = queue.get(at) {
        at += 1;
        let farther = hops[switch as usize] + 1;
        if farther == UNREACHED {
            break;
        }
        for channel in fabric.channels_of(switch) {
            let previous = fabric.targets()[channel] as usize;
            if keep[fabric.reverse()[channel] as usize] && hops[previous] == UNREACHED {
                hops[previous] = farther;
                queue.push(previous as u32);
            }
        }
    }
}

fn one_of_shortest(fabric: &Fabric, keep: &[bool], hops: &[u8], switch: u32, here: u8, rng: &mut impl Rng) -> u16 {
    let mut best = Least::new();
    for channel in fabric.channels_of(switch) {
        if keep[channel] && hops[fabric.targets()[channel] as usize] == here - 1 {
            best.offer(0, port(fabric, channel as u32), rng);
        }
    }
    best.port
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{path, verify};

    #[test]
    fn pairs_without_a_path_follow_the_base_until_one_begins() {
        // A ring of four switches. The layer keeps the channels 0→1→2→3, so only `base` has a path from switch 3 to switch 0.
        let mut builder = tulle_fabric::FabricBuilder::new(4);
        for switch in 0..4 {
            builder.cable(switch, (switch + 1) % 4);
        }
        let ring = builder.finish("ring", Default::default()).unwrap();
        let base = crate::build(&ring, "balanced", 0).unwrap();
        let keep: Vec<bool> =
            ring.sources().iter().zip(ring.targets()).map(|(&source, &target)| target == source + 1).collect();
        let table = acyclic_layer(&ring, &keep, &base.layers()[0], 0, 1);
        verify(&ring, &table).unwrap();
        let switches = |source, destination| -> Vec<u32> {
            path(&ring, &table, source, destination).iter().map(|&channel| ring.targets()[channel as usize]).collect()
        };
        assert_eq!(switches(0, 3), [1, 2, 3], "the path follows the layer, although switches 0 and 3 are adjacent");
        assert_eq!(switches(3, 0), [0], "against the layer");
    }
}
