//! Tests that the throughput bounds are valid even if a solver returns invalid flows or channel lengths.

use std::ops::ControlFlow;
use std::sync::Arc;

use tulle_analysis::Demands;
use tulle_analysis::throughput::{Capacities, EdgeFlow, Orbits, PathFlow, Progress, over_fabric, over_paths};
use tulle_fabric::Fabric;
use tulle_routing::build as route;
use tulle_topologies::build as fabric;

/// Returns a square with one demand between opposite corners, which have two paths of two hops.
fn square() -> (Arc<Fabric>, Arc<Demands>, PathFlow) {
    let fabric = Arc::new(fabric("torus:shape=4,p=1", 0).unwrap());
    let demands = Arc::new(Demands::from_pairs(4, "across".to_owned(), [(0, 2, 2.0)]).unwrap());
    let routing = route(&fabric, "edksp:k=2", 0).unwrap();
    let flow = PathFlow::new(&fabric, &routing, &demands, Capacities::unit(&fabric)).unwrap();
    assert_eq!(flow.first_path(), [0, 2]);
    (fabric, demands, flow)
}

#[test]
fn negative_amounts_count_as_zero() {
    let (fabric, demands, flow) = square();
    // Both paths full: 2 of 2 delivered.
    assert_eq!(flow.lower(&[1.0, 1.0]), 1.0);
    // A negative flow on a path counts as zero. The other path carries half of the demand.
    for other in [0.0, -1e-9, -0.5, -1.0, -7.0] {
        assert_eq!((flow.lower(&[1.0, other]), flow.lower(&[other, 3.0])), (0.5, 0.5), "{other}");
        assert_eq!(flow.lower(&[other, other.min(-0.0)]), 0.0, "{other}");
    }
    // A solver can also return flows per channel. A flow on a channel that is negative or not finite counts as zero, too.
    let flow = EdgeFlow::new(Arc::clone(&fabric), Arc::clone(&demands), Capacities::unit(&fabric)).unwrap();
    let orbits = Orbits::trivial(&fabric, &demands);
    let channel = |from: u32, to: u32| {
        fabric.channels_of(from).find(|&channel| fabric.targets()[channel] == to).expect("a cable joins them")
    };
    let mut amount = vec![0.0; fabric.num_channels()];
    for (from, to) in [(0, 1), (1, 2), (0, 3), (3, 2)] {
        amount[channel(from, to)] = 1.0;
    }
    assert_eq!(flow.lower(&amount, 1.0, &orbits), 1.0);
    for wrong in [-1e-3, -1.0, -1e6, f64::NAN, f64::NEG_INFINITY, f64::INFINITY] {
        let mut amount = amount.clone();
        amount[channel(2, 1)] = wrong;
        amount[channel(1, 0)] = wrong;
        assert_eq!(flow.lower(&amount, 1.0, &orbits), 1.0, "{wrong}");
    }
    // The demand is 2, so a throughput of 1.5 needs 3 units. Negative flow along a path must not count as delivery: 2 units arrive, and the
    // third is rerouted over a channel that is already full.
    for wrong in [-1e-3, -1.0, -1e6] {
        let mut amount = amount.clone();
        amount[channel(2, 1)] = wrong;
        amount[channel(1, 0)] = wrong;
        assert_eq!(flow.lower(&amount, 1.5, &orbits), 0.75, "{wrong}");
    }
    // If the given throughput is 0, negative, NaN or infinite, the proven bound is 0.
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(flow.lower(&amount, wrong, &orbits), 0.0, "{wrong}");
    }
}

#[test]
fn surplus_flow_does_not_raise_the_bound() {
    let (fabric, _, _) = square();
    let demands = Arc::new(Demands::from_pairs(4, "two".to_owned(), [(0, 1, 4.0), (0, 2, 1.0)]).unwrap());
    let flow = EdgeFlow::new(Arc::clone(&fabric), Arc::clone(&demands), Capacities::unit(&fabric)).unwrap();
    let channel = |from: u32, to: u32| {
        fabric.channels_of(from).find(|&channel| fabric.targets()[channel] == to).expect("a cable joins them")
    };
    // Switch 1 receives the 4 units of its demand. Switch 2 receives 2 units although its demand is 1; this surplus must not raise the
    // bound.
    let mut amount = vec![0.0; fabric.num_channels()];
    for (from, to, flows) in [(0, 1, 4.0), (0, 3, 2.0), (3, 2, 2.0)] {
        amount[channel(from, to)] = flows;
    }
    assert_eq!(flow.lower(&amount, 1.0, &Orbits::trivial(&fabric, &demands)), 0.25);
}

