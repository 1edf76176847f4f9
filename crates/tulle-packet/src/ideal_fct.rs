//! How long flows take where nothing else is sent.

use tulle_fabric::{Fabric, distances};

use crate::config::Link;
use crate::{Config, Error, Flows};

/// Per flow, the picoseconds that it takes alone over a shortest path, start to last acknowledgement, where no window holds it
/// back and no connection is opened: the closed form of the crate's documentation, with the last packet as short as it is.
///
/// `flows` are of a simulation of `fabric` with `config`.
///
/// # Errors
/// A number of `config` that is not legal, or a flow between switches more hops apart than distances are kept for.
pub fn ideal_fct(fabric: &Fabric, flows: &Flows, config: &Config) -> Result<Vec<u64>, Error> {
    let link = Link::new(config)?;
    let switch = |&endpoint: &u32| fabric.endpoint_switch()[endpoint as usize];
    let ends = flows.source.iter().map(switch).zip(flows.destination.iter().map(switch));
    let hops = distances::of_pairs(fabric, &ends.collect::<Vec<_>>());
    if let Some(flow) = hops.iter().position(|&hops| hops == distances::UNREACHED) {
        let problem = "its switches are too far apart to say how long it takes alone".to_owned();
        return Err(Error::Flow { flow, problem, legal: format!("legal: below {} hops", distances::UNREACHED) });
    }
    let time = |(&hops, &bytes): (&u8, &u64)| link.ideal_fct(u64::from(hops) + 2, bytes);
    Ok(hops.iter().zip(&flows.bytes).map(time).collect())
}

impl Link {
    /// The same for `bytes` of payload over so many links.
    fn ideal_fct(&self, links: u64, bytes: u64) -> u64 {
        let packets = bytes.div_ceil(self.payload());
        let (full, header) = (self.time(self.mtu), self.time(crate::packet::HEADER));
        let last = self.time((bytes - (packets - 1) * self.payload()) as u16 + crate::packet::HEADER);
        // The last packet is behind the full one before it at every link but the first.
        let arrived = match packets {
            1 => links * last,
            _ => (packets - 1 + links - 1) * full + last,
        };
        arrived + links * (2 * self.latency + header)
    }
}
