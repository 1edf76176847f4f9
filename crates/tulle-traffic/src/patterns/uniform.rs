//! Uniform random traffic with Poisson arrivals.

use rand::RngExt;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Arrivals;
use crate::sizes::Sizes;
use crate::{Error, Workload};

plugin! {
    pub struct Uniform {
        /// rate λ of Poisson arrivals per endpoint and second
        rate "arrivals": f64 = positive(), default "300";
        /// end of the arrivals: messages start before this time
        duration: u64 = duration_of(1, tulle_spec::MAX_QUANTITY), default "10ms";
        sizes: Sizes;
    }
    name: "uniform",
    summary: "every endpoint sends messages to uniformly random endpoints at Poisson times",
    paper: "FatPaths §II-C (random uniform), §VII-A4 (Poisson arrivals, λ = 300 per endpoint and second)",
    limitations: "Open loop: a message starts at its arrival time, regardless of the number of messages in flight.",
    examples: ["uniform:arrivals=10000,duration=1ms,bytes=64KiB", "uniform:arrivals=2000,duration=2ms,sizes=websearch"],
    rejects: [
        ("uniform:arrivals=0", "arrivals=0 is not a positive number"),
        ("uniform:duration=5", "duration=5 has no unit"),
        ("uniform:duration=0", "duration=0 is out of range"),
        ("uniform:bytes=1KB,sizes=websearch", "exclude each other"),
        ("uniform:sizes=pareto", "legal: fixed, websearch; or cdf=FILE"),
        ("uniform:bytes=1KB,cdf=sizes.csv", "bytes=1KB, cdf=sizes.csv exclude each other"),
        ("uniform:sizes=fixed,cdf=sizes.csv", "sizes=fixed, cdf=sizes.csv exclude each other"),
        ("uniform:cdf=absent.csv", "absent.csv: "),
        ("uniform:cdf=pair.csv", "pair.csv:1: 'source,destination,bytes,start' is not a size and a share"),
        ("uniform:arrivals=1e15,duration=100s", "messages are too many"),
    ],
}

impl Pattern for Uniform {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let arrivals = Arrivals { rate: self.rate, duration: self.duration };
        arrivals.check(Uniform::INFO.name, endpoints)?;
        let sizes = self.sizes.load()?;
        let mut messages = Vec::new();
        for source in 0..endpoints as u32 {
            // Each endpoint has its own random stream, so its messages do not depend on the other endpoints.
            let mut rng = stream(seed, "traffic/uniform", u64::from(source));
            arrivals.draw(&mut rng, |time, rng| {
                let other = rng.random_range(0..endpoints as u32 - 1);
                let destination = other + u32::from(other >= source);
                messages.push((time, source, destination, sizes.draw(rng)));
            });
        }
        messages.sort_unstable();
        let mut workload = Workload::default();
        for (start, source, destination, bytes) in messages {
            workload.push(source, destination, bytes, start);
        }
        Ok(workload)
    }
}
