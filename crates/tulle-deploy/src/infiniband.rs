//! InfiniBand: LIDs, linear forwarding tables, SL-to-VL tables, and the service level of every path.
//!
//! Packets to LID number l of an adapter port use layer l (modulo the number of layers) of the routing (Blach et al., NSDI24, §5.1),
//! because switches forward packets only by destination LID. Path records contain the service levels of the plan. From a packet's service
//! level, input port and output port, the SL-to-VL tables give the virtual channel of the plan (InfiniBand Architecture Specification,
//! volume 1, §7.6.6).

mod changes;
mod check;
mod forwarding;
mod lanes;
mod lids;
mod text;

use std::sync::Arc;

use tulle_deadlock::VcPlan;
use tulle_fabric::{Fabric, Subnet};
use tulle_routing::Routing;

pub use changes::{Change, changes};
pub use check::Walked;
pub use forwarding::{Before, NO_PORT, Tables};
pub use lanes::{DATA_VLS, Lanes, SERVICE_LEVELS};
pub use lids::{Lids, MOST_LIDS, Owner};
pub use text::{read_lfts, write_lfts, write_sl2vl};

use crate::Error;

/// The inputs of a deployment.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The fabric.
    pub fabric: Arc<Fabric>,
    /// The routing.
    pub routing: Arc<Routing>,
    /// The plan of virtual channels for the routing.
    pub plan: Arc<VcPlan>,
}

/// The complete configuration of a subnet for one routing and its plan of virtual channels.
#[derive(Debug)]
pub struct Deployment {
    pub(crate) parts: Parts,
    pub(crate) subnet: Subnet,
    pub(crate) lids: Lids,
    pub(crate) lanes: Lanes,
    pub(crate) tables: Tables,
}

impl Deployment {
    /// Returns the deployment of `parts` on adapter ports with 2^`lmc` LIDs and switch ports with `vls` data VLs.
    ///
    /// # Errors
    /// Fails if the fabric has no endpoints, a port number that InfiniBand does not allow, or duplicate GUIDs. Fails if the routing has
    /// explicit paths or more layers than an adapter port has LIDs, or if more LIDs are needed than exist. Also fails if SL-to-VL tables or
    /// `vls` data VLs cannot represent the plan.
    pub fn new(parts: Parts, lmc: u8, vls: u8) -> Result<Self, Error> {
        Self::after(parts, lmc, vls, None)
    }

    /// Like [`Deployment::new`]. But if the routing gives a switch several ports for a LID, and the tables `before` use one of them, this
    /// port stays.
    ///
    /// # Errors
    /// Fails under the same conditions as [`Deployment::new`].
    pub fn after(parts: Parts, lmc: u8, vls: u8, before: Option<Before<'_>>) -> Result<Self, Error> {
        let Parts { fabric, routing, plan } = &parts;
        let subnet = Subnet::of(fabric);
        if let Some(problem) = subnet.refuses(fabric).or_else(|| same_port_guid(&subnet)) {
            return Err(Error::Input(problem));
        }
        forwarding::fits(routing, lmc)?;
        let lids = Lids::new(fabric, &subnet, lmc)?;
        let lanes = Lanes::of(fabric, routing, plan, vls)?;
        let tables = Tables::of(fabric, &subnet, routing, &lids, before)?;
        Ok(Self { parts, subnet, lids, lanes, tables })
    }

    /// Returns the fabric with the GUIDs, LIDs and port numbers of this deployment.
    pub fn addressed(&self) -> Fabric {
        let mut subnet = self.subnet.clone();
        for (address, &lid) in subnet.switches.iter_mut().zip(self.lids.switches()) {
            (address.lid, address.lmc) = (lid, 0);
        }
        for (address, &lid) in subnet.endpoints.iter_mut().zip(self.lids.endpoints()) {
            (address.lid, address.lmc) = (lid, self.lids.lmc());
        }
        self.parts.fabric.in_subnet(&subnet)
    }

    /// Returns the fabric, the routing and the plan of the deployment.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the GUIDs and port numbers.
    pub fn subnet(&self) -> &Subnet {
        &self.subnet
    }

    /// Returns which switch or adapter port has which LID.
    pub fn lids(&self) -> &Lids {
        &self.lids
    }

    /// The virtual lanes.
    pub fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    /// The forwarding tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Returns the service level of packets from the endpoints of `switch`, or from the switch itself, to a LID of the port `owner`.
    pub fn sl(&self, switch: u32, owner: Owner) -> u8 {
        let (layer, destination) = match owner {
            Owner::Nobody => return 0,
            Owner::Switch(destination) => (0, destination),
            Owner::Endpoint { endpoint, offset } => {
                (self.layer(offset), self.parts.fabric.endpoint_switch()[endpoint as usize])
            }
        };
        if destination == switch { 0 } else { self.parts.plan.sl(layer, switch, destination) }
    }

    /// Returns the layer of packets to the LID that is `offset` above an adapter port's base LID.
    pub fn layer(&self, offset: u8) -> u32 {
        u32::from(offset) % self.parts.routing.num_layers() as u32
    }
}

/// Returns an error text if two ports have the same GUID.
fn same_port_guid(subnet: &Subnet) -> Option<String> {
    let mut guids: Vec<u64> =
        subnet.switches.iter().chain(&subnet.endpoints).map(|address| address.port_guid).collect();
    guids.sort_unstable();
    let twice = guids.windows(2).find(|pair| pair[0] == pair[1])?[0];
    Some(format!("two ports have the GUID 0x{twice:016x}; legal: GUIDs that differ"))
}
