//! Deadlock freedom: assigns virtual channels to the paths of a routing, and proves that no deadlock is possible.
//!
//! A *scheme* assigns virtual channels to every path so that the channel-dependency graph over pairs (channel, virtual channel) has no
//! cycle. The plan of every scheme is verified independently. The verification rebuilds the graph from only the paths and their virtual
//! channels, and sorts it topologically. The resulting order is a [`Certificate`], and a checker follows every path to verify the
//! certificate.
//!
//! ```
//! use tulle_deadlock::assign_vcs;
//! let fabric = tulle_topologies::build("slimfly:q=5", 0)?;
//! let routing = tulle_routing::build(&fabric, "random:layers=4", 0)?;
//! let (plan, _) = assign_vcs(&fabric, &routing, "dfsssp:vcs=8")?;
//! assert_eq!(plan.num_vcs(), 8);
//! plan.certificate().check(&fabric, &routing, &plan)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod reroute;
pub mod states;

mod acyclic_vc;
mod assignment;
mod block;
mod cbd;
mod certificate;
mod collect;
mod dependencies;
mod hardware;
mod id_map;
mod incremental_plan;
mod known;
mod landmarks;
mod members;
mod neighbours;
mod online_order;
mod order;
mod plan;
mod routes;
mod spread;
mod turns;
mod undisturbed;

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::{Info, Registered, SpecError, registry};

use crate::id_map::IdMap;
pub use cbd::{CbdCount, Pairs, ShortestPaths, cbd, cbd_probability};
pub use certificate::{Certificate, Violation};
pub use hardware::Hardware;
pub use incremental_plan::adapt_plan;
pub use order::Cycle;
pub use plan::VcPlan;
pub use undisturbed::{States, reroute_undisturbed};

use assignment::Assignment;
use known::Kept;
use spread::VcNeeds;
use turns::Turns;

/// A deadlock scheme with a value for each of its parameters.
pub trait Deadlock: Registered {
    /// Returns the numbers of virtual channels and service levels of the hardware.
    fn hardware(&self) -> Hardware;

    /// Assigns virtual channels to the routes of `routing`.
    ///
    /// # Errors
    /// Fails if the scheme cannot make the routing free of deadlock. The error names the kinds of routings that the scheme accepts.
    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error>;
}

/// The result of a scheme. Paths are not yet spread over spare virtual channels.
#[derive(Debug)]
pub struct Draft {
    pub(crate) needs: VcNeeds,
    /// The number of routes that a packet takes one after another. It is 2 if packets go through an intermediate switch.
    pub(crate) phases: u8,
    /// The routing to use instead of the given routing, if the scheme had to change paths.
    pub(crate) repaired: Option<Routing>,
    /// The number of further virtual channels that only first hops use; 0 if first hops use the same virtual channels as other hops.
    pub(crate) first_vcs: u8,
}

registry! {
    /// All schemes, in the order of `tulle list deadlocks`. A canonical spec omits parameters with the value "as many as needed".
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

/// Returns the canonical form of a scheme's spec, with its parameters in a fixed order. Parameters with the value "as many as needed" are
/// omitted.
///
/// # Errors
/// Fails if a name or parameter is unknown, or if a value is illegal.
pub fn canonical(spec: &str) -> Result<String, Error> {
    Ok(read(spec)?.spec())
}

/// Assigns virtual channels to `routing` over `fabric` by the scheme `spec`. If the scheme had to change some paths, the second value is
/// the routing to use instead of `routing`.
///
/// # Errors
/// Fails if a name or parameter is unknown, if a value is illegal, if the hardware has too few virtual channels or service levels, if the
/// scheme cannot make the routing free of deadlock, or if the routing belongs to another fabric.
pub fn assign_vcs(fabric: &Fabric, routing: &Routing, spec: &str) -> Result<(VcPlan, Option<Routing>), Error> {
    let scheme = read(spec)?;
    let name = scheme.info().name;
    if routing.num_switches() != fabric.num_switches() {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!(
                "the routing has {} switches, but the fabric has {}",
                routing.num_switches(),
                fabric.num_switches()
            ),
            legal: "legal: the fabric for which the routing was made".to_owned(),
        });
    }
    if let Err(routes) = routes::column(routing) {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!("{} has too many paths: {routes}", routing.spec()),
            legal: format!("legal: at most {}", u32::MAX),
        });
    }
    let turns = turns::count(fabric);
    if turns > u64::from(u32::MAX) {
        return Err(Error::Deadlock {
            scheme: name.to_owned(),
            problem: format!("{} has too many pairs of consecutive channels: {turns}", fabric.spec()),
            legal: format!("legal: at most {}", u32::MAX),
        });
    }
    let draft = scheme.draft(fabric, routing)?;
    let used = draft.repaired.as_ref().unwrap_or(routing);
    let needed_vcs = draft.needs.needed_vcs() * usize::from(draft.phases) + usize::from(draft.first_vcs);
    let hardware = scheme.hardware();
    hardware.check(name, fabric, used, needed_vcs, draft.needs.needed_sls())?;
    let per_phase = Hardware { vcs: hardware.vcs.map(|vcs| (vcs - draft.first_vcs) / draft.phases), ..hardware };
    let mut assignment = spread::assignment(fabric, used, draft.needs, per_phase)?.in_phases(draft.phases);
    if draft.first_vcs > 0 {
        assignment = assignment.with_first_vcs(fabric.num_switches(), draft.first_vcs);
    }
    let certificate = match verify(fabric, used, &assignment)? {
        Ok(certificate) => certificate,
        Err(cycle) => return Err(cyclic(name, fabric, used, &cycle)),
    };
    let spec = scheme.spec();
    let plan = VcPlan { spec, needed_vcs: needed_vcs as u8, assignment, certificate, kept: Kept::default() };
    plan.certificate.check(fabric, used, &plan).map_err(|violation| Error::Deadlock {
        scheme: name.to_owned(),
        problem: violation.to_string(),
        legal: "this is an error of the scheme".to_owned(),
    })?;
    Ok((plan, draft.repaired))
}

