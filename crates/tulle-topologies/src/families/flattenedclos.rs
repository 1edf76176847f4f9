//! The Flattened Clos topology: ToR switches are split into virtual layers, with random cables between adjacent layers.

use std::cell::RefCell;

use crate::design::Candidates;
use crate::random_graph::{Drawn, layered, until_connected};
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder, RackStructure};
use tulle_spec::{Arguments, Plugin, SpecError, plugin};

plugin! {
    /// A Flattened Clos of `switches` ToR switches.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FlattenedClos(arguments) {
        /// ToR switches N
        switches: u32 = integer(3, 1 << 20);
        /// all ports of a switch: s = ports − p lead to other switches, and h = p lead to endpoints
        ports: Option<u64> = integer(3, 131_069), note "ports − p must be even, and less than switches unless parallel=yes", or "twice the sum of degrees, and p";
        /// virtual layers k
        layers: Option<u64> = integer(2, MAX_LAYERS), note "at most (ports − p) / 2 + 1", or "the smallest k that satisfies eq. 4 of the paper with ε = 0";
        /// for each virtual layer j except the last, the number a_j of a switch's cables to virtual layer j + 1; replaces ports and layers
        degrees: Vec<u32> = shape(1, 32_767), note "k − 1 sizes", or "(ports − p) / 2 in equal parts; the remainder is added from both ends inwards" {
            divided(arguments, switches.into())?
        };
        /// whether several cables may connect the same two switches, in different pairs of virtual layers
        parallel: bool = flag(), default "no";
        /// η of virtual-layered cabling: the cables from virtual layer j to layer j + 1 go through 2ηa_j patch panels or optical switches.
        /// About 1/η of the switches have a cable to a given panel; they are the same switches for every seed. This limits the choice of
        /// random graphs
        eta: Option<u64> = integer(1, 1 << 19), note "at most half the number of switches, rounded up", or "unconstrained";
        /// ports of a panel; replaces eta
        panel_ports: Option<u64> = integer(2, 1 << 20), or "unconstrained";
        /// endpoints per switch h
        concentration "p": u32 = integer(0, 65_535), or "ports − 2 ⌊ports / 3⌋, about half of s" {
            arguments.given("ports")?.map_or(degrees.iter().sum(), hosts)
        };
    }
    check {
        if arguments.has("degrees") {
            given(arguments, &degrees)?;
        }
        let shown = if parallel { "degrees" } else { "ports" };
        let most = if parallel { degrees.iter().copied().max().unwrap_or(0) } else { 2 * degrees.iter().sum::<u32>() };
        if most >= switches {
            let own = if parallel { 0 } else { concentration };
            let legal = own + if parallel { switches - 1 } else { (switches - 1) / 2 * 2 };
            let legal = format!("legal: {shown}={legal} or less, or switches={} or more", most + 1);
            let reason = format!("needs {most} other switches");
            return Err(arguments.bad(shown, most + own, &reason, legal));
        }
        // `degrees` determines both `ports` and `layers`.
        (ports, layers) = (None, None);
        (eta, panel_ports) = (through(arguments, switches.into(), eta, panel_ports)?, None);
    }
    name: "flattenedclos",
    summary: "random regular graph in virtual layers, for virtual up-down routing",
    paper: "Flattened Clos (NSDI23) §3.1 (topology), §3.2.3 (number of layers and division of ports)",
    limitations: "If eta= or panel_ports= is given, patch panels or optical circuit switches (§3.3) limit the choice \
        of graphs, but they are not part of the fabric. The choice among random graphs is close to uniform, but not \
        uniform. Graphs are generated until one is connected, at most 100 times. With few layers, some pairs of \
        switches may have no virtual up-down path; routing reports this.",
    examples: [
        "flattenedclos:switches=50,ports=32,layers=4,p=14", "flattenedclos:switches=30,ports=12",
        "flattenedclos:switches=60,ports=16,layers=3,p=4,eta=3",
        "flattenedclos:switches=5,degrees=1x1,p=1", "flattenedclos:switches=4,degrees=1x1,parallel=yes,p=4",
    ],
    rejects: [
        ("flattenedclos:ports=27", "needs switches="),
        ("flattenedclos:switches=50", "needs ports="),
        ("flattenedclos:switches=50,ports=32,p=15", "ports=32, p=15 leave 17 ports to other switches, an odd number; legal: p=14 or 16"),
        ("flattenedclos:switches=50,ports=14,p=14", "ports=14, p=14 leave 0 ports"),
        ("flattenedclos:switches=18,ports=27", "ports=27 needs 18 other switches; legal: ports=25 or less"),
        ("flattenedclos:switches=50,ports=6,layers=4", "layers=4 is out of range; legal: 2 to 3"),
        ("flattenedclos:switches=50,ports=27,degrees=3x3x3", "degrees=3x3x3, ports=27 cannot be given together"),
        ("flattenedclos:switches=4,degrees=4,parallel=yes", "degrees=4 needs 4 other switches"),
        ("flattenedclos:switches=9,degrees=1x1,eta=6", "eta=6 is out of range; legal: 1 to 5"),
        ("flattenedclos:switches=9,degrees=1x1,eta=2,panel_ports=9", "eta=2, panel_ports=9 cannot be given together"),
        ("flattenedclos:switches=3000,ports=9", "legal: ports=24 or more, or a given layers=2 to 4"),
    ],
}

