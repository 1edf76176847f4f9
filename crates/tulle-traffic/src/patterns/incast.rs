//! Incast: many endpoints send to one endpoint.

use rand::seq::index::sample;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Workload};

plugin! {
    pub struct Incast {
        flows: Flows;
        /// number of endpoints that send to each receiver
        senders: Option<u64> = integer(1, u32::MAX as u64), note "below the number of endpoints", or "all except the receiver";
        /// number of receiving endpoints
        receivers: u64 = integer(1, u32::MAX as u64), note "at most the number of endpoints", default "1";
    }
    name: "incast",
    summary: "many random senders send to one receiver at the same time; there can be several random receivers",
    paper: "FatPaths §VIII-A; Handley et al., NDP, SIGCOMM 2017 §6 (incast)",
    limitations: "Senders are selected independently for each receiver, so an endpoint may send to several receivers.",
    examples: ["incast:bytes=64KiB", "incast:senders=1,receivers=2"],
    rejects: [("incast:senders=0", "senders=0 is out of range"), ("incast:receivers=0", "receivers=0 is out of range")],
}

impl Pattern for Incast {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let endpoints = fabric.num_endpoints();
        let senders = self.senders.unwrap_or(endpoints as u64 - 1);
        for (name, value, most) in [("senders", senders, endpoints - 1), ("receivers", self.receivers, endpoints)] {
            if value > most as u64 {
                let problem = format!("{name}={value} is out of range on {}", fabric.spec());
                return Err(Error::misfit(Incast::INFO.name, problem, format!("1 to {most}")));
            }
        }
        self.flows.check(Incast::INFO.name, senders * self.receivers)?;
        let receivers = sample(&mut stream(seed, "traffic/incast", 0), endpoints, self.receivers as usize);
        let mut pairs = Vec::new();
        for (number, receiver) in (1..).zip(receivers) {
            let others = sample(&mut stream(seed, "traffic/incast", number), endpoints - 1, senders as usize);
            pairs.extend(others.iter().map(|other| ((other + usize::from(other >= receiver)) as u32, receiver as u32)));
        }
        pairs.sort_unstable();
        self.flows.send(Incast::INFO.name, &pairs, seed)
    }
}
