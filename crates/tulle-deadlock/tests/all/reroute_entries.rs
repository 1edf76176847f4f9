//! Tests that rerouting after one cable failure changes at most 1.5 times the lower bound on the number of changed entries.

use tulle_deadlock::reroute::reroute;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_routing::{Table, build};

/// A layer with one next hop per entry, and the entries that a failed cable affects.
struct Layer<'a> {
    apart: &'a Distances,
    /// For each destination and switch: the neighbours that forwarded to this switch before the failure.
    behind: Vec<Vec<Vec<u32>>>,
    /// The switch and the destination of each entry that used the failed cable.
    broken: Vec<[u32; 2]>,
    /// For each distance: the maximum number of hops of a surviving path between two switches that are at most this far apart.
    limit: Vec<usize>,
}

impl<'a> Layer<'a> {
    fn of(fabric: &Fabric, table: &Table, damaged: &Fabric, apart: &'a Distances) -> Self {
        let switches = fabric.num_switches() as u32;
        let alive = &damaged.origin().unwrap().channels;
        let mut behind = vec![vec![Vec::new(); switches as usize]; switches as usize];
        let mut broken = Vec::new();
        for switch in 0..switches {
            for destination in (0..switches).filter(|&destination| destination != switch) {
                let channel = fabric.offsets()[switch as usize] + u32::from(table.next(switch, destination)[0]);
                let next = fabric.targets()[channel as usize];
                behind[destination as usize][next as usize].push(switch);
                if !alive.contains(&channel) {
                    broken.push([switch, destination]);
                }
            }
        }
        let mut limit: Vec<usize> = (0..256).collect();
        for destination in 0..switches {
            let mut stack = vec![(destination, 0)];
            while let Some((at, hops)) = stack.pop() {
                let longest = &mut limit[usize::from(apart.row(destination)[at as usize])];
                *longest = hops.max(*longest);
                let on = behind[destination as usize][at as usize].iter();
                stack.extend(on.filter(|&&on| !broken.contains(&[on, destination])).map(|&on| (on, hops + 1)));
            }
        }
        (1..limit.len()).for_each(|distance| limit[distance] = limit[distance].max(limit[distance - 1]));
        Self { apart, behind, broken, limit }
    }

    fn distance(&self, switch: u32, destination: u32) -> usize {
        usize::from(self.apart.row(destination)[switch as usize])
    }

    /// Assumes that the path of `switch` has `hops` hops. Returns whether this path, or a path through `switch`, exceeds the hop limit.
    fn exceeds(&self, switch: u32, destination: u32, hops: usize) -> bool {
        hops > self.limit[self.distance(switch, destination)]
            || self.behind[destination as usize][switch as usize]
                .iter()
                .any(|&on| self.exceeds(on, destination, hops + 1))
    }

    /// Returns a lower bound on the number of entries that any rerouting within the hop limit must change, for any load. Each broken entry
    /// changes. At best, its switch then has a shortest path, but paths through this switch can still exceed the hop limit. At least one
    /// more entry changes for each neighbour that forwards to the switch, if the neighbour's path or a path through it exceeds the limit.
    fn least(&self) -> usize {
        let forced = |&[switch, destination]: &[u32; 2]| {
            let hops = self.distance(switch, destination) + 1;
            let behind = self.behind[destination as usize][switch as usize].iter();
            1 + behind.filter(|&&on| self.exceeds(on, destination, hops)).count()
        };
        self.broken.iter().map(forced).sum()
    }
}

#[test]
fn one_dead_cable_changes_no_more_than_half_as_many_again_as_it_must() {
    for (spec, scheme) in [
        ("slimfly:q=5", "balanced"),
        ("slimfly:q=5", "random:layers=4"),
        ("slimfly:q=5", "almost-minimal:layers=4"),
        ("slimfly:q=5", "spread:layers=4"),
        ("jellyfish:switches=50,degree=8,p=4", "spread:layers=4"),
        ("hyperx:shape=5x5", "spread:layers=4"),
        ("dragonfly:p=2", "almost-minimal:layers=4"),
    ] {
        let fabric = tulle_topologies::build(spec, 1).unwrap();
        let routing = build(&fabric, scheme, 1).unwrap();
        let (mut least, mut touched) = (0, 0);
        for seed in 0..3 {
            let damaged = fabric.without(&"links=1".parse().unwrap(), seed).unwrap();
            let apart = Distances::of(&damaged);
            let layers = routing.layers().iter().map(|table| Layer::of(&fabric, table, &damaged, &apart));
            let layers: Vec<Layer<'_>> = layers.collect();
            let rerouted = reroute(&fabric, &routing, None, &damaged).unwrap();
            assert_eq!(layers.iter().map(|layer| layer.broken.len()).sum::<usize>(), rerouted.broken);
            least += layers.iter().map(Layer::least).sum::<usize>();
            touched += rerouted.touched;
        }
        assert!(
            least <= touched && 2 * touched <= 3 * least,
            "{spec} {scheme}: {touched} entries changed, lower bound {least}"
        );
    }
}
