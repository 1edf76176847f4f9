//! The extended PolarFly topology: a polarity graph to which copies of its racks are added, without moving an existing cable.
//!
//! A PolarFly of odd order q has q + 1 racks. The first rack consists of the q + 1 quadrics (points orthogonal to themselves). Each other
//! rack has a center, which is one of the q neighbours of the first quadric. Such a rack consists of its center and all neighbours of the
//! center except quadrics. There are q − 2 cables between two racks with centers. In each of the two racks, every switch has a cable to the
//! other rack, except the center and one of the switches that are neighbours of two quadrics.

use std::collections::HashMap;

use super::polarfly::polarity;
use super::prime_power;
use crate::design::{Candidates, orders};
use crate::gf::Field;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::plugin;

plugin! {
    /// A PolarFly of odd order q with copies of its racks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct PolarFlyExtended(arguments) {
        /// order of the field
        q: u32 = integer(3, 256), note "an odd prime power";
        /// copies of the rack of quadrics, q + 1 switches each
        quadrics: u32 = integer(0, 64), default "0";
        /// copies of other racks, q switches each; at most one copy per rack
        clusters: u32 = integer(0, 256), note "0 to q", default "0";
        /// endpoints per switch
        concentration "p": u32 = integer(0, 8191), or "⌈k'/2⌉" { (Self::degree(q, quadrics, clusters) as u32).div_ceil(2) };
    }
    check {
        prime_power::check(arguments, "q", q, 0)?;
        if q.is_multiple_of(2) {
            return Err(arguments.bad("q", q, "is even", "legal: an odd prime power"));
        }
        arguments.check("clusters", clusters.into(), 0..=u64::from(q))?;
    }
    name: "polarfly-extended",
    summary: "extended PolarFly: copies of the rack of quadrics (diameter 2) or of other racks (diameter 3)",
    paper: "Lakhotia et al.: PolarFly (SC22, arXiv 2208.01695) §VI, expansion",
    limitations: "The order q must be odd. A copy of the quadrics adds two ports to each neighbour of a quadric. A copy of another rack \
        adds one port to most switches. With copies of other racks, tulle computes only a lower bound of the average path length; the \
        length is below 2, as in the paper. Copies of switches with two quadrics as neighbours have two cables to centers of racks that \
        they would not reach otherwise, as in the authors' generator.",
    examples: [
        "polarfly-extended:q=3,quadrics=1", "polarfly-extended:q=5", "polarfly-extended:q=5,clusters=2,p=1",
        "polarfly-extended:q=5,quadrics=2,clusters=5,p=2", "polarfly-extended:q=7,quadrics=3,p=0",
        "polarfly-extended:q=9,clusters=1",
    ],
    rejects: [
        ("polarfly-extended", "needs q="),
        ("polarfly-extended:q=10", "q=10 is not a prime power; nearest 9, 11"),
        ("polarfly-extended:q=8", "q=8 is even; legal: an odd prime power"),
        ("polarfly-extended:q=5,clusters=6", "clusters=6 is out of range; legal: 0 to 5"),
        ("polarfly-extended:q=5,quadrics=65", "quadrics=65 is out of range; legal: 0 to 64"),
    ],
}

impl PolarFlyExtended {
    /// Returns the maximum number of network ports of a switch. A neighbour of two quadrics has two more ports per copy of the quadrics.
    /// Copied racks add at most one port per copied rack, plus one port.
    fn degree(q: u32, quadrics: u32, clusters: u32) -> u64 {
        let own = u64::from(q) + 1 + 2 * u64::from(quadrics);
        if clusters == 0 { own } else { own + u64::from(clusters) + 1 }
    }

    fn switches(&self) -> u64 {
        let [q, quadrics, clusters] = [self.q, self.quadrics, self.clusters].map(u64::from);
        q * q + q + 1 + quadrics * (q + 1) + clusters * q
    }

    fn cables(&self) -> u64 {
        let [q, quadrics, clusters] = [self.q, self.quadrics, self.clusters].map(u64::from);
        let own = q * (q + 1) * (q + 1) / 2;
        // Every copy of a quadric has cables to the q neighbours of the quadric, to the quadric itself, and to its other copies.
        let of_quadrics = quadrics * (q + 1) * q + (q + 1) * quadrics * (quadrics + 1) / 2;
        // The terms count the cables of a copied rack: within the rack, from center to center, to switches outside the rack, to copies of
        // quadrics, and to centers. Between two copied racks, there are q − 2 cables and two more: in each of the two racks, the neighbour
        // of two quadrics has a cable to the center of the other rack.
        let each = 3 * (q - 1) / 2 + 1 + (q * q - 2 * q + 3) + quadrics * (q + 1) + (q - 1);
        own + of_quadrics + clusters * each + q * clusters * clusters.saturating_sub(1) / 2
    }
}

