//! Traffic: the destinations of the packets of every endpoint.

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
use kinds::{Kind, TrafficPlugin};

registry! {
    /// The traffic patterns that only this simulator has, in the order of `tulle list flit-traffics`.
    static TRAFFICS: Traffics("traffic") -> SpecError = Box<dyn TrafficPlugin>;
    mod uniform: Uniform;
    mod hot_spot: HotSpot;
    mod on_off: OnOff;
    #[cfg(test)]
    mod toy: Toy;
}

pub use kinds::{canonical_traffic, traffics};

/// A traffic pattern. It determines the random destination of every packet.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    spec: String,
    endpoints: usize,
    pattern: Pattern,
    /// Mean length of a burst in cycles; `None` if packets do not come in bursts.
    burst: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
enum Pattern {
    /// Packets go to all endpoints, including the source itself if `to_self`.
    Uniform { to_self: bool },
    /// A packet goes to a random endpoint of `hot` with probability `share` / 2³², otherwise to a random endpoint of
    /// the fabric.
    HotSpot { share: u64, hot: Vec<u32> },
    /// Packets go to the destinations of a workload. The destinations are in one list; endpoint i uses
    /// `to[first[i]..first[i + 1]]`.
    Listed { first: Vec<u32>, to: Vec<u32>, to_oneself: u64 },
}

impl Traffic {
    /// Creates the traffic `spec` among the endpoints of `fabric`. `spec` names one of [`traffics`] or any pattern of
    /// tulle-traffic (for example `permutation`, `off-diagonal:offset=N` for shifts, `random:destinations=X`,
    /// `worst-case` or `longest-matching`). A destination of such a pattern is chosen at random in proportion to its
    /// number of messages in the workload.
    ///
    /// # Errors
    /// Fails if a name or parameter is unknown, if a value is illegal, or if the pattern does not fit the fabric.
    pub fn new(fabric: &Fabric, spec: &str, seed: u64) -> Result<Self, Error> {
        let (kind, spec) = Kind::read(spec)?;
        let (burst, kind) = match kind {
            Kind::Bursts { length, of } => (Some(length), *of),
            kind => (None, kind),
        };
        let endpoints = fabric.num_endpoints();
        if endpoints < 2 && !matches!(kind, Kind::Workload(_)) {
            let legal = format!("2 or more{}", fabric.endpoint_hint());
            return Err(Error::shape(format!("{} has {endpoints} endpoints", fabric.spec()), legal));
        }
        let pattern = match kind {
            Kind::Uniform { to_self } => Pattern::Uniform { to_self },
            Kind::HotSpot { share, endpoints: hot } => {
                if hot as usize > endpoints {
                    let problem = format!("endpoints={hot} is more than the number of endpoints of {}", fabric.spec());
                    return Err(Error::shape(problem, format!("1 to {endpoints}")));
                }
                let mut rng = stream(seed, "flit/hot-spot", 0);
                let hot = sample(&mut rng, endpoints, hot as usize).iter().map(|endpoint| endpoint as u32).collect();
                // A fraction above 0 stays above 0: at least one in 2³² packets goes to the hot endpoints.
                Pattern::HotSpot { share: ((share * 4_294_967_296.0).round() as u64).max(1), hot }
            }
            Kind::Workload(of) => {
                let listed = Self::from_workload(fabric, &tulle_traffic::build(fabric, &of, seed)?)?;
                let spec = if burst.is_some() { spec } else { listed.spec };
                return Ok(Self { spec, burst, ..listed });
            }
            Kind::Bursts { .. } => unreachable!("the parser refuses bursts of bursts"),
        };
        Ok(Self { spec, endpoints, pattern, burst })
    }

    /// Creates a traffic from the messages of `workload`. Every endpoint sends to the destinations of its messages. The probability of a
    /// destination is proportional to its number of messages. Messages from an endpoint to itself (for example fixed points of a
    /// permutation) use no link. An endpoint that has only such messages does not send. Sizes, starts and dependencies are ignored.
    ///
    /// # Errors
    /// Fails if a message has an unknown endpoint, or if there is no message between two different endpoints.
    pub fn from_workload(fabric: &Fabric, workload: &Workload) -> Result<Self, Error> {
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
                return Err(Error::shape(
                    problem,
                    format!("below {endpoints}, the number of endpoints of {}", fabric.spec()),
                ));
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
            let problem = format!("{} has only messages from endpoints to themselves", workload.spec);
            return Err(Error::shape(problem, "at least one message between two different endpoints"));
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

    /// Returns the canonical spec.
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Returns the number of endpoints of the traffic's fabric.
    pub(crate) fn num_endpoints(&self) -> usize {
        self.endpoints
    }

    /// Returns the number of endpoints that send.
    pub fn num_senders(&self) -> usize {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => self.endpoints,
            Pattern::Listed { first, .. } => first.windows(2).filter(|ends| ends[0] < ends[1]).count(),
        }
    }

