//! Uniform random traffic with Poisson arrivals.

use rand::RngExt;
use tulle_fabric::Fabric;
use tulle_fabric::random::stream;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::sizes::Sizes;
use crate::{Error, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "uniform",
    summary: "every endpoint sends messages at Poisson times to endpoints drawn uniformly",
    parameters: &[
        Parameter { name: "arrivals", legal: "above 0", default: "300", help: "arrivals λ per endpoint and second" },
        Parameter { name: "duration", legal: "above 0", default: "10ms", help: "messages start before this time" },
        Sizes::PARAMETERS[0],
        Sizes::PARAMETERS[1],
    ],
    nested: false,
    paper: "FatPaths §II-C (random uniform), §VII-A4 (Poisson arrivals, λ = 300 per endpoint and second)",
    limitations: "Open loop: a message starts at its time however many are under way.",
    examples: &[
        "uniform:arrivals=10000,duration=1ms,bytes=64KiB",
        "uniform:arrivals=2000,duration=2ms,sizes=websearch",
    ],
    rejects: &[
        ("uniform:arrivals=0", "arrivals=0 is not a positive number"),
        ("uniform:duration=5", "duration=5 is not a duration"),
        ("uniform:duration=0", "duration=0 is out of range"),
        ("uniform:bytes=1KB,sizes=websearch", "exclude each other"),
        ("uniform:sizes=pareto", "legal: fixed, websearch"),
        ("uniform:arrivals=1e15,duration=100s", "messages are too many"),
    ],
};

struct Uniform {
    /// Arrivals per endpoint and second.
    arrivals: f64,
    /// Picoseconds.
    duration: u64,
    sizes: Sizes,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    let arrivals = arguments.positive("arrivals")?.unwrap_or(300.0);
    let duration = arguments.duration("duration")?.unwrap_or(10_000_000_000);
    if duration == 0 {
        return Err(arguments.bad("duration", 0, "is out of range", "legal: above 0"));
    }
    Ok(Box::new(Uniform { arrivals, duration, sizes: Sizes::read(arguments)? }))
}

impl Pattern for Uniform {
    fn parameters(&self) -> Parameters {
        let parameters =
            Parameters::new().real("arrivals", self.arrivals).word("duration", format!("{}ps", self.duration));
        match self.sizes {
            Sizes::Fixed(bytes) => parameters.integer("bytes", bytes),
            Sizes::WebSearch => parameters.word("sizes", "websearch"),
        }
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        const SECOND: f64 = 1e12;
        const MOST: f64 = (1u64 << 30) as f64;
        let endpoints = fabric.num_endpoints();
        let expected = self.arrivals * self.duration as f64 / SECOND * endpoints as f64;
        if expected > MOST {
            return Err(Error::Fabric {
                pattern: INFO.name.to_owned(),
                problem: format!("about {expected:.3e} messages are too many"),
                legal: format!("legal: arrivals · duration · endpoints up to {MOST:.3e}"),
            });
        }
        let mut messages = Vec::with_capacity(expected as usize);
        for source in 0..endpoints as u32 {
            // A stream per endpoint: its messages do not depend on how many others there are.
            let mut rng = stream(seed, "traffic/uniform", u64::from(source));
            let mut time = 0.0;
            loop {
                // 1 − u lies in (0, 1], so the logarithm is finite.
                time -= (1.0 - rng.random::<f64>()).ln() / self.arrivals * SECOND;
                if time >= self.duration as f64 {
                    break;
                }
                let other = rng.random_range(0..endpoints as u32 - 1);
                let destination = other + u32::from(other >= source);
                messages.push((time as u64, source, destination, self.sizes.draw(&mut rng)));
            }
        }
        messages.sort_unstable();
        let mut workload = Workload::default();
        for (start, source, destination, bytes) in messages {
            workload.push(source, destination, bytes, start);
        }
        Ok(workload)
    }
}