#[test]
fn negative_lengths_count_as_zero() {
    let (fabric, demands, flow) = square();
    let free = EdgeFlow::new(Arc::clone(&fabric), Arc::clone(&demands), Capacities::unit(&fabric)).unwrap();
    let orbits = Orbits::trivial(&fabric, &demands);
    // The two channels out of switch 0 are the cut: their capacity is 2, and the demand is 2.
    let mut cut = vec![0.0; fabric.num_channels()];
    fabric.channels_of(0).for_each(|channel| cut[channel] = 1.0);
    assert_eq!((flow.upper(&cut), free.upper(&cut, &orbits)), (1.0, 1.0));
    // A negative length of another channel would reduce the sum of lengths times capacities and shorten detours. Then the upper bound could
    // be below the throughput of a feasible flow.
    for wrong in [-1e-6, -0.25, -1.0, -100.0] {
        let lengths: Vec<f64> = cut.iter().map(|&length| if length > 0.0 { length } else { wrong }).collect();
        assert_eq!((flow.upper(&lengths), free.upper(&lengths, &orbits)), (1.0, 1.0), "{wrong}");
        let none = vec![wrong; fabric.num_channels()];
        assert_eq!((flow.upper(&none), free.upper(&none, &orbits)), (f64::INFINITY, f64::INFINITY), "{wrong}");
    }
}

#[test]
fn bounds_are_those_of_the_capacities() {
    // The path over switch 1 has capacity 1/2, and the path over switch 3 has capacity 2. The demand is 2, so the throughput is 5/4.
    let (fabric, demands, _) = square();
    let narrow = |channel: usize| [fabric.sources()[channel], fabric.targets()[channel]].contains(&1);
    let capacity: Vec<f64> = (0..fabric.num_channels()).map(|at| if narrow(at) { 0.5 } else { 2.0 }).collect();
    let capacities = Capacities::new(&fabric, capacity.clone()).unwrap();
    let routing = route(&fabric, "edksp:k=2", 0).unwrap();
    let flow = PathFlow::new(&fabric, &routing, &demands, capacities.clone()).unwrap();
    let free = EdgeFlow::new(Arc::clone(&fabric), Arc::clone(&demands), capacities.clone()).unwrap();
    let orbits = Orbits::trivial(&fabric, &demands);
    let room = |path: usize| capacity[flow.channels()[flow.first_hop()[path] as usize] as usize];
    assert_eq!(flow.lower(&[room(0), room(1)]), 1.25);
    assert_eq!(
        flow.lower(&[2.0 * room(0), 2.0 * room(1)]),
        1.25,
        "a flow whose amounts are multiplied by a factor proves the same throughput"
    );
    assert_eq!(flow.lower(&[1.0, 1.0]), 0.5);
    let mut amount = vec![0.0; fabric.num_channels()];
    for (at, &channel) in flow.channels().iter().enumerate() {
        amount[channel as usize] = room(usize::from(at >= flow.first_hop()[1] as usize));
    }
    assert_eq!(free.lower(&amount, 1.25, &orbits), 1.25);
    let mut cut = vec![0.0; fabric.num_channels()];
    fabric.channels_of(0).for_each(|channel| cut[channel] = 1.0);
    assert_eq!((flow.upper(&cut), free.upper(&cut, &orbits)), (1.25, 1.25));
    // Multiplicative weights find the same bounds over the given paths and over any paths.
    let go = &mut |_: &Progress| ControlFlow::Continue(());
    let found = [
        over_paths(&flow, 1e-3, go).bracket,
        over_fabric(&fabric, &demands, capacities.clone(), 1e-3, go).unwrap().bracket,
    ];
    for bracket in found {
        assert!(bracket.lower <= 1.25 + 1e-9 && 1.25 - 1e-9 <= bracket.upper, "{bracket:?}");
        assert!(bracket.upper <= bracket.lower * 1.001, "{bracket:?}");
    }
}

/// Returns the progress reports of a search, and stops the search after 40 of them.
fn looks<T>(search: impl FnOnce(&mut dyn FnMut(&Progress) -> ControlFlow<()>) -> T) -> Vec<Progress> {
    let mut seen = Vec::new();
    search(&mut |progress| {
        seen.push(*progress);
        if seen.len() < 40 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    seen
}

#[test]
fn brackets_only_narrow() {
    let fabric = fabric("jellyfish:switches=30,degree=5,p=3", 2).unwrap();
    let demands = Demands::build(&fabric, "longest-matching", 1).unwrap();
    let routing = route(&fabric, "ksp:k=4", 1).unwrap();
    let flow = PathFlow::new(&fabric, &routing, &demands, Capacities::unit(&fabric)).unwrap();
    let routed = looks(|observe| over_paths(&flow, 1e-9, observe));
    let free = looks(|observe| over_fabric(&fabric, &demands, Capacities::unit(&fabric), 1e-9, observe).unwrap());
    for seen in [routed, free] {
        assert!(seen.len() > 10, "{}", seen.len());
        for (at, pair) in seen.windows(2).enumerate() {
            let [before, after] = [pair[0].bracket, pair[1].bracket];
            assert_eq!(pair[1].rounds, pair[0].rounds + 1);
            assert!(after.lower >= before.lower && after.upper <= before.upper, "{at}: {before:?} {after:?}");
        }
        let last = seen[seen.len() - 1].bracket;
        assert!(seen[0].bracket.lower < last.lower && last.upper < seen[0].bracket.upper && last.lower <= last.upper);
    }
}
