//! Fat trees of three levels. Leaves and aggregation switches form pods; cores connect the pods.

use super::ports::{above, divide, refuse};
use super::{DOWN, UP};
use crate::{Diameter, Expect, Hops};
use tulle_fabric::FabricBuilder;
use tulle_spec::{Arguments, SpecError};

/// A fat tree of three levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreeLevels {
    /// Ports of an aggregation or core switch; always even.
    radix: u32,
    pods: u32,
    /// Leaves of all pods together.
    leaves: u32,
    /// Cables from a leaf upwards.
    uplinks: u32,
    /// Cables between a leaf and each aggregation switch of its pod.
    cables: u32,
    /// Endpoints per leaf.
    concentration: u32,
}

impl ThreeLevels {
    pub(super) fn read(arguments: &Arguments) -> Result<Self, SpecError> {
        refuse(arguments, "cores", 3, "legal: no cores=; the tree then has the fewest cores that have enough ports")?;
        let radix = arguments.given::<u64>("radix")?.ok_or_else(|| arguments.missing("radix"))?;
        if radix % 2 == 1 {
            return Err(arguments.bad("radix", radix, "is odd", format!("legal: {} or {}", radix - 1, radix + 1)));
        }
        let cables = arguments.given_within("cables", 1..=radix / 2)?.unwrap_or(1);
        let (uplinks, concentration) = divide(arguments, radix)?;
        above(arguments, uplinks, cables)?;
        let per_pod = radix / 2 / cables;
        let pods = arguments.given_within("pods", 2..=radix)?;
        let leaves = arguments.given_within("leaves", pods.unwrap_or(2)..=pods.unwrap_or(radix) * per_pod)?;
        let pods = pods.unwrap_or(leaves.map_or(radix, |leaves| leaves.div_ceil(per_pod).max(2)));
        Ok(Self {
            radix: radix as u32,
            pods: pods as u32,
            leaves: leaves.unwrap_or(pods * per_pod) as u32,
            uplinks: uplinks as u32,
            cables: cables as u32,
            concentration: concentration as u32,
        })
    }

    /// Returns radix, pods, leaves, cores, uplinks, cables and p for the canonical spec; `None` for a parameter that the canonical spec
    /// omits.
    pub(super) fn sizes(&self) -> [Option<u32>; 7] {
        let Self { radix, pods, leaves, uplinks, cables, concentration } = *self;
        [Some(radix), Some(pods), Some(leaves), None, Some(uplinks), Some(cables), Some(concentration)]
    }

    pub(super) fn expect(&self) -> Expect {
        let [leaves, uplinks, concentration] = [self.leaves, self.uplinks, self.concentration].map(u64::from);
        Expect {
            switches: leaves + self.aggregations() + self.cores(),
            endpoints: leaves * concentration,
            cables: leaves * uplinks + self.cables_to_cores(),
            network_radix: uplinks,
            concentration,
            radix: self.ports(),
            diameter: Diameter::Exactly(4),
            hops: Hops::Exactly(self.hops()),
        }
    }

    /// Returns the maximum number of used ports of any switch.
    fn ports(&self) -> u64 {
        let aggregation = self.leaves.div_ceil(self.pods) * self.cables + self.radix / 2;
        let core = self.cables_to_cores().div_ceil(self.cores());
        u64::from((self.uplinks + self.concentration).max(aggregation)).max(core)
    }

    /// Returns the total number of hops between all ordered pairs of leaves: two hops within a pod, and four hops between pods.
    fn hops(&self) -> u128 {
        let (leaves, pods) = (u128::from(self.leaves), u128::from(self.pods));
        let (fewer, larger) = (leaves / pods, leaves % pods);
        let together = (pods - larger) * fewer * fewer + larger * (fewer + 1).pow(2);
        4 * (leaves * leaves - together) + 2 * (together - leaves)
    }

    /// Returns the lower of two upper bounds on the throughput: one from the upward channels of all leaves, the other from the upward
    /// channels of the largest pod.
    pub(super) fn all_to_all(&self) -> f64 {
        let (expect, leaves) = (self.expect(), u128::from(self.leaves));
        let uplinks = u64::from(self.leaves) * u64::from(self.uplinks);
        let from_pod = self.cables_to_cores() / u64::from(self.pods);
        let pod = u128::from(self.leaves.div_ceil(self.pods));
        expect.carried(uplinks, leaves * (leaves - 1)).min(expect.carried(from_pod, pod * (leaves - pod)))
    }

    /// Aggregation switches per pod.
    fn positions(&self) -> u32 {
        self.uplinks / self.cables
    }

    fn aggregations(&self) -> u64 {
        u64::from(self.pods) * u64::from(self.positions())
    }

    fn cables_to_cores(&self) -> u64 {
        self.aggregations() * u64::from(self.radix / 2)
    }

    fn cores(&self) -> u64 {
        self.cables_to_cores().div_ceil(u64::from(self.radix))
    }

    pub(super) fn build(&self) -> FabricBuilder {
        let (pods, leaves, positions) = (self.pods, self.leaves, self.positions());
        let first_core = leaves + self.aggregations() as u32;
        let switches = first_core + self.cores() as u32;
        let aggregation = |pod: u32, position: u32| leaves + pod * positions + position;
        // Leaves are spread evenly over pods. A pod has the leaves `first_leaf(pod)..first_leaf(pod + 1)`.
        let first_leaf = |pod: u32| (u64::from(pod) * u64::from(leaves)).div_ceil(u64::from(pods)) as u32;
        let pod_of_leaf = |leaf: u32| (u64::from(leaf) * u64::from(pods) / u64::from(leaves)) as u32;

        let mut builder = FabricBuilder::new(switches);
        for leaf in 0..leaves {
            for position in 0..positions {
                for _ in 0..self.cables {
                    builder.cable_of(leaf, aggregation(pod_of_leaf(leaf), position), UP, DOWN);
                }
            }
            builder.endpoints(leaf, self.concentration as usize);
        }
        // The cables to the cores are ordered so that any `pods` consecutive cables come from different pods. Each core gets at least
        // `pods` consecutive cables, so every core reaches every pod. If there are as many pods as a switch has ports,
        // the cores form the usual planes. Each plane has radix / 2 cores, and there is one plane for each position of an aggregation
        // switch in its pod.
        let mut cable = 0;
        for position in 0..positions {
            for _ in 0..self.radix / 2 {
                for pod in 0..pods {
                    let core = first_core + (cable * self.cores() / self.cables_to_cores()) as u32;
                    builder.cable_of(aggregation(pod, position), core, UP, DOWN);
                    cable += 1;
                }
            }
        }
        (leaves..first_core).for_each(|switch| builder.level(switch, 1));
        (first_core..switches).for_each(|switch| builder.level(switch, 2));
        builder.coordinates(&["level", "pod", "position"], |switch| {
            if switch < leaves {
                let pod = pod_of_leaf(switch);
                vec![0, pod, switch - first_leaf(pod)]
            } else if switch < first_core {
                vec![1, (switch - leaves) / positions, (switch - leaves) % positions]
            } else {
                // Cores do not belong to a pod, so their pod coordinate is 0.
                vec![2, 0, switch - first_core]
            }
        });
        builder
    }
}
