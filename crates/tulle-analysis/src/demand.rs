//! Demands: the amount of traffic between every ordered pair of switches.

use tulle_fabric::Fabric;
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::Error;

/// The demand of every ordered pair of distinct switches, in units of a link's rate.
///
/// Traffic between endpoints of the same switch crosses no cable and is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Demands {
    spec: String,
    shape: Shape,
}

#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// Pairs in compressed rows: `first[source]` is the position of the first destination of a source. The destinations
    /// of a source ascend.
    Pairs { first: Vec<usize>, destination: Vec<u32>, amount: Vec<f64> },
    /// Every endpoint sends evenly to all other endpoints. `endpoints` has the number of endpoints per switch.
    AllToAll { endpoints: Vec<u32>, total: u32 },
}

/// Spec of the all-to-all demands, which are not made from messages.
const ALL_TO_ALL: &str = "all-to-all";

impl Demands {
    /// Returns the demands that `spec` names: `all-to-all`, or the demands of the messages of a registered traffic
    /// pattern with `seed`.
    ///
    /// # Errors
    /// Fails if [`tulle_traffic::build`] fails, or if no message leaves its switch.
    pub fn build(fabric: &Fabric, spec: &str, seed: u64) -> Result<Self, Error> {
        if spec == ALL_TO_ALL {
            return Self::all_to_all(fabric);
        }
        Self::of(fabric, &tulle_traffic::build(fabric, spec, seed)?)
    }

    /// Returns all-to-all demands: every endpoint sends at the full rate of its link, divided equally among all other endpoints. The demand
    /// between switches with e_s and e_t endpoints is e_s · e_t / (E − 1), where E is the number of all endpoints. For N switches with h
    /// endpoints each, the demand is h² / (hN − 1), which corrects the value in Flattened Clos (NSDI23) §4.1.
    ///
    /// # Errors
    /// Fails if the fabric has endpoints on fewer than two switches.
    pub fn all_to_all(fabric: &Fabric) -> Result<Self, Error> {
        if fabric.num_endpoints() == 0 {
            let problem = format!("{} has no endpoints", fabric.spec());
            return Err(Error::input(problem, format!("a fabric with endpoints{}", fabric.endpoint_hint())));
        }
        let endpoints = (0..fabric.num_switches() as u32).map(|switch| fabric.endpoints_of(switch).len() as u32);
        Self::all_to_all_of(endpoints.collect())
    }

    /// Returns all-to-all demands between switches with the given numbers of endpoints.
    ///
    /// # Errors
    /// Fails if fewer than two switches have endpoints.
    pub fn all_to_all_of(endpoints: Vec<u32>) -> Result<Self, Error> {
        let total = endpoints.iter().sum();
        Self { spec: ALL_TO_ALL.to_owned(), shape: Shape::AllToAll { endpoints, total } }.some()
    }

    /// Returns the number of endpoints per switch for all-to-all demands; `None` for other demands.
    pub fn endpoints(&self) -> Option<&[u32]> {
        match &self.shape {
            Shape::AllToAll { endpoints, .. } => Some(endpoints),
            Shape::Pairs { .. } => None,
        }
    }

    /// Returns the demands of messages: the sum of the bytes between two switches, scaled so that the busiest sender sends at the rate of
    /// its link.
    ///
    /// # Errors
    /// Fails if the workload is for another number of endpoints, if a message has an endpoint that the fabric does not have, or if no
    /// message leaves its switch.
    pub fn of(fabric: &Fabric, workload: &Workload) -> Result<Self, Error> {
        if let Some(problem) = workload.misfit(fabric) {
            return Err(Error::input(problem, MADE_FOR_THIS));
        }
        let mut sent = vec![0u64; fabric.num_endpoints()];
        let mut pairs = Vec::new();
        for message in 0..workload.len() {
            let (source, destination) = (workload.source[message], workload.destination[message]);
            for endpoint in [source, destination] {
                if endpoint as usize >= fabric.num_endpoints() {
                    let problem = format!("message {message} uses endpoint {endpoint}");
                    return Err(Error::input(problem, format!("0 to {}", fabric.num_endpoints().saturating_sub(1))));
                }
            }
            sent[source as usize] += workload.bytes[message];
            let switch = |endpoint: u32| fabric.endpoint_switch()[endpoint as usize];
            pairs.push((switch(source), switch(destination), workload.bytes[message] as f64));
        }
        let most = sent.into_iter().max().unwrap_or(0).max(1) as f64;
        let pairs = pairs.into_iter().map(|(source, destination, bytes)| (source, destination, bytes / most));
        Self::from_pairs(fabric.num_switches(), workload.spec.clone(), pairs)
    }