impl Family for PolarFlyExtended {
    const RACKS: RackStructure = RackStructure::Groups;
    /// Proposals have copies of only one kind of rack, as in the paper.
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for q in orders().filter(|q| q % 2 == 1 && *q < wanted.radix) {
            let own = q * q + q + 1;
            for copies in 1..=(wanted.radix - q) / 2 {
                let ports = wanted.radix.saturating_sub(q + 1 + 2 * copies);
                let member = format!("polarfly-extended:q={q},quadrics={copies}");
                found.extend(wanted.with_endpoints(&member, own + copies * (q + 1), ports));
            }
            for copies in 1..=q.min(wanted.radix - q) {
                let ports = wanted.radix.saturating_sub(q + 2 + copies);
                let member = format!("polarfly-extended:q={q},clusters={copies}");
                found.extend(wanted.with_endpoints(&member, own + copies * q, ports));
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let (switches, cables) = (self.switches(), self.cables());
        let (degree, concentration) =
            (Self::degree(self.q, self.quadrics, self.clusters), u64::from(self.concentration));
        let two = Hops::diameter_two(switches, cables);
        Expect {
            switches,
            endpoints: switches * concentration,
            cables,
            network_radix: degree,
            concentration,
            radix: degree + concentration,
            diameter: if self.clusters == 0 { Diameter::Exactly(2) } else { Diameter::AtMost(3) },
            // With copies of racks that have a center, some pairs of switches are three hops apart instead of two.
            hops: match two {
                Hops::Exactly(hops) if self.clusters > 0 => Hops::AtLeast(hops),
                hops => hops,
            },
        }
    }

    /// The switches of the original PolarFly have the lowest ids. The copies of quadrics follow, copy by copy, and then the copied racks,
    /// rack by rack.
    ///
    /// Coordinates are the rack and the position in the rack. Rack 0 has the quadrics, racks 1 to q are the other racks, and the copies
    /// follow in order.
    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let own = Own::of(self.q);
        let mut builder = FabricBuilder::new(self.switches() as u32);
        let points = own.neighbours.len() as u32;
        for (a, neighbours) in (0..points).zip(&own.neighbours) {
            neighbours.iter().filter(|&&b| a < b).for_each(|&b| builder.cable(a, b));
        }
        let quadrics = &own.racks[0];
        // For each quadric, and for each switch of a copied rack, the ids of its copies.
        let mut copies: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut next = points;
        for _ in 0..self.quadrics {
            for &quadric in quadrics {
                own.neighbours[quadric as usize].iter().for_each(|&other| builder.cable(next, other));
                builder.cable(next, quadric);
                let copies = copies.entry(quadric).or_default();
                copies.iter().for_each(|&copy| builder.cable(next, copy));
                copies.push(next);
                next += 1;
            }
        }
        for rack in 1..=self.clusters as usize {
            let members = &own.racks[rack];
            let copy = |switch: u32| members.iter().position(|&member| member == switch).map(|at| next + at as u32);
            for (&switch, at) in members.iter().zip(next..) {
                for &other in &own.neighbours[switch as usize] {
                    match copy(other) {
                        Some(other) if at < other => builder.cable(at, other),
                        Some(_) => {}
                        None => {
                            builder.cable(at, other);
                            copies.get(&other).into_iter().flatten().for_each(|&other| builder.cable(at, other));
                        }
                    }
                }
                for missed in own.missed(switch, rack) {
                    let center = own.racks[missed][0];
                    builder.cable(at, center);
                    copies.get(&center).into_iter().flatten().for_each(|&center| builder.cable(at, center));
                }
            }
            builder.cable(next, members[0]);
            // Some switches of earlier racks have no cable to this rack. Their copies have a cable to the center of this rack instead, so
            // they also get a cable to the copy of this center.
            for before in 1..rack {
                for &switch in own.racks[before].iter().filter(|&&switch| own.missed(switch, before).contains(&rack)) {
                    copies[&switch].iter().for_each(|&other| builder.cable(next, other));
                }
            }
            members.iter().for_each(|&switch| {
                copies.insert(switch, vec![next]);
                next += 1;
            });
        }
        let q = self.q;
        builder.coordinates(&["rack", "switch"], |switch| match switch.checked_sub(points) {
            None => own.places[switch as usize].to_vec(),
            Some(copy) if copy < self.quadrics * (q + 1) => vec![q + 1 + copy / (q + 1), copy % (q + 1)],
            Some(copy) => {
                let copy = copy - self.quadrics * (q + 1);
                vec![q + 1 + self.quadrics + copy / q, copy % q]
            }
        });
        builder.endpoints_each(self.concentration as usize);
        builder.member(self)
    }
}

