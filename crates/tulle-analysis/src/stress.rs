//! Finds workloads that stress a routing, by local search.

use rand::RngExt;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::Routing;
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::Error;

/// A workload whose most loaded channel carries at least as many bytes as the most loaded channel of the original
/// workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Stressed {
    /// The workload: the original messages with some destinations exchanged.
    pub workload: Workload,
    /// Bytes on the most loaded channel under the original workload.
    pub before: f64,
    /// Bytes on the most loaded channel under the new workload.
    pub after: f64,
}

/// Exchanges destinations between messages of `workload` to increase the load of the most loaded channel of `fabric`
/// under `routing`. Every endpoint still sends and receives the same number of messages. No exchange makes an endpoint
/// send to itself.
///
/// The loads assume packet spraying. A message is split evenly over the layers of the routing, or over the paths of its pair. At every
/// switch, it is split evenly over equal-cost ports. The search tries `tries` random pairs of messages; `seed` determines these pairs. It
/// keeps an exchange if the sum of the fourth powers of the loads grows. This sum reacts to concentrated load long before the most loaded
/// channel changes. The worst workload found is returned. The search is a heuristic, so a worse workload may exist.
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
/// Fails if the routing or the workload is for another fabric, if an endpoint does not exist, or if messages depend on other messages. The
/// destinations of dependent messages cannot be exchanged.
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
        return misfit(problem, format!("{} switches, as the fabric has", fabric.num_switches()));
    }
    if let Some(problem) = workload.misfit(fabric) {
        return misfit(problem, MADE_FOR_THIS.to_owned());
    }
    if !workload.dependencies.is_empty() {
        let problem = format!("messages of '{}' depend on other messages", workload.spec);
        return misfit(problem, "messages without dependencies".to_owned());
    }
    let endpoints = fabric.num_endpoints();
    if let Some(&endpoint) =
        workload.source.iter().chain(&workload.destination).find(|&&endpoint| endpoint as usize >= endpoints)
    {
        return misfit(format!("endpoint {endpoint} does not exist"), format!("below {endpoints}"));
    }
    let mut search = Search { fabric, routing, workload: workload.clone(), loads: vec![0.0; fabric.num_channels()] };
    for message in 0..workload.len() {
        search.add(message, 1.0);
    }
    let before = search.most();
    let (mut after, mut best) = (before, workload.destination.clone());
    let messages = workload.len();
    // The random stream keeps its old name `traffic/worsen`, because another name would give other random numbers.
    let mut rng = stream(seed, "traffic/worsen", 0);
    task::begin(tries as usize);
    for _ in 0..if messages < 2 { 0 } else { tries } {
        task::step();
        let one = rng.random_range(0..messages);
        let other = rng.random_range(0..messages);
        if search.exchange(one, other) {
            let most = search.most_of([one, other]);
            // Equal loads can differ in their last digits if they are summed in another order, so the comparison needs
            // a tolerance.
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
    /// Exchanges the destinations of two messages. Returns whether the exchange concentrates the loads; otherwise the
    /// exchange is undone.
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

    /// Adds the bytes of a message, multiplied by `times`, to the loads of its channels. Returns the increase of the sum of the loads'
    /// fourth powers.
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

    /// Returns the maximum load of the channels that carry at least one of the two messages.
    fn most_of(&self, messages: [usize; 2]) -> f64 {
        let channels = messages.into_iter().flat_map(|message| self.shares(message));
        channels.map(|(channel, _)| self.loads[channel as usize]).fold(0.0, f64::max)
    }

    /// Returns the channels that carry a message, each with its fraction of the message.
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
            // The switches that hold parts of the message, with the size of each part. Each round of the loop is one
            // hop.
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
