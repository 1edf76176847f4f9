//! Flattened Clos: ToR switches split into virtual layers, joined at random between neighbouring layers.

use crate::random_graph::{layered, until_connected};
use crate::{Diameter, Error, Expect, Fabric, FabricBuilder, Family};
use tulle_spec::{Arguments, Plugin, SpecError, plugin};

plugin! {
    /// A Flattened Clos of `switches` ToR switches.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FlattenedClos(arguments) {
        /// ToR switches N
        switches: u32 = integer(3, 1 << 20);
        /// ports to other switches s, the network radix
        ports: Option<u64> = integer(2, 65_534), note "even; below switches unless parallel=yes", or "twice the sum of degrees";
        /// virtual layers k
        layers: Option<u64> = integer(2, MAX_LAYERS), note "at most ports / 2 + 1", or "the least k of eq. 4 with ε = 0";
        /// a_j, cables of a switch from virtual layer j up to j + 1; in place of ports and layers
        degrees: Vec<u32> = shape(1, 32_767), note "k − 1 sizes", or "ports / 2 in equal shares, what is left over from both ends inwards" {
            divided(arguments, switches.into())?
        };
        /// whether two switches may have cables between several pairs of virtual layers
        parallel: bool = flag(), default "no";
        /// endpoints per switch h
        concentration "p": u32 = integer(0, 65_535), or "⌈ports / 2⌉" { degrees.iter().sum() };
    }
    check {
        if arguments.has("degrees") {
            given(arguments, &degrees)?;
        }
        let ports_in_all = 2 * degrees.iter().sum::<u32>();
        let (most, at_hand) =
            if parallel { (degrees.iter().copied().max().unwrap_or(0), "degrees") } else { (ports_in_all, "ports") };
        if most >= switches {
            let legal = if parallel { switches - 1 } else { (switches - 1) / 2 * 2 };
            let legal = format!("legal: {at_hand}={legal} or less, or switches={} or more", most + 1);
            return Err(arguments.bad(at_hand, most, "needs as many other switches", legal));
        }
        // Degrees say both.
        (ports, layers) = (None, None);
    }
    name: "flattenedclos",
    summary: "random regular graph in virtual layers, for virtual up-down routing",
    paper: "Flattened Clos §3.1 (topology), §3.2.3 (number of layers and division of ports)",
    limitations: "No OCS or patch-panel layer (§3.3): cabling constraints are not imposed. Random graphs are close to \
        uniform, not uniform; redrawn until connected, 100 times at most. A few layers may leave pairs of switches \
        without a virtual up-down path: routing tells.",
    examples: [
        "flattenedclos:switches=50,ports=18,layers=4,p=14", "flattenedclos:switches=30,ports=8",
        "flattenedclos:switches=5,degrees=1x1,p=1", "flattenedclos:switches=4,degrees=1x1,parallel=yes,p=4",
    ],
    rejects: [
        ("flattenedclos:ports=18", "needs switches="),
        ("flattenedclos:switches=50", "needs ports="),
        ("flattenedclos:switches=50,ports=17", "ports=17 is odd; legal: 16 or 18"),
        ("flattenedclos:switches=18,ports=18", "ports=18 needs as many other switches; legal: ports=16 or less"),
        ("flattenedclos:switches=50,ports=4,layers=4", "layers=4 is out of range; legal: 2 to 3"),
        ("flattenedclos:switches=50,ports=18,degrees=3x3x3", "degrees=3x3x3, ports=18 say the same thing twice"),
        ("flattenedclos:switches=4,degrees=4,parallel=yes", "degrees=4 needs as many other switches"),
        ("flattenedclos:switches=3000,ports=6", "legal: ports=16 or more, or layers=2 to 4"),
    ],
}

/// The most virtual layers: their numbers are bytes, one of which stands for none.
const MAX_LAYERS: u64 = 255;

/// Channel classes, in the order of their numbers: towards a higher virtual layer, or a lower one.
const CLASSES: [&str; 2] = ["up", "down"];

impl Family for FlattenedClos {
    fn expect(&self) -> Expect {
        let (switches, concentration) = (u64::from(self.switches), u64::from(self.concentration));
        let half: u64 = self.degrees.iter().map(|&degree| u64::from(degree)).sum();
        Expect {
            switches,
            endpoints: switches * concentration,
            cables: switches * half,
            network_radix: 2 * half,
            concentration,
            diameter: Diameter::Unknown,
        }
    }

    fn build(&self, seed: u64) -> Result<Fabric, Error> {
        until_connected(Self::INFO.name, seed, "try another seed or more ports", |rng| {
            let Some(layers) = layered(self.switches, &self.degrees, self.parallel, rng) else { return Ok(None) };
            let mut builder = FabricBuilder::new(self.switches);
            builder.classes(&CLASSES);
            for (layer, arcs) in (0u8..).zip(layers) {
                for [below, above] in arcs {
                    builder.cable_between_layers(below, above, [0, 1], [layer, layer + 1]);
                }
            }
            builder.endpoints_each(self.concentration as usize);
            builder.member(self).map(Some)
        })
    }
}

