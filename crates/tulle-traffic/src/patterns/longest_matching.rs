//! The longest matching: endpoints paired one to one so that partners are as far apart as can be, on the whole.

use lapjv::{Matrix, lapjv};
use rand::seq::SliceRandom;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, UNREACHED};
use tulle_spec::random::stream;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::arrivals::Arrivals;
use crate::{Error, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "longest-matching",
    summary: "endpoints (or whole switches) send along a permutation of the greatest total distance; a share takes part",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "1MiB", "size of an elephant"),
        Parameter::prose(
            "of",
            "endpoints or switches",
            "endpoints",
            "what is paired: endpoints, or switches with all their endpoints alike",
        ),
        Parameter::prose(
            "intensity",
            "above 0, up to 1",
            "1",
            "share of every switch's endpoints that send, drawn at random",
        ),
        Parameter::prose(
            "elephants",
            "0 to 1",
            "1",
            "share of the senders with full messages, drawn at random; the others are mice",
        ),
        Parameter::prose("ratio", "1 or more", "10", "bytes of an elephant over those of a mouse"),
        Arrivals::PARAMETERS[0],
        Arrivals::PARAMETERS[1],
    ],
    nested: false,
    paper: "TopoBench (Jyothi et al., SC 2016) §II-C; FatPaths §VI-C; deployment §6.4; Flattened Clos §4 (near-worst)",
    limitations: "Near-worst, not worst: distance counts, not what links are shared. One of many longest matchings, drawn by the seed. \
        Where switches differ in endpoints the i-th endpoints are paired among themselves, and one without a partner is silent.",
    examples: &[
        "longest-matching:of=switches",
        "longest-matching:intensity=0.5,elephants=0.25",
        "longest-matching:arrivals=10000,duration=1ms",
    ],
    rejects: &[
        ("longest-matching:of=cables", "legal: endpoints, switches"),
        ("longest-matching:intensity=0", "intensity=0 is out of range"),
        ("longest-matching:elephants=1.5", "elephants=1.5 is out of range"),
        ("longest-matching:ratio=0", "ratio=0 is out of range"),
        ("longest-matching:duration=1ms", "needs arrivals="),
    ],
};

struct LongestMatching {
    bytes: u64,
    switches: bool,
    intensity: f64,
    elephants: f64,
    ratio: u64,
    arrivals: Option<Arrivals>,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(LongestMatching {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        switches: arguments.word("of", &["endpoints", "switches"])? == Some("switches"),
        intensity: arguments.fraction("intensity", false)?.unwrap_or(1.0),
        elephants: arguments.fraction("elephants", true)?.unwrap_or(1.0),
        ratio: arguments.integer("ratio", 1..=u64::from(u32::MAX))?.unwrap_or(10),
        arrivals: Arrivals::read(arguments, None)?,
    }))
}

impl Pattern for LongestMatching {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new()
            .bytes("bytes", self.bytes)
            .word("of", if self.switches { "switches" } else { "endpoints" })
            .real("intensity", self.intensity)
            .real("elephants", self.elephants)
            .integer("ratio", self.ratio);
        match &self.arrivals {
            Some(arrivals) => arrivals.write(parameters),
            None => parameters,
        }
    }

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
            return Err(misfit("no endpoint drawn has a partner".to_owned(), "a higher intensity, or another seed"));
        }
        match &self.arrivals {
            Some(arrivals) => arrivals.repeat(INFO.name, &workload, seed),
            None => Ok(workload),
        }
    }
}

/// A share of a whole number, rounded to the nearest.
fn share(share: f64, of: usize) -> usize {
    (share * of as f64).round() as usize
}

/// A share of the endpoints, the same of every switch but for one endpoint, drawn at random.
///
/// Draws over all endpoints regardless of switches give up to 10% less throughput than the deployment paper's Fig. 9 as
/// resolved: switches of which more endpoints take part fill up first.
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

/// A share that is a whole number but for rounding is that number.
const ROUNDING: f64 = 1e-9;

/// Per endpoint the one it may send to.
///
/// A longest matching of endpoints is p longest matchings of switches, one for the i-th endpoint of each: no permutation
/// of endpoints is longer than p times the longest of switches (Birkhoff). Each is drawn apart, such that the endpoints of a
/// switch send to different ones; or the first serves all.
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
            // The order decides among equally long matchings.
            members.shuffle(&mut stream(seed, "traffic/longest-matching", 1 + round as u64));
            pairs = match_far(distances, &members)?;
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

/// Every switch of `members` with its partner, such that none is its own and the distances sum to the most.
fn match_far(distances: &Distances, members: &[u32]) -> Result<Vec<(u32, u32)>, Error> {
    let mut costs = Vec::with_capacity(members.len() * members.len());
    for &source in members {
        let row = distances.row(source);
        for &destination in members {
            let hops = row[destination as usize];
            if hops == UNREACHED {
                let problem = format!("switches {source} and {destination} are not joined (or 255 hops or more apart)");
                return Err(misfit(problem, "connected fabrics"));
            }
            // Whole numbers this small are exact. Being one's own partner costs more than all a matching can win.
            let own = source == destination;
            costs.push(if own { f64::from(UNREACHED) * (members.len() + 1) as f64 } else { -f64::from(hops) });
        }
    }
    let costs = Matrix::from_shape_vec((members.len(), members.len()), costs).expect("a row per source");
    let (columns, _) = lapjv(&costs).expect("a square matrix of finite numbers has an assignment");
    Ok(members.iter().zip(&columns).map(|(&source, &column)| (source, members[column])).collect())
}

fn misfit(problem: String, legal: &str) -> Error {
    Error::Fabric { pattern: INFO.name.to_owned(), problem, legal: format!("legal: {legal}") }
}