/// The maximum number of virtual layers. A layer number is one byte, and one value means "no layer".
const MAX_LAYERS: u64 = 255;

/// Channel classes, in the order of their numbers. A channel leads to a higher virtual layer (up) or to a lower one (down).
const CLASSES: [&str; 2] = ["up", "down"];

impl Family for FlattenedClos {
    const RACKS: RackStructure = RackStructure::Tors;
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let shares = (1..wanted.radix.saturating_sub(2)).filter(|p| (wanted.radix - p).is_multiple_of(2));
        let of = |p| format!("flattenedclos:switches={},ports={},p={p}", wanted.nearest(p), wanted.radix);
        shares.map(of).collect()
    });

    fn has_devices(&self) -> bool {
        self.eta.is_some()
    }

    fn expect(&self) -> Expect {
        let (switches, concentration) = (u64::from(self.switches), u64::from(self.concentration));
        let half: u64 = self.degrees.iter().map(|&degree| u64::from(degree)).sum();
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * half,
            network_radix: 2 * half,
            concentration,
            radix: 2 * half + concentration,
            diameter: Diameter::Unknown,
            hops: Hops::regular(switches, 2 * half),
        }
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        self.drawn(seed).map(|(fabric, _)| fabric)
    }
}

impl FlattenedClos {
    /// The fabric, and how it was drawn.
    fn drawn(&self, seed: u64) -> Result<(Fabric, Drawn), Error> {
        let eta = self.eta.map(|eta| eta as u32);
        let last = RefCell::new(None);
        let hint = "try another seed, more ports or a smaller eta";
        let fabric = until_connected(Self::INFO.name, seed, hint, |rng| {
            let Some(drawn) = layered(self.switches, &self.degrees, self.parallel, eta, rng) else { return Ok(None) };
            let mut builder = FabricBuilder::new(self.switches);
            builder.classes(&CLASSES);
            for (layer, arcs) in (0u8..).zip(&drawn.layers) {
                for &[below, above] in arcs {
                    builder.cable_between_layers(below, above, [0, 1], [layer, layer + 1]);
                }
            }
            builder.endpoints_each(self.concentration as usize);
            last.replace(Some(drawn));
            builder.member(self).map(Some)
        })?;
        Ok((fabric, last.into_inner().expect("a fabric was drawn")))
    }
}

/// A cable of virtual-layered cabling, which goes through a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panelled {
    /// The panel number, which is unique across all virtual layers.
    pub panel: u32,
    /// The lower virtual layer.
    pub layer: u8,
    /// The switch at the end of the cable in the lower virtual layer.
    pub below: u32,
    /// The switch at the end of the cable in the higher virtual layer.
    pub above: u32,
}

/// Returns the cables of the fabric of `spec` and `seed`, each with its panel, sorted by layer and panel. Returns `None` for other
/// families, or if the spec has neither `eta=` nor `panel_ports=`. The set of switches at each panel does not depend on the seed.
///
/// # Errors
/// Fails if the fabric cannot be built.
pub fn panelled(spec: &str, seed: u64) -> Result<Option<Vec<Panelled>>, Error> {
    if spec.split(':').next() != Some(FlattenedClos::INFO.name) {
        return Ok(None);
    }
    let member = FlattenedClos::parse(spec, &())?;
    if member.eta.is_none() {
        return Ok(None);
    }
    let (_, drawn) = member.drawn(seed)?;
    let layers = (0u8..).zip(drawn.layers.iter().zip(&drawn.panels));
    let cables = layers.flat_map(|(layer, (arcs, panels))| {
        arcs.iter().zip(panels).map(move |(&[below, above], &panel)| Panelled { panel, layer, below, above })
    });
    Ok(Some(cables.collect()))
}

