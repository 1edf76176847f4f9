//! Duplex patch panels. Each panel has one port of every switch and connects these ports in pairs, so each panel is a perfect matching, and
//! the graph must split into such matchings (a 1-factorisation). This needs an even number of switches with equally many ports each, and
//! even then some graphs have none.
//!
//! The search removes one matching after another, with vertices and edges in a random order each time. If the remaining graph has no
//! perfect matching, some of the latest matchings are put back. Usually, the search fails in this way because the last remaining cables
//! form a cycle of odd length.

use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;

use super::matching::largest;
use super::{Circuits, UNUSED, needed};
use crate::Error;

/// Limit of attempts: the number of matchings tried per required matching.
const ATTEMPTS: usize = 200;

/// Returns a cabling of `fabric` through patch panels with `ports` ports. The search draws random numbers from streams of `seed`.
///
/// # Errors
/// Fails if there are more switches than ports, if the number of switches is odd, if switches have different numbers of ports, or if the
/// search finds no matchings. A failed search does not prove that none exist.
pub fn panels(fabric: &Fabric, ports: u32, seed: u64) -> Result<Circuits, Error> {
    let count = needed(fabric, ports, "patch panels")?;
    let switches = fabric.num_switches();
    if let Some(odd) = (0..switches as u32).find(|&switch| fabric.degree(switch) != count as usize) {
        return Err(Error::Input(format!(
            "switch {} has {} network ports, another switch has {count}: patch panels need equal numbers at all switches, \
             optical switches do not",
            fabric.called(odd),
            fabric.degree(odd)
        )));
    }
    if !switches.is_multiple_of(2) && count > 0 {
        return Err(Error::Input(format!(
            "the number of switches, {switches}, is odd, but a patch panel connects pairs; legal: {} or {}, or optical switches",
            switches - 1,
            switches + 1
        )));
    }
    let mut left: Vec<u32> = fabric.cables().collect();
    let mut matchings: Vec<Vec<u32>> = Vec::new();
    let mut rng = stream(seed, "layout/panels", 0);
    let (mut attempts, mut fails) = (ATTEMPTS * count as usize, 0usize);
    while matchings.len() < count as usize {
        task::check();
        if attempts == 0 {
            return Err(Error::Construction(format!(
                "no {count} perfect matchings found in {} attempts under seed {seed}, but some may exist; try \
                 another seed, or use optical switches, which can cable any graph",
                ATTEMPTS * count as usize
            )));
        }
        attempts -= 1;
        if let Some(matching) = draw(fabric, &left, &mut rng) {
            left.retain(|cable| !matching.contains(cable));
            matchings.push(matching);
        } else {
            // The more attempts have failed, the more matchings are put back.
            fails += 1;
            let back = matchings.len().min(2 + fails.ilog2() as usize / 2);
            for matching in matchings.split_off(matchings.len() - back) {
                left.extend(matching);
            }
        }
    }
    let mut circuits = Circuits {
        ports: switches as u32,
        maps: vec![UNUSED; switches * count as usize],
        devices: vec![UNUSED; fabric.num_channels()],
    };
    for (device, matching) in matchings.iter().enumerate() {
        for channel in matching.iter().flat_map(|&cable| [cable, fabric.reverse()[cable as usize]]) {
            circuits.devices[channel as usize] = device as u32;
            let [from, to] = [fabric.sources(), fabric.targets()].map(|ends| ends[channel as usize]);
            circuits.maps[device * switches + from as usize] = to;
        }
    }
    Ok(circuits)
}

/// Returns a perfect matching among `cables`, in ascending order; `None` if there is none.
fn draw(fabric: &Fabric, cables: &[u32], rng: &mut impl rand::Rng) -> Option<Vec<u32>> {
    let switches = fabric.num_switches();
    let mut order: Vec<u32> = (0..switches as u32).collect();
    order.shuffle(rng);
    let mut shuffled = cables.to_vec();
    shuffled.shuffle(rng);
    let mut rows = vec![Vec::new(); switches];
    let ends = |cable: u32| [fabric.sources(), fabric.targets()].map(|ends| order[ends[cable as usize] as usize]);
    for &cable in &shuffled {
        let [a, b] = ends(cable);
        rows[a as usize].push(b);
        rows[b as usize].push(a);
    }
    let mut partner = largest(&rows);
    if partner.contains(&UNUSED) {
        return None;
    }
    let mut matching: Vec<u32> = Vec::with_capacity(switches / 2);
    for &cable in &shuffled {
        let [a, b] = ends(cable);
        // If several parallel cables join the same two switches, the matching contains only one of them.
        if partner[a as usize] == b {
            (partner[a as usize], partner[b as usize]) = (UNUSED, UNUSED);
            matching.push(cable);
        }
    }
    matching.sort_unstable();
    Some(matching)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_join_pairs_to_the_graph() {
        for spec in [
            "flattenedclos:switches=100,ports=26,layers=4,p=8",
            "jellyfish:switches=40,degree=5",
            "slimfly:q=5",
            "clique:degree=7",
            "torus:shape=4x4",
            "hypercube:dimensions=4",
        ] {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            let circuits = panels(&fabric, 320, 0).unwrap();
            assert_eq!(circuits, panels(&fabric, 320, 0).unwrap());
            assert_eq!(circuits.count() as usize, fabric.degree(0), "{spec}");
            for device in 0..circuits.count() {
                let map = circuits.map(device);
                assert!((0..).zip(map).all(|(port, &other)| map[other as usize] == port && other != port), "{spec}");
            }
            for channel in 0..fabric.num_channels() {
                let map = circuits.map(circuits.devices[channel]);
                assert_eq!(map[fabric.sources()[channel] as usize], fabric.targets()[channel], "{spec}");
                assert_eq!(circuits.devices[channel], circuits.devices[fabric.reverse()[channel] as usize], "{spec}");
            }
        }
    }

    #[test]
    fn graphs_without_matchings_are_refused() {
        let error = |spec: &str| panels(&tulle_topologies::build(spec, 0).unwrap(), 320, 0).unwrap_err().to_string();
        assert!(error("clique:degree=6").contains("the number of switches, 7, is odd"));
        assert!(error("fattree:levels=2,radix=4").contains("patch panels need equal numbers at all switches"));
        assert!(
            error("torus:shape=21x21").contains("441 switches need patch panels with 441 ports, but these have 320")
        );
        // The Petersen graph (10 switches with 3 network ports each) has no 1-factorisation.
        let mut builder = tulle_fabric::FabricBuilder::new(10);
        for at in 0..5 {
            builder.cable(at, (at + 1) % 5);
            builder.cable(at, at + 5);
            builder.cable(at + 5, (at + 2) % 5 + 5);
        }
        let petersen = builder.finish("edges", Default::default()).unwrap();
        let error = panels(&petersen, 10, 0).unwrap_err().to_string();
        assert!(error.starts_with("no 3 perfect matchings found in 600 attempts under seed 0"), "{error}");
    }
}
