//! Tests of multiplicative weights: the bounds contain the optimum, and are the same for any number of threads.

use std::ops::ControlFlow;
use std::sync::Arc;

use tulle_analysis::Demands;
use tulle_analysis::throughput::{
    Capacities, EdgeFlow, Orbits, PathFlow, Weighted, over_fabric, over_orbits, over_paths, split_loads,
};
use tulle_fabric::{Fabric, FabricBuilder};
use tulle_routing::build as route;
use tulle_topologies::build as fabric;

fn weigh(fabric: &Fabric, demands: &Demands, gap: f64) -> Weighted {
    over_fabric(fabric, demands, Capacities::unit(fabric), gap, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// With unit demand per switch, the all-to-all throughput of a Slim Fly with q ≡ 1 mod 4 is (2q² − 1)/(3q − 2).
#[test]
fn slim_fly_has_its_closed_form() {
    for q in [5u32, 9] {
        let fabric = fabric(&format!("slimfly:q={q},p=1"), 0).unwrap();
        let found = weigh(&fabric, &Demands::all_to_all(&fabric).unwrap(), 0.01);
        let theta = f64::from(2 * q * q - 1) / f64::from(3 * q - 2);
        assert!(
            found.bracket.lower <= theta * (1.0 + 1e-9) && theta <= found.bracket.upper * (1.0 + 1e-9),
            "{found:?}"
        );
        assert!(found.bracket.upper <= found.bracket.lower * 1.01 && !found.stopped);
    }
}

/// Rotating all groups of the dragonfly (all rows of the torus) by one position is an automorphism, so the switches of one group (row)
/// represent all switches.
#[test]
fn bounds_with_and_without_orbits_overlap() {
    for spec in ["dragonfly:p=2,a=4,h=2,g=7,arrangement=relative", "torus:shape=8x8,p=1"] {
        let fabric = fabric(spec, 0).unwrap();
        let demands = Demands::all_to_all(&fabric).unwrap();
        let (switches, step) = (fabric.num_switches() as u32, if spec.starts_with("torus") { 8 } else { 4 });
        let turned = (0..switches).map(|switch| (switch + step) % switches).collect();
        let orbits = Orbits::new(&fabric, &[turned]).unwrap();
        assert_eq!(orbits.sources, (0..step).collect::<Vec<u32>>());
        let whole = weigh(&fabric, &demands, 0.01).bracket;
        let unit = Capacities::unit(&fabric);
        let go = &mut |_: &_| ControlFlow::Continue(());
        let found = over_orbits(&fabric, &demands, unit, orbits, 0.01, go).unwrap();
        assert!(found.bracket.upper <= found.bracket.lower * 1.01 && !found.stopped, "{spec}: {found:?}");
        assert!(found.bracket.lower <= whole.upper * (1.0 + 1e-9), "{spec}: {found:?}, {whole:?}");
        assert!(whole.lower <= found.bracket.upper * (1.0 + 1e-9), "{spec}: {found:?}, {whole:?}");
    }
}

/// For all-to-all traffic with equal capacities, the search covers one direction of each pair. For the same demands as explicit pairs, or
/// with unequal capacities, it covers both directions. The bounds must overlap.
#[test]
fn bounds_from_one_and_from_both_directions_overlap() {
    for spec in [
        "jellyfish:switches=30,degree=4,p=2",
        "fattree:levels=2,radix=8",
        "dragonfly:p=2",
        "clos:hosts=60,switches=20,radix=8",
    ] {
        let fabric = fabric(spec, 0).unwrap();
        let demands = Demands::all_to_all(&fabric).unwrap();
        let switches = fabric.num_switches() as u32;
        let pairs = (0..switches).flat_map(|from| demands.row(from).map(move |(to, amount)| (from, to, amount)));
        let same = Demands::from_pairs(switches as usize, "the same".to_owned(), pairs.collect::<Vec<_>>()).unwrap();
        // With unit capacities, the search covers one direction of each pair; with unequal capacities, both directions.
        let uneven = (0..fabric.num_channels()).map(|channel| 1.0 + (channel % 3) as f64).collect();
        for capacities in [Capacities::unit(&fabric), Capacities::new(&fabric, uneven).unwrap()] {
            let go = &mut |_: &_| ControlFlow::Continue(());
            let found = over_fabric(&fabric, &demands, capacities.clone(), 0.005, go).unwrap();
            let plain = over_fabric(&fabric, &same, capacities, 0.005, go).unwrap();
            assert!(!found.stopped && found.bracket.upper <= found.bracket.lower * 1.005, "{spec}: {found:?}");
            assert!(found.bracket.lower <= plain.bracket.upper * (1.0 + 1e-9), "{spec}: {found:?}, {plain:?}");
            assert!(plain.bracket.lower <= found.bracket.upper * (1.0 + 1e-9), "{spec}: {found:?}, {plain:?}");
        }
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let fabric = fabric("jellyfish:switches=40,degree=5,p=3", 2).unwrap();
    for traffic in ["longest-matching", "all-to-all"] {
        let demands = Demands::build(&fabric, traffic, 1).unwrap();
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = [1, 3].map(|threads| pool(threads).install(|| weigh(&fabric, &demands, 0.02)));
        assert_eq!(found[0], found[1], "{traffic}");
    }
}

#[test]
fn a_search_ends_if_its_observer_stops_it() {
    let fabric = fabric("jellyfish:switches=40,degree=5,p=3", 2).unwrap();
    let demands = Demands::build(&fabric, "longest-matching", 1).unwrap();
    let mut looks = 0;
    let mut observe = |_: &_| {
        looks += 1;
        if looks < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let found = over_fabric(&fabric, &demands, Capacities::unit(&fabric), 1e-9, &mut observe).unwrap();
    assert!(found.stopped && found.rounds == 3);
    assert!(0.0 < found.bracket.lower && found.bracket.lower < found.bracket.upper);
}

#[test]
fn given_paths_carry_at_most_what_any_paths_carry() {
    let fabric = fabric("slimfly:q=5", 0).unwrap();
    let demands = Demands::build(&fabric, "longest-matching", 1).unwrap();
    let routing = route(&fabric, "almost-minimal:layers=4", 1).unwrap();
    let flow = PathFlow::new(&fabric, &routing, &demands, Capacities::unit(&fabric)).unwrap();
    let routed = over_paths(&flow, 0.02, &mut |_| ControlFlow::Continue(()));
    let free = weigh(&fabric, &demands, 0.02);
    assert!(routed.bracket.lower <= free.bracket.upper);
    // An even split is one of the possible flows, so it cannot exceed the upper bound.
    let room = Capacities::unit(&fabric).headroom(&split_loads(&fabric, &routing, &demands).unwrap());
    assert!(room <= routed.bracket.upper * (1.0 + 1e-9));
}

#[test]
fn channels_without_capacity_are_not_used() {
    let mut builder = FabricBuilder::new(3);
    builder.cable(0, 1);
    builder.cable(1, 2);
    builder.cable(0, 2);
    let triangle = Arc::new(builder.finish("edges", Default::default()).unwrap());
    let demands = Arc::new(Demands::from_pairs(3, "demands".to_owned(), [(0, 1, 1.0)]).unwrap());
    // The direct cable has no capacity, so only the two-hop path remains, with capacity 0.5.
    let direct = triangle.channels_of(0).start;
    let mut capacity = vec![0.5; 6];
    capacity[direct] = 0.0;
    let capacities = Capacities::new(&triangle, capacity).unwrap();
    let found = over_fabric(&triangle, &demands, capacities.clone(), 0.01, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!((found.bracket.lower - 0.5).abs() < 1e-9 && (0.5..0.506).contains(&found.bracket.upper), "{found:?}");
    let capacities = Capacities::new(&triangle, vec![0.0, 0.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
    let error = EdgeFlow::new(triangle, demands, capacities).unwrap_err().to_string();
    assert!(error.contains("no path connects switches 0 and 1"), "{error}");
}

#[test]
fn flows_that_fall_short_are_repaired_and_orbits_checked() {
    let fabric = Arc::new(fabric("torus:shape=5,p=1", 0).unwrap());
    let demands = Arc::new(Demands::all_to_all(&fabric).unwrap());
    let flow = EdgeFlow::new(Arc::clone(&fabric), Arc::clone(&demands), Capacities::unit(&fabric)).unwrap();
    let plain = Orbits::trivial(&fabric, &demands);
    let turn: Vec<u32> = (0..5).map(|switch| (switch + 1) % 5).collect();
    let orbits = Orbits::new(&fabric, &[turn]).unwrap();
    assert_eq!((orbits.sources.len(), &orbits.weight[..]), (1, &[5.0][..]));
    assert_eq!(orbits.orbit.iter().max(), Some(&1), "clockwise and the other way");
    // The flow is zero, so all demand is rerouted along shortest paths of one and two hops, in both directions.
    for orbits in [&plain, &orbits] {
        let amount = vec![0.0; orbits.sources.len() * 10];
        assert!((flow.lower(&amount, 1.0, orbits) - 4.0 / 3.0).abs() < 1e-12);
        assert!((flow.upper(&[1.0; 10], orbits) - 4.0 / 3.0).abs() < 1e-12);
    }
    for wrong in [vec![0, 1, 2, 3], vec![0, 0, 1, 2, 3], vec![1, 0, 2, 3, 4]] {
        let error = Orbits::new(&fabric, &[wrong]).unwrap_err().to_string();
        assert!(error.contains("not an automorphism"), "{error}");
    }
}

/// The saturation loads that follow from the maximum channel loads must match Kathareios et al. (SC15) §4.3: uniform traffic with minimal
/// routing.
#[test]
fn largest_channel_loads_are_those_of_the_paper() {
    let saturation = |spec: &str| {
        let fabric = fabric(spec, 0).unwrap();
        let demands = Demands::all_to_all(&fabric).unwrap();
        let routing = route(&fabric, "minimal", 0).unwrap();
        Capacities::unit(&fabric).headroom(&split_loads(&fabric, &routing, &demands).unwrap())
    };
    for (spec, paper) in
        [("slimfly:q=13,p=9", 1.015), ("slimfly:q=13,p=10", 0.913), ("mlfm:h=15", 1.004), ("oft:k=12", 1.0035)]
    {
        let found = saturation(spec);
        assert!((found - paper).abs() < 1e-3, "{spec}: {found}, paper {paper}");
    }
}
