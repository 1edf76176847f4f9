//! The scheme `minimal`: one layer with the next hops of all shortest paths. Shortest is by hops, or by the latency or cost of links.

mod weighted;

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin, words};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::scheme::Scheme;
use crate::shortest::all_next_hops;
use crate::{Error, Routes, TableBuilder};
use weighted::weighted_next_hops;

words! {
    enum Weight {
        Hops = "hops",
        Latency = "latency",
        Cost = "cost",
    }
}

plugin! {
    pub struct Minimal {
        /// metric that paths minimise: hops, or the sum of link latencies or costs
        weight: Weight = word(Weight::WORDS), implied "hops";
    }
    name: "minimal",
    aliases: ["ecmp"],
    summary: "one layer with all shortest next hops, like those that OSPF with ECMP installs",
    paper: "FatPaths §VII-A3 (the ECMP baseline); Kathareios et al. (SC15) §3.1; weight=latency: the routing function \
        min of BookSim2 on anynet, which uses only one of the next hops; weight=cost: OSPF (RFC 2328 §16)",
    limitations: "In many low-diameter fabrics, most pairs have only one shortest path, and the scheme minimal uses no \
        other paths. weight=latency needs the latency of every link between switches; it uses a link of latency 0 \
        only if this link reduces the number of remaining hops. weight=cost needs the cost of every such link, in both \
        directions.",
    examples: ["minimal"],
    rejects: [
        ("minimal:layers=2", "unknown parameter 'layers=2'"),
        ("minimal:weight=length", "weight=length is not a choice; legal: hops, latency, cost"),
    ],
}

#[cfg(test)]
impl Minimal {
    /// Returns the scheme for shortest paths by hops.
    pub(super) fn by_hops() -> Self {
        Self { weight: Weight::Hops }
    }
}

impl Scheme for Minimal {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let links = LayerLinks::all(fabric);
        let distances = connected_distances(&Minimal::INFO, fabric, &links)?;
        let table = match self.weight {
            Weight::Hops => {
                let mut builder = TableBuilder::new(fabric);
                all_next_hops(&mut builder, &links, &distances);
                builder.finish()
            }
            Weight::Latency => weighted_next_hops(fabric, &latencies(fabric)?),
            Weight::Cost => weighted_next_hops(fabric, &costs(fabric)?),
        };
        Ok(Routes::Layers(vec![table]))
    }

    /// Rerouting after failures compares paths by hops, so it cannot keep tables minimal for other weights; such tables are computed
    /// from scratch. If paths minimise hops, rerouting finds the same groups of next hops as a computation from scratch.
    fn is_recomputed(&self) -> bool {
        !matches!(self.weight, Weight::Hops)
    }
}

/// Returns the latency of every channel in picoseconds. A latency is at most one second.
fn latencies(fabric: &Fabric) -> Result<Vec<u64>, Error> {
    let latency = |channel: u32| {
        fabric.link_latency(channel).ok_or_else(|| Error::Fabric {
            scheme: Minimal::INFO.name.to_owned(),
            problem: format!("weight=latency: cable {} has no latency", fabric.cable_name(channel)),
            legal: "legal: a latency for every cable, in the file of the fabric or as --link all:latency=500ns"
                .to_owned(),
        })
    };
    (0..fabric.num_channels() as u32).map(latency).collect()
}

