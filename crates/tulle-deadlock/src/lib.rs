//! Deadlock freedom: assigns virtual channels to the paths of a routing, and proves that no deadlock is possible.
//!
//! A *scheme* assigns virtual channels to every path so that the channel-dependency graph over (channel, virtual channel) has no cycle.
//! Every scheme's plan is verified independently: the graph is rebuilt from the paths alone and sorted, and the order becomes a
//! [`Certificate`], which a checker verifies by walking every path.
//!
//! ```
//! use tulle_deadlock::deadlock_free;
//! let fabric = tulle_topologies::build("slimfly:q=5", 0)?;
//! let routing = tulle_routing::build(&fabric, "random:layers=4", 0)?;
//! let (plan, _) = deadlock_free(&fabric, &routing, "dfsssp:vcs=8")?;
//! assert_eq!(plan.num_vcs(), 8);
//! plan.certificate().check(&fabric, &routing, &plan)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod reroute;

mod acyclic_vc;
mod assignment;
mod cbd;
mod certificate;
mod collect;
mod dependencies;
mod hardware;
mod id_map;
mod incremental_plan;
mod landmarks;
mod members;
mod online_order;
mod order;
mod plan;
mod routes;
mod spread;
mod turns;

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::{Info, Registered, SpecError, registry};

use crate::id_map::IdMap;
pub use cbd::{CbdCount, Pairs, ShortestPaths, cbd, cbd_probability};
pub use certificate::{Certificate, Violation};
pub use hardware::Hardware;
pub use incremental_plan::carried;
pub use order::Cycle;
pub use plan::VcPlan;

use assignment::Assignment;
use spread::VcNeeds;
use turns::Turns;

/// A deadlock scheme with resolved parameters.
pub trait Deadlock: Registered {
    /// The room that the hardware has.
    fn hardware(&self) -> Hardware;

    /// Assigns virtual channels to the routes of `routing`.
    ///
    /// # Errors
    /// A routing that the scheme cannot make free of deadlock; the error names the legal kinds of routings.
    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error>;
}

/// The decision of a scheme, before spare virtual channels are distributed.
#[derive(Debug)]
pub struct Draft {
    pub(crate) needs: VcNeeds,
    /// The number of routes that a packet takes one after another, for example 2 through an intermediate switch.
    pub(crate) phases: u8,
    /// The routing to use instead of the given one, if it had to be changed.
    pub(crate) repaired: Option<Routing>,
}

registry! {
    /// All schemes, in the order of `tulle list deadlocks`. Canonical specs omit parameters that are "as many as needed".
    static SCHEMES: Schemes("deadlock scheme") -> SpecError = Box<dyn Deadlock>;
    mod one_vc: OneVc;
    mod hops: Hops;
    mod phases: Phases;
    mod dfsssp: Dfsssp;
    mod lash: Lash;
    mod colouring: Colouring;
    #[cfg(test)]
    mod toy: Toy;
}

/// The [`Info`] of every registered scheme.
pub fn schemes() -> Vec<&'static Info> {
    SCHEMES.infos()
}

fn read(spec: &str) -> Result<Box<dyn Deadlock>, Error> {
    Ok(SCHEMES.read(spec, &())?.1)
}

/// Returns the canonical form of a scheme's spec: its parameters in order, without those that are "as many as needed".
///
/// # Errors
/// An unknown name or parameter, or an illegal value.
pub fn canonical(spec: &str) -> Result<String, Error> {
    Ok(read(spec)?.spec())
}

/// Returns virtual channels for `routing` over `fabric` by the scheme of `spec`, and the routing to use instead of `routing` if the scheme
/// had to change some paths.
///
/// # Errors
/// An unknown name or parameter, an illegal value, hardware with fewer virtual channels or service levels than needed, a routing that the
/// scheme cannot make free of deadlock, or a routing of another fabric.
pub fn deadlock_free(fabric: &Fabric, routing: &Routing, spec: &str) -> Result<(VcPlan, Option<Routing>), Error> {
    let scheme = read(spec)?;
    let name = scheme.info().name;
    if routing.num_switches() != fabric.num_switches() {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!(
                "the routing has {} switches, the fabric {}",
                routing.num_switches(),
                fabric.num_switches()
            ),
            legal: "legal: the fabric that was routed".to_owned(),
        });
    }
    if let Err(routes) = routes::column(routing) {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!("{} has {routes} paths, too many to number", routing.spec()),
            legal: format!("legal: at most {}", u32::MAX),
        });
    }
    let turns = turns::count(fabric);
    if turns > u64::from(u32::MAX) {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!("{} has {turns} turns from channel to channel, too many to number", fabric.spec()),
            legal: format!("legal: at most {}", u32::MAX),
        });
    }
    let draft = scheme.draft(fabric, routing)?;
    let used = draft.repaired.as_ref().unwrap_or(routing);
    let needed_vcs = draft.needs.needed_vcs() * usize::from(draft.phases);
    let hardware = scheme.hardware();
    hardware.check(name, fabric, used, needed_vcs, draft.needs.needed_sls())?;
    let per_phase = Hardware { vcs: hardware.vcs.map(|vcs| vcs / draft.phases), ..hardware };
    let assignment = spread::assignment(fabric, used, draft.needs, per_phase)?.in_phases(draft.phases);
    let certificate = match verify(fabric, used, &assignment)? {
        Ok(certificate) => certificate,
        Err(cycle) => return Err(cyclic(name, fabric, used, &cycle)),
    };
    let spec = scheme.spec();
    let plan = VcPlan { spec, needed_vcs: needed_vcs as u8, assignment, certificate };
    plan.certificate.check(fabric, used, &plan).map_err(|violation| Error::Deadlock {
        scheme: name.to_owned(),
        problem: violation.to_string(),
        legal: "this is an error of the scheme".to_owned(),
    })?;
    Ok((plan, draft.repaired))
}

