//! Compares virtual up-down routing with a brute-force search and with the tables of the Flattened Clos paper.

use super::oracle::{Path, cables, pairs, route, simple_paths, verify};
use proptest::prelude::*;
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_routing::Routing;
use tulle_routing::quality::{Quality, Sharing};

/// Generates connected fabrics with 3 to 6 switches and 2 to 4 virtual layers. Some cables are parallel.
fn layered() -> impl Strategy<Value = Fabric> {
    (3u32..=6, 2u8..=4).prop_flat_map(|(switches, layers)| {
        let cable = (0..switches, 1..switches, 0..layers - 1);
        // A ring in the lowest layer connects all switches.
        prop::collection::vec(cable, 0..12).prop_map(move |cables| {
            let mut builder = FabricBuilder::new(switches);
            let ring = (0..switches).map(|switch| (switch, 1, 0));
            for (a, step, layer) in ring.chain(cables) {
                builder.cable_between_layers(a, (a + step) % switches, [0, 0], [layer, layer + 1]);
            }
            builder.endpoints_each(1);
            builder.finish("edges", Default::default()).unwrap()
        })
    })
}

/// Returns whether a path first ascends through virtual layers and then descends.
fn is_updown(fabric: &Fabric, path: &Path) -> bool {
    let ends: Vec<[u8; 2]> = path.iter().map(|&channel| fabric.virtual_layers()[channel as usize]).collect();
    ends.windows(2).all(|hops| match [hops[0][0] < hops[0][1], hops[1][0] < hops[1][1]] {
        [true, true] => hops[0][1] <= hops[1][0],
        [true, false] => true,
        [false, true] => false,
        [false, false] => hops[0][1] >= hops[1][0],
    })
}

/// Returns the maximum number of channel-disjoint paths among `all`, and the least total length of that many paths.
fn best(all: &[Path], taken: &mut Vec<u32>) -> (usize, usize) {
    let Some((path, rest)) = all.split_first() else { return (0, 0) };
    let without = best(rest, taken);
    if path.iter().any(|channel| taken.contains(channel)) {
        return without;
    }
    taken.extend(path);
    let (count, hops) = best(rest, taken);
    taken.truncate(taken.len() - path.len());
    let with = (count + 1, hops + path.len());
    if (with.0, without.1) > (without.0, with.1) { with } else { without }
}

/// Returns whether the dependency graph is acyclic. In this graph, each channel of a path depends on the next channel of this path.
fn is_acyclic(fabric: &Fabric, routing: &Routing) -> bool {
    let mut followed: Vec<Vec<u32>> = vec![Vec::new(); fabric.num_channels()];
    for (source, destination) in pairs(fabric) {
        for path in routing.paths(fabric, source, destination) {
            path.windows(2).for_each(|hops| followed[hops[0] as usize].push(hops[1]));
        }
    }
    // Repeatedly remove channels to which no dependency from a remaining channel leads. If a cycle exists, its channels remain.
    let mut waits = vec![0; fabric.num_channels()];
    followed.iter().flatten().for_each(|&channel| waits[channel as usize] += 1);
    let mut free: Vec<usize> = (0..waits.len()).filter(|&channel| waits[channel] == 0).collect();
    let mut removed = 0;
    while let Some(channel) = free.pop() {
        removed += 1;
        for &next in &followed[channel] {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                free.push(next as usize);
            }
        }
    }
    removed == fabric.num_channels()
}

proptest! {
    #[test]
    fn path_sets_are_the_largest_and_shortest(fabric in layered()) {
        let routing = route(&fabric, "virtual-updown:min_paths=0", 0);
        verify(&fabric, routing.path_set().unwrap());
        prop_assert!(is_acyclic(&fabric, &routing));
        for (source, destination) in pairs(&fabric) {
            let found = routing.paths(&fabric, source, destination);
            let mut channels: Vec<u32> = found.concat();
            channels.sort_unstable();
            channels.dedup();
            prop_assert_eq!(channels.len(), found.concat().len(), "edge-disjoint");
            prop_assert!(found.iter().all(|path| is_updown(&fabric, path)));
            let mut all = simple_paths(&fabric, source, destination);
            all.retain(|path| is_updown(&fabric, path));
            prop_assume!(all.len() <= 22);
            prop_assert_eq!((found.len(), found.concat().len()), best(&all, &mut Vec::new()));
        }
    }
}