    /// Returns the number of the workload's messages from an endpoint to itself. No packets are sent for them.
    pub fn to_oneself(&self) -> u64 {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => 0,
            Pattern::Listed { to_oneself, .. } => *to_oneself,
        }
    }

    /// Returns whether `endpoint` sends.
    pub(crate) fn sends(&self, endpoint: u32) -> bool {
        match &self.pattern {
            Pattern::Uniform { .. } | Pattern::HotSpot { .. } => true,
            Pattern::Listed { first, .. } => first[endpoint as usize] < first[endpoint as usize + 1],
        }
    }

    /// Chooses the destination of a packet of `endpoint`, which must be an endpoint that sends; `bits` are 32 random
    /// bits.
    #[inline]
    pub(crate) fn draw(&self, endpoint: u32, bits: u64) -> u32 {
        match &self.pattern {
            Pattern::Uniform { to_self: true } => scale(bits, self.endpoints as u32),
            Pattern::Uniform { to_self: false } => {
                let other = scale(bits, self.endpoints as u32 - 1);
                other + u32::from(other >= endpoint)
            }
            // Values of `bits` below `share` are uniformly distributed, so the choice of the hot endpoint is uniform
            // too.
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

/// The random process by which endpoints create packets.
#[derive(Debug)]
pub(crate) struct Arrivals<'a> {
    pub traffic: &'a Traffic,
    /// Probability that an endpoint creates a packet in a cycle (with bursts: in a cycle of a burst), as a multiple of
    /// 2⁻³².
    rate: u64,
    bursts: Option<Bursts>,
    /// Per endpoint: its switch in the lower 16 bits, and its port on that switch in the upper bits.
    place: Vec<u32>,
}

impl<'a> Arrivals<'a> {
    /// Creates arrivals of `load` flits per cycle and endpoint, in packets of `packet` flits. `place` has the switch
    /// and port of every endpoint.
    pub fn new(traffic: &'a Traffic, load: f64, packet: u32, place: Vec<u32>) -> Self {
        let bursts = traffic.burst.map(|length| Bursts::new(length, load));
        let load = if bursts.is_some() { 1.0 } else { load };
        let rate = (load * 4_294_967_296.0 / f64::from(packet)).round() as u64;
        Self { traffic, rate, bursts, place }
    }

    /// Decides at random whether `endpoint` creates a packet in one cycle. Returns the switch and port of the packet's
    /// destination.
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
        // Half of the 8000 packets go to the two hot endpoints. The other 4000 are spread evenly over all eight
        // endpoints.
        let hot = seen(&Traffic::new(&fabric, "hot-spot:share=0.5,endpoints=2", 0).unwrap(), 3);
        assert!(hot.iter().all(|&count| (400..600).contains(&count) || (2300..2700).contains(&count)), "{hot:?}");
        assert_eq!(hot.iter().filter(|&&count| count > 1000).count(), 2);
        let all = seen(&Traffic::new(&fabric, "hot-spot:share=1", 0).unwrap(), 3);
        assert_eq!(all.iter().filter(|&&count| count == 8000).count(), 1, "{all:?}");
        let shift = Traffic::new(&fabric, "off-diagonal:offset=2", 0).unwrap();
        assert_eq!(seen(&shift, 7), [0, 8000, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn unfit_workloads_are_refused() {
        let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
        let mut workload = Workload::default();
        assert!(Traffic::from_workload(&fabric, &workload).unwrap_err().to_string().contains("no messages"));
        workload.push(3, 3, 1, 0);
        assert!(
            Traffic::from_workload(&fabric, &workload)
                .unwrap_err()
                .to_string()
                .contains("only messages from endpoints to themselves")
        );
        workload.push(1, 2, 1, 0);
        let traffic = Traffic::from_workload(&fabric, &workload).unwrap();
        assert_eq!((traffic.num_senders(), traffic.to_oneself()), (1, 1));
        assert!(traffic.sends(1) && !traffic.sends(3));
        workload.push(0, 8, 1, 0);
        let error = Traffic::from_workload(&fabric, &workload).unwrap_err().to_string();
        assert!(error.contains("from endpoint 0 to 8; legal: below 8"), "{error}");
        let error = Traffic::new(&fabric, "hot-spot:endpoints=9", 0).unwrap_err().to_string();
        assert!(error.contains("endpoints=9") && error.ends_with("legal: 1 to 8"), "{error}");
        assert!(Traffic::new(&fabric, "unifrom", 0).unwrap_err().to_string().contains("unifrom"));
    }
}
