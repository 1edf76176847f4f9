//! The Dragonfly: complete groups, joined by global cables.

use super::arrangement::{Arrangement, Kind, MAX_GROUPS};
use crate::{Diameter, Error, Expect, Fabric, FabricBuilder, Family, Hops};
use tulle_spec::plugin;

plugin! {
    /// A Dragonfly of `groups` complete groups of `a` switches with `h` global ports each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Dragonfly(arguments) {
        /// endpoints per switch; alone: balanced, a = 2p = 2h
        concentration "p": u32 = integer(0, 4095);
        /// switches per group
        a: u32 = integer(1, 8191), or "2p" {
            if concentration == 0 {
                return Err(arguments.missing("a"));
            }
            2 * concentration
        };
        /// global ports per switch
        h: u32 = integer(0, 8191), or "p" { concentration };
        /// groups
        groups "g": u32 = integer(1, MAX_GROUPS), note "1 to a·h + 1", or "a·h + 1" { a * h + 1 };
        /// which global port of a group reaches which other group
        arrangement: Kind = word(Kind::WORDS), default "absolute";
    }
    check {
        Arrangement::check_groups(arguments, "g", groups, a * h)?;
    }
    name: "dragonfly",
    summary: "Dragonfly: complete groups joined by global cables, diameter 3",
    paper: "Kim et al. (ISCA08) §3.1; FatPaths (SC20) App. A-B",
    limitations: "FatPaths' figures need arrangement=absolute; CAMINOS has palm-tree. With g < a·h + 1, spare ports \
        are spread evenly over the pairs of groups; one port per group stays free where g and the number of spare \
        ports are odd. All global ports of a single group stay free.",
    examples: [
        "dragonfly:p=2", "dragonfly:p=1", "dragonfly:p=2,a=4,h=2,g=5", "dragonfly:p=1,a=3,h=3,g=5",
        "dragonfly:p=1,a=4,h=1,g=2", "dragonfly:p=3,a=1,h=4", "dragonfly:p=2,a=5,h=0", "dragonfly:p=0,a=2,h=6",
        "dragonfly:p=2,arrangement=relative", "dragonfly:p=2,arrangement=palm-tree",
        "dragonfly:p=1,a=4,h=2,g=4,arrangement=palm-tree", "dragonfly:p=2,g=1", "dragonfly:p=1,a=1,h=3,g=1",
    ],
    rejects: [
        ("dragonfly", "needs p="),
        ("dragonfly:p=0", "needs a="),
        ("dragonfly:p=2,g=10", "g=10 is out of range; legal: 1 to 9"),
        ("dragonfly:p=2,h=0,g=2", "g=2 is out of range; legal: 1, as no switch has a global port"),
        ("dragonfly:p=2,arrangement=palm", "arrangement=palm is not a choice; legal: absolute, relative, palm-tree"),
        ("dragonfly:p=2,a=0", "a=0 is out of range; legal: 1 to 8191"),
    ],
}

impl Dragonfly {
    fn arrangement(&self) -> Arrangement {
        Arrangement::new(self.arrangement, self.groups, self.a * self.h)
    }

    /// Global cables between switches of different numbers in their groups.
    fn renumbering(&self) -> u64 {
        let mut count = 0;
        self.arrangement().cables(|(_, one), (_, other)| count += u64::from(one / self.h != other / self.h));
        count
    }

    /// A port that stays free is on the last switch of a group.
    fn network_radix(&self) -> u64 {
        let [a, h] = [self.a, self.h].map(u64::from);
        match (self.groups, a) {
            (1, _) => a - 1,
            (_, 1) => u64::from(self.arrangement().used()),
            _ => a - 1 + h,
        }
    }

    /// Of local, global and local hops; two global hops in a row may be shorter.
    fn hops(&self) -> Hops {
        let [a, groups] = [self.a, self.groups].map(u128::from);
        match (groups, a) {
            (1, _) | (_, 1) => Hops::apart(1, u64::from(self.a) * u64::from(self.groups)),
            _ => {
                // Cables between any two groups, each of another switch. Out of a² pairs of switches so many are joined at
                // least, and in all that share no end with these neither switch has an end.
                let pairs = groups * (groups - 1);
                let joined = (2 * u128::from(self.arrangement().num_cables()) / pairs).min(a);
                let apart = 2 * a * a - joined + (a - joined) * (a - joined);
                Hops::AtMost(groups * a * (a - 1) + pairs * apart)
            }
        }
    }

