//! The longest matching: pairs endpoints one to one so that the total distance between partners is maximal.

use lapjv::{Matrix, lapjv};
use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, UNREACHED};
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Poisson;
use crate::{Error, Workload};

plugin! {
    pub struct LongestMatching {
        /// size of a long flow (elephant)
        bytes: u64 = bytes(), default "1MiB";
        /// the units that are paired: single endpoints, or switches with all their endpoints
        switches "of": bool = either("switches", "endpoints"), default "endpoints";
        /// fraction of every switch's endpoints that send; the endpoints are chosen at random
        intensity: f64 = fraction(), default "1";
        /// fraction of the senders whose flows are long (elephants); the senders are chosen at random, and the others send short flows
        /// (mice)
        elephants: f64 = chance(), default "1";
        /// size of a long flow divided by the size of a short flow
        ratio: u64 = integer(1, u32::MAX as u64), default "10";
        poisson: Poisson;
    }
    name: "longest-matching",
    summary: "endpoints (or whole switches) send along a permutation of maximal total distance; optionally only a \
        fraction of the endpoints sends",
    paper: "TopoBench (Jyothi et al., SC 2016) §II-C; FatPaths §VI-C; Slim Fly deployment (NSDI24) §6.4; Flattened \
        Clos (NSDI23) §4 (near-worst)",
    limitations: "Near the worst case, but not always the worst: the pattern maximises distances and ignores shared links. \
        The seed determines one of many longest matchings. If switches have different numbers of endpoints, the i-th \
        endpoints are paired with each other, and an endpoint without a partner does not send.",
    examples: [
        "longest-matching:of=switches", "longest-matching:intensity=0.5,elephants=0.25",
        "longest-matching:arrivals=10000,duration=1ms",
    ],
    rejects: [
        ("longest-matching:of=cables", "legal: switches, endpoints"),
        ("longest-matching:intensity=0", "intensity=0 is out of range"),
        ("longest-matching:elephants=1.5", "elephants=1.5 is out of range"),
        ("longest-matching:ratio=0", "ratio=0 is out of range"),
        ("longest-matching:duration=1ms", "needs arrivals="),
    ],
}

impl Pattern for LongestMatching {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let edge = fabric.endpoint_switches();
        if edge.len() < 2 {
            return Err(misfit(
                format!("{} has endpoints on one switch", fabric.spec()),
                "endpoints on 2 switches or more",
            ));
        }
        let distances = Distances::of(fabric);
        let partner = partners(fabric, &distances, &edge, self.switches, seed)?;
        let mut senders = senders(fabric, &edge, self.intensity, seed);
        senders.shuffle(&mut stream(seed, "traffic/longest-matching/elephants", 0));
        let mut bytes = vec![0; fabric.num_endpoints()];
        let elephants = share(self.elephants, senders.len());
        for (rank, &endpoint) in senders.iter().enumerate() {
            bytes[endpoint as usize] = if rank < elephants { self.bytes } else { (self.bytes / self.ratio).max(1) };
        }
        let mut workload = Workload::default();
        for (source, &destination) in partner.iter().enumerate() {
            if let (Some(destination), 1..) = (destination, bytes[source]) {
                workload.push(source as u32, destination, bytes[source], 0);
            }
        }
        if workload.is_empty() {
            return Err(misfit(
                "none of the selected endpoints has a partner".to_owned(),
                "an intensity or a seed that selects endpoints with partners",
            ));
        }
        match &self.poisson.arrivals {
            Some(arrivals) => arrivals.repeat(LongestMatching::INFO.name, &workload, seed),
            None => Ok(workload),
        }
    }
}

/// Returns `share` · `of`, rounded to the nearest integer.
fn share(share: f64, of: usize) -> usize {
    (share * of as f64).round() as usize
}