/// The original PolarFly, with its division into racks.
struct Own {
    /// Per switch its neighbours.
    neighbours: Vec<Vec<u32>>,
    /// The switches of each rack. Rack 0 has the quadrics; every other rack starts with its center.
    racks: Vec<Vec<u32>>,
    /// For each switch, its rack and its position in the rack.
    places: Vec<[u32; 2]>,
}

impl Own {
    fn of(q: u32) -> Self {
        let field = Field::new(q).expect("the check of the parameters accepts only prime powers");
        let mut neighbours = vec![Vec::new(); (q * q + q + 1) as usize];
        let mut quadrics = Vec::new();
        polarity(&field, |a, b| {
            if a == b {
                quadrics.push(a);
            } else {
                neighbours[a as usize].push(b);
                neighbours[b as usize].push(a);
            }
        });
        neighbours.iter_mut().for_each(|neighbours| neighbours.sort_unstable());
        let of_center = |&center: &u32| -> Vec<u32> {
            let others = neighbours[center as usize].iter().filter(|other| !quadrics.contains(other));
            [center].into_iter().chain(others.copied()).collect()
        };
        let racks: Vec<Vec<u32>> = neighbours[quadrics[0] as usize].iter().map(of_center).collect();
        let racks: Vec<Vec<u32>> = [quadrics].into_iter().chain(racks).collect();
        let mut places = vec![[0; 2]; neighbours.len()];
        for (rack, members) in (0..).zip(&racks) {
            (0..).zip(members).for_each(|(at, &member)| places[member as usize] = [rack, at]);
        }
        Self { neighbours, racks, places }
    }

    /// Returns the racks to which `switch` of `rack` has no cable, but no racks for a center, which has cables only to its own rack and to
    /// quadrics. A switch that is not a center and has two quadrics as neighbours misses two racks; every other switch misses none.
    fn missed(&self, switch: u32, rack: usize) -> Vec<usize> {
        let reached: Vec<u32> =
            self.neighbours[switch as usize].iter().map(|&other| self.places[other as usize][0]).collect();
        let by_quadrics = reached.contains(&0) && switch != self.racks[rack][0];
        (1..self.racks.len())
            .filter(|&other| by_quadrics && other != rack && !reached.contains(&(other as u32)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::build;
    use tulle_fabric::distances;

    /// Checks that the diameter is 2 with copies of quadrics. With copies of other racks, the diameter must be 3 and the average path
    /// length below 2 (§VI of the paper).
    #[test]
    fn diameters_and_path_lengths_are_those_of_the_paper() {
        for q in [3, 5, 7, 9, 11, 13] {
            for (quadrics, clusters) in [(1, 0), (3, 0), (0, 1), (0, 2), (0, q), (2, 3), (1, q)] {
                let spec = format!("polarfly-extended:q={q},quadrics={quadrics},clusters={clusters},p=1");
                let fabric = build(&spec, 0).unwrap();
                let switches = q * q + q + 1 + quadrics * (q + 1) + clusters * q;
                assert_eq!(fabric.num_switches(), switches, "{spec}");
                let histogram = distances::histogram(&fabric);
                let hops: u128 = (0..).zip(&histogram.pairs).map(|(hops, &count)| hops * u128::from(count)).sum();
                assert_eq!(histogram.diameter(), Some(if clusters == 0 { 2 } else { 3 }), "{spec}");
                assert!((hops as f64) < 2.0 * (switches * (switches - 1)) as f64, "{spec}");
            }
        }
    }

    #[test]
    fn the_fabric_that_is_extended_keeps_its_cables() {
        let [own, extended] =
            ["polarfly:q=7", "polarfly-extended:q=7,quadrics=1,clusters=3"].map(|spec| build(spec, 0).unwrap());
        for switch in 0..own.num_switches() as u32 {
            let kept = extended.neighbours(switch).iter().filter(|&&other| (other as usize) < own.num_switches());
            assert!(kept.eq(own.neighbours(switch)), "switch {switch}");
        }
        // No two switches are connected by two cables.
        for switch in 0..extended.num_switches() as u32 {
            assert!(extended.neighbours(switch).is_sorted_by(|a, b| a < b), "switch {switch}");
        }
    }
}
