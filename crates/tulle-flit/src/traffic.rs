//! Where the packets of every endpoint go.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters};
use tulle_traffic::Workload;

use crate::Error;
use crate::flit::{Generator, scale};

/// Destinations, from which every packet draws its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Traffic {
    spec: String,
    endpoints: usize,
    pattern: Pattern,
}

#[derive(Debug, Clone, PartialEq)]
enum Pattern {
    /// Any endpoint, the source itself included or not.
    Uniform { to_self: bool },
    /// Those of a workload: per endpoint its first, one entry more than endpoints; and their list.
    Listed { first: Vec<u32>, to: Vec<u32> },
}

/// What uniform traffic says of itself.
pub static UNIFORM: Info = Info {
    name: "uniform",
    summary: "every packet to an endpoint drawn at random",
    parameters: &[Parameter {
        name: "self",
        legal: "yes or no",
        default: "yes",
        help: "whether an endpoint sends to itself, too, over its switch",
    }],
    nested: false,
    paper: "diameter-two §4.3 (global uniform); Jellyfish §IV (random-uniform)",
    limitations: "Bernoulli arrivals of packets of one size; for messages of other sizes there is the packet simulator.",
    examples: &["uniform", "uniform:self=no"],
    rejects: &[("uniform:self=maybe", "self=maybe is not a choice"), ("uniform:load=1", "unknown parameter 'load=1'")],
};

impl Traffic {
    /// The traffic of `spec` among the endpoints of `fabric`: `uniform`, or the destinations of any pattern of
    /// tulle-traffic (`permutation`, `off-diagonal:offset=N` for shifts, `random:destinations=X`, `worst-case`,
    /// `longest-matching`, …), each drawn as often as it is in the workload.
    ///
    /// # Errors
    /// An unknown name or parameter, an illegal value, or a fabric that the pattern does not fit.
    pub fn new(fabric: &Fabric, spec: &str, seed: u64) -> Result<Self, Error> {
        if Arguments::name(spec)? != UNIFORM.name {
            return Self::of(fabric, &tulle_traffic::build(fabric, spec, seed)?);
        }
        let arguments = Arguments::parse(&UNIFORM, spec)?;
        let to_self = arguments.word("self", &["yes", "no"])? != Some("no");
        let spec = Parameters::new().word("self", if to_self { "yes" } else { "no" }).spec(UNIFORM.name);
        let endpoints = fabric.num_endpoints();
        if endpoints < 2 {
            return Err(Error::shape(format!("{} has {endpoints} endpoints", fabric.spec()), "2 or more"));
        }
        Ok(Self { spec, endpoints, pattern: Pattern::Uniform { to_self } })
    }

    /// Every endpoint sends to the destinations of its messages in `workload`, a destination of several messages so many
    /// times as often. Endpoints without a message rest. Bytes, starts and dependencies do not matter.
    ///
    /// # Errors
    /// A message of an endpoint that is not there, or no message at all.
    pub fn of(fabric: &Fabric, workload: &Workload) -> Result<Self, Error> {
        let endpoints = fabric.num_endpoints();
        let ends = workload.source.iter().zip(&workload.destination);
        let mut lists = vec![Vec::new(); endpoints];
        for (&from, &to) in ends {
            let (source, destination) = (from as usize, to as usize);
            if source >= endpoints || destination >= endpoints {
                let problem = format!("a message from endpoint {from} to {to}");
                return Err(Error::shape(problem, format!("below {endpoints}, the endpoints of {}", fabric.spec())));
            }
            lists[source].push(to);
        }
        if workload.is_empty() {
            return Err(Error::shape(format!("{} has no messages", workload.spec), "at least one"));
        }
        let mut first = vec![0u32];
        let mut to = Vec::with_capacity(workload.len());
        for mut list in lists {
            list.sort_unstable();
            to.append(&mut list);
            first.push(to.len() as u32);
        }
        Ok(Self { spec: workload.spec.clone(), endpoints, pattern: Pattern::Listed { first, to } })
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
            Pattern::Uniform { .. } => self.endpoints,
            Pattern::Listed { first, .. } => first.windows(2).filter(|ends| ends[0] < ends[1]).count(),
        }
    }

    /// Whether `endpoint` sends.
    pub(crate) fn sends(&self, endpoint: u32) -> bool {
        match &self.pattern {
            Pattern::Uniform { .. } => true,
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
            Pattern::Listed { first, to } => {
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
    /// Packets per cycle and endpoint, as a fraction of 2³².
    pub rate: u64,
    /// Per endpoint its switch, and its port on it from bit 16 on.
    pub place: Vec<u32>,
}

impl Arrivals<'_> {
    /// Draws whether `endpoint` creates a packet in one cycle, and its destination's place.
    #[inline]
    pub fn draw(&self, endpoint: u32, generator: &mut Generator) -> Option<u32> {
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
        let fabric = tulle_fabric::build("clique:degree=3,p=2", 0).unwrap();
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
        let shift = Traffic::new(&fabric, "off-diagonal:offset=2", 0).unwrap();
        assert_eq!(seen(&shift, 7), [0, 8000, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn workloads_that_do_not_fit_are_refused() {
        let fabric = tulle_fabric::build("clique:degree=3,p=2", 0).unwrap();
        let mut workload = Workload::default();
        assert!(Traffic::of(&fabric, &workload).unwrap_err().to_string().contains("no messages"));
        workload.push(0, 8, 1, 0);
        let error = Traffic::of(&fabric, &workload).unwrap_err().to_string();
        assert!(error.contains("from endpoint 0 to 8; legal: below 8"), "{error}");
        assert!(Traffic::new(&fabric, "unifrom", 0).unwrap_err().to_string().contains("unifrom"));
    }
}
