//! Where the packets of every endpoint go.

mod bursts;
mod kinds;

use rand::seq::index::sample;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{SpecError, registry};
use tulle_traffic::{MADE_FOR_THIS, Workload};

use crate::Error;
use crate::flit::{Generator, scale};

pub(crate) use bursts::{Bursts, State};
use kinds::{Destinations, Kind};

registry! {
    /// The traffics of this simulator alone, in the order of `tulle list flit-traffics`.
    static TRAFFICS: Traffics("traffic") -> SpecError = Box<dyn Destinations>;
    mod uniform: Uniform;
    mod hot_spot: HotSpot;
    mod on_off: OnOff;
    #[cfg(test)]
    mod toy: Toy;
}

pub use kinds::{canonical_traffic, traffics};

/// Destinations, from which every packet draws its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    spec: String,
    endpoints: usize,
    pattern: Pattern,
    /// Mean cycles of a burst; `None` where every cycle is like any other.
    burst: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
enum Pattern {
    /// Any endpoint, the source itself included or not.
    Uniform { to_self: bool },
    /// So many of 2³² packets to one of these, the others to any endpoint.
    HotSpot { share: u64, hot: Vec<u32> },
    /// Those of a workload: per endpoint its first, one entry more than endpoints; and their list.
    Listed { first: Vec<u32>, to: Vec<u32>, to_oneself: u64 },
}

impl Traffic {
    /// The traffic of `spec` among the endpoints of `fabric`: one of [`traffics`], or the destinations of any pattern of
    /// tulle-traffic (`permutation`, `off-diagonal:offset=N` for shifts, `random:destinations=X`, `worst-case`,
    /// `longest-matching`, …), each drawn as often as it is in the workload.
    ///
    /// # Errors
    /// An unknown name or parameter, an illegal value, or a fabric that the pattern does not fit.
    pub fn new(fabric: &Fabric, spec: &str, seed: u64) -> Result<Self, Error> {
        let (kind, spec) = Kind::read(spec)?;
        let (burst, kind) = match kind {
            Kind::Bursts { length, of } => (Some(length), *of),
            kind => (None, kind),
        };
        let endpoints = fabric.num_endpoints();
        if endpoints < 2 && !matches!(kind, Kind::Workload(_)) {
            return Err(Error::shape(format!("{} has {endpoints} endpoints", fabric.spec()), "2 or more"));
        }
        let pattern = match kind {
            Kind::Uniform { to_self } => Pattern::Uniform { to_self },
            Kind::HotSpot { share, endpoints: hot } => {
                if hot as usize > endpoints {
                    let problem = format!("endpoints={hot} of {}, which has {endpoints}", fabric.spec());
                    return Err(Error::shape(problem, format!("1 to {endpoints}")));
                }
                let mut rng = stream(seed, "flit/hot-spot", 0);
                let hot = sample(&mut rng, endpoints, hot as usize).iter().map(|endpoint| endpoint as u32).collect();
                // At least one packet in 2³² is for them.
                Pattern::HotSpot { share: ((share * 4_294_967_296.0).round() as u64).max(1), hot }
            }
            Kind::Workload(of) => {
                let listed = Self::of(fabric, &tulle_traffic::build(fabric, &of, seed)?)?;
                let spec = if burst.is_some() { spec } else { listed.spec };
                return Ok(Self { spec, burst, ..listed });
            }
            Kind::Bursts { .. } => unreachable!("reading refuses bursts of bursts"),
        };
        Ok(Self { spec, endpoints, pattern, burst })
    }

    /// Every endpoint sends to the destinations of its messages in `workload`, a destination of several messages so many
    /// times as often. Endpoints without a message rest, and so do those whose messages are all to themselves, as of a
    /// permutation's fixed points: these take no link. Bytes, starts and dependencies do not matter.
    ///
    /// # Errors
    /// A message of an endpoint that is not there, or no message between two.
    pub fn of(fabric: &Fabric, workload: &Workload) -> Result<Self, Error> {
        if let Some(problem) = workload.misfit(fabric) {
            return Err(Error::shape(problem, MADE_FOR_THIS));
        }
        let endpoints = fabric.num_endpoints();
        let ends = workload.source.iter().zip(&workload.destination);
        let mut lists = vec![Vec::new(); endpoints];
        let mut to_oneself = 0;
        for (&from, &to) in ends {
            let (source, destination) = (from as usize, to as usize);
            if source >= endpoints || destination >= endpoints {
                let problem = format!("a message from endpoint {from} to {to}");
                return Err(Error::shape(problem, format!("below {endpoints}, the endpoints of {}", fabric.spec())));
            }
            if from == to {
                to_oneself += 1;
                continue;
            }
            lists[source].push(to);
        }
        if workload.is_empty() {
            return Err(Error::shape(format!("{} has no messages", workload.spec), "at least one"));
        }
        if workload.len() as u64 == to_oneself {
            let problem = format!("{} has only messages to oneself", workload.spec);
            return Err(Error::shape(problem, "at least one that takes a link"));
        }
        let mut first = vec![0u32];
        let mut to = Vec::with_capacity(workload.len());
        for mut list in lists {
            list.sort_unstable();
            to.append(&mut list);
            first.push(to.len() as u32);
        }
        let pattern = Pattern::Listed { first, to, to_oneself };
        Ok(Self { spec: workload.spec.clone(), endpoints, pattern, burst: None })
    }

    /// The canonical spec.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// The number of endpoints of the fabric it is for.
    pub(crate) fn num_endpoints(&self) -> usize {
        self.endpoints
    }