    /// Returns demands named `spec` from entries (source, destination, amount). If a pair has several entries, their amounts are summed.
    ///
    /// # Errors
    /// Fails if a switch is not below `switches`, if an amount is negative or not finite, or if there is no demand between different
    /// switches.
    pub fn from_pairs(
        switches: usize,
        spec: String,
        pairs: impl IntoIterator<Item = (u32, u32, f64)>,
    ) -> Result<Self, Error> {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        for &(source, destination, amount) in &pairs {
            let last = source.max(destination);
            if last as usize >= switches {
                let problem = format!("a demand uses switch {last}");
                return Err(Error::input(problem, format!("0 to {}", switches.saturating_sub(1))));
            }
            if !amount.is_finite() || amount < 0.0 {
                let problem = format!("the demand of switch {source} toward {destination} is {amount}");
                return Err(Error::input(problem, "finite, not below 0"));
            }
        }
        pairs.retain(|&(source, destination, amount)| source != destination && amount > 0.0);
        pairs.sort_by_key(|&(source, destination, _)| (source, destination));
        let (mut first, mut destination, mut amount) = (vec![0; switches + 1], Vec::new(), Vec::<f64>::new());
        let mut last = None;
        for (from, to, more) in pairs {
            if last == Some((from, to)) {
                *amount.last_mut().expect("a pair before") += more;
                continue;
            }
            last = Some((from, to));
            destination.push(to);
            amount.push(more);
            first[from as usize + 1] = amount.len();
        }
        for switch in 0..switches {
            first[switch + 1] = first[switch + 1].max(first[switch]);
        }
        Self { spec, shape: Shape::Pairs { first, destination, amount } }.some()
    }

    /// Returns the canonical spec of the traffic that these demands describe.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The number of switches.
    pub fn num_switches(&self) -> usize {
        match &self.shape {
            Shape::Pairs { first, .. } => first.len() - 1,
            Shape::AllToAll { endpoints, .. } => endpoints.len(),
        }
    }

    /// Returns whether every endpoint sends evenly to all other endpoints.
    pub fn is_all_to_all(&self) -> bool {
        matches!(self.shape, Shape::AllToAll { .. })
    }

    /// Returns the number of ordered pairs of switches with a demand.
    pub fn num_pairs(&self) -> usize {
        match &self.shape {
            Shape::Pairs { amount, .. } => amount.len(),
            Shape::AllToAll { endpoints, .. } => {
                let edge = endpoints.iter().filter(|&&endpoints| endpoints > 0).count();
                edge * (edge - 1)
            }
        }
    }

    /// Returns the destinations of `source` with their demands, by ascending destination.
    pub fn row(&self, source: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let at = source as usize;
        let (pairs, alike) = match &self.shape {
            Shape::Pairs { first, destination, amount } => {
                let row = first[at]..first[at + 1];
                (Some(destination[row.clone()].iter().copied().zip(amount[row].iter().copied())), None)
            }
            Shape::AllToAll { endpoints, total } => {
                let each = f64::from(endpoints[at]) / (f64::from(*total) - 1.0);
                let amounts = endpoints.iter().map(move |&there| each * f64::from(there));
                (None, Some((0u32..).zip(amounts).filter(move |&(to, amount)| to != source && amount > 0.0)))
            }
        };
        pairs.into_iter().flatten().chain(alike.into_iter().flatten())
    }

    /// Returns every pair with a demand as (source, destination, amount), ordered by source, then destination.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        (0..self.num_switches() as u32)
            .flat_map(|source| self.row(source).map(move |(destination, amount)| (source, destination, amount)))
    }

    fn some(self) -> Result<Self, Error> {
        if self.iter().next().is_none() {
            let problem = format!("{} has no demand between switches", self.spec);
            return Err(Error::input(problem, "traffic that leaves its switch"));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
