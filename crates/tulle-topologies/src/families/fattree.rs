//! Fat trees of two or three levels. They are folded Clos networks in which all switches, or at least all switches above the leaves, have
//! the same number of ports.

mod ports;
mod three_levels;
mod two_levels;

use ports::{MAX_LEAVES, MAX_PORTS};
use three_levels::ThreeLevels;
use two_levels::TwoLevels;

use crate::design::{Candidates, Largest};
use crate::{Expect, Family};
use tulle_fabric::{Error, Fabric, RackStructure};
use tulle_spec::plugin;

/// The dimensions of a fat tree with two or three levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    /// Leaves and cores.
    Two(TwoLevels),
    /// Leaves, aggregation switches and cores.
    Three(ThreeLevels),
}

/// Channel classes, ordered by number.
const CLASSES: [&str; 2] = ["up", "down"];
const UP: u8 = 0;
const DOWN: u8 = 1;

plugin! {
    /// A fat tree.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct FatTree(arguments) {
        /// levels of switches
        levels: u32 = integer(2, 3), default "3";
        /// ports k of every switch; leaves can have another number of ports if p is given together with uplinks or cores
        radix: Option<u32> = integer(2, 4096), alias "k", note "even with levels=3", or "from leaves, cores and p with levels=2";
        /// endpoints per uplink of a leaf; cannot be given together with p, uplinks or cores
        oversubscription: Option<f64> = positive(), note "radix / (1 + oversubscription) must be a whole number", or "1";
        /// with levels=3: groups of leaves and aggregation switches
        pods: Option<u32> = integer(2, 4096), note "at most radix", or "radix, or the fewest pods with room for all leaves";
        /// switches with endpoints, spread evenly over pods
        leaves: Option<u32> = integer(2, MAX_LEAVES), note "limited by the ports of the level above", or "as many as the ports of the level above allow";
        /// with levels=2: core switches, instead of uplinks; levels=3 uses the fewest cores that have enough ports
        cores: Option<u32> = integer(1, MAX_PORTS), or "uplinks / cables with levels=2";
        /// cables from a leaf upwards
        uplinks: Option<u32> = integer(1, MAX_PORTS), note "a multiple of cables", or "cores · cables if cores is given, radix − p if p is \
            given, otherwise radix / (1 + oversubscription)";
        /// cables between a leaf and each switch above it
        cables: Option<u32> = integer(1, 4096), or "1";
        /// endpoints per leaf, the concentration
        concentration "p": Option<u32> = integer(1, MAX_PORTS), or "radix − uplinks";
        tree: Tree => if levels == 2 { Tree::Two(TwoLevels::read(arguments)?) } else { Tree::Three(ThreeLevels::read(arguments)?) };
    }
    check {
        // The canonical spec states the actual sizes of the tree.
        oversubscription = None;
        [radix, pods, leaves, cores, uplinks, cables, concentration] = match &tree {
            Tree::Two(tree) => tree.sizes(),
            Tree::Three(tree) => tree.sizes(),
        };
    }
    name: "fattree",
    summary: "fat tree of two or three levels, oversubscribed or not",
    paper: "Leiserson 1985; FatPaths App. A-F (FT3); Slim Fly deployment (NSDI24) §7.1 (6 cores, 12 leaves, 3 cables \
        between each leaf and core) and Table 4 (FT2, FT2-B, FT3)",
    limitations: "Only leaves may be oversubscribed: an aggregation switch has radix/2 cables up and at most radix/2 down. \
        With fewer pods than radix, a core can have several cables to a pod, and still reaches every pod.",
    examples: [
        "fattree:levels=3,radix=4", "fattree:levels=2,leaves=12,cores=6,cables=3,p=18", "fattree:levels=2,radix=8",
        "fattree:levels=2,radix=12,oversubscription=3", "fattree:levels=3,radix=12,oversubscription=2",
        "fattree:levels=3,radix=8,leaves=11,cables=2",
    ],
    rejects: [
        ("fattree", "needs radix="),
        ("fattree:k=5", "radix=5 is odd; legal: 4 or 6"),
        ("fattree:levels=4,radix=4", "levels=4 is out of range; legal: 2 to 3"),
        ("fattree:levels=3", "needs radix="),
        ("fattree:levels=3,radix=5", "radix=5 is odd; legal: 4 or 6"),
        ("fattree:levels=2,radix=9", "radix=9 is odd"),
        ("fattree:levels=2,radix=36,oversubscription=4", "gives no whole number of uplinks; legal: uplinks=7 or 8"),
        ("fattree:levels=3,radix=8,cores=4", "cores=4 "),
        ("fattree:levels=3,radix=8,pods=9", "pods=9 is out of range; legal: 2 to 8"),
        ("fattree:levels=3,radix=8,leaves=33", "leaves=33 is out of range; legal: 2 to 32"),
        ("fattree:levels=2,radix=8,cables=3", "legal: uplinks=3 or 6"),
        ("fattree:levels=2,leaves=12,cores=6", "needs p="),
        ("fattree:levels=2,radix=8,p=2,oversubscription=1", "oversubscription=1, p=2"),
    ],
}

