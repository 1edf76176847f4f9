//! Tests of the placement of paths.

use super::*;

/// Returns a ring of four switches.
fn ring() -> Fabric {
    let mut builder = tulle_fabric::FabricBuilder::new(4);
    for switch in 0..4 {
        builder.cable(switch, (switch + 1) % 4);
    }
    builder.finish("ring", Default::default()).unwrap()
}

#[test]
fn a_placed_path_weighs_what_crosses_it_and_closes_its_chords() {
    // In at least one of 100 random orders, the switches ascend along some path of three hops around the ring.
    let ring = ring();
    let distances = Distances::of(&ring);
    let scheme = LowOverlap { layers: 2, min_hops: 3, max_hops: 3, paths: None, acyclic: true };
    let placed = (0..100).find_map(|number| {
        let mut placement = Placement::new(&scheme, &ring, &distances);
        let (keep, paths) = placement.layer(&mut stream(0, "test", number));
        (paths == 1).then_some((keep, placement.weights, placement.counts))
    });
    let (keep, mut weights, counts) = placed.unwrap();
    assert_eq!(keep.iter().filter(|&&keep| keep).count(), 3);
    weights.sort_unstable();
    assert_eq!(weights, [0, 0, 0, 0, 0, 3, 3, 4]);
    assert_eq!(counts.iter().sum::<u32>(), 1, "only the two ends of the path are three hops apart");
}

#[test]
fn a_path_of_both_ways_weighs_and_counts_in_both() {
    // After the first path, no path of this layer may use the fourth cable of the ring, so no second path can be placed.
    let ring = ring();
    let distances = Distances::of(&ring);
    let scheme = LowOverlap { layers: 2, min_hops: 3, max_hops: 3, paths: None, acyclic: false };
    let mut placement = Placement::new(&scheme, &ring, &distances);
    let (keep, paths) = placement.layer(&mut stream(0, "test", 0));
    assert_eq!((paths, keep.iter().filter(|&&keep| keep).count()), (1, 6));
    placement.weights.sort_unstable();
    assert_eq!(placement.weights, [0, 0, 3, 3, 3, 3, 4, 4]);
    assert_eq!(placement.counts.iter().sum::<u32>(), 2);
}

#[test]
fn layers_of_both_ways_lead_back_in_as_many_hops() {
    for spec in ["slimfly:q=5", "dragonfly:p=2", "hyperx:shape=3x3x3", "xpander:degree=8", "fattree:levels=3,radix=4"] {
        let fabric = tulle_topologies::build(spec, 1).unwrap();
        let distances = Distances::of(&fabric);
        let base = crate::build(&fabric, "balanced", 0).unwrap();
        let (switches, a_fifth) = (fabric.num_switches() as u32, fabric.num_cables() as u32 / 5);
        for (paths, acyclic) in [(None, false), (Some(a_fifth), false), (Some(a_fifth), true)] {
            let max_hops = if spec.starts_with("fattree") { 4 } else { 3 };
            let scheme = LowOverlap { layers: 2, min_hops: 2, max_hops, paths, acyclic };
            let (keep, _) = Placement::new(&scheme, &fabric, &distances).layer(&mut stream(0, "test", 0));
            let table = acyclic_layer(&fabric, &keep, &base.layers()[0], 0, 1);
            crate::verify(&fabric, &table).unwrap_or_else(|flaw| panic!("{spec}: {flaw}"));
            // Returns the hops of a path that stays in the layer; `None` if the path needs layer 0.
            let hops = |source, destination| {
                let path = crate::path(&fabric, &table, source, destination);
                path.iter().all(|&channel| keep[channel as usize]).then_some(path.len())
            };
            let pairs = || (0..switches).flat_map(|one| (one + 1..switches).map(move |other| (one, other)));
            if acyclic {
                assert!(pairs().all(|(one, other)| hops(one, other).is_none() || hops(other, one).is_none()), "{spec}");
            } else {
                assert!(pairs().all(|(one, other)| hops(one, other) == hops(other, one)), "{spec}");
                assert!(paths.is_some() || pairs().all(|(one, other)| hops(one, other).is_some()), "{spec}");
            }
        }
    }
}

#[test]
fn paths_of_both_ways_pass_no_switch_twice_and_leave_weights_as_they_were() {
    for spec in ["hyperx:shape=3x3", "slimfly:q=3", "dragonfly:p=2"] {
        let fabric = tulle_topologies::build(spec, 0).unwrap();
        let distances = Distances::of(&fabric);
        for (min_hops, max_hops) in [(2, 3), (3, 3), (3, 4), (4, 5)] {
            let scheme = LowOverlap { layers: 2, min_hops, max_hops, paths: None, acyclic: false };
            let placement = Placement::new(&scheme, &fabric, &distances);
            let mut rng = stream(0, "test", 0);
            let rank = permutation(fabric.num_switches(), &mut rng);
            let weights: Vec<u64> = (0..fabric.num_channels()).map(|_| u64::from(rng.next_u32() % 9)).collect();
            let mut legal = Legal::new(&fabric, rank, false, &weights);
            let mut search = Search::new();
            let switches = fabric.num_switches() as u32;
            for (source, target) in (1..switches).map(|target| (0, target)) {
                let Some(path) = search.find(&placement, &mut legal, source, target, &mut rng) else { continue };
                let mut seen = vec![source];
                for &channel in path {
                    assert_eq!(fabric.sources()[channel as usize], *seen.last().unwrap());
                    seen.push(fabric.targets()[channel as usize]);
                }
                assert!((min_hops..=max_hops).contains(&path.len()) && seen.last() == Some(&target), "{spec}");
                seen.sort_unstable();
                assert!(seen.windows(2).all(|two| two[0] < two[1]), "{spec} {min_hops} {max_hops}: {seen:?}");
            }
            assert_eq!(legal.weights, weights);
        }
    }
}
