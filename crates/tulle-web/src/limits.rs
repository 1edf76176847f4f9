//! The limits of the playground. They keep the program within a browser's memory and most requests within seconds.

use tulle_fabric::Fabric;
use tulle_packet::{Config, HEADER};
use tulle_routing::Routing;
use tulle_traffic::Workload;

use crate::Error;

/// The maximum number of switches.
pub const MAX_SWITCHES: u64 = 2_000;
/// The maximum number of endpoints.
pub const MAX_ENDPOINTS: u64 = 50_000;
/// The maximum number of flows of a simulation.
pub const MAX_FLOWS: u64 = 200_000;
/// The maximum number of data packets of a simulation.
pub const MAX_PACKETS: u64 = 500_000;
/// The maximum number of entries of a routing: layers × switches².
pub const MAX_TABLE_ENTRIES: u64 = 80_000_000;

/// Refuses a number above its limit, for example `slimfly:q=43 has 3698 switches; legal: at most 2000 in the playground`.
pub fn at_most(what: &str, count: u64, noun: &str, most: u64) -> Result<(), Error> {
    if count <= most {
        return Ok(());
    }
    Err(format!("{what} has {count} {noun}; legal: at most {most} in the playground").into())
}

/// Refuses a routing whose tables are too large. Its number of layers is known only after it was built.
pub fn routing(fabric: &Fabric, routing: &Routing) -> Result<(), Error> {
    let switches = fabric.num_switches() as u64;
    let entries = routing.num_layers() as u64 * switches * switches;
    at_most(routing.spec(), entries, "table entries", MAX_TABLE_ENTRIES)
}

/// Refuses a workload that would be simulated for too long.
pub fn workload(workload: &Workload, config: &Config) -> Result<(), Error> {
    at_most(&workload.spec, workload.len() as u64, "flows", MAX_FLOWS)?;
    let payload = u64::from(config.mtu) - u64::from(HEADER);
    let packets = workload.bytes.iter().map(|bytes| bytes.div_ceil(payload)).fold(0, u64::saturating_add);
    at_most(&workload.spec, packets, "packets", MAX_PACKETS)
}
