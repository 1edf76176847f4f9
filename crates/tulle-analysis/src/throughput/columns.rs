//! Column generation for throughput bounds: the set of paths grows by the shortest paths under the current channel
//! lengths.

use rayon::prelude::*;
use tulle_base::random::mix;
use tulle_fabric::Fabric;

use super::shortest::Tree;
use super::{Capacities, Orbits, PathFlow};
use crate::{Demands, Error};

/// A path is dropped if its flow is below this fraction of the pair's demand.
const NEGLIGIBLE: f64 = 1e-9;
/// Factor that converts a random number below 2⁶⁴ to the relative extra length of a channel, which is at most one millionth.
const TIE: f64 = 1e-6 / u64::MAX as f64;

/// The pairs with demand and the set of their paths, to which shortest paths are added.
///
/// An orbit is a set of sources (or channels) that symmetries of the problem map to each other. One source represents each orbit of
/// sources; its demands are multiplied by the size of the orbit. Paths consist of orbits of channels. The capacity of an orbit is the sum
/// of the capacities of its channels.
#[derive(Debug)]
pub(crate) struct Columns<'a> {
    fabric: &'a Fabric,
    /// The capacity of each channel.
    capacities: Capacities,
    /// The orbit of each channel.
    orbit: Vec<u32>,
    /// The sources with demand, and the range of the commodities (pairs with demand) of each source. `destination` has
    /// the destination of each commodity.
    sources: Vec<(u32, std::ops::Range<usize>)>,
    destination: Vec<u32>,
    flow: PathFlow,
}

/// The paths of all commodities (pairs with demand) of one source.
#[derive(Default)]
struct Part {
    /// Σ demand · distance.
    cost: f64,
    paths: Vec<u32>,
    hops: Vec<u32>,
    channels: Vec<u32>,
    amount: Vec<f64>,
}

impl<'a> Columns<'a> {
    /// Starts with one shortest path for each pair whose source represents an orbit. If every source represents only itself, the traffic is
    /// all-to-all, and both directions of every cable have the same capacity, only one direction of each pair is used.
    ///
    /// Why one direction is enough: if traffic and capacities are the same in both directions, a flow with all its paths reversed has the
    /// same throughput. The mean of these two flows loads both directions of a cable equally. So each cable is one orbit, and its capacity
    /// is the sum of both directions. Each pair of switches has one commodity, and its demand is the sum of both directions.
    pub fn new(fabric: &'a Fabric, demands: &Demands, capacities: Capacities, orbits: Orbits) -> Result<Self, Error> {
        if demands.num_switches() != fabric.num_switches() {
            let problem = format!("the traffic is for {} switches", demands.num_switches());
            return Err(Error::input(problem, format!("{} switches, as {} has", fabric.num_switches(), fabric.spec())));
        }
        let all_to_all = orbits.is_trivial() && demands.endpoints().is_some();
        let is_turned = all_to_all && capacities.is_symmetric(fabric);
        let orbits = if is_turned { orbits.of_cables(fabric) } else { orbits };
        let (mut sources, mut destination, mut demand) = (Vec::new(), Vec::new(), Vec::new());
        for (&source, weight) in orbits.sources.iter().zip(&orbits.weight) {
            let first = demand.len();
            for (to, amount) in demands.row(source).filter(|&(to, _)| !is_turned || to > source) {
                destination.push(to);
                demand.push(weight * amount);
            }
            if demand.len() > first {
                sources.push((source, first..demand.len()));
            }
        }
        let flow = PathFlow::without_paths(demand, capacities.summed(&orbits.orbit));
        let lengths = vec![1.0; flow.capacities().as_slice().len()];
        let mut columns = Self { fabric, capacities, orbit: orbits.orbit, sources, destination, flow };
        let parts: Vec<Part> = columns.grow(&lengths, &[], all_to_all);
        columns.assemble(&parts);
        let empty = (0..columns.destination.len()).find(|&at| columns.flow.path(at).is_empty());
        if let Some(at) = empty {
            let source = columns.sources.iter().find(|(_, own)| own.contains(&at)).map_or(0, |&(source, _)| source);
            let [from, to] = [source, columns.destination[at]].map(|switch| fabric.called(switch));
            let problem = format!("{}: no path connects switches {from} and {to}", fabric.spec());
            return Err(Error::input(problem, "a fabric that connects every pair of the traffic"));
        }
        Ok(columns)
    }

    /// The paths in use.
    pub fn flow(&self) -> &PathFlow {
        &self.flow
    }

    /// Returns the number of channels that one computation of all shortest-path trees visits (one tree per source).
    pub fn work(&self) -> usize {
        self.sources.len() * self.fabric.num_channels()
    }