/// Returns an error if `degrees` is redundant (together with `ports` or `layers`) or too large.
fn given(arguments: &Arguments, degrees: &[u32]) -> Result<(), SpecError> {
    let text = arguments.text("degrees").unwrap_or_default();
    for parameter in ["ports", "layers"] {
        if let Some(value) = arguments.text(parameter) {
            let values = format!("degrees={text}, {parameter}={value}");
            return Err(arguments.clash(values, "cannot be given together", "legal: degrees=, or ports= and layers="));
        }
    }
    if degrees.len() as u64 >= MAX_LAYERS || degrees.iter().map(|&degree| u64::from(degree)).sum::<u64>() > 32_767 {
        return Err(arguments.bad("degrees", text, "is too large", "legal: at most 254 sizes, 32767 in all"));
    }
    Ok(())
}

/// Returns η: the value of `eta`, or the minimum value for panels with `panel_ports` ports. `None` means that neither is given, so no
/// panels limit the choice of graphs. The cables between two adjacent virtual layers go through 2ηa panels, where a is the number of cables
/// from a switch to the higher layer.
fn through(
    arguments: &Arguments,
    switches: u64,
    eta: Option<u64>,
    panel_ports: Option<u64>,
) -> Result<Option<u64>, SpecError> {
    match (eta, panel_ports) {
        (Some(eta), Some(ports)) => {
            let values = format!("eta={eta}, panel_ports={ports}");
            Err(arguments.clash(values, "cannot be given together", "legal: one of them"))
        }
        (Some(eta), None) => {
            arguments.check("eta", eta, 1..=switches.div_ceil(2))?;
            Ok(Some(eta))
        }
        // A panel connects two virtual layers, and only about 1/η of the switches have cables to it. It has at most
        // ⌈switches / (2η)⌉ cable ends of each layer.
        (None, Some(ports)) => Ok(Some(switches.div_ceil(2 * (ports / 2)))),
        (None, None) => Ok(None),
    }
}

/// Returns the number h of endpoint ports per switch if the spec gives only the total number of ports. This is about a third of the ports;
/// the number of the other ports is even.
fn hosts(ports: u64) -> u32 {
    (ports - ports / 3 * 2) as u32
}

/// Divides the ports to other switches among the pairs of adjacent virtual layers.
fn divided(arguments: &Arguments, switches: u64) -> Result<Vec<u32>, SpecError> {
    let Some(ports) = arguments.given::<u64>("ports")? else { return Err(arguments.missing("ports")) };
    let concentration = u64::from(arguments.given("p")?.unwrap_or(hosts(ports)));
    let network = ports.saturating_sub(concentration);
    let values = || format!("ports={ports}, p={concentration}");
    if network < 2 {
        let reason = format!("leave {network} ports to other switches");
        return Err(arguments.clash(values(), reason, format!("legal: ports={} or more", concentration + 2)));
    }
    if network % 2 == 1 {
        let reason = format!("leave {network} ports to other switches, an odd number");
        let legal = match concentration {
            0 => "legal: p=1".into(),
            p => format!("legal: p={} or {}", p - 1, p + 1),
        };
        return Err(arguments.clash(values(), reason, legal));
    }
    if network > 65_534 {
        let legal = format!("legal: ports={} or less", concentration + 65_534);
        return Err(arguments.clash(values(), format!("leave {network} ports to other switches"), legal));
    }
    let most = MAX_LAYERS.min(network / 2 + 1);
    let layers = match arguments.given("layers")? {
        Some(layers) => {
            arguments.check("layers", layers, 2..=most)?;
            layers
        }
        None => least_layers(switches, network).ok_or_else(|| {
            let enough = (network + 2..).step_by(2).find(|&network| least_layers(switches, network).is_some());
            // If p is not given, about a third of the ports is for endpoints.
            let enough = enough.unwrap_or(network + 2);
            let enough = if arguments.has("p") { enough + concentration } else { enough / 2 * 3 };
            arguments.clash(
                format!("switches={switches}, ports={ports}"),
                "fulfil the condition for common ancestors (eq. 4 of the paper) with no number of layers, so layers has no default",
                format!("legal: ports={enough} or more, or a given layers=2 to {most}"),
            )
        })?,
    };
    Ok(divide(network / 2, layers - 1))
}