/// Returns a certificate for `routing` under `assignment`, computed from the paths alone, or a cycle of dependencies.
fn verify(fabric: &Fabric, routing: &Routing, assignment: &Assignment) -> Result<Result<Certificate, Cycle>, Error> {
    let turns = Turns::of(fabric);
    let graph = collect::dependencies(fabric, &turns, routing, assignment)?;
    Ok(order::ranks(&graph).map(|ranks| Certificate::new(assignment.num_vcs(), ranks)))
}

/// Returns a certificate that all paths of `routing` are deadlock-free on one virtual channel, or a cycle of dependencies.
///
/// # Errors
/// A routing with a path that does not lead to its destination over `fabric`.
pub fn acyclic(fabric: &Fabric, routing: &Routing) -> Result<Result<Certificate, Cycle>, Error> {
    verify(fabric, routing, &Assignment::of(routing))
}

/// A routing in use over a fabric.
#[derive(Debug, Clone, Copy)]
pub struct InUse<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// The routing.
    pub routing: &'a Routing,
    /// The VC plan of the routing; `None` if all packets are on one virtual channel.
    pub plan: Option<&'a VcPlan>,
}

/// The state of channels that were removed from a fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// The channels carry packets until they are removed, as in planned maintenance.
    Carrying,
    /// The channels are down. Packets for these channels are dropped, so no packet waits.
    Down,
}

impl Gone {
    /// Returns the old fabric's `channel` if packets can wait for it, otherwise `None`.
    fn holding(self, id_map: &IdMap, channel: u32) -> Option<u32> {
        (self == Self::Carrying || id_map.new_channel(channel).is_some()).then_some(channel)
    }
}

/// Returns a certificate that the old and the new paths are free of deadlock together, or a cycle of dependencies (channels of the old
/// fabric). The fabric of `new` must come from that of `old` by [`Fabric::without`].
///
/// With a certificate, switches may load the new paths in any order while traffic flows (Flattened Clos §7.2 states this for virtual
/// up-down paths, as long as the virtual layers stay). Packets on new paths must stay on them. A packet that meets one switch before its
/// change and another switch after its change takes a mixed path, which the certificate does not cover.
///
/// If the removed channels are already down, no packet waits for them, because switches drop packets for dead ports.
///
/// # Errors
/// A new fabric that did not come from the old one, or a routing with a path that does not lead to its destination.
pub fn acyclic_together(old: InUse<'_>, new: InUse<'_>, gone: Gone) -> Result<Result<Certificate, Cycle>, Error> {
    let id_map = IdMap::of(old.fabric, new.fabric)?;
    let of = |of: InUse<'_>| of.plan.map_or_else(|| Assignment::of(of.routing), |plan| plan.assignment.clone());
    let (before, after) = (of(old), of(new));
    let (old_turns, new_turns) = (Turns::of(old.fabric), Turns::of(new.fabric));
    let old_graph = collect::dependencies(old.fabric, &old_turns, old.routing, &before)?;
    let new_graph = collect::dependencies(new.fabric, &new_turns, new.routing, &after)?;
    let vcs = before.num_vcs().max(after.num_vcs());
    let mut both = dependencies::Dependencies::new(&old_turns, vcs);
    both.add(&old_graph, |channel| gone.holding(&id_map, channel));
    both.add(&new_graph, |channel| Some(id_map.old_channel(channel)));
    Ok(order::ranks(&both).map(|ranks| Certificate::new(vcs, ranks)))
}

fn cyclic(scheme: &str, fabric: &Fabric, routing: &Routing, cycle: &Cycle) -> Error {
    Error::Deadlock {
        scheme: scheme.to_owned(),
        problem: format!("{} on {} can deadlock: {}", routing.spec(), fabric.spec(), cycle.name(fabric)),
        legal:
            "legal: acyclic routings, for example up-down; or a scheme with more virtual channels, for example dfsssp"
                .to_owned(),
    }
}
