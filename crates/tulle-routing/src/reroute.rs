//! After failures: new paths for the changed fabric that leave as much as possible as it was.
//!
//! Entries of tables and paths of path sets that still lead on stay; the others are made anew. Recomputing a scheme from
//! nothing would be better balanced and touch nearly everything; here switches keep working tables while few entries are
//! loaded.

mod column;
mod lineage;
mod paths;
mod tables;

use tulle_fabric::Fabric;

use crate::deadlock::{Certificate, VcPlan, acyclic, deadlock_free};
use crate::{Error, Routes, Routing};
pub(crate) use lineage::Lineage;

/// A routing after failures.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerouted {
    /// The routing over the damaged fabric, in its numbering.
    pub routing: Routing,
    /// Its plan, by the scheme of the plan before, proved anew.
    pub plan: Option<VcPlan>,
    /// Table entries (switch and other switch as destination, per layer), or paths of the path set before, between
    /// switches that are left.
    pub entries: usize,
    /// How many of them are not as before: entries with another set of ports, paths that are gone.
    pub touched: usize,
    /// How many of them had to change, whatever the others do: they used a channel that is gone.
    pub broken: usize,
    /// Paths of the path set that are new; 0 for tables.
    pub added: usize,
}

/// Routes `damaged`, which came from `fabric` by [`Fabric::without`], touching as little of `routing` as possible.
///
/// Tables: a group keeps the ports it has left. An entry without any takes the neighbour with the fewest hops to the
/// destination among those whose packets all get there; only where no such neighbour exists are entries turned that lead
/// through it, along the fewest switches. Path sets: paths that are left stay; a pair without any gets a shortest one.
/// Where `routing` is free of deadlock on one virtual channel, new hops and paths are such that old and new paths together
/// stay so, where there are any such (see [`crate::deadlock::acyclic_together`]).
///
/// With `plan`, its scheme proves the new routing free of deadlock; where that scheme repairs the routing (`colouring`),
/// what it changes counts as touched.
///
/// # Errors
/// A fabric that did not come from `fabric`, a routing of another, two switches that are cut apart, or a new routing that
/// the plan's scheme cannot make free of deadlock.
pub fn reroute(fabric: &Fabric, routing: &Routing, plan: Option<&VcPlan>, damaged: &Fabric) -> Result<Rerouted, Error> {
    let lineage = Lineage::of(fabric, damaged)?;
    if routing.num_switches() != fabric.num_switches() {
        return Err(crate::Flaw::Size { routing: routing.num_switches(), fabric: fabric.num_switches() }.into());
    }
    let certificate = acyclic(fabric, routing)?.ok();
    let places = Places::of(fabric, damaged, &lineage, certificate.as_ref());
    let routes = match routing.routes() {
        Routes::Layers(layers) => {
            Routes::Layers(layers.iter().map(|table| tables::rerouted(&places, table)).collect::<Result<_, _>>()?)
        }
        Routes::Paths(set) => Routes::Paths(paths::rerouted(&places, set)?),
    };
    let mut rerouted = Routing::new(routing.spec().to_owned(), routes);
    let plan = match plan {
        None => None,
        Some(plan) => {
            let (plan, repaired) = deadlock_free(damaged, &rerouted, plan.spec())?;
            rerouted = repaired.unwrap_or(rerouted);
            Some(plan)
        }
    };
    let mut counts = Counts::default();
    match (routing.routes(), rerouted.routes()) {
        (Routes::Layers(old), Routes::Layers(new)) => {
            old.iter().zip(new).for_each(|(old, new)| tables::compare(&places, old, new, &mut counts));
        }
        (Routes::Paths(old), Routes::Paths(new)) => paths::compare(&places, old, new, &mut counts),
        _ => unreachable!("a routing keeps its form"),
    }
    let Counts { entries, touched, broken, added } = counts;
    Ok(Rerouted { routing: rerouted, plan, entries, touched, broken, added })
}

/// What changed.
#[derive(Debug, Default)]
struct Counts {
    entries: usize,
    touched: usize,
    broken: usize,
    added: usize,
}

/// Both fabrics, and what leads from one to the other.
struct Places<'a> {
    old: &'a Fabric,
    new: &'a Fabric,
    lineage: &'a Lineage,
    /// Per channel of the new fabric its place in an order that all old paths follow; empty where there is none.
    order: Vec<u32>,
}

impl<'a> Places<'a> {
    fn of(old: &'a Fabric, new: &'a Fabric, lineage: &'a Lineage, certificate: Option<&Certificate>) -> Self {
        let order = certificate.map_or(Vec::new(), |certificate| {
            // Channels of one rank do not depend on each other: any order among them will do.
            let mut channels: Vec<u32> = (0..new.num_channels() as u32).collect();
            channels.sort_by_key(|&channel| certificate.rank(lineage.old_channel(channel), 0));
            let mut order = vec![0; channels.len()];
            channels.iter().enumerate().for_each(|(at, &channel)| order[channel as usize] = at as u32);
            order
        });
        Self { old, new, lineage, order }
    }

    /// Whether a path may go on from channel `before` into `channel` for all the order says; always, where there is none.
    fn rises(&self, before: u32, channel: u32) -> bool {
        self.order.is_empty() || self.order[before as usize] < self.order[channel as usize]
    }

    /// The port of the damaged fabric's `switch` that was `port` of the switch before; `None` where it is gone.
    fn port(&self, switch: u32, port: u16) -> Option<u16> {
        let old = self.old.offsets()[self.lineage.old_switch(switch) as usize] + u32::from(port);
        let new = self.lineage.new_channel(old)?;
        Some((new - self.new.offsets()[switch as usize]) as u16)
    }

    /// The ports of `old` that are left at the damaged fabric's `switch`, ascending as they were.
    fn ports<'b>(&'b self, switch: u32, old: &'b [u16]) -> impl Iterator<Item = u16> + 'b {
        old.iter().filter_map(move |&port| self.port(switch, port))
    }

    /// The error for switches of the damaged fabric that are cut apart.
    fn apart(&self, source: u32, destination: u32) -> Error {
        Error::Fabric {
            scheme: "reroute".to_owned(),
            problem: format!(
                "switch {} has no path to {} any more",
                self.new.label(source),
                self.new.label(destination)
            ),
            legal: "legal: faults that leave the fabric connected".to_owned(),
        }
    }
}