/// Returns the cost of every channel. A cost is below 2³².
fn costs(fabric: &Fabric) -> Result<Vec<u64>, Error> {
    let cost = |channel: u32| {
        fabric.link_cost(channel).map(u64::from).ok_or_else(|| {
            let [from, to] = [fabric.sources(), fabric.targets()].map(|ends| fabric.label(ends[channel as usize]));
            Error::Fabric {
                scheme: Minimal::INFO.name.to_owned(),
                problem: format!("weight=cost: cable {} has no cost from {from} to {to}", fabric.cable_name(channel)),
                legal: "legal: a cost for every cable, in the file of the fabric or as --link all:cost=10".to_owned(),
            }
        })
    };
    (0..fabric.num_channels() as u32).map(cost).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tulle_fabric::{FabricBuilder, Link};

    use super::*;
    use crate::verify;

    /// Returns a fabric with `cables`, each with its latencies in both directions.
    fn fabric(switches: u32, cables: &[(u32, u32, [u64; 2])]) -> Fabric {
        let mut builder = FabricBuilder::new(switches);
        for (cable, &(a, b, latencies)) in cables.iter().enumerate() {
            builder.cable(a, b);
            builder.link(cable, latencies.map(|latency| Link { latency: Some(latency), ..Link::UNKNOWN }));
        }
        builder.finish("edges", Default::default()).unwrap()
    }

    fn route(fabric: &Fabric, spec: &str) -> Result<crate::Routing, Error> {
        crate::build(fabric, spec, 0)
    }

    #[test]
    fn the_way_of_least_latency_is_taken() {
        // The path over switch 1 has latency 10 + 1, and the direct cable has latency 30. BookSim2 also takes the path over switch 1.
        let triangle = fabric(3, &[(0, 1, [10; 2]), (1, 2, [1; 2]), (0, 2, [30; 2])]);
        let routing = route(&triangle, "minimal:weight=latency").unwrap();
        let switches = |paths: Vec<Vec<u32>>| -> Vec<u32> {
            paths[0].iter().map(|&channel| triangle.targets()[channel as usize]).collect()
        };
        assert_eq!(switches(routing.paths(&triangle, 0, 2)), [1, 2]);
        assert_eq!(switches(routing.paths(&triangle, 2, 0)), [1, 0]);
        assert_eq!(switches(route(&triangle, "minimal").unwrap().paths(&triangle, 0, 2)), [2]);
        // Both paths have latency 11, so their next hops form a group, although the paths have different numbers of hops.
        let equal = fabric(3, &[(0, 1, [10; 2]), (1, 2, [1; 2]), (0, 2, [11; 2])]);
        let table = route(&equal, "minimal:weight=latency").unwrap();
        assert_eq!(table.layers()[0].next(0, 2), [0, 1]);
        // Cable 0--1 has a different latency in each direction.
        let one_way = fabric(3, &[(0, 1, [10, 50]), (1, 2, [1, 1]), (0, 2, [30, 30])]);
        let routing = route(&one_way, "minimal:weight=latency").unwrap();
        assert_eq!((routing.paths(&one_way, 0, 2)[0].len(), routing.paths(&one_way, 2, 0)[0].len()), (2, 1));
    }

    #[test]
    fn unknown_latencies_are_an_error() {
        let clique = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let error = route(&clique, "minimal:weight=latency").unwrap_err().to_string();
        assert!(error.contains("weight=latency: cable 0--1 has no latency") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn a_missing_cost_is_an_error_that_names_the_cable_and_direction() {
        let mut builder = FabricBuilder::new(3);
        for (cable, (a, b)) in [(0, 1), (1, 2)].into_iter().enumerate() {
            builder.cable(a, b);
            builder.link(cable, [Some(4), (cable == 0).then_some(5)].map(|cost| Link { cost, ..Link::UNKNOWN }));
        }
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let error = route(&fabric, "minimal:weight=cost").unwrap_err().to_string();
        assert!(error.contains("weight=cost: cable 1--2 has no cost from 2 to 1; legal: a cost for every"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    /// Returns the least cost of all simple paths from `at` to `to`, found by trying each path.
    fn least_of_all_paths(fabric: &Fabric, at: u32, to: u32, visited: &mut Vec<u32>) -> Option<u64> {
        if at == to {
            return Some(0);
        }
        visited.push(at);
        let mut least = None;
        for channel in fabric.channels_of(at) {
            let next = fabric.targets()[channel];
            if visited.contains(&next) {
                continue;
            }
            if let Some(rest) = least_of_all_paths(fabric, next, to, visited) {
                let cost = u64::from(fabric.link_cost(channel as u32).unwrap()) + rest;
                least = Some(least.map_or(cost, |least: u64| least.min(cost)));
            }
        }
        visited.pop();
        least
    }

    proptest! {
        /// Checks that the next hops are exactly the first hops of all simple paths of least cost.
        #[test]
        fn next_hops_are_those_of_least_cost(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 1u32..4, 1u32..4), 1..6),
            more in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1u32..5, 1u32..5), 0..6),
            most in any::<bool>(),
        ) {
            let switches = tree.len() + 1;
            let mut cables: Vec<(u32, u32, [u32; 2])> = (1u32..)
                .zip(&tree)
                .map(|(switch, (other, there, back))| (other.index(switch as usize) as u32, switch, [*there, *back]))
                .collect();
            cables.extend(more.iter().filter_map(|(a, b, there, back)| {
                let (a, b) = (a.index(switches) as u32, b.index(switches) as u32);
                (a != b).then_some((a, b, [*there, *back]))
            }));
            // The test also uses costs near the maximum, so that sums exceed 32 bits.
            let cost = |cost: u32| Link { cost: Some(if most { u32::MAX - 5 + cost } else { cost }), ..Link::UNKNOWN };
            let mut builder = FabricBuilder::new(switches as u32);
            for (cable, &(a, b, costs)) in cables.iter().enumerate() {
                builder.cable(a, b);
                builder.link(cable, costs.map(cost));
            }
            let fabric = builder.finish("edges", Default::default()).unwrap();
            let routing = route(&fabric, "minimal:weight=cost").unwrap();
            let table = &routing.layers()[0];
            prop_assert_eq!(verify(&fabric, table), Ok(()));
            for switch in 0..switches as u32 {
                for destination in (0..switches as u32).filter(|&destination| destination != switch) {
                    let least = least_of_all_paths(&fabric, switch, destination, &mut Vec::new()).unwrap();
                    let expected: Vec<u16> = (0u16..)
                        .zip(fabric.channels_of(switch))
                        .filter(|(_, channel)| {
                            let next = fabric.targets()[*channel];
                            let rest = least_of_all_paths(&fabric, next, destination, &mut Vec::new()).unwrap();
                            u64::from(fabric.link_cost(*channel as u32).unwrap()) + rest == least
                        })
                        .map(|(port, _)| port)
                        .collect();
                    prop_assert_eq!(table.next(switch, destination), expected.as_slice());
                }
            }
        }

        /// Checks that the next hops are those on paths of least latency, except that links of latency 0 may stay unused, and that they
        /// form no loop. The Floyd–Warshall algorithm computes the least latencies.
        #[test]
        fn next_hops_are_those_of_least_latency(
            tree in prop::collection::vec((any::<prop::sample::Index>(), 0u64..3, 0u64..3), 1..8),
            more in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u64..4, 0u64..4), 0..12),
        ) {
            let switches = tree.len() + 1;
            let mut cables: Vec<(u32, u32, [u64; 2])> = (1u32..)
                .zip(&tree)
                .map(|(switch, (other, there, back))| (other.index(switch as usize) as u32, switch, [*there, *back]))
                .collect();
            cables.extend(more.iter().filter_map(|(a, b, there, back)| {
                let (a, b) = (a.index(switches) as u32, b.index(switches) as u32);
                (a != b).then_some((a, b, [*there, *back]))
            }));
            let fabric = fabric(switches as u32, &cables);
            let latency = |channel: usize| fabric.link_latency(channel as u32).unwrap();
            let mut least = vec![vec![u64::MAX / 4; switches]; switches];
            (0..switches).for_each(|switch| least[switch][switch] = 0);
            for channel in 0..fabric.num_channels() {
                let (a, b) = (fabric.sources()[channel] as usize, fabric.targets()[channel] as usize);
                least[a][b] = least[a][b].min(latency(channel));
            }
            for middle in 0..switches {
                for a in 0..switches {
                    for b in 0..switches {
                        least[a][b] = least[a][b].min(least[a][middle] + least[middle][b]);
                    }
                }
            }
            let routing = route(&fabric, "minimal:weight=latency").unwrap();
            let table = &routing.layers()[0];
            prop_assert_eq!(verify(&fabric, table), Ok(()));
            for switch in 0..switches as u32 {
                for destination in (0..switches as u32).filter(|&destination| destination != switch) {
                    let ports = table.next(switch, destination);
                    for (port, channel) in fabric.channels_of(switch).enumerate() {
                        let left = least[fabric.targets()[channel] as usize][destination as usize];
                        let on_least = latency(channel) + left == least[switch as usize][destination as usize];
                        let taken = ports.contains(&(port as u16));
                        // Some links of latency 0 must stay unused, because otherwise packets could loop.
                        let right = if latency(channel) > 0 { taken == on_least } else { on_least || !taken };
                        prop_assert!(right, "wrong use of port {port} of switch {switch} toward {destination}");
                    }
                }
            }
        }
    }
}
