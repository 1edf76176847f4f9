//! Verifies the tables to load: follows every path, using only the tables, as switches do.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use tulle_base::acyclic::{self, Successors};
use tulle_base::{memory, task};
use tulle_fabric::Fabric;

use super::{Deployment, NO_PORT, Owner};
use crate::Error;

/// The result of following every path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked {
    /// Number of paths: one from every switch with endpoints to every LID of an adapter port at a different switch.
    pub paths: u64,
    /// Per layer and number of hops, the number of pairs (switch with endpoints, endpoint) whose path in this layer has this number of
    /// hops.
    pub hops: Vec<Vec<u64>>,
    /// Number of channel dependencies, each from a pair (channel, VL) to another pair (channel, VL). These dependencies have no cycle.
    pub dependencies: u64,
}

/// Dependencies from a pair (channel, VL) to a pair (channel, VL). A turn is a pair of consecutive channels. There is one bit for each
/// combination of a turn, a VL before the turn, and a VL after the turn.
struct Dependencies<'a> {
    fabric: &'a Fabric,
    vls: usize,
    /// For each channel, the index of the first turn that begins with it.
    first: Vec<usize>,
    bits: Vec<AtomicU64>,
}

impl<'a> Dependencies<'a> {
    fn new(fabric: &'a Fabric, vls: usize) -> Self {
        let mut turns = 0;
        let first = fabric.targets().iter().map(|&at| {
            turns += fabric.degree(at);
            turns - fabric.degree(at)
        });
        let first = first.collect();
        let bits = (0..(turns * vls * vls).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { fabric, vls, first, bits }
    }

    fn bit(&self, before: (u32, u8), after: (u32, u8)) -> usize {
        let middle = self.fabric.targets()[before.0 as usize];
        let turn = self.first[before.0 as usize] + after.0 as usize - self.fabric.channels_of(middle).start;
        (turn * self.vls + usize::from(before.1)) * self.vls + usize::from(after.1)
    }

    fn add(&self, before: (u32, u8), after: (u32, u8)) {
        let bit = self.bit(before, after);
        let (word, mask) = (&self.bits[bit / 64], 1 << (bit % 64));
        // The code first reads the bit and sets it only if necessary. While threads only read, the caches of all cores can share the cache
        // line.
        if word.load(Ordering::Relaxed) & mask == 0 {
            word.fetch_or(mask, Ordering::Relaxed);
        }
    }

    fn has(&self, bit: usize) -> bool {
        self.bits[bit / 64].load(Ordering::Relaxed) & 1 << (bit % 64) != 0
    }

    fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }
}

impl Successors for Dependencies<'_> {
    fn num_nodes(&self) -> usize {
        self.fabric.num_channels() * self.vls
    }

    fn successors(&self, node: usize, mut visit: impl FnMut(usize)) {
        let before = ((node / self.vls) as u32, (node % self.vls) as u8);
        for channel in self.fabric.channels_of(self.fabric.targets()[before.0 as usize]) {
            for vl in 0..self.vls as u8 {
                if self.has(self.bit(before, (channel as u32, vl))) {
                    visit(channel * self.vls + usize::from(vl));
                }
            }
        }
    }
}

/// The result of following the paths from one source.
#[derive(Default)]
struct Found {
    paths: u64,
    hops: Vec<Vec<u64>>,
}

