//! After failures: new paths for the changed fabric that leave as much as possible as it was.
//!
//! Entries of tables and paths of path sets that still lead on stay; the others are made anew. Recomputing a scheme from
//! nothing would be better balanced and touch nearly everything; here switches keep working tables while few entries are
//! loaded.

mod column;
mod detour;
mod order;
mod paths;
mod stranded;
mod tables;

use tulle_fabric::Fabric;

use crate::deadlock::{VcPlan, deadlock_free};
use crate::lineage::Lineage;
use crate::{Error, Routes, Routing};
use order::Order;

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
    /// Pairs of a path set, ascending, that are without any path though the fabric joins them: those they could have wait
    /// for others in a circle, which the scheme of the plan cannot undo.
    pub left_out: Vec<[u32; 2]>,
}

/// Routes `damaged`, which came from `fabric` by [`Fabric::without`], touching as little of `routing` as possible.
///
/// Tables: a group keeps the ports it has left. An entry without any takes the neighbour with the fewest hops to the
/// destination among those whose packets all get there; only where no such neighbour exists are entries turned that lead
/// through it, along the fewest switches. Path sets: paths that are left stay; a pair without any gets a shortest one.
///
/// Where `routing` is free of deadlock on one virtual channel, new hops and paths are such that old and new paths together
/// stay so, where there are any such (see [`crate::deadlock::acyclic_together`]), and pairs of a path set get as many paths
/// as they had, as long as shortest ones are left that share no channel with the pair's others. Virtual up-down paths are
/// replaced by such (Flattened Clos §7.2). A pair for which there are none gets one that does not keep the order.
///
/// With `plan`, its scheme proves the new routing free of deadlock, or what of it is left without the pairs that got
/// a path out of order; where that scheme repairs the routing (`colouring`), what it changes counts as touched.
///
/// # Errors
/// A fabric that did not come from `fabric`, a routing of another, two switches that are cut apart, or a new routing that
/// the plan's scheme cannot make free of deadlock.
pub fn reroute(fabric: &Fabric, routing: &Routing, plan: Option<&VcPlan>, damaged: &Fabric) -> Result<Rerouted, Error> {
    let lineage = Lineage::of(fabric, damaged)?;
    if routing.num_switches() != fabric.num_switches() {
        return Err(crate::Flaw::Size { routing: routing.num_switches(), fabric: fabric.num_switches() }.into());
    }
    let order = Order::of(fabric, damaged, &lineage, routing)?;
    let places = Places { old: fabric, new: damaged, lineage: &lineage, order };
    let mut stranded = Vec::new();
    let routes = match routing.routes() {
        Routes::Layers(layers) => {
            Routes::Layers(layers.iter().map(|table| tables::rerouted(&places, table)).collect::<Result<_, _>>()?)
        }
        Routes::Paths(set) => {
            let mended = paths::rerouted(&places, set);
            stranded = mended.stranded;
            Routes::Paths(mended.set)
        }
    };
    let mut rerouted = Routing::new(routing.spec().to_owned(), routes);
    if places.order.is_some() {
        rerouted = stranded::ordered(&places, routing, rerouted, &mut stranded)?;
    }
    let mut unordered = stranded::shortest(&places, &stranded)?;
    rerouted = stranded::replaced(rerouted, &unordered);
    let mut left_out = Vec::new();
    let plan = match plan {
        None => None,
        Some(plan) => {
            let mut proved = deadlock_free(damaged, &rerouted, plan.spec());
            if matches!(proved, Err(Error::Deadlock { .. })) && !unordered.is_empty() {
                unordered.values_mut().for_each(|path| *path = None);
                rerouted = stranded::replaced(rerouted, &unordered);
                left_out = unordered.into_keys().collect();
                proved = deadlock_free(damaged, &rerouted, plan.spec());
            }
            let (plan, repaired) = proved?;
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
    Ok(Rerouted { routing: rerouted, plan, entries, touched, broken, added, left_out })
}

/// The counts of changes.
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
    /// The order of channels that all old paths follow; `None` where there is none.
    order: Option<Order>,
}

impl Places<'_> {
    /// Whether a path may go on from channel `before` into `channel` for all the order says; always, where there is none.
    fn rises(&self, before: u32, channel: u32) -> bool {
        self.order.as_ref().is_none_or(|order| order.rank(before) < order.rank(channel))
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
