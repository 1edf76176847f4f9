//! The folded Clos network with the highest throughput for a given number of hosts and a limited number of switches.

mod plan;

use plan::Plan;

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::{Arguments, SpecError, plugin};

plugin! {
    /// A folded Clos network that connects `hosts` endpoints with at most `switches` switches of `radix` ports.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Clos(arguments) {
        /// endpoints H
        hosts: u64 = integer(2, 1 << 28);
        /// maximum number of switches, N
        switches: u64 = integer(3, 1 << 28);
        /// ports of a switch
        radix: u64 = integer(4, 1024);
        /// layers of switches L, including the ToR switches
        layers: Option<u64> = integer(2, plan::MAX_LAYERS), or "the number of layers with the highest throughput";
        plan: Plan => plan(arguments, hosts, switches, radix, layers)?;
    }
    check {
        layers = Some(plan.layers);
    }
    name: "clos",
    summary: "folded Clos network with the highest throughput for a limited number of switches",
    paper: "Flattened Clos (NSDI23) App. A.3 (generation, eq. 5) and A.4, Table 4 (three layers)",
    limitations: "The paper gives no construction for three or more layers. In tulle, the switches of a layer form pods of at most radix/2 \
        switches, as in FatPaths App. A-F. Switches of the layer below the spines form planes. The spines connect each plane separately, \
        and a plane has the minimum number of spines that have enough ports. The switches below a layer are divided evenly among its pods. \
        This gives the switch counts of Table 4 for three layers, but not for four. The throughput (radix − h)/h counts only the ports of \
        the ToR switches, of which h lead to endpoints. With two layers, the network has radix − h spines as in eq. 5, even if fewer spines \
        with parallel cables are enough.",
    examples: [
        "clos:hosts=60,switches=20,radix=8", "clos:hosts=24,switches=12,radix=8",
        "clos:hosts=100,switches=200,radix=6,layers=4",
    ],
    rejects: [
        ("clos:hosts=60,switches=20", "needs radix="),
        ("clos:hosts=60,switches=12,radix=8", "cannot be connected; legal: switches=14 or more"),
        ("clos:hosts=60,switches=20,radix=3", "radix=3 is out of range; legal: 4 to 1024"),
        ("clos:hosts=100000,switches=20,radix=4", "cannot be connected in 8 layers; legal: hosts=768 or fewer"),
    ],
}

/// Channel classes, ordered by number.
const CLASSES: [&str; 2] = ["up", "down"];
const UP: u8 = 0;
const DOWN: u8 = 1;

/// Returns the network with the highest throughput. If `layers` is given, the network has this number of layers.
///
/// # Errors
/// Fails if no network connects this number of hosts with this number of switches.
fn plan(arguments: &Arguments, hosts: u64, switches: u64, radix: u64, layers: Option<u64>) -> Result<Plan, SpecError> {
    if let Some(plan) = Plan::best(hosts, switches, radix, layers) {
        return Ok(plan);
    }
    let values = format!("hosts={hosts}, switches={switches}, radix={radix}");
    Err(match Plan::fewest_switches(hosts, radix, layers) {
        Some(fewest) => {
            let problem =
                layers.map_or("cannot be connected".to_owned(), |l| format!("cannot be connected in {l} layers"));
            arguments.clash(values, problem, format!("legal: switches={fewest} or more"))
        }
        None => {
            let layers = layers.unwrap_or(plan::MAX_LAYERS);
            let most = Plan::most_hosts(radix, layers);
            let problem = format!("cannot be connected in {layers} layers");
            arguments.clash(values, problem, format!("legal: hosts={most} or fewer, or a larger radix"))
        }
    })
}

impl Family for Clos {
    const RACKS: RackStructure = RackStructure::Levels { alone: true };
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let mut found = Vec::new();
        for (p, uplinks) in wanted.divided() {
            let tors = wanted.endpoints.div_ceil(p);
            let half = wanted.radix / 2;
            for layers in 2..6u64 {
                // A middle layer has one switch per `half` cables from the layer below, and the last layer has one switch per `radix`
                // cables. The estimate adds 5% and two switches, because the number of switches is rounded up in each layer.
                let above = if half == 0 { 0.0 } else { (layers - 2) as f64 / half as f64 + 1.0 / wanted.radix as f64 };
                let switches = tors + (1.05 * tors as f64 * uplinks as f64 * above) as u64 + 2;
                let [hosts, radix] = [wanted.endpoints, wanted.radix];
                found.push(format!("clos:hosts={hosts},switches={switches},radix={radix},layers={layers}"));
            }
        }
        found
    });

    fn expect(&self) -> Expect {
        let size = self.plan.size();
        Expect {
            switches: size.switches,
            endpoints: self.plan.hosts,
            cables: size.cables,
            network_radix: self.plan.uplinks(),
            concentration: self.plan.hosts.div_ceil(self.plan.tors()),
            radix: self.plan.radix,
            diameter: Diameter::Exactly(self.plan.diameter()),
            hops: self.plan.hops().map_or(Hops::Unknown, Hops::Exactly),
        }
    }

    /// Returns an upper bound on the throughput: in every layer, the traffic that leaves a pod must fit on the upward channels of this pod.
    /// The bound uses the pod from which the most traffic leaves.
    fn all_to_all(&self) -> Option<f64> {
        let hosts = self.plan.hosts as f64;
        let shares = self.plan.pods_upwards().map(|(channels, own)| {
            let leaving = own as f64 * (hosts - own as f64);
            if leaving > 0.0 { (channels as f64 * (hosts - 1.0) / leaving).min(1.0) } else { 1.0 }
        });
        shares.reduce(f64::min)
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut wiring = Wiring::new(&self.plan);
        // The blocks of switches that the next layer must connect. `uplinks` is the number of uplinks of each of their switches.
        let mut blocks = vec![(0..self.plan.tors() as u32).collect::<Vec<u32>>()];
        let mut uplinks = self.plan.uplinks();
        for layer in 1..self.plan.layers as u8 {
            let last = u64::from(layer) + 1 == self.plan.layers;
            blocks = blocks.iter().flat_map(|block| wiring.raise(&self.plan, block, uplinks, layer, last)).collect();
            uplinks = self.plan.half();
        }
        wiring.finish(&self.plan, self)
    }
}