#[test]
fn flattened_clos_has_the_tables_of_the_paper() {
    // The values are those of Flattened Clos for 32-port switches and N = 50, 100 and 200. They are the mean number of paths, the mean
    // length (counted in switches), and the mean shortest length. In the fabrics of this test, 18 of the 27 ports of a switch lead to other
    // switches, as many as in the paper. Small random fabrics differ from each other by more than the tolerance, so the test compares means
    // over several fabrics.
    for (switches, instances, paths, length, shortest) in
        [(50, 4, 7.99, 3.86, 2.67), (100, 2, 6.43, 4.22, 3.05), (200, 1, 5.01, 4.56, 3.44)]
    {
        let (mut found, mut mean, mut nearest) = (0.0, 0.0, 0.0);
        for seed in 1..=instances {
            let spec = format!("flattenedclos:switches={switches},ports=27,layers=4");
            let fabric = tulle_topologies::build(&spec, seed).unwrap();
            let routing = route(&fabric, "virtual-updown", 0);
            let quality = Quality::of(&fabric, &routing, Sharing::Channel);
            found += quality.average_paths() / instances as f64;
            mean += (quality.average_mean_hops() + 1.0) / instances as f64;
            nearest += (quality.average_shortest() + 1.0) / instances as f64;
            assert_eq!(quality.share(&quality.exact, 1), 1.0);
            assert_eq!(quality.exact, quality.paths, "edge-disjoint");
            assert!(is_acyclic(&fabric, &routing));
        }
        assert!((found - paths).abs() < 0.06, "{switches}: {found} paths");
        assert!((mean - length).abs() < 0.02, "{switches}: mean length {mean}");
        assert!((nearest - shortest).abs() < 0.03, "{switches} switches: mean shortest length {nearest}");
    }
}

#[test]
fn too_few_layers_are_an_error() {
    let fabric = tulle_topologies::build("flattenedclos:switches=50,ports=6,layers=2", 1).unwrap();
    let error = tulle_routing::build(&fabric, "virtual-updown", 0).unwrap_err().to_string();
    assert!(error.contains("0 virtual up-down paths from switch 0 to") && !error.contains('\n'), "{error}");
    assert!(error.contains("legal: min_paths=0 or less, or a fabric with more than 2 virtual layers"), "{error}");
    let flat = tulle_topologies::build("clique:degree=4", 0).unwrap();
    let error = tulle_routing::build(&flat, "virtual-updown", 0).unwrap_err().to_string();
    assert!(error.contains("clique:degree=4,p=4 has no virtual layers; legal: fabrics in which"), "{error}");
    let mut odd = FabricBuilder::new(2);
    odd.cable_between_layers(0, 1, [0, 0], [0, 2]);
    let error = tulle_routing::build(&odd.finish("edges", Default::default()).unwrap(), "virtual-updown", 0);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("the cable from switch 0 to 1 joins virtual layers 0 and 2"), "{error}");
}

#[test]
fn two_paths_may_take_both_directions_of_a_cable() {
    // The scheme documents this limitation: an edge is a channel, so one path can go up over 0→1 and another path down over 1→0.
    let fabric = tulle_topologies::build("flattenedclos:switches=50,ports=32,layers=4,p=14", 1).unwrap();
    let routing = route(&fabric, "virtual-updown", 0);
    let shared = pairs(&fabric).any(|(source, destination)| {
        let mut all: Vec<u32> =
            routing.paths(&fabric, source, destination).iter().flat_map(|p| cables(&fabric, p)).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() < count
    });
    assert!(shared, "no pair uses both directions of a cable, so the documented limitation is out of date");
}