impl Deployment {
    /// Follows every path through the forwarding and SL-to-VL tables. Checks that the path reaches its LID over channels of the routing's
    /// layer and on the VLs of the plan, and that no deadlock is possible.
    ///
    /// # Errors
    /// Returns the first wrong path, by source and LID; or a cycle of channel dependencies.
    pub fn walk(&self) -> Result<Walked, Error> {
        let fabric = &*self.parts.fabric;
        let vls = usize::from(self.lanes.vls());
        let turns: usize = fabric.targets().iter().map(|&at| fabric.degree(at)).sum();
        memory::require(|| "channel dependencies".to_owned(), (turns * vls * vls / 8) as u64)?;
        let dependencies = Dependencies::new(fabric, vls);
        let channel_at = self.channels_by_port();
        let owners = self.lids.owners();
        let sources = fabric.endpoint_switches();
        let walk = |&source: &u32| -> Result<Found, Error> {
            task::check();
            let mut found = Found { paths: 0, hops: vec![Vec::new(); self.parts.routing.num_layers()] };
            for (lid, &owner) in owners.iter().enumerate() {
                let Owner::Endpoint { endpoint, offset } = owner else { continue };
                let destination = fabric.endpoint_switch()[endpoint as usize];
                if destination == source {
                    continue;
                }
                let hops = self.walk_one(source, lid, owner, &channel_at, &dependencies)?;
                found.paths += 1;
                if usize::from(offset) < self.parts.routing.num_layers() {
                    let counts = &mut found.hops[usize::from(offset)];
                    counts.resize(counts.len().max(hops + 1), 0);
                    counts[hops] += 1;
                }
            }
            Ok(found)
        };
        let found: Vec<Found> =
            sources.par_iter().map(walk).collect::<Vec<_>>().into_iter().collect::<Result<_, _>>()?;
        if let Some(cycle) = acyclic::cycle(&dependencies) {
            let name = |node: &usize| {
                let channel = node / vls;
                format!("{} on VL {}", fabric.label(fabric.sources()[channel]), node % vls)
            };
            let names: Vec<String> = cycle.iter().map(name).collect();
            return Err(Error::Wrong(format!("the tables can deadlock: {} wait in a cycle", names.join(", "))));
        }
        let mut all = Found { paths: 0, hops: vec![Vec::new(); self.parts.routing.num_layers()] };
        for one in found {
            all.paths += one.paths;
            for (counts, more) in all.hops.iter_mut().zip(one.hops) {
                counts.resize(counts.len().max(more.len()), 0);
                counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
        }
        Ok(Walked { paths: all.paths, hops: all.hops, dependencies: dependencies.count() })
    }

    /// Returns the channel of each switch port; `u32::MAX` if the port has no channel.
    fn channels_by_port(&self) -> Vec<[u32; 256]> {
        let mut channel_at = vec![[u32::MAX; 256]; self.parts.fabric.num_switches()];
        for (channel, (&switch, &port)) in (0..).zip(self.parts.fabric.sources().iter().zip(&self.subnet.ports)) {
            channel_at[switch as usize][port as usize] = channel;
        }
        channel_at
    }

    /// Follows the path from `source` to `lid`, which must belong to an endpoint at another switch. Returns the number of hops.
    fn walk_one(
        &self,
        source: u32,
        lid: usize,
        owner: Owner,
        channel_at: &[[u32; 256]],
        dependencies: &Dependencies<'_>,
    ) -> Result<usize, Error> {
        let Owner::Endpoint { endpoint, offset } = owner else { unreachable!("only endpoints are walked to") };
        let (fabric, layer) = (&*self.parts.fabric, self.layer(offset));
        let destination = fabric.endpoint_switch()[endpoint as usize];
        let table = &self.parts.routing.layers()[layer as usize];
        let sl = self.sl(source, owner);
        let wrong = |at: u32, what: &str| {
            let [from, at] = [source, at].map(|switch| fabric.label(switch));
            Error::Wrong(format!("from switch {from} to LID {lid}: at switch {at} {what}"))
        };
        let (mut at, mut hop, mut before) = (source, 0, None);
        while at != destination {
            let port = self.tables.row(at)[lid];
            let channel = channel_at[at as usize][usize::from(port)];
            if port == NO_PORT {
                return Err(wrong(at, "the table has no port for the LID"));
            }
            if channel == u32::MAX {
                return Err(wrong(at, &format!("port {port} does not lead to another switch")));
            }
            let place = channel - fabric.offsets()[at as usize];
            if !table.next(at, destination).contains(&(place as u16)) {
                return Err(wrong(at, &format!("port {port} is not a next hop of layer {layer}")));
            }
            let vl = self.lanes.row(at, hop == 0)[usize::from(sl)];
            if vl != self.parts.plan.vc(layer, source, destination, hop, at) {
                return Err(wrong(at, &format!("SL {sl} gets VL {vl}, which differs from the plan")));
            }
            if let Some(before) = before {
                dependencies.add(before, (channel, vl));
            }
            before = Some((channel, vl));
            at = fabric.targets()[channel as usize];
            hop += 1;
            if hop > fabric.num_switches() {
                return Err(wrong(at, "packets loop for ever"));
            }
        }
        match self.tables.row(at)[lid] {
            port if port == self.subnet.endpoint_ports[endpoint as usize] as u8 => Ok(hop),
            NO_PORT => Err(wrong(at, "the table has no port for the LID")),
            port => Err(wrong(at, &format!("port {port} does not lead to the adapter of the LID"))),
        }
    }
}

#[cfg(test)]
mod tests;
