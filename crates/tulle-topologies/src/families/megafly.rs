//! The Megafly topology, also called Dragonfly+. Each group is a complete bipartite graph of leaves and spines.

use super::arrangement::{Arrangement, Kind, MAX_GROUPS};
use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A Megafly of `groups` groups. Endpoints are attached to leaves, and spines have the global ports.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Megafly(arguments) {
        /// leaf switches per group; if only leaves is given, switches have 2·leaves ports
        leaves: u32 = integer(1, 1024);
        /// spine switches per group
        spines: u32 = integer(1, 1024), or "leaves" { leaves };
        /// global ports per spine
        h: u32 = integer(0, 1024), or "leaves" { leaves };
        /// endpoints per leaf
        concentration "p": u32 = integer(1, 8191), or "spines" { spines };
        /// groups
        groups "g": u32 = integer(1, MAX_GROUPS), note "1 to spines·h + 1", or "spines·h + 1" { spines * h + 1 };
        /// rule for the global ports of a group: they lead to the other groups in ascending order from group 0 (absolute), in ascending
        /// order from the next group (relative), or in descending order from the previous group (palm-tree)
        arrangement: Kind = word(Kind::WORDS), default "absolute";
    }
    check {
        Arrangement::check_groups(arguments, "g", groups, spines * h)?;
    }
    name: "megafly",
    summary: "Megafly (Dragonfly+): leaf-spine groups with global cables between spines, diameter 3 between leaves",
    paper: "Flajslik et al.: Megafly (ISC18); Shpiner et al.: Dragonfly+ (HiPINEB17)",
    limitations: "If a group has more global ports than there are other groups, the remaining ports are used as in \
        dragonfly. Each leaf has exactly one cable to each spine of its group.",
    examples: [
        "megafly:leaves=2", "megafly:leaves=1", "megafly:leaves=3,spines=2,h=2,p=1", "megafly:leaves=2,g=2",
        "megafly:leaves=2,spines=3,h=3,g=5", "megafly:leaves=4,spines=2,h=0", "megafly:leaves=2,arrangement=palm-tree",
        "megafly:leaves=3,g=1",
    ],
    rejects: [
        ("megafly", "needs leaves="),
        ("megafly:leaves=2,arrangement=circulant", "arrangement=circulant is not a choice"),
        ("megafly:leaves=0", "leaves=0 is out of range; legal: 1 to 1024"),
        ("megafly:leaves=2,g=6", "g=6 is out of range; legal: 1 to 5"),
        ("megafly:leaves=2,p=0", "p=0 is out of range; legal: 1 to 8191"),
    ],
}

impl Megafly {
    fn arrangement(&self) -> Arrangement {
        Arrangement::new(self.arrangement, self.groups, self.spines * self.h)
    }
}