    /// Adds the shortest path of every pair if it is new, and drops paths without flow. `lengths` has the length of
    /// every orbit of channels, and `amount` the flow on every path. Returns the upper bound of the throughput that
    /// `lengths` prove, and the flow on every path of the new set.
    pub fn extend(&mut self, lengths: &[f64], amount: &[f64]) -> (f64, Vec<f64>) {
        let parts = self.grow(lengths, amount, false);
        // The parts are summed in a fixed order, so the result does not depend on the number of threads.
        let cost: f64 = parts.iter().map(|part| part.cost).sum();
        self.assemble(&parts);
        let upper = self.flow.capacities().volume(lengths) / cost;
        (upper, parts.into_iter().flat_map(|part| part.amount).collect())
    }

    /// Returns the paths with flow in `amount` and the shortest paths, per source. With `is_drawn`, channels get random extra lengths, so
    /// that sources use different paths of equal length. This spreads the initial flow over the paths, as hashing does, and the search
    /// needs about half the rounds.
    fn grow(&self, lengths: &[f64], amount: &[f64], is_drawn: bool) -> Vec<Part> {
        let capacity = self.capacities.as_slice();
        let lengths: Vec<f64> = self.orbit.iter().map(|&orbit| lengths[orbit as usize]).collect();
        let grow = |(tree, path, drawn): &mut (Tree, Vec<u32>, Vec<f64>),
                    (source, own): &(u32, std::ops::Range<usize>)| {
            let mut lengths = &lengths;
            if is_drawn {
                let draw = |channel: usize| mix(u64::from(*source) << 32 | channel as u64) as f64;
                drawn.clear();
                drawn.extend((0..lengths.len()).map(|channel| lengths[channel] * (1.0 + TIE * draw(channel))));
                lengths = drawn;
            }
            tree.grow(self.fabric, lengths, capacity, *source, &self.destination[own.clone()]);
            let mut part = Part::default();
            for commodity in own.clone() {
                let (destination, demand) = (self.destination[commodity], self.flow.demand()[commodity]);
                part.cost += demand * tree.distance[destination as usize];
                tree.path(self.fabric, destination, path);
                path.iter_mut().for_each(|channel| *channel = self.orbit[*channel as usize]);
                let (mut paths, mut known, mut kept) = (0, false, 0.0);
                let first = part.amount.len();
                if !amount.is_empty() {
                    for old in self.flow.paths(commodity) {
                        let same = self.flow.path(old) == path.as_slice();
                        if amount[old] > NEGLIGIBLE * demand || same {
                            known |= same;
                            kept += amount[old];
                            paths += 1;
                            part.push(self.flow.path(old), amount[old]);
                        }
                    }
                }
                if !known {
                    paths += 1;
                    part.push(path, if amount.is_empty() { demand } else { 0.0 });
                }
                // The flow of dropped paths is distributed over the remaining paths.
                if kept > 0.0 {
                    part.amount[first..].iter_mut().for_each(|amount| *amount *= demand / kept);
                }
                part.paths.push(paths);
            }
            part
        };
        let room = || (Tree::new(self.fabric), Vec::new(), Vec::new());
        self.sources.par_iter().map_init(room, grow).collect()
    }

    fn assemble(&mut self, parts: &[Part]) {
        let paths = parts.iter().flat_map(|part| part.paths.iter().copied());
        let hops = parts.iter().flat_map(|part| part.hops.iter().copied());
        let channels = parts.iter().flat_map(|part| part.channels.iter().copied());
        self.flow.set_paths(paths, hops, channels);
    }
}

impl Part {
    fn push(&mut self, path: &[u32], amount: f64) {
        self.channels.extend_from_slice(path);
        self.hops.push(path.len() as u32);
        self.amount.push(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flow_of_dropped_paths_moves_to_remaining_paths() {
        // Two paths connect opposite corners of a square. In the first round, the lengths make the path over switch 3 shorter, and then the
        // path over switch 1.
        let fabric = tulle_topologies::build("torus:shape=4,p=1", 0).unwrap();
        let demands = Demands::from_pairs(4, "across".to_owned(), [(0, 2, 2.0)]).unwrap();
        let orbits = Orbits::trivial(&fabric, &demands);
        let mut columns = Columns::new(&fabric, &demands, Capacities::unit(&fabric), orbits).unwrap();
        let by_way_of = |switch: u32| -> Vec<f64> {
            let near = |&at: &usize| [fabric.sources()[at], fabric.targets()[at]].contains(&switch);
            (0..fabric.num_channels()).map(|at| if near(&at) { 1.0 } else { 4.0 }).collect()
        };
        // The sum of capacity times length is 4 · 1 + 4 · 4 = 20. The shorter path has length 2 and the demand is 2, so
        // the bound is 20 / 4 = 5.
        assert_eq!(columns.extend(&by_way_of(3), &[2.0]), (5.0, vec![2.0, 0.0]));
        assert_eq!(columns.extend(&by_way_of(1), &[1.5, 0.5]), (5.0, vec![1.5, 0.5]));
        let (_, amount) = columns.extend(&by_way_of(1), &[2.0 - 1e-9, 1e-9]);
        assert!(amount.len() == 1 && (amount[0] - 2.0).abs() < 1e-15, "{amount:?}");
    }
}
