//! Random destinations: every endpoint sends to a few random other endpoints, or every switch to other switches.

use std::collections::HashSet;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand::seq::index::sample;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

plugin! {
    pub struct Random {
        flows: Flows;
        /// number of destinations X of each sender
        destinations: u64 = integer(1, u32::MAX as u64), note "below the number of senders";
        /// the units that select destinations: endpoints or switches. If switches select, the i-th endpoint of a switch sends to the i-th
        /// endpoints of the selected switches
        switches "of": bool = either("switches", "endpoints"), default "endpoints";
        /// number of senders of each receiver: as many as it has destinations (even), or a random number (free)
        even "receive": bool = either("even", "free"), implied "free";
    }
    name: "random",
    summary: "every endpoint (or switch) sends to a given number of different random other endpoints (or switches)",
    paper: "Multi-Path Routing in the Jellyfish Network §IV (Random(X)); Flattened Clos (NSDI23) §4 (uniform random)",
    limitations: "All senders have the same number of destinations. Receivers have different numbers of senders, except \
        with receive=even. If switches have different numbers of endpoints, some endpoints of smaller switches receive \
        from several endpoints of one switch.",
    examples: [
        "random:destinations=3",
        "random:destinations=1,of=switches,bytes=64KiB",
        "random:destinations=3,of=switches,receive=even",
    ],
    rejects: [
        ("random", "needs destinations="),
        ("random:destinations=0", "destinations=0 is out of range"),
        ("random:destinations=3,of=cables", "legal: switches, endpoints"),
    ],
}

impl Pattern for Random {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let edge = fabric.endpoint_switches();
        let (senders, what) = if self.switches { (edge.len(), "switches") } else { (endpoints, "endpoints") };
        if self.destinations >= senders as u64 {
            let problem =
                format!("destinations={} is too large for {senders} {what} of {}", self.destinations, fabric.spec());
            return Err(Error::misfit(Random::INFO.name, problem, format!("below {senders}")));
        }
        self.flows.check(Random::INFO.name, endpoints as u64 * self.destinations)?;
        let count = self.destinations as usize;
        let drawn = if self.even {
            evenly(senders, count, seed)
        } else {
            (0..senders).map(|sender| others(sender, senders, count, seed)).collect()
        };
        let mut pairs = Vec::new();
        for (sender, drawn) in drawn.into_iter().enumerate() {
            if !self.switches {
                pairs.extend(drawn.iter().map(|&to| (sender as u32, to as u32)));
                continue;
            }
            for (place, &endpoint) in fabric.endpoints_of(edge[sender]).iter().enumerate() {
                pairs.extend(drawn.iter().map(|&to| {
                    let there = fabric.endpoints_of(edge[to]);
                    (endpoint, there[place % there.len()])
                }));
            }
        }
        self.flows.send(Random::INFO.name, &pairs, seed)
    }
}

/// Returns `count` different random numbers below `senders`, in ascending order and without `sender`. They come from the sender's own
/// random stream.
fn others(sender: usize, senders: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = stream(seed, "traffic/random", sender as u64);
    let mut drawn = sample(&mut rng, senders - 1, count).into_vec();
    drawn.sort_unstable();
    drawn.iter_mut().for_each(|other| *other += usize::from(*other >= sender));
    drawn
}

/// Returns a random regular digraph. Each sender gets `count` different other senders as destinations, and each sender is the destination
/// of `count` others. Destinations are in ascending order.
///
/// The algorithm shuffles the senders and gives each sender the next `count` senders as destinations. Then it tries ten times per arc (a
/// sender and one of its destinations) to swap the destinations of two random arcs. It skips swaps that would repeat an arc or let a sender
/// send to itself.
fn evenly(senders: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = stream(seed, "traffic/random/even", 0);
    let mut order: Vec<usize> = (0..senders).collect();
    order.shuffle(&mut rng);
    let mut arcs: Vec<(usize, usize)> = (0..senders)
        .flat_map(|place| (1..=count).map(move |step| (place, (place + step) % senders)))
        .map(|(tail, head)| (order[tail], order[head]))
        .collect();
    let mut known: HashSet<(usize, usize)> = arcs.iter().copied().collect();
    for _ in 0..10 * arcs.len() {
        let (one, two) = (rng.random_range(0..arcs.len()), rng.random_range(0..arcs.len()));
        let swapped = [(arcs[one].0, arcs[two].1), (arcs[two].0, arcs[one].1)];
        if swapped.iter().any(|arc| arc.0 == arc.1 || known.contains(arc)) {
            continue;
        }
        for (place, arc) in [one, two].into_iter().zip(swapped) {
            known.remove(&arcs[place]);
            known.insert(arc);
            arcs[place] = arc;
        }
    }
    let mut drawn = vec![Vec::with_capacity(count); senders];
    arcs.into_iter().for_each(|(tail, head)| drawn[tail].push(head));
    drawn.iter_mut().for_each(|heads| heads.sort_unstable());
    drawn
}