impl Family for Megafly {
    const RACKS: RackStructure = RackStructure::Groups;
    /// Proposals use the relative arrangement of global cables, as proposals of the family `dragonfly` do.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for leaves in 1..wanted.radix {
            for h in 1..=wanted.radix - leaves {
                // The limits of p are those of a Dragonfly, but relative to the number of cables between a leaf and its spines.
                for p in leaves.div_ceil(2).max(1)..=(2 * leaves).min(wanted.radix - leaves) {
                    let groups = wanted.nearest(leaves * p);
                    if (2..=leaves * h + 1).contains(&groups) {
                        found.push(format!("megafly:leaves={leaves},h={h},p={p},g={groups},arrangement=relative"));
                    }
                }
            }
        }
        found
    });
    const LARGEST: Option<Largest> = Some(|radix| vec![format!("megafly:leaves={}", radix / 2)]);

    fn expect(&self) -> Expect {
        let [leaves, spines, concentration, groups] =
            [self.leaves, self.spines, self.concentration, self.groups].map(u64::from);
        // If a group has an unused global port, this port belongs to its last spine. With a single group, all global ports are unused.
        let global = u64::from(if spines == 1 || groups == 1 { self.arrangement().used() } else { self.h });
        Expect {
            switches: groups * (leaves + spines),
            endpoints: groups * leaves * concentration,
            cables: groups * leaves * spines + self.arrangement().num_cables(),
            network_radix: spines,
            concentration,
            radix: (spines + concentration).max(leaves + global),
            // The longest path goes from a leaf to a spine, to a spine of the other group, and to a leaf there. Two leaves of one group are
            // both connected to all spines of the group.
            diameter: Diameter::Exactly(match (groups, leaves) {
                (1, 1) => 0,
                (1, _) => 2,
                _ => 3,
            }),
            hops: Hops::Exactly(u128::from(groups * leaves) * u128::from(2 * (leaves - 1) + 3 * (groups - 1) * leaves)),
        }
    }

    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        let [leaves, groups] = [self.leaves, self.groups].map(u128::from);
        let (pairs, global) = (groups * (groups - 1) * leaves * leaves, 2 * self.arrangement().num_cables());
        let local = 2 * (groups * leaves * (leaves - 1) + pairs);
        let of = |channels, hops| if hops == 0 { 1.0 } else { expect.carried(channels, hops) };
        Some(of(global, pairs).min(of(2 * expect.cables - global, local)))
    }

    /// Ids ascend group by group. In each group, the leaves have lower ids than the spines. Spine s has the global channels s·h to (s +
    /// 1)·h − 1 of its group.
    ///
    /// Coordinates are the group, the level (0 for leaves, 1 for spines), and the index within this group and level.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let (leaves, spines, h) = (self.leaves, self.spines, self.h);
        let size = leaves + spines;
        let mut builder = FabricBuilder::new(self.groups * size);
        builder.classes(&["up", "down", "global"]);
        for group in 0..self.groups {
            let first = group * size;
            for leaf in first..first + leaves {
                for spine in first + leaves..first + size {
                    builder.cable_of(leaf, spine, 0, 1);
                }
                builder.endpoints(leaf, self.concentration as usize);
            }
            for spine in first + leaves..first + size {
                builder.level(spine, 1);
            }
        }
        let spine = |(group, channel): (u32, u32)| group * size + leaves + channel / h;
        self.arrangement().cables(|one, other| builder.cable_of(spine(one), spine(other), 2, 2));
        builder.coordinates(&["group", "level", "index"], |switch| {
            let (group, index) = (switch / size, switch % size);
            if index < leaves { vec![group, 0, index] } else { vec![group, 1, index - leaves] }
        });
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::build;

    #[test]
    fn groups_are_complete_bipartite() {
        let fabric = build("megafly:leaves=3,spines=2,h=4", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints()), (9 * 5, 9 * 3 * 2));
        for switch in 0..45 {
            let (group, index) = (switch / 5, switch % 5);
            if index < 3 {
                assert_eq!(fabric.neighbours(switch), [group * 5 + 3, group * 5 + 4]);
            } else {
                let local = fabric.neighbours(switch).iter().filter(|&&other| other / 5 == group);
                assert_eq!((local.count(), fabric.degree(switch)), (3, 3 + 4));
            }
        }
        // Group 2 reaches group 8 over channel 7 (spine 1), and group 8 reaches group 2 over channel 2 (spine 0).
        assert!(fabric.neighbours(2 * 5 + 4).contains(&(8 * 5 + 3)));
    }

    #[test]
    fn default_is_a_single_radix() {
        // If switches have k = 8 ports, a group has k/2 leaves and k/2 spines, a leaf has k/2 endpoints, and a spine has k/2 global ports.
        // There are (k/2)² + 1 groups.
        let fabric = build("megafly:leaves=4", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.radix()), (17 * 8, 17 * 16, 8));
        let ports = |switch: u32| fabric.degree(switch) + fabric.endpoints_of(switch).len();
        assert!((0..17 * 8).all(|switch| ports(switch) == 8));
    }
}