/// Selects a fraction of the endpoints at random. If two switches have the same number of endpoints, their numbers of selected endpoints
/// differ by at most 1.
///
/// The alternative, a selection from all endpoints regardless of their switches, gives up to 10% less throughput than Fig. 9 of the Slim
/// Fly deployment paper (NSDI24) shows, because switches with more senders saturate first.
fn senders(fabric: &Fabric, edge: &[u32], intensity: f64, seed: u64) -> Vec<u32> {
    let mut rng = stream(seed, "traffic/longest-matching/senders", 0);
    let whole = |switch: u32| (intensity * fabric.endpoints_of(switch).len() as f64 + ROUNDING) as usize;
    let least: usize = edge.iter().map(|&switch| whole(switch)).sum();
    let mut missing = share(intensity, fabric.num_endpoints()).max(1).saturating_sub(least);
    let mut order = edge.to_vec();
    order.shuffle(&mut rng);
    let mut senders = Vec::new();
    for switch in order {
        let mut own = fabric.endpoints_of(switch).to_vec();
        own.shuffle(&mut rng);
        let one = usize::from(missing > 0 && whole(switch) < own.len());
        missing -= one;
        own.truncate(whole(switch) + one);
        senders.extend(own);
    }
    senders
}

/// Tolerance for products that are whole numbers except for rounding errors.
const ROUNDING: f64 = 1e-9;

/// Returns the partner of each endpoint.
///
/// With p endpoints per switch, a longest matching of endpoints consists of p longest matchings of switches: matching i pairs the i-th
/// endpoints of all switches. This is optimal, because no permutation of endpoints is longer than p times the longest permutation of
/// switches (Birkhoff). Each of the p matchings is chosen at random separately, so the endpoints of a switch usually send to different
/// switches. With `same`, the first matching is used for all endpoints.
fn partners(
    fabric: &Fabric,
    distances: &Distances,
    edge: &[u32],
    same: bool,
    seed: u64,
) -> Result<Vec<Option<u32>>, Error> {
    let mut partner = vec![None; fabric.num_endpoints()];
    let mut pairs = Vec::new();
    for round in 0..fabric.concentration() {
        let mut members: Vec<u32> =
            edge.iter().copied().filter(|&switch| fabric.endpoints_of(switch).len() > round).collect();
        if members.len() < 2 {
            break;
        }
        if round == 0 || !same {
            // If several matchings are equally long, the order of the switches decides which one is found. So shuffling the switches
            // selects one at random.
            members.shuffle(&mut stream(seed, "traffic/longest-matching", 1 + round as u64));
            pairs = match_far(fabric, distances, &members)?;
        }
        for &(source, destination) in &pairs {
            let at = |switch: u32| fabric.endpoints_of(switch).get(round).copied();
            if let (Some(source), Some(destination)) = (at(source), at(destination)) {
                partner[source as usize] = Some(destination);
            }
        }
    }
    Ok(partner)
}

/// Returns pairs of a switch of `members` and its partner. No switch is its own partner, and the sum of the distances is
/// maximal.
fn match_far(fabric: &Fabric, distances: &Distances, members: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
    let mut costs = Vec::with_capacity(members.len() * members.len());
    for &source in members {
        let row = distances.row(source);
        for &destination in members {
            let hops = row[destination as usize];
            if hops == UNREACHED {
                let [from, to] = [source, destination].map(|switch| fabric.called(switch));
                let problem = format!("switches {from} and {to} are not connected (or at least 255 hops apart)");
                return Err(misfit(problem, "connected fabrics"));
            }
            // The cost of a switch as its own partner exceeds the total distance of any matching, so no switch becomes its own partner.
            // Integers of this size are exact in f64.
            let own = source == destination;
            costs.push(if own { f64::from(UNREACHED) * (members.len() + 1) as f64 } else { -f64::from(hops) });
        }
    }
    let costs = Matrix::from_shape_vec((members.len(), members.len()), costs).expect("a row per source");
    let (columns, _) = lapjv(&costs).expect("a square matrix of finite numbers has an assignment");
    Ok(members.iter().zip(&columns).map(|(&source, &column)| (source, members[column])).collect())
}

fn misfit(problem: String, legal: &str) -> Error {
    Error::Fabric { pattern: LongestMatching::INFO.name.to_owned(), problem, legal: format!("legal: {legal}") }
}
