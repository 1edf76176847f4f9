//! Local identifiers (LIDs): one LID per switch, and 2^LMC consecutive LIDs per adapter port.

use tulle_base::memory;
use tulle_fabric::{Fabric, Subnet};

use crate::Error;

/// The largest unicast LID. LIDs from 0xc000 on are for multicast.
pub const MOST_LIDS: u32 = 0xbfff;

/// The largest legal LMC.
const MOST_LMC: u8 = 7;

/// The port to which a LID belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// No port: the LID is not assigned.
    Nobody,
    /// The management port of a switch, given by the id of the switch.
    Switch(u32),
    /// An adapter port.
    Endpoint {
        /// The endpoint.
        endpoint: u32,
        /// The difference between the LID and the base LID of the adapter port.
        offset: u8,
    },
}

/// Which switch or adapter port has which LID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lids {
    lmc: u8,
    switches: Vec<u16>,
    endpoints: Vec<u16>,
    top: u16,
}

impl Lids {
    /// Returns the LIDs of `subnet` if all of them are valid with this LMC. Otherwise assigns new LIDs, from 1 on: first to the switches,
    /// then to the endpoints, in the order of their ids. Each base LID of an endpoint is a multiple of 2^LMC.
    ///
    /// # Errors
    /// Fails if the fabric has no endpoints, if the LMC is illegal, or if there are too few LIDs.
    pub fn new(fabric: &Fabric, subnet: &Subnet, lmc: u8) -> Result<Self, Error> {
        let (switches, endpoints) = (fabric.num_switches() as u64, fabric.num_endpoints() as u64);
        let spec = fabric.spec();
        if endpoints == 0 {
            return Err(Error::Input(format!(
                "{spec} has no endpoints that need LIDs; legal: one or more endpoints{}",
                fabric.endpoint_hint()
            )));
        }
        if lmc > MOST_LMC {
            return Err(Error::Input(format!("lmc={lmc} is out of range; legal: 0 to {MOST_LMC}")));
        }
        if let Some(kept) = Self::kept(subnet, lmc) {
            return Ok(kept);
        }
        let last = |lmc: u8| ((switches >> lmc) + 1 + endpoints) * (1 << lmc) - 1;
        if last(lmc) > u64::from(MOST_LIDS) {
            let fits = (0..lmc).rev().find(|&lmc| last(lmc) <= u64::from(MOST_LIDS));
            let fits = fits.map_or(String::new(), |lmc| format!(", for example with lmc={lmc}"));
            return Err(Error::Input(format!(
                "{spec} with lmc={lmc}: {switches} switches and {endpoints} adapter ports of {} LIDs each need LIDs up \
                 to {}; legal: at most {MOST_LIDS}{fits}",
                1u32 << lmc,
                last(lmc)
            )));
        }
        let base = |endpoint: u64| (((switches >> lmc) + 1 + endpoint) << lmc) as u16;
        Ok(Self {
            lmc,
            switches: (1..=switches as u16).collect(),
            endpoints: (0..endpoints).map(base).collect(),
            top: last(lmc) as u16,
        })
    }

    /// Returns the known LIDs of the subnet if all of them are legal.
    fn kept(subnet: &Subnet, lmc: u8) -> Option<Self> {
        if subnet.endpoints.iter().any(|address| address.lmc != lmc) {
            return None;
        }
        let mut taken = vec![false; MOST_LIDS as usize + 1];
        let mut top = 0;
        let switches = subnet.switches.iter().map(|address| (address.lid, 1));
        for (lid, count) in switches.chain(subnet.endpoints.iter().map(|address| (address.lid, 1u32 << lmc))) {
            let last = u32::from(lid) + count - 1;
            if lid == 0 || u32::from(lid) % count != 0 || last > MOST_LIDS {
                return None;
            }
            let range = &mut taken[usize::from(lid)..=last as usize];
            if range.iter().any(|&taken| taken) {
                return None;
            }
            range.fill(true);
            top = top.max(last as u16);
        }
        let of = |addresses: &[tulle_fabric::Address]| addresses.iter().map(|address| address.lid).collect();
        Some(Self { lmc, switches: of(&subnet.switches), endpoints: of(&subnet.endpoints), top })
    }

    /// Returns the LMC: every adapter port has 2^LMC LIDs.
    pub fn lmc(&self) -> u8 {
        self.lmc
    }

    /// Returns, for each switch, its LID.
    pub fn switches(&self) -> &[u16] {
        &self.switches
    }

    /// Returns, for each endpoint, its base LID.
    pub fn endpoints(&self) -> &[u16] {
        &self.endpoints
    }

    /// Returns the largest assigned LID.
    pub fn top(&self) -> u16 {
        self.top
    }

    /// Returns the port of each LID, from LID 0 to the largest assigned LID.
    pub fn owners(&self) -> Vec<Owner> {
        let mut owners = memory::array("assigned LIDs", Owner::Nobody, usize::from(self.top) + 1);
        for (switch, &lid) in (0..).zip(&self.switches) {
            owners[usize::from(lid)] = Owner::Switch(switch);
        }
        for (endpoint, &lid) in (0..).zip(&self.endpoints) {
            for offset in 0..1u8 << self.lmc {
                owners[usize::from(lid) + usize::from(offset)] = Owner::Endpoint { endpoint, offset };
            }
        }
        owners
    }
}

#[cfg(test)]
mod tests;
