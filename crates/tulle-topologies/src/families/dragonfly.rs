//! The Dragonfly topology: groups of fully connected switches, connected by global cables.

use super::arrangement::{Arrangement, Kind, MAX_GROUPS};
use crate::design::{Candidates, Largest};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A Dragonfly of `groups` groups. A group has `a` fully connected switches with `h` global ports each.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Dragonfly(arguments) {
        /// endpoints per switch; if only p is given, the network is balanced: a = 2p = 2h
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
        /// rule for the global ports of a group: they lead to the other groups in ascending order from group 0 (absolute), in ascending
        /// order from the next group (relative), or in descending order from the previous group (palm-tree)
        arrangement: Kind = word(Kind::WORDS), default "absolute";
    }
    check {
        Arrangement::check_groups(arguments, "g", groups, a * h)?;
    }
    name: "dragonfly",
    summary: "Dragonfly: fully connected groups of switches, connected by global cables, diameter 3",
    paper: "Kim et al. (ISCA08) §3.1; FatPaths (SC20) App. A-B",
    limitations: "To reproduce the figures of FatPaths, use arrangement=absolute; the simulator CAMINOS uses palm-tree. If \
        g < a·h + 1, cables on the remaining global ports are spread evenly over the pairs of groups. If g and the number of remaining \
        ports per group are odd, one port per group stays unused. If g = 1, all global ports stay unused.",
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
        ("dragonfly:p=2,h=0,g=2", "g=2 is out of range; legal: 1, because no switch has a global port"),
        ("dragonfly:p=2,arrangement=palm", "arrangement=palm is not a choice; legal: absolute, relative, palm-tree"),
        ("dragonfly:p=2,a=0", "a=0 is out of range; legal: 1 to 8191"),
    ],
}

/// `SWEEPS` is the number of rounds in which switches move between parts of the network (see [`Dragonfly::between_parts`]). This search
/// stores the number of cables from each switch to each part. If these are more than `MOST_COUNTS` numbers, the search is skipped.
const SWEEPS: usize = 2;
const MOST_COUNTS: usize = 1 << 20;

impl Dragonfly {
    fn arrangement(&self) -> Arrangement {
        Arrangement::new(self.arrangement, self.groups, self.a * self.h)
    }

    /// Returns an upper bound on the throughput. It comes from the channels between parts of the network, because traffic from one part to
    /// another part must cross these channels.
    ///
    /// At first, each part consists of the switches with the same number within their groups. Then every switch moves to the part to which
    /// it has the most cables. Every partition gives an upper bound, and the function returns the lowest one. The bound is useful if groups
    /// have so many global ports that the arrangement repeats. Then few global cables may connect switches with different numbers.
    fn between_parts(&self, expect: &Expect) -> f64 {
        let [a, groups] = [self.a, self.groups].map(|count| count as usize);
        let mut cables = Vec::with_capacity(expect.cables as usize);
        for group in 0..groups {
            let pairs = (0..a).flat_map(|one| (one + 1..a).map(move |other| (one, other)));
            cables.extend(pairs.map(|(one, other)| (group * a + one, group * a + other)));
        }
        let switch = |(group, channel): (u32, u32)| group as usize * a + (channel / self.h) as usize;
        self.arrangement().cables(|one, other| cables.push((switch(one), switch(other))));
        let mut part: Vec<usize> = (0..a * groups).map(|switch| switch % a).collect();
        let mut bound = 1.0f64;
        for sweep in 0..=SWEEPS {
            let mut sizes = vec![0u128; a];
            part.iter().for_each(|&part| sizes[part] += 1);
            let pairs = (part.len() as u128).pow(2) - sizes.iter().map(|size| size * size).sum::<u128>();
            let between = cables.iter().filter(|&&(one, other)| part[one] != part[other]).count() as u64;
            if pairs > 0 {
                bound = bound.min(expect.carried(2 * between, pairs));
            }
            if sweep == SWEEPS || part.len() * a > MOST_COUNTS {
                break;
            }
            let mut toward = vec![0u32; part.len() * a];
            for &(one, other) in &cables {
                toward[one * a + part[other]] += 1;
                toward[other * a + part[one]] += 1;
            }
            for (own, toward) in part.iter_mut().zip(toward.chunks(a)) {
                let most = toward.iter().copied().max().unwrap_or(0);
                if most > toward[*own] {
                    *own = toward.iter().position(|&cables| cables == most).unwrap_or(*own);
                }
            }
        }
        bound
    }

