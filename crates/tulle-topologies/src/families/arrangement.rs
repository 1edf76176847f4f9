//! The arrangement of cables between groups: absolute, relative or palm-tree. tulle extends these arrangements to groups that have more
//! ports than there are other groups.
//!
//! Each of g groups has `ports` global channels, numbered from 0. If ports = g − 1, the arrangement determines to which group channel c of
//! group G leads:
//!
//! * absolute: group c if c < G, otherwise group c + 1. Groups with a number above T reach group T over their channel T, and groups below T
//!   over their channel T − 1 (Kim et al., ISCA08; FatPaths, SC20; BookSim2);
//! * relative: group G + c + 1 (modulo g). At the other end, this is channel ports − 1 − c (Hastings et al.: Comparing global link
//!   arrangements for Dragonfly networks, CLUSTER 2015);
//! * palm tree: group G − c − 1 (modulo g). At the other end, this is channel ports − 1 − c. This is the relative arrangement with groups
//!   counted in reverse (García et al.: On-the-fly adaptive routing in high-radix hierarchical networks, ICPP 2012; CAMINOS).
//!
//! If groups have more ports, the arrangement repeats ⌊ports / (g − 1)⌋ times. Each group then has r remaining ports. They are too few to
//! reach all other groups once more. These ports lead to the groups at distance 1, −1, 2, −2, … (modulo g). If r is odd and g is even, the
//! last port leads to the opposite group. If r and g are odd, no graph can use all ports equally, so the last port of every group stays
//! free. As a result, the numbers of cables of any two pairs of groups differ by at most one, and all groups have the same number of
//! cables.

use tulle_spec::{Arguments, SpecError, words};

/// The maximum number of groups: one more than the maximum number of global ports of a group.
pub const MAX_GROUPS: u64 = 8191 * 8191 + 1;

words! {
    /// The rule that determines to which group a channel of a group leads.
    pub enum Kind {
        /// Channels lead to all other groups in ascending order, starting with group 0.
        Absolute = "absolute",
        /// Channels lead to the other groups in ascending order, starting with the next group.
        Relative = "relative",
        /// Channels lead to the other groups in descending order, starting with the previous group.
        PalmTree = "palm-tree",
    }
}

impl Kind {
    /// Returns the channel of `group` that leads to group `to`, if each of `groups` groups has one channel to every other group.
    fn channel(self, groups: u32, group: u32, to: u32) -> u32 {
        match self {
            Self::Absolute => to - u32::from(to > group),
            Self::Relative => (to + groups - group) % groups - 1,
            Self::PalmTree => (group + groups - to) % groups - 1,
        }
    }
}

/// An arrangement of the cables between groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrangement {
    kind: Kind,
    groups: u32,
    ports: u32,
}

/// One end of a global cable: a group, and the number of a global channel of this group.
pub type End = (u32, u32);

impl Arrangement {
    /// Returns the arrangement of `groups` groups with `ports` global channels each. `ports` must be at least `groups` − 1. If there is
    /// only one group, all its channels stay unused.
    pub fn new(kind: Kind, groups: u32, ports: u32) -> Self {
        debug_assert!(groups <= ports + 1);
        Self { kind, groups, ports: if groups == 1 { 0 } else { ports } }
    }

    /// Checks that `ports` global channels per group are enough to reach all other groups.
    ///
    /// # Errors
    /// Returns [`SpecError::Value`] with the legal range if they are not enough.
    pub fn check_groups(arguments: &Arguments, parameter: &str, groups: u32, ports: u32) -> Result<(), SpecError> {
        if ports > 0 || groups == 1 {
            return arguments.check(parameter, groups.into(), 1..=u64::from(ports) + 1);
        }
        Err(arguments.bad(parameter, groups, "is out of range", "legal: 1, because no switch has a global port"))
    }

    /// Returns how many global channels of each group have a cable. Channels with higher numbers have no cable.
    pub fn used(&self) -> u32 {
        self.ports - (self.left() % 2) * (self.groups % 2)
    }

    /// The number of cables.
    pub fn num_cables(&self) -> u64 {
        u64::from(self.groups) * u64::from(self.used()) / 2
    }

    /// Calls `visit` with both ends of every cable, once per cable.
    pub fn cables(&self, mut visit: impl FnMut(End, End)) {
        let others = self.groups - 1;
        for group in 0..self.groups {
            for to in group + 1..self.groups {
                let [there, back] = [(group, to), (to, group)].map(|(a, b)| self.kind.channel(self.groups, a, b));
                for round in 0..self.ports / others {
                    visit((group, round * others + there), (to, round * others + back));
                }
            }
        }
        let (left, base) = (self.left(), self.ports - self.left());
        for offset in 1..=left / 2 {
            let channel = base + 2 * (offset - 1);
            for group in 0..self.groups {
                visit((group, channel), ((group + offset) % self.groups, channel + 1));
            }
        }
        if left % 2 == 1 && self.groups.is_multiple_of(2) {
            let channel = self.ports - 1;
            for group in 0..self.groups / 2 {
                visit((group, channel), (group + self.groups / 2, channel));
            }
        }
    }

    /// Returns how many channels of each group remain after all other groups are reached equally often.
    fn left(&self) -> u32 {
        if self.groups == 1 { 0 } else { self.ports % (self.groups - 1) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_canonical_case_is_absolute() {
        Arrangement::new(Kind::Absolute, 9, 8).cables(|(group, channel), (to, back)| {
            assert!(group < to);
            assert_eq!((channel, back), (to - 1, group));
        });
        for ports in [0, 7] {
            let single = Arrangement::new(Kind::Absolute, 1, ports);
            single.cables(|_, _| panic!("a single group has no global cable"));
            assert_eq!((single.used(), single.num_cables()), (0, 0));
        }
    }

    #[test]
    fn relative_and_palm_tree_count_groups_from_their_own() {
        for (kind, step) in [(Kind::Relative, 1), (Kind::PalmTree, 8)] {
            let mut cables = 0;
            Arrangement::new(kind, 9, 8).cables(|(group, channel), (to, back)| {
                assert_eq!(to, (group + step * (channel + 1)) % 9, "{kind:?}");
                assert_eq!(group, (to + step * (back + 1)) % 9, "{kind:?}");
                assert_eq!(back, 7 - channel);
                cables += 1;
            });
            assert_eq!(cables, 36);
        }
    }

    proptest! {
        #[test]
        fn cables_are_spread_evenly(groups in 2u32..24, spare in 0u32..60, kind in 0usize..3) {
            let arrangement = Arrangement::new([Kind::Absolute, Kind::Relative, Kind::PalmTree][kind], groups, groups - 1 + spare);
            let mut ends = HashSet::new();
            let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
            let mut count = 0;
            arrangement.cables(|a, b| {
                assert!(a.0 < groups && b.0 < groups && a.0 != b.0);
                assert!(ends.insert(a) && ends.insert(b), "a channel carries one cable");
                *pairs.entry((a.0.min(b.0), a.0.max(b.0))).or_default() += 1;
                count += 1;
            });
            prop_assert_eq!(count, arrangement.num_cables());
            prop_assert_eq!(pairs.len() as u32, groups * (groups - 1) / 2);
            prop_assert!(pairs.values().max().unwrap() - pairs.values().min().unwrap() <= 1);
            let used = arrangement.used();
            let expected: HashSet<End> = (0..groups).flat_map(|group| (0..used).map(move |c| (group, c))).collect();
            prop_assert_eq!(ends, expected);
        }
    }
}