/// Checks whether `routing` is free of deadlock with the virtual channels of `assignment`. Returns a certificate, or a dependency cycle.
fn verify(fabric: &Fabric, routing: &Routing, assignment: &Assignment) -> Result<Result<Certificate, Cycle>, Error> {
    let turns = Turns::of(fabric);
    let graph = collect::dependencies(fabric, &turns, routing, assignment)?;
    Ok(order::ranks(&graph).map(|ranks| Certificate::new(assignment.num_vcs(), ranks)))
}

/// Checks whether `routing` is free of deadlock when all packets use one virtual channel. Returns a certificate if it is, and a dependency
/// cycle otherwise.
///
/// # Errors
/// Fails if a path of `routing` does not lead to its destination over `fabric`.
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
    /// The VC plan of the routing; `None` if all packets use one virtual channel.
    pub plan: Option<&'a VcPlan>,
}

/// The state of the channels that a change removes from a fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedChannels {
    /// The removed channels still work during the change, as in planned maintenance. So packets can wait for them.
    Carrying,
    /// The removed channels are already down. Switches drop packets for these channels, so no packet waits for them.
    Down,
}

impl RemovedChannels {
    /// Returns `channel`, a channel of the old fabric, if packets can wait for it; otherwise `None`.
    fn holding(self, id_map: &IdMap, channel: u32) -> Option<u32> {
        (self == Self::Carrying || id_map.new_channel(channel).is_some()).then_some(channel)
    }
}

/// Returns a certificate that the old and new paths together are free of deadlock. If their dependencies have a cycle, returns the cycle as
/// channels of the old fabric. The fabric of `new` must be a part of the fabric of `old`, for example a result of [`Fabric::without`].
///
/// With this certificate, switches may install the new paths in any order while traffic flows. (Flattened Clos (NSDI23) §7.2 states this
/// for virtual up-down paths, as long as the virtual layers stay the same.) The certificate covers only packets that follow an old path or
/// a new path to the end. It does not cover packets that use an old entry at one switch and a new entry at another switch.
///
/// If the removed channels are already down, no packet waits for them, because switches drop packets for ports that are down.
///
/// # Errors
/// Fails if the new fabric is not a part of the old fabric, or if a path does not lead to its destination.
pub fn acyclic_together(
    old: InUse<'_>,
    new: InUse<'_>,
    removed: RemovedChannels,
) -> Result<Result<Certificate, Cycle>, Error> {
    let id_map = IdMap::of(old.fabric, new.fabric)?;
    let of = |of: InUse<'_>| of.plan.map_or_else(|| Assignment::of(of.routing), |plan| plan.assignment.clone());
    let (before, after) = (of(old), of(new));
    let (old_turns, new_turns) = (Turns::of(old.fabric), Turns::of(new.fabric));
    let old_graph = collect::dependencies(old.fabric, &old_turns, old.routing, &before)?;
    let new_graph = collect::dependencies(new.fabric, &new_turns, new.routing, &after)?;
    let vcs = before.num_vcs().max(after.num_vcs());
    let mut both = dependencies::Dependencies::new(&old_turns, vcs);
    both.add(&old_graph, |channel| removed.holding(&id_map, channel));
    both.add(&new_graph, |channel| Some(id_map.old_channel(channel)));
    Ok(order::ranks(&both).map(|ranks| Certificate::new(vcs, ranks)))
}

fn cyclic(scheme: &str, fabric: &Fabric, routing: &Routing, cycle: &Cycle) -> Error {
    Error::Deadlock {
        scheme: scheme.to_owned(),
        problem: format!("{} on {} can deadlock: {}", routing.spec(), fabric.spec(), cycle.name(fabric)),
        legal:
            "legal: acyclic routings, for example updown; or a scheme with more virtual channels, for example dfsssp"
                .to_owned(),
    }
}