/// A Clos network under construction. It is built layer by layer, so ids ascend with layers.
struct Wiring {
    builder: FabricBuilder,
    /// For each switch: its layer, its group, and its position in the group.
    places: Vec<[u32; 3]>,
    /// Groups in the layer at hand.
    groups: u32,
    layer: u8,
}

impl Wiring {
    fn new(plan: &Plan) -> Self {
        // Two layers have no pods.
        let pods = if plan.layers == 2 { 1 } else { plan.pods(plan.tors()) };
        let places = (0..pods)
            .flat_map(|pod| {
                let tors = plan.share(plan.tors(), pods, pod);
                (0..tors.end - tors.start).map(move |position| [0, pod as u32, position as u32])
            })
            .collect();
        Self { builder: FabricBuilder::new(plan.size().switches as u32), places, groups: 0, layer: 0 }
    }

    /// Adds a group of `count` switches to `layer`.
    fn group(&mut self, layer: u8, count: u64) -> Vec<u32> {
        if layer != self.layer {
            (self.layer, self.groups) = (layer, 0);
        }
        let first = self.places.len() as u32;
        self.places.extend((0..count as u32).map(|position| [u32::from(layer), self.groups, position]));
        self.groups += 1;
        (first..first + count as u32).collect()
    }

    /// Connects the switches of `block` to the next layer. Returns the planes (blocks) of the next layer, which the layer above must
    /// connect.
    fn raise(&mut self, plan: &Plan, block: &[u32], uplinks: u64, layer: u8, last: bool) -> Vec<Vec<u32>> {
        let count = block.len() as u64;
        if last {
            let spines = self.group(layer, plan.spines(count, uplinks));
            for &below in block {
                (0..uplinks as usize)
                    .for_each(|link| self.builder.cable_of(below, spines[link % spines.len()], UP, DOWN));
            }
            return Vec::new();
        }
        let pods = plan.pods(count);
        let mut planes = vec![Vec::with_capacity(pods as usize); uplinks as usize];
        for pod in 0..pods {
            let above = self.group(layer, uplinks);
            let share = plan.share(count, pods, pod);
            for &below in &block[share.start as usize..share.end as usize] {
                above.iter().for_each(|&switch| self.builder.cable_of(below, switch, UP, DOWN));
            }
            planes.iter_mut().zip(above).for_each(|(plane, switch)| plane.push(switch));
        }
        planes
    }

    fn finish(mut self, plan: &Plan, clos: &Clos) -> Result<Fabric, Error> {
        for tor in 0..plan.tors() {
            let hosts = plan.share(plan.hosts, plan.tors(), tor);
            self.builder.endpoints(tor as u32, (hosts.end - hosts.start) as usize);
        }
        for (switch, &[layer, ..]) in self.places.iter().enumerate() {
            self.builder.level(switch as u32, layer as u8);
        }
        self.builder.classes(&CLASSES);
        self.builder.coordinates(&["layer", "group", "position"], |switch| self.places[switch as usize].to_vec());
        self.builder.member(clos)
    }
}

#[cfg(test)]
mod tests {
    fn size(spec: &str) -> [usize; 4] {
        let fabric = crate::build(spec, 0).unwrap();
        let at = |level: u8| fabric.levels().iter().filter(|&&other| other == level).count();
        [fabric.num_switches(), at(0), at(1), at(2)]
    }

    #[test]
    fn the_networks_of_the_flattened_clos_paper_have_their_sizes() {
        // §5: 148 switches of 32 ports for 1152 hosts.
        assert_eq!(size("clos:hosts=1152,switches=148,radix=32"), [148, 64, 56, 28]);
        // §4: 700 hosts fit two layers, 1400 do not.
        assert_eq!(size("clos:hosts=700,switches=50,radix=32"), [42, 32, 10, 0]);
        assert!(size("clos:hosts=1400,switches=100,radix=32")[3] > 0);
        // Table 4, three layers.
        for (hosts, switches) in [(2400, 406), (2400, 220), (2400, 166), (4800, 860), (4800, 482), (4800, 332)] {
            assert_eq!(size(&format!("clos:hosts={hosts},switches={switches},radix=32"))[0], switches);
        }
    }

    #[test]
    fn no_switch_has_more_ports_than_it_may() {
        for layers in 2..=5 {
            for radix in [4, 5, 8, 9] {
                for hosts in [4, 7, 20, 31, 100] {
                    let spec = format!("clos:hosts={hosts},switches=100000,radix={radix},layers={layers}");
                    if let Ok(fabric) = crate::build(&spec, 0) {
                        assert!(fabric.radix() <= radix, "{spec}: {}", fabric.radix());
                    }
                }
            }
        }
    }

    #[test]
    fn a_larger_budget_never_lowers_the_throughput() {
        let mut last = usize::MAX;
        for switches in 60..400 {
            let Ok(fabric) = crate::build(&format!("clos:hosts=700,switches={switches},radix=16"), 0) else { continue };
            assert!(fabric.num_switches() <= switches);
            let hosts_per_tor = 16 - fabric.network_radix();
            assert!(hosts_per_tor <= last);
            last = hosts_per_tor;
        }
        assert!(last < usize::MAX);
    }
}