impl Family for FatTree {
    const RACKS: RackStructure = RackStructure::Levels { alone: false };
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        let radix = wanted.radix - wanted.radix % 2;
        for (p, uplinks) in wanted.divided() {
            let leaves = wanted.nearest(p);
            // `widest` is the largest number of parallel cables between a leaf and a core for which the cores have enough ports. This
            // number leads to the fewest cores.
            let widest = (1..=uplinks).rev().find(|&cables| uplinks % cables == 0 && cables * leaves <= wanted.radix);
            if leaves < 2 {
                continue;
            }
            if let Some(cables) = widest {
                found.push(format!("fattree:levels=2,leaves={leaves},uplinks={uplinks},cables={cables},p={p}"));
            }
            if radix >= 4 {
                found.push(format!("fattree:levels=3,radix={radix},leaves={leaves},uplinks={uplinks},p={p}"));
            }
        }
        found
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let even = radix - radix % 2;
        let of = |levels: &u64| format!("fattree:levels={levels},radix={even}");
        if even >= 4 { [2, 3].iter().map(of).collect() } else { Vec::new() }
    });

    fn expect(&self) -> Expect {
        match &self.tree {
            Tree::Two(tree) => tree.expect(),
            Tree::Three(tree) => tree.expect(),
        }
    }

    /// The upward channels of each level limit the throughput. Returns the lowest of these upper bounds.
    fn all_to_all(&self) -> Option<f64> {
        Some(match &self.tree {
            Tree::Two(tree) => tree.all_to_all(),
            Tree::Three(tree) => tree.all_to_all(),
        })
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = match &self.tree {
            Tree::Two(tree) => tree.build(),
            Tree::Three(tree) => tree.build(),
        };
        builder.classes(&CLASSES);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    fn size(spec: &str) -> [usize; 4] {
        let fabric = crate::build(spec, 0).unwrap();
        [fabric.num_switches(), fabric.num_endpoints(), fabric.num_cables(), fabric.radix()]
    }

    #[test]
    fn the_trees_of_the_papers_have_their_sizes() {
        // FatPaths Table IV.
        assert_eq!(size("fattree:levels=3,radix=36"), [1620, 11_664, 36 * 36 * 36 / 2, 36]);
        // Sizes from the Slim Fly deployment paper (NSDI24), §7.1 and Table 4: the columns FT2, FT2-B with 64 ports, and the column for
        // 2048 nodes.
        assert_eq!(size("fattree:levels=2,leaves=12,cores=6,cables=3,p=18"), [18, 216, 216, 36]);
        assert_eq!(size("fattree:levels=2,radix=36"), [54, 648, 648, 36]);
        assert_eq!(size("fattree:levels=2,radix=64,oversubscription=3"), [80, 3072, 1024, 64]);
        assert_eq!(size("fattree:levels=2,radix=64,leaves=43,p=48"), [59, 2064, 688, 64]);
        assert_eq!(size("fattree:levels=3,radix=36,leaves=114"), [303, 2052, 4320, 36]);
    }

    #[test]
    fn every_core_reaches_every_pod_and_no_port_is_used_twice() {
        for radix in [4, 6, 8, 10] {
            for pods in 2..=radix {
                for uplinks in 1..=radix / 2 {
                    let spec = format!("fattree:levels=3,radix={radix},pods={pods},uplinks={uplinks}");
                    let fabric = crate::build(&spec, 0).unwrap();
                    let coordinates = |switch: u32| fabric.coordinates().of(switch);
                    assert_eq!(fabric.radix(), radix, "{spec}");
                    for switch in (0..fabric.num_switches() as u32).filter(|&switch| coordinates(switch)[0] == 2) {
                        let mut below: Vec<u32> =
                            fabric.neighbours(switch).iter().map(|&other| coordinates(other)[1]).collect();
                        below.sort_unstable();
                        below.dedup();
                        assert_eq!(below.len(), pods, "{spec}: core {switch}");
                    }
                }
            }
        }
    }

    #[test]
    fn channels_up_and_down_follow_levels() {
        let fabric = crate::build("fattree:levels=3,radix=6,leaves=7", 0).unwrap();
        let level = |switch: u32| fabric.levels()[switch as usize];
        for channel in 0..fabric.num_channels() {
            let (from, to) = (level(fabric.sources()[channel]), level(fabric.targets()[channel]));
            assert_eq!(from.abs_diff(to), 1);
            assert_eq!(fabric.class_names()[fabric.classes()[channel] as usize], if from < to { "up" } else { "down" });
        }
    }
}
