//! Computes an order of all pairs of channel and virtual channel, or finds a cycle.

use std::fmt::Write;

use tulle_base::acyclic;
use tulle_fabric::Fabric;

use super::dependencies::Dependencies;

/// A cycle of channel dependencies. Each channel waits for the next channel, and the last channel waits for the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    /// The channels, each with its virtual channel.
    pub channels: Vec<(u32, u8)>,
}

impl Cycle {
    /// Returns the cycle as text. The text shows the labels of at most eight switches, and the virtual channels if the cycle has several.
    pub fn name(&self, fabric: &Fabric) -> String {
        const SHOWN: usize = 8;
        let several = self.channels.iter().any(|&(_, vc)| vc != self.channels[0].1);
        let mut name = String::new();
        for &(channel, vc) in self.channels.iter().take(SHOWN) {
            name += &fabric.label(fabric.sources()[channel as usize]);
            name += "→";
            if several {
                let _ = write!(name, "[VC {vc}]");
            }
        }
        match self.channels.len() {
            0..=SHOWN => name + &fabric.label(fabric.sources()[self.channels[0].0 as usize]),
            channels => format!("{name}… ({channels} channels)"),
        }
    }
}

/// Returns one rank per node of `graph`. Ranks rise along every dependency; the rank of a node is the length of the longest chain of
/// dependencies that ends there.
///
/// # Errors
/// Returns a dependency cycle, if there is one.
pub(crate) fn ranks(graph: &Dependencies<'_>) -> Result<Vec<u32>, Cycle> {
    let vcs = graph.vcs();
    let channels =
        |nodes: Vec<usize>| nodes.into_iter().map(|node| ((node / vcs) as u32, (node % vcs) as u8)).collect();
    acyclic::ranks(graph).map_err(|nodes| Cycle { channels: channels(nodes) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::Turns;

    #[test]
    fn a_cycle_names_its_channels_and_virtual_channels() {
        // The cycle goes around a ring of three switches. Its channels use virtual channels 1, 2 and 0.
        let ring = tulle_topologies::build("torus:shape=3,p=1", 0).unwrap();
        let turns = Turns::of(&ring);
        let up = [0, 1, 2].map(|switch: u32| {
            let to = ring.neighbours(switch).iter().position(|&next| next == (switch + 1) % 3).unwrap();
            ring.offsets()[switch as usize] + to as u32
        });
        let mut graph = Dependencies::new(&turns, 3);
        graph.insert(up[0], 1, up[1], 2);
        graph.insert(up[1], 2, up[2], 0);
        let ranks = ranks(&graph).unwrap();
        assert_eq!([(0, 1), (1, 2), (2, 0)].map(|(at, vc): (usize, usize)| ranks[up[at] as usize * 3 + vc]), [0, 1, 2]);
        graph.insert(up[2], 0, up[0], 1);
        let mut cycle = super::ranks(&graph).unwrap_err();
        let first = cycle.channels.iter().position(|&(channel, _)| channel == up[0]).unwrap();
        cycle.channels.rotate_left(first);
        assert_eq!(cycle.channels, [(up[0], 1), (up[1], 2), (up[2], 0)]);
    }
}