    /// If a group has an unused port, this port belongs to its last switch. So the other switches use all their network ports.
    fn network_radix(&self) -> u64 {
        let [a, h] = [self.a, self.h].map(u64::from);
        match (self.groups, a) {
            (1, _) => a - 1,
            (_, 1) => u64::from(self.arrangement().used()),
            _ => a - 1 + h,
        }
    }

    /// The function assumes that paths between groups have one global hop, with local hops before and after it where necessary. Paths with
    /// two global hops can be shorter, so the result is an upper bound.
    fn hops(&self) -> Hops {
        let [a, groups] = [self.a, self.groups].map(u128::from);
        match (groups, a) {
            (1, _) | (_, 1) => Hops::apart(1, u64::from(self.a) * u64::from(self.groups)),
            _ => {
                // The formula assumes that the cables between two groups end at different switches. Then at least `joined` of the a² pairs
                // of switches are connected by a cable. In at most (a − joined)² pairs, neither switch has a cable to the other group.
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
        // The maximum number of switches within two hops of a switch is a + 2h(a − 1) + h + h(h − 1). The first term counts the switches of
        // its group. The second term counts switches over a local and a global hop, in either order. The third term counts switches over
        // one global hop, and the last term counts switches over two global hops.
        let within_two = a + h * (2 * (a - 1) + h);
        if within_two < a * groups { Diameter::Exactly(3) } else { Diameter::AtMost(3) }
    }
}

impl Family for Dragonfly {
    const RACKS: RackStructure = RackStructure::Groups;
    /// Proposals use the relative arrangement, which has rotational symmetry: every group is wired like the previous group, with all group
    /// numbers increased by one.
    ///
    /// The throughput was computed with a gap of 0.1% for both arrangements on 111 shapes of at most 120 switches, with p = h from 1 to 4, a
    /// from 2 to 8 and g from 2 to a·h + 1. In 86 of them the throughput of all-to-all traffic is at least as high with the relative
    /// arrangement. In the other 25, the bounds overlap, and it is at most 0.2% lower. If a group has more global ports than there are other
    /// groups, the absolute arrangement often connects switches with equal numbers (their positions in their groups). Then few paths lead
    /// to switches with another number. For example, `dragonfly:p=29,a=2,h=34,g=34` has a throughput of 0.071 with the absolute
    /// arrangement and 0.138 with the relative one. Because of its symmetry, the throughput of the relative arrangement can also be
    /// certified quickly.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for h in 1..wanted.radix {
            for a in 2..=wanted.radix - h {
                // Assume that there are many groups. If a switch has fewer endpoints than half its global ports, uniform traffic uses less
                // than half of the capacity of global channels. If it has more than twice as many endpoints as global ports, the throughput
                // of an endpoint is below half of its link's rate. The documentation states both limits.
                for p in h.div_ceil(2).max(1)..=(2 * h).min(wanted.radix - h - a + 1) {
                    let groups = wanted.nearest(a * p);
                    if (2..=a * h + 1).contains(&groups) {
                        found.push(format!("dragonfly:p={p},a={a},h={h},g={groups},arrangement=relative"));
                    }
                }
            }
        }
        found
    });
    const LARGEST: Option<Largest> = Some(|radix| {
        let mut found = Vec::new();
        for h in 1..radix {
            for a in 2 * h - 1..=2 * h + 1 {
                let shares = (h - 1..=h + 1).filter(|&p| p > 0 && a - 1 + h + p <= radix);
                found.extend(shares.map(|p| format!("dragonfly:p={p},a={a},h={h}")));
            }
        }
        found
    });

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

    /// Returns the lowest of four upper bounds on the throughput:
    ///
    /// 1. Traffic between groups crosses at least one global channel.
    /// 2. The capacity of all channels limits the total number of hops. This number is at least that of a graph in which as many switches
    ///    as possible are one and two hops apart.
    /// 3. The same bound with weights: each global hop counts as two. With these weights, no path is shorter than the path with a local, a
    ///    global and a local hop.
    /// 4. The channels between parts of the network limit the traffic between the parts. A part consists roughly of the switches with the
    ///    same number in their groups.
    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        let [a, h, groups] = [self.a, self.h, self.groups].map(f64::from);
        let global = 2 * self.arrangement().num_cables();
        let pairs = groups * (groups - 1.0);
        // `ends` is the maximum number of switches of one group that have a cable to one other group. `joined` is the maximum number of
        // pairs of switches of these two groups that are connected by a cable.
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
        // The search for a partition into parts is slow. It runs only if the bound from local channels alone is below the lowest bound so
        // far.
        if of(2 * expect.cables - global, numbered) >= bound || expect.cables > MOST_COUNTS as u64 {
            return Some(bound);
        }
        Some(bound.min(self.between_parts(&expect)))
    }

    /// Switch r of group G has the id G·a + r. It has the global channels r·h to (r + 1)·h − 1 of the group.
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
    use crate::{build, families};
    use tulle_fabric::distances;

    #[test]
    fn global_cables_are_arranged_absolutely() {
        let fabric = build("dragonfly:p=2", 0).unwrap();
        // With a=4, h=2 and g=9, group 3 reaches group 7 over channel 6 (switch 3), and group 7 reaches group 3 over channel 3 (switch 1).
        assert!(fabric.neighbours(3 * 4 + 3).contains(&(7 * 4 + 1)));
        // Group 0 reaches group 1 over channel 0, and group 1 reaches group 0 over channel 0.
        assert!(fabric.neighbours(0).contains(&4));
        // Group 8 reaches group 7 over channel 7, and group 7 reaches group 8 over channel 7.
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
        // Switch 1 of group 2 has the global channels 2 and 3. In the relative arrangement, they lead to groups 5 and 6. These groups reach
        // group 2 over channels 5 and 4, which both belong to switch 2.
        assert_eq!(neighbours("relative", 2 * 4 + 1), [5 * 4 + 2, 6 * 4 + 2]);
        // In the palm-tree arrangement, the channels lead to groups 2 − 3 and 2 − 4 (modulo 9).
        assert_eq!(neighbours("palm-tree", 2 * 4 + 1), [7 * 4 + 2, 8 * 4 + 2]);
        // In the absolute arrangement, the channels lead to groups 3 and 4. Both groups reach group 2 over channel 2, which belongs to
        // switch 1.
        assert_eq!(neighbours("absolute", 2 * 4 + 1), [3 * 4 + 1, 4 * 4 + 1]);
    }

    #[test]
    fn balanced_sizes_are_those_of_the_paper() {
        let fabric = build("dragonfly:p=8", 0).unwrap();
        assert_eq!((fabric.num_switches(), fabric.num_endpoints(), fabric.network_radix()), (2064, 16512, 23));
        let histogram = distances::histogram(&fabric);
        assert_eq!(histogram.diameter(), Some(3));
    }

    /// Checks the closed-form bound on built fabrics. It must not be below the bounds that are computed on the fabric with the same channel
    /// weights, and not below the throughput of a routing.
    #[test]
    fn bounds_hold_for_any_shape() {
        for arrangement in ["absolute", "relative", "palm-tree"] {
            for (a, h) in [(1, 3), (2, 1), (2, 3), (3, 2), (4, 2), (4, 4), (5, 3)] {
                for groups in 1..=a * h + 1 {
                    let spec = format!("dragonfly:p=2,a={a},h={h},g={groups},arrangement={arrangement}");
                    let (_, member) = families::member(&spec).unwrap();
                    let fabric = member.build(0).unwrap();
                    let histogram = distances::histogram(&fabric);
                    let (Hops::AtMost(most) | Hops::Exactly(most)) = member.expect().hops else { panic!("{spec}") };
                    let hops: u128 = (0..).zip(&histogram.pairs).map(|(hops, &count)| hops * u128::from(count)).sum();
                    assert!(hops <= most, "{spec}: {hops} hops, at most {most}");
                    let is_global = |channel: usize| fabric.classes()[channel] == 1;
                    let proven = [
                        proven(&fabric, |channel| u64::from(is_global(channel))),
                        proven(&fabric, |_| 1),
                        proven(&fabric, |channel| 1 + u64::from(is_global(channel))),
                    ];
                    let least = proven.into_iter().fold(1.0, f64::min);
                    let parts =
                        <Dragonfly as tulle_spec::Plugin>::parse(&spec, &()).unwrap().between_parts(&member.expect());
                    let bound = member.all_to_all().unwrap();
                    assert!(
                        bound >= least.min(parts) - 1e-9,
                        "{spec}: the closed-form bound {bound} is below the computed bounds {least} and {parts}"
                    );
                    // Equal splits over all shortest paths reach the throughput `carried`, so the bound must not be lower.
                    let carried = split(&fabric);
                    assert!(
                        bound >= carried.min(1.0) - 1e-9,
                        "{spec}: the bound {bound} is below the throughput {carried}"
                    );
                }
            }
        }
    }

    /// Returns the upper bound on throughput T that weights y of the channels prove: T ≤ Σ y / Σ d·y(shortest path), where d is the demand
    /// of a pair.
    fn proven(fabric: &Fabric, length: impl Fn(usize) -> u64) -> f64 {
        let channels: u64 = (0..fabric.num_channels()).map(&length).sum();
        let switches = fabric.num_switches() as u32;
        let mut cheapest = 0;
        for source in 0..switches {
            let mut cost = vec![u64::MAX; switches as usize];
            cost[source as usize] = 0;
            loop {
                let before = cost.clone();
                for channel in 0..fabric.num_channels() {
                    let far = cost[fabric.sources()[channel] as usize].saturating_add(length(channel));
                    let next = &mut cost[fabric.targets()[channel] as usize];
                    *next = far.min(*next);
                }
                if cost == before {
                    break;
                }
            }
            cheapest += cost.iter().sum::<u64>();
        }
        let pairs = (fabric.concentration() as u64).pow(2) * cheapest;
        if pairs == 0 { 1.0 } else { channels as f64 * (fabric.num_endpoints() - 1) as f64 / pairs as f64 }
    }

    /// Returns the throughput if the traffic of each pair is split evenly over all its shortest paths.
    fn split(fabric: &Fabric) -> f64 {
        let switches = fabric.num_switches();
        let mut load = vec![0.0f64; fabric.num_channels()];
        for destination in 0..switches as u32 {
            let mut hops = vec![u32::MAX; switches];
            hops[destination as usize] = 0;
            let mut order = vec![destination];
            let mut at = 0;
            while at < order.len() {
                let switch = order[at];
                at += 1;
                for &next in fabric.neighbours(switch) {
                    if hops[next as usize] == u32::MAX {
                        hops[next as usize] = hops[switch as usize] + 1;
                        order.push(next);
                    }
                }
            }
            let mut through = vec![1.0; switches];
            for &switch in order.iter().rev().filter(|&&switch| switch != destination) {
                let nearer = |&channel: &usize| hops[fabric.targets()[channel] as usize] + 1 == hops[switch as usize];
                let ways: Vec<usize> = fabric.channels_of(switch).filter(nearer).collect();
                for &channel in &ways {
                    let share = through[switch as usize] / ways.len() as f64;
                    load[channel] += share;
                    through[fabric.targets()[channel] as usize] += share;
                }
            }
        }
        let most = load.iter().copied().fold(0.0, f64::max) * (fabric.concentration() as f64).powi(2);
        (fabric.num_endpoints() - 1) as f64 / most
    }

    #[test]
    fn cables_that_keep_a_switch_s_number_carry_no_traffic_to_another() {
        // The certified upper bound is 0.0711. The bound from the number of hops alone would be 0.98.
        let (_, member) = families::member("dragonfly:p=29,a=2,h=34,g=34").unwrap();
        let bound = member.all_to_all().unwrap();
        assert!((0.0710..0.0712).contains(&bound), "{bound}");
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