/// Refuses degrees that are given beside what says the same, or too large.
fn given(arguments: &Arguments, degrees: &[u32]) -> Result<(), SpecError> {
    let text = arguments.text("degrees").unwrap_or_default();
    for parameter in ["ports", "layers"] {
        if let Some(value) = arguments.text(parameter) {
            let values = format!("degrees={text}, {parameter}={value}");
            return Err(arguments.clash(values, "say the same thing twice", "legal: degrees=, or ports= and layers="));
        }
    }
    if degrees.len() as u64 >= MAX_LAYERS || degrees.iter().map(|&degree| u64::from(degree)).sum::<u64>() > 32_767 {
        return Err(arguments.bad("degrees", text, "is too large", "legal: at most 254 sizes, 32767 in all"));
    }
    Ok(())
}

/// `ports` divided over `layers`.
fn divided(arguments: &Arguments, switches: u64) -> Result<Vec<u32>, SpecError> {
    let Some(ports) = arguments.given::<u64>("ports")? else { return Err(arguments.missing("ports")) };
    if ports % 2 == 1 {
        return Err(arguments.bad("ports", ports, "is odd", format!("legal: {} or {}", ports - 1, ports + 1)));
    }
    let most = MAX_LAYERS.min(ports / 2 + 1);
    let layers = match arguments.given("layers")? {
        Some(layers) => {
            arguments.check("layers", layers, 2..=most)?;
            layers
        }
        None => least_layers(switches, ports).ok_or_else(|| {
            let enough = (ports + 2..).step_by(2).find(|&ports| least_layers(switches, ports).is_some());
            arguments.clash(
                format!("switches={switches}, ports={ports}"),
                "have too few common ancestors in any number of layers (eq. 4)",
                format!("legal: ports={} or more, or layers=2 to {most}", enough.unwrap_or(ports + 2)),
            )
        })?,
    };
    Ok(divide(ports / 2, layers - 1))
}

/// k_min: the least k with (1 + s/(2(k−1)))^(k−1) > √(2 N ln N) for N = `switches` and s = `ports` (Flattened Clos §3.2.3,
/// eq. 4 with ε = 0); `None` where no k up to s/2 + 1 has it.
///
/// From k_min layers on, every pair of switches is likely to have a common ancestor in the top layer. How many
/// edge-disjoint paths the least pair has must be seen by routing: the paper's strategy (*) tries k_min, then k_min + 1.
pub fn least_layers(switches: u64, ports: u64) -> Option<u64> {
    let (switches, half) = (switches as f64, ports as f64 / 2.0);
    let ancestors = (2.0 * switches * switches.ln()).sqrt();
    (2..=MAX_LAYERS.min(ports / 2 + 1)).find(|&layers| {
        let graphs = (layers - 1) as f64;
        (1.0 + half / graphs).powf(graphs) > ancestors
    })
}

/// `half` in `parts` shares as equal as can be; what is left over goes to the last, the first, the second last, … The
/// paper's port counts (Tables 1, 2, 6, 7) are [7, 6, 7] for 20 in 3 and [2, 2, 2, 3] for 9 in 4.
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
        let fabric = crate::build("flattenedclos:switches=500,ports=18,p=14", 1).unwrap();
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
    fn its_graph_is_about_as_random_as_a_jellyfish() {
        let average = |spec: &str| crate::distances::histogram(&crate::build(spec, 1).unwrap()).average().unwrap();
        let layered = average("flattenedclos:switches=500,ports=18");
        let free = average("jellyfish:switches=500,degree=18");
        assert!((layered - free).abs() < 0.01, "{layered} against {free}");
    }

    /// The mean over pairs of the switches on a shortest virtual up-down path (§3.2.1): up through virtual layers, then
    /// down, changing layers within a switch for nothing.
    fn average_up_down(spec: &str) -> f64 {
        let fabric = crate::build(spec, 1).unwrap();
        let switches = fabric.num_switches();
        let top = fabric.virtual_layers().iter().flatten().max().copied().unwrap();
        // Hops from a switch's lowest virtual layer up to every switch's highest.
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
        // The paper has the shortest of a largest set of disjoint paths, which need not hold the shortest of all.
        for (switches, layers, paper) in [(50, 4, 2.68), (100, 4, 3.04), (200, 4, 3.44), (500, 5, 4.00)] {
            let ours = average_up_down(&format!("flattenedclos:switches={switches},ports=18,layers={layers}"));
            let shorter = paper - ours;
            assert!((0.0..0.08).contains(&shorter), "{switches} switches: {ours}, the paper has {paper}");
        }
    }
}
