//! The multi-layer full mesh (MLFM): layers of local switches, and global switches that connect pairs of columns in all layers.

use super::single_path_tree::SinglePathTree;
use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, RackStructure, WorstCase};
use tulle_spec::plugin;

plugin! {
    /// The (h, l, p)-MLFM. It has `layers` layers of h + 1 local switches each, and one global switch for every pair of columns. A column
    /// has one switch of each layer.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Mlfm {
        /// network radix h of local switches; a layer has h + 1 local switches
        h: u32 = integer(1, 1024);
        /// number of layers l; global switches have 2l ports
        layers "l": u32 = integer(1, 1024), or "h" { h };
        /// endpoints per local switch
        concentration "p": u32 = integer(1, 8191), or "h" { h };
    }
    name: "mlfm",
    summary: "multi-layer full mesh: diameter 2 between local switches, by default h³ + h² endpoints",
    paper: "Kathareios et al. (SC15) §2.2.3",
    limitations: "Two local switches of different columns have only one minimal path; two switches of the same column \
        have h minimal paths.",
    examples: ["mlfm:h=3", "mlfm:h=1", "mlfm:h=2,l=1", "mlfm:h=4,l=2,p=3", "mlfm:h=1,l=5,p=1"],
    rejects: [
        ("mlfm", "needs h="),
        ("mlfm:h=0", "h=0 is out of range; legal: 1 to 1024"),
        ("mlfm:h=3,p=0", "p=0 is out of range; legal: 1 to 8191"),
        ("mlfm:h=3,l=0", "l=0 is out of range; legal: 1 to 1024"),
    ],
}

impl Family for Mlfm {
    const RACKS: RackStructure = RackStructure::Levels { alone: false };
    const WORST_CASE: Option<WorstCase> = Some(WorstCase::Shift);
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let sizes = (1..wanted.radix).flat_map(|h| (1..=wanted.radix / 2).map(move |layers| (h, layers)));
        let of =
            |(h, layers)| wanted.with_endpoints(&format!("mlfm:h={h},l={layers}"), layers * (h + 1), wanted.radix - h);
        sizes.flat_map(of).collect()
    });
    const LARGEST: Option<Largest> = Some(|radix| (1..=radix / 2).map(|h| format!("mlfm:h={h}")).collect());

    fn expect(&self) -> Expect {
        let [h, layers, concentration] = [self.h, self.layers, self.concentration].map(u64::from);
        let local = layers * (h + 1);
        Expect {
            switches: local + h * (h + 1) / 2,
            endpoints: local * concentration,
            cables: local * h,
            network_radix: h,
            concentration,
            radix: (h + concentration).max(2 * layers),
            diameter: Diameter::Exactly(2),
            hops: Hops::apart(2, local),
        }
    }

    /// The local switches have the lowest ids, layer by layer. The global switches follow, sorted by the pair of columns that they connect.
    ///
    /// Coordinates are the level (0 for local, 1 for global switches), the layer (0 for global switches), and the index within this level
    /// and layer.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let tree = SinglePathTree::find(self.h, 2).expect("a tree exists for r2 = 2 and any r1");
        let mut builder = tree.stack(self.layers, self.concentration);
        let (layers, columns) = (self.layers, self.h + 1);
        builder.coordinates(&["level", "layer", "index"], |switch| {
            if switch < layers * columns {
                vec![0, switch / columns, switch % columns]
            } else {
                vec![1, 0, switch - layers * columns]
            }
        });
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn global_switches_join_two_columns_in_every_layer() {
        let (h, layers) = (5, 3);
        let fabric = build(&format!("mlfm:h={h},l={layers}"), 0).unwrap();
        let local = layers * (h + 1);
        let mut pairs = Vec::new();
        for global in local..fabric.num_switches() as u32 {
            let neighbours = fabric.neighbours(global);
            assert_eq!(neighbours.len() as u32, 2 * layers);
            let mut columns: Vec<u32> = neighbours.iter().map(|&switch| fabric.coordinates().of(switch)[2]).collect();
            columns.sort_unstable();
            columns.dedup();
            assert_eq!(columns.len(), 2);
            assert_eq!(fabric.levels()[global as usize], 1);
            pairs.push(columns);
        }
        assert!(pairs.is_sorted());
        pairs.dedup();
        assert_eq!(pairs.len() as u32, h * (h + 1) / 2, "a global switch for every pair of columns");
    }

    #[test]
    fn pairs_within_a_column_have_h_paths() {
        let fabric = build("mlfm:h=4", 0).unwrap();
        for a in 0..20u32 {
            for b in 0..a {
                let common = fabric.neighbours(a).iter().filter(|n| fabric.neighbours(b).contains(n)).count();
                assert_eq!(common, if a % 5 == b % 5 { 4 } else { 1 }, "{a}, {b}");
            }
        }
    }

    #[test]
    fn sizes_are_those_of_the_paper() {
        let fabric = build("mlfm:h=15", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (360, 3600));
        assert_eq!((fabric.network_radix(), fabric.radix()), (15, 30));
    }
}