    /// How many endpoints send.
    pub fn num_senders(&self) -> usize {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => self.endpoints,
            Pattern::Listed { first, .. } => first.windows(2).filter(|ends| ends[0] < ends[1]).count(),
        }
    }

    /// Messages of a workload from an endpoint to itself, for which nothing is sent.
    pub fn to_oneself(&self) -> u64 {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => 0,
            Pattern::Listed { to_oneself, .. } => *to_oneself,
        }
    }

    /// Whether `endpoint` sends.
    pub(crate) fn sends(&self, endpoint: u32) -> bool {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => true,
            Pattern::Listed { first, .. } => first[endpoint as usize] < first[endpoint as usize + 1],
        }
    }

    /// A destination for a packet of `endpoint`, which sends; `bits` are 32 random ones.
    #[inline]
    pub(crate) fn draw(&self, endpoint: u32, bits: u64) -> u32 {
        match &self.pattern {
            Pattern::Uniform { to_self: true } => scale(bits, self.endpoints as u32),
            Pattern::Uniform { to_self: false } => {
                let other = scale(bits, self.endpoints as u32 - 1);
                other + u32::from(other >= endpoint)
            }
            // Within its part of the numbers below 2³² the draw is even, too.
            Pattern::HotSpot { share, hot } => match bits.checked_sub(*share) {
                None => hot[(bits * hot.len() as u64 / share) as usize],
                Some(rest) => (rest * self.endpoints as u64 / ((1 << 32) - share)) as u32,
            },
            Pattern::Listed { first, to, .. } => {
                let [start, end] = [first[endpoint as usize], first[endpoint as usize + 1]];
                to[(start + scale(bits, end - start)) as usize]
            }
        }
    }
}

/// When an endpoint creates packets, and for whom.
#[derive(Debug)]
pub(crate) struct Arrivals<'a> {
    pub traffic: &'a Traffic,
    /// Packets per cycle and endpoint, in bursts those in a burst, as a fraction of 2³².
    rate: u64,
    bursts: Option<Bursts>,
    /// Per endpoint its switch, and its port on it from bit 16 on.
    place: Vec<u32>,
}

impl<'a> Arrivals<'a> {
    /// `load` flits per cycle and endpoint in packets of `packet`; `place` per endpoint its switch, and from bit 16 on its
    /// port there.
    pub fn new(traffic: &'a Traffic, load: f64, packet: u32, place: Vec<u32>) -> Self {
        let bursts = traffic.burst.map(|length| Bursts::new(length, load));
        let load = if bursts.is_some() { 1.0 } else { load };
        let rate = (load * 4_294_967_296.0 / f64::from(packet)).round() as u64;
        Self { traffic, rate, bursts, place }
    }

    /// Draws whether `endpoint` creates a packet in one cycle, and its destination's place.
    #[inline]
    pub fn draw(&self, endpoint: u32, state: &mut State, generator: &mut Generator) -> Option<u32> {
        if self.bursts.is_some_and(|bursts| !bursts.step(state, generator)) {
            return None;
        }
        let bits = generator.draw();
        let arrives = bits & 0xffff_ffff < self.rate;
        arrives.then(|| self.place[self.traffic.draw(endpoint, bits >> 32) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_follow_the_pattern() {
        let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
        let mut generator = Generator::new(1, 0);
        let mut seen = |traffic: &Traffic, from| {
            let mut seen = [0u32; 8];
            (0..8000).for_each(|_| seen[traffic.draw(from, generator.draw() >> 32) as usize] += 1);
            seen
        };
        let uniform = seen(&Traffic::new(&fabric, "uniform", 0).unwrap(), 3);
        assert!(uniform.iter().all(|&count| (850..1150).contains(&count)), "{uniform:?}");
        let others = seen(&Traffic::new(&fabric, "uniform:self=no", 0).unwrap(), 3);
        assert_eq!(others[3], 0);
        assert!(others.iter().filter(|&&count| (980..1300).contains(&count)).count() == 7, "{others:?}");
        // An eighth of the 4000 others, and half of all to the two hot ones.
        let hot = seen(&Traffic::new(&fabric, "hot-spot:share=0.5,endpoints=2", 0).unwrap(), 3);
        assert!(hot.iter().all(|&count| (400..600).contains(&count) || (2300..2700).contains(&count)), "{hot:?}");
        assert_eq!(hot.iter().filter(|&&count| count > 1000).count(), 2);
        let all = seen(&Traffic::new(&fabric, "hot-spot:share=1", 0).unwrap(), 3);
        assert_eq!(all.iter().filter(|&&count| count == 8000).count(), 1, "{all:?}");
        let shift = Traffic::new(&fabric, "off-diagonal:offset=2", 0).unwrap();
        assert_eq!(seen(&shift, 7), [0, 8000, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn workloads_that_do_not_fit_are_refused() {
        let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
        let mut workload = Workload::default();
        assert!(Traffic::of(&fabric, &workload).unwrap_err().to_string().contains("no messages"));
        workload.push(3, 3, 1, 0);
        assert!(Traffic::of(&fabric, &workload).unwrap_err().to_string().contains("only messages to oneself"));
        workload.push(1, 2, 1, 0);
        let traffic = Traffic::of(&fabric, &workload).unwrap();
        assert_eq!((traffic.num_senders(), traffic.to_oneself()), (1, 1));
        assert!(traffic.sends(1) && !traffic.sends(3));
        workload.push(0, 8, 1, 0);
        let error = Traffic::of(&fabric, &workload).unwrap_err().to_string();
        assert!(error.contains("from endpoint 0 to 8; legal: below 8"), "{error}");
        let error = Traffic::new(&fabric, "hot-spot:endpoints=9", 0).unwrap_err().to_string();
        assert!(error.contains("endpoints=9") && error.ends_with("legal: 1 to 8"), "{error}");
        assert!(Traffic::new(&fabric, "unifrom", 0).unwrap_err().to_string().contains("unifrom"));
    }
}