    fn diameter(&self) -> Diameter {
        let [a, h, groups] = [self.a, self.h, self.groups].map(u64::from);
        if groups == 1 || a == 1 {
            return Diameter::Exactly(u32::from(a * groups > 1));
        }
        // Switches within two hops, at most: the group, one global hop with a local one before or after it or none, and
        // two global hops: a + 2h(a − 1) + h + h(h − 1).
        let within_two = a + h * (2 * (a - 1) + h);
        if within_two < a * groups { Diameter::Exactly(3) } else { Diameter::AtMost(3) }
    }
}

impl Family for Dragonfly {
    fn expect(&self) -> Expect {
        let [a, groups, concentration] = [self.a, self.groups, self.concentration].map(u64::from);
        Expect {
            switches: a * groups,
            endpoints: a * groups * concentration,
            cables: groups * a * (a - 1) / 2 + self.arrangement().num_cables(),
            network_radix: self.network_radix(),
            concentration,
            radix: self.network_radix() + concentration,
            diameter: self.diameter(),
            hops: self.hops(),
        }
    }

    /// The least of four bounds. By global channels: traffic between groups crosses one. By all channels: paths have as many
    /// hops as in a graph of as many switches within one and two hops. By all with the global ones counted twice: so weighed,
    /// no path is shorter than that of local, global and local hops, whatever other paths traffic may take. And by the channels
    /// that lead to a switch of another number in its group: traffic between such switches crosses one.
    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        let [a, h, groups] = [self.a, self.h, self.groups].map(f64::from);
        let global = 2 * self.arrangement().num_cables();
        let pairs = groups * (groups - 1.0);
        // The most switches of a group that can have a cable to another group, and the most pairs of the two that are joined.
        let each = if pairs > 0.0 { global as f64 / pairs } else { 0.0 };
        let (ends, joined) = (each.min(a), each.min(a * a));
        let local = groups * a * (a - 1.0) + pairs * (a * a + (a - ends).powi(2) - joined);
        let crossing = pairs * a * a;
        let others = a * groups - 1.0;
        let near = (a - 1.0 + h).min(others);
        let second = (h * (2.0 * (a - 1.0) + h - 1.0)).clamp(0.0, others - near);
        let hops = (others + 1.0) * (near + 2.0 * second + 3.0 * (others - near - second));
        let of = |channels, hops: f64| if hops > 0.0 { expect.carried(channels, hops as u128) } else { 1.0 };
        let bound = of(global, crossing)
            .min(of(2 * expect.cables, hops))
            .min(of(2 * expect.cables + global, local + 2.0 * crossing));
        let numbered = groups * groups * a * (a - 1.0);
        // Cables are counted only where local ones alone would be fewer than that bound takes.
        if of(2 * expect.cables - global, numbered) >= bound {
            return Some(bound);
        }
        Some(bound.min(of(2 * expect.cables - global + 2 * self.renumbering(), numbered)))
    }

    /// Switch r of group G has the id G·a + r; its global channels are r·h to (r + 1)·h − 1 of the group's.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let (a, h) = (self.a, self.h);
        let mut builder = FabricBuilder::new(a * self.groups);
        builder.classes(&["local", "global"]);
        for group in 0..self.groups {
            for one in 0..a {
                for other in one + 1..a {
                    builder.cable_of(group * a + one, group * a + other, 0, 0);
                }
            }
        }
        let switch = |(group, channel): (u32, u32)| group * a + channel / h;
        self.arrangement().cables(|one, other| builder.cable_of(switch(one), switch(other), 1, 1));
        builder.coordinates(&["group", "switch"], |switch| vec![switch / a, switch % a]);
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{build, distances, families};

    #[test]
    fn global_cables_are_arranged_absolutely() {
        let fabric = build("dragonfly:p=2", 0).unwrap();
        // a=4, h=2, g=9: group 3 reaches group 7 by channel 6 (switch 3), group 7 reaches 3 by channel 3 (switch 1).
        assert!(fabric.neighbours(3 * 4 + 3).contains(&(7 * 4 + 1)));
        // Group 0 reaches group 1 by channel 0, group 1 reaches 0 by channel 0.
        assert!(fabric.neighbours(0).contains(&4));
        // Group 8 reaches group 7 by channel 7, group 7 reaches 8 by channel 7.
        assert!(fabric.neighbours(8 * 4 + 3).contains(&(7 * 4 + 3)));
        assert_eq!(fabric.neighbours(0), [1, 2, 3, 4, 8]);
    }

    #[test]
    fn arrangements_differ_in_their_global_cables() {
        let neighbours = |arrangement: &str, switch| {
            let fabric = build(&format!("dragonfly:p=2,arrangement={arrangement}"), 0).unwrap();
            assert_eq!((fabric.num_switches(), fabric.num_cables(), fabric.network_radix()), (36, 90, 5));
            fabric.neighbours(switch).iter().copied().filter(|next| next / 4 != switch / 4).collect::<Vec<_>>()
        };
        // Switch 1 of group 2 has channels 2 and 3. Relative: groups 5 and 6, back by channels 5 and 4, of switch 2.
        assert_eq!(neighbours("relative", 2 * 4 + 1), [5 * 4 + 2, 6 * 4 + 2]);
        // Palm tree: groups 2 − 3 and 2 − 4, of 9.
        assert_eq!(neighbours("palm-tree", 2 * 4 + 1), [7 * 4 + 2, 8 * 4 + 2]);
        // Absolute: groups 3 and 4, whose channel for group 2 is 2, of switch 1.
        assert_eq!(neighbours("absolute", 2 * 4 + 1), [3 * 4 + 1, 4 * 4 + 1]);
    }

    #[test]
    fn balanced_sizes_are_those_of_the_paper() {
        let fabric = build("dragonfly:p=8", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (2064, 16512, 23));
        let histogram = distances::histogram(&fabric);
        assert_eq!(histogram.diameter(), Some(3));
    }

    /// Counts of local and global hops on every pair's cheapest path, global ones twice, are those of the bound at least.
    #[test]
    fn bounds_hold_for_any_shape() {
        for arrangement in ["absolute", "relative", "palm-tree"] {
            for (a, h) in [(1, 3), (2, 1), (2, 3), (3, 2), (4, 2), (4, 4), (5, 3)] {
                for groups in 1..=a * h + 1 {
                    let spec = format!("dragonfly:p=1,a={a},h={h},g={groups},arrangement={arrangement}");
                    let (_, member) = families::member(&spec).unwrap();
                    let fabric = member.build(0).unwrap();
                    let histogram = distances::histogram(&fabric);
                    let (Hops::AtMost(most) | Hops::Exactly(most)) = member.expect().hops else { panic!("{spec}") };
                    let hops: u128 = (0..).zip(&histogram.pairs).map(|(hops, &count)| hops * u128::from(count)).sum();
                    assert!(hops <= most, "{spec}: {hops} hops, at most {most}");
                    let weight = |channel: usize| if fabric.classes()[channel] == 1 { 2u64 } else { 1 };
                    let channels: u64 = (0..fabric.num_channels()).map(weight).sum();
                    let mut cheapest = 0;
                    for source in 0..fabric.num_switches() as u32 {
                        let mut cost = vec![u64::MAX; fabric.num_switches()];
                        cost[source as usize] = 0;
                        for _ in 0..5 {
                            for switch in 0..fabric.num_switches() as u32 {
                                for channel in fabric.channels_of(switch) {
                                    let next = fabric.targets()[channel] as usize;
                                    let far = cost[switch as usize].saturating_add(weight(channel));
                                    cost[next] = cost[next].min(far);
                                }
                            }
                        }
                        cheapest += cost.iter().sum::<u64>();
                    }
                    let real = (channels as f64 * (fabric.num_endpoints() - 1) as f64 / cheapest as f64).min(1.0);
                    let bound = member.all_to_all().unwrap();
                    assert!(bound >= real - 1e-9, "{spec}: {bound} below {real}");
                }
            }
        }
    }

    #[test]
    fn diameters_hold_for_any_shape() {
        for a in 1..6 {
            for h in 0..6 {
                for groups in 1..=a * h + 1 {
                    let spec = format!("dragonfly:p=1,a={a},h={h},g={groups}");
                    let (_, member) = families::member(&spec).unwrap();
                    let found = distances::histogram(&member.build(0).unwrap()).diameter().unwrap();
                    match member.expect().diameter {
                        Diameter::Exactly(diameter) => assert_eq!(found, diameter, "{spec}"),
                        Diameter::AtMost(diameter) => assert!(found <= diameter, "{spec}"),
                        Diameter::Unknown => panic!("{spec}"),
                    }
                }
            }
        }
    }
}