/// Returns k_min, the smallest number k of layers with (1 + s/(2(k−1)))^(k−1) > √(2 N ln N). Here N is `switches` and s is `network`, the
/// ports to other switches (Flattened Clos (NSDI23) §3.2.3, eq. 4 with ε = 0). Returns `None` if no k up to s/2 + 1 satisfies this
/// condition.
///
/// With k_min or more layers, every pair of switches very likely has a common ancestor in the top layer. But only routing shows how many
/// edge-disjoint paths each pair has. So strategy (*) in §3.2.3 of the paper first tries k_min layers, and then k_min + 1.
pub fn least_layers(switches: u64, network: u64) -> Option<u64> {
    let (switches, half) = (switches as f64, network as f64 / 2.0);
    let ancestors = (2.0 * switches * switches.ln()).sqrt();
    (2..=MAX_LAYERS.min(network / 2 + 1)).find(|&layers| {
        let graphs = (layers - 1) as f64;
        (1.0 + half / graphs).powf(graphs) > ancestors
    })
}

/// Splits the number `half` into `parts` numbers that are as equal as possible. The units of the remainder go to the last number, then to
/// the first, then to the second last, and so on. This matches the paper's port counts (Tables 1, 2, 6, 7): [7, 6, 7] for 20 in 3 parts,
/// and [2, 2, 2, 3] for 9 in 4 parts.
fn divide(half: u64, parts: u64) -> Vec<u32> {
    let mut shares = vec![(half / parts) as u32; parts as usize];
    for extra in 0..(half % parts) as usize {
        let at = if extra.is_multiple_of(2) { shares.len() - 1 - extra / 2 } else { extra / 2 };
        shares[at] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ports_are_divided_as_in_the_paper() {
        assert_eq!(divide(20, 3), [7, 6, 7]);
        assert_eq!(divide(9, 3), [3, 3, 3]);
        assert_eq!(divide(9, 4), [2, 2, 2, 3]);
        assert_eq!(divide(20, 2), [10, 10]);
        assert_eq!(divide(20, 4), [5, 5, 5, 5]);
        assert_eq!(divide(7, 4), [2, 1, 2, 2]);
    }

    #[test]
    fn the_least_layers_are_those_of_table_1() {
        for (switches, layers) in [(500, 3), (1000, 3), (2000, 4), (3000, 4), (5000, 4)] {
            assert_eq!(least_layers(switches, 40), Some(layers), "{switches} switches");
        }
    }

    #[test]
    fn virtual_layers_have_the_port_counts_of_the_paper() {
        // Table 2: [2, 4, 4, 5, 3] for 500 switches with 18 ports.
        let fabric = crate::build("flattenedclos:switches=500,ports=32,p=14", 1).unwrap();
        assert_eq!(fabric.spec(), "flattenedclos:switches=500,degrees=2x2x2x3,parallel=no,p=14");
        for switch in 0..500 {
            let mut counts = [0; 5];
            for channel in fabric.channels_of(switch) {
                let [near, far] = fabric.virtual_layers()[channel];
                counts[usize::from(near)] += 1;
                let class = fabric.class_names()[usize::from(fabric.classes()[channel])];
                assert_eq!(class, if near < far { "up" } else { "down" });
                assert_eq!(near.abs_diff(far), 1);
                assert_eq!(fabric.virtual_layers()[fabric.reverse()[channel] as usize], [far, near]);
            }
            assert_eq!(counts, [2, 4, 4, 5, 3]);
            let neighbours: HashSet<_> = fabric.neighbours(switch).iter().collect();
            assert_eq!(neighbours.len(), 18, "no parallel cables");
        }
    }

    #[test]
    fn cables_through_panels_are_those_of_the_fabric() {
        let spec = "flattenedclos:switches=60,ports=16,layers=3,p=4,eta=3";
        for seed in [1, 2] {
            let fabric = crate::build(spec, seed).unwrap();
            let cables = panelled(fabric.spec(), seed).unwrap().unwrap();
            let mut seen = HashSet::new();
            for &Panelled { panel, layer, below, above } in &cables {
                assert!(panel < 2 * 3 * (3 + 3));
                let mut found = fabric.channels_of(below).filter(|&channel| {
                    fabric.targets()[channel] == above && fabric.virtual_layers()[channel] == [layer, layer + 1]
                });
                assert!(seen.insert(found.next().unwrap()));
            }
            assert_eq!(2 * cables.len(), fabric.num_channels());
        }
        assert_eq!(panelled("flattenedclos:switches=30,ports=12", 1).unwrap(), None);
        assert_eq!(panelled("slimfly:q=5", 1).unwrap(), None);
    }

    #[test]
    fn panels_of_so_many_ports_give_the_eta_of_table_6() {
        for (switches, eta) in [(500, 4), (1000, 7), (2000, 13), (3000, 19), (5000, 32)] {
            let spec = format!("flattenedclos:switches={switches},ports=64,layers=4,p=24,panel_ports=160");
            let (_, member) = crate::families::member(&spec).unwrap();
            assert!(member.spec().contains(&format!(",eta={eta},")), "{}", member.spec());
        }
        let fabric = crate::build("flattenedclos:switches=60,ports=16,layers=3,p=4,panel_ports=20", 1).unwrap();
        assert_eq!(fabric.spec(), "flattenedclos:switches=60,degrees=3x3,parallel=no,eta=3,p=4");
        assert!((0..60).all(|switch| fabric.degree(switch) == 12));
    }

    #[test]
    fn its_graph_is_about_as_random_as_a_jellyfish() {
        let average =
            |spec: &str| tulle_fabric::distances::histogram(&crate::build(spec, 1).unwrap()).average().unwrap();
        let layered = average("flattenedclos:switches=500,ports=27");
        let free = average("jellyfish:switches=500,degree=18");
        assert!((layered - free).abs() < 0.01, "{layered} against {free}");
    }

    /// Returns the mean number of switches on a shortest virtual up-down path, averaged over all pairs that have one (§3.2.1). A virtual
    /// up-down path goes up through virtual layers, then down. A change of the layer within a switch is no hop.
    fn average_up_down(spec: &str) -> f64 {
        let fabric = crate::build(spec, 1).unwrap();
        let switches = fabric.num_switches();
        let top = fabric.virtual_layers().iter().flatten().max().copied().unwrap();
        // Returns the number of hops from the lowest virtual layer of a switch up to the highest layer of every other switch.
        let climb = |from: usize| {
            let mut hops = vec![usize::MAX; switches];
            hops[from] = 0;
            for layer in 0..top {
                let below = hops.clone();
                for channel in (0..fabric.num_channels()).filter(|&c| fabric.virtual_layers()[c] == [layer, layer + 1])
                {
                    let (tail, head) = (fabric.sources()[channel] as usize, fabric.targets()[channel] as usize);
                    hops[head] = hops[head].min(below[tail].saturating_add(1));
                }
            }
            hops
        };
        let climbs: Vec<Vec<usize>> = (0..switches).map(climb).collect();
        let length = |s: usize, t: usize| climbs[s].iter().zip(&climbs[t]).map(|(a, b)| a.saturating_add(*b)).min();
        let pairs = (0..switches).flat_map(|s| (s + 1..switches).map(move |t| (s, t)));
        let lengths: Vec<usize> = pairs.map(|(s, t)| length(s, t).unwrap()).filter(|&hops| hops < usize::MAX).collect();
        1.0 + lengths.iter().sum::<usize>() as f64 / lengths.len() as f64
    }

    #[test]
    fn shortest_up_down_paths_are_hardly_shorter_than_in_table_2() {
        // Table 2 of the paper uses the shortest path in a maximum set of disjoint paths. This set does not always contain the shortest
        // path of the pair.
        for (switches, layers, paper) in [(50, 4, 2.68), (100, 4, 3.04), (200, 4, 3.44), (500, 5, 4.00)] {
            let ours = average_up_down(&format!("flattenedclos:switches={switches},ports=27,layers={layers}"));
            let shorter = paper - ours;
            assert!(
                (0.0..0.08).contains(&shorter),
                "{switches} switches: mean length {ours}, but {paper} in the paper"
            );
        }
    }
}
