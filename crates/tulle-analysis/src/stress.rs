//! Workloads that stress a routing, by local search.

use rand::RngExt;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::Error;

/// A workload whose most loaded channel has a higher load than that of the original workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Stressed {
    /// The workload: the original messages with some destinations exchanged.
    pub workload: Workload,
    /// Bytes over the most loaded channel before.
    pub before: f64,
    /// Bytes over the most loaded channel after.
    pub after: f64,
}

/// Exchanges destinations between messages of `workload` so that the most loaded channel of `fabric` under `routing` carries more. Every
/// endpoint sends and receives as many messages as before, and none to itself.
///
/// A message is split evenly over the layers of the routing (or over the paths of its pair), and at every switch over equal-cost ports: the
/// load under packet spraying. `tries` pairs of messages are tried, drawn from a stream under `seed`. An exchange is kept if the sum of the
/// fourth powers of the loads grows, because this concentrates load long before the most loaded channel changes. The worst workload seen is
/// returned. This is a heuristic: it proves no worst case.
///
/// ```
/// let fabric = tulle_topologies::build("slimfly:q=5", 0)?;
/// let routing = tulle_routing::build(&fabric, "minimal", 0)?;
/// let start = tulle_traffic::build(&fabric, "permutation:bytes=1B", 1)?;
/// let found = tulle_analysis::stress(&fabric, &routing, &start, 20_000, 1)?;
/// assert!(found.after > found.before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A routing or a workload of another fabric, unknown endpoints, or messages that depend on others: their destinations cannot be exchanged.
pub fn stress(
    fabric: &Fabric,
    routing: &Routing,
    workload: &Workload,
    tries: u64,
    seed: u64,
) -> Result<Stressed, Error> {
    let misfit = |problem: String, legal: String| Err(Error::Input { problem: format!("stress: {problem}"), legal });
    if routing.num_switches() != fabric.num_switches() {
        let problem = format!("routing '{}' is for {} switches", routing.spec(), routing.num_switches());
        return misfit(problem, format!("{}, as the fabric has", fabric.num_switches()));
    }
    if let Some(problem) = workload.misfit(fabric) {
        return misfit(problem, MADE_FOR_THIS.to_owned());
    }
    if !workload.dependencies.is_empty() {
        let problem = format!("messages of '{}' wait for others", workload.spec);
        return misfit(problem, "messages without dependencies".to_owned());
    }
    let endpoints = fabric.num_endpoints();
    if let Some(&endpoint) =
        workload.source.iter().chain(&workload.destination).find(|&&endpoint| endpoint as usize >= endpoints)
    {
        return misfit(format!("endpoint {endpoint} is not there"), format!("below {endpoints}"));
    }
    let mut search = Search { fabric, routing, workload: workload.clone(), loads: vec![0.0; fabric.num_channels()] };
    for message in 0..workload.len() {
        search.add(message, 1.0);
    }
    let before = search.most();
    let (mut after, mut best) = (before, workload.destination.clone());
    let messages = workload.len();
    // The stream keeps this name, because another name would give other numbers.
    let mut rng = stream(seed, "traffic/worsen", 0);
    task::begin(tries as usize);
    for _ in 0..if messages < 2 { 0 } else { tries } {
        task::step();
        let one = rng.random_range(0..messages);
        let other = rng.random_range(0..messages);
        if search.exchange(one, other) {
            let most = search.most_of([one, other]);
            // Sums in another order differ in their last digits.
            if most > after * (1.0 + 1e-9) {
                after = most;
                best.clone_from(&search.workload.destination);
            }
        }
    }
    Ok(Stressed {
        workload: Workload { spec: "messages".to_owned(), destination: best, ..search.workload },
        before,
        after,
    })
}

struct Search<'a> {
    fabric: &'a Fabric,
    routing: &'a Routing,
    workload: Workload,
    /// Bytes per channel.
    loads: Vec<f64>,
}

impl Search<'_> {
    /// Exchanges the destinations of two messages; keeps the exchange if it concentrates the loads.
    fn exchange(&mut self, one: usize, other: usize) -> bool {
        let Workload { source, destination, .. } = &self.workload;
        if source[one] == destination[other]
            || source[other] == destination[one]
            || destination[one] == destination[other]
        {
            return false;
        }
        let mut gain = self.add(one, -1.0) + self.add(other, -1.0);
        self.workload.destination.swap(one, other);
        gain += self.add(one, 1.0) + self.add(other, 1.0);
        if gain > 0.0 {
            return true;
        }
        self.add(one, -1.0);
        self.add(other, -1.0);
        self.workload.destination.swap(one, other);
        self.add(one, 1.0);
        self.add(other, 1.0);
        false
    }

    /// Adds `times` the bytes of a message to its channels; returns by how much the sum of fourth powers grows.
    fn add(&mut self, message: usize, times: f64) -> f64 {
        let mut gain = 0.0;
        for (channel, share) in self.shares(message) {
            let load = &mut self.loads[channel as usize];
            let more = times * share * self.workload.bytes[message] as f64;
            gain += (*load + more).powi(4) - load.powi(4);
            *load += more;
        }
        gain
    }

    fn most(&self) -> f64 {
        self.loads.iter().copied().fold(0.0, f64::max)
    }

    /// Returns the load of the most loaded channel of these messages.
    fn most_of(&self, messages: [usize; 2]) -> f64 {
        let channels = messages.into_iter().flat_map(|message| self.shares(message));
        channels.map(|(channel, _)| self.loads[channel as usize]).fold(0.0, f64::max)
    }

    /// The channels that a message uses and the share of it that each carries.
    fn shares(&self, message: usize) -> Vec<(u32, f64)> {
        let switch = |endpoint: u32| self.fabric.endpoint_switch()[endpoint as usize];
        let (from, to) = (switch(self.workload.source[message]), switch(self.workload.destination[message]));
        let mut shares = Vec::new();
        if let Some(set) = self.routing.path_set() {
            let numbers: Vec<_> = set.between(from, to).collect();
            let share = 1.0 / numbers.len() as f64;
            for number in numbers {
                shares.extend(set.channels(self.fabric, from, number).map(|channel| (channel, share)));
            }
            return shares;
        }
        let layers = self.routing.layers();
        for table in layers {
            // The switches that parts of the message are at, and how large they are; each round is a hop.
            let mut front = vec![(from, 1.0 / layers.len() as f64)];
            for _ in 0..self.fabric.num_switches() {
                let mut next: Vec<(u32, f64)> = Vec::new();
                for (at, part) in front {
                    let ports = table.next(at, to);
                    let first = self.fabric.channels_of(at).start;
                    for &port in ports {
                        let (channel, share) = (first + usize::from(port), part / ports.len() as f64);
                        shares.push((channel as u32, share));
                        let head = self.fabric.targets()[channel];
                        match next.iter_mut().find(|(switch, _)| *switch == head) {
                            Some((_, part)) => *part += share,
                            None => next.push((head, share)),
                        }
                    }
                }
                next.retain(|&(switch, _)| switch != to);
                if next.is_empty() {
                    break;
                }
                front = next;
            }
        }
        shares
    }
}

#[cfg(test)]
mod tests;
