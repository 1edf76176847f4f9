//! Plans of virtual channels (VCs), rerouting, and the check whether two routings together are free of deadlock.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_base::memory;
use tulle_deadlock::InUse;

use crate::arrays::{Column, copied};
use crate::call::interruptible;
use crate::errors::OrRaise;
use crate::fabric::Fabric;
use crate::routing::Routing;

/// A plan of virtual channels for a routing, with a proof that it is free of deadlock.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct VcPlan(pub Arc<tulle_deadlock::VcPlan>);

/// Creates a plan of `routing` from the text `stored`, which `VcPlan::stored` returned, and verifies the proof of the plan.
#[pyfunction]
pub fn restore_plan(py: Python<'_>, stored: String, routing: &Routing) -> PyResult<VcPlan> {
    let (core, fabric) = (Arc::clone(&routing.routing), Arc::clone(&routing.fabric));
    let plan = interruptible(py, move || tulle_deadlock::VcPlan::from_text(&stored, &fabric, &core))?.or_raise(py)?;
    Ok(VcPlan(Arc::new(plan)))
}

#[pymethods]
impl VcPlan {
    /// Returns the plan as text.
    fn stored(&self) -> String {
        self.0.to_text()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    #[getter]
    fn spec(&self) -> &str {
        self.0.spec()
    }

    #[getter]
    fn scheme(&self) -> &str {
        self.0.scheme()
    }

    #[getter]
    fn num_vcs(&self) -> usize {
        self.0.num_vcs()
    }

    #[getter]
    fn needed_vcs(&self) -> usize {
        self.0.needed_vcs()
    }

    #[getter]
    fn num_sls(&self) -> usize {
        self.0.num_sls()
    }

    /// Returns the service level of every route, with shape (layers, switches, switches) for tables or (paths,) for path sets.
    fn sl<'py>(&self, py: Python<'py>, routing: &Routing) -> PyResult<Bound<'py, PyArrayDyn<u8>>> {
        let (layers, switches) = (routing.routing.num_layers(), routing.routing.num_switches());
        let shape = match routing.routing.path_set() {
            Some(paths) => vec![paths.num_paths()],
            None => vec![layers, switches, switches],
        };
        let length = shape.iter().product();
        let levels = self.0.sls();
        let column = match levels.is_empty() {
            true => copied(py, &memory::array("service levels", 0, length))?,
            false => copied(py, levels)?,
        };
        Ok(column.reshape(shape)?.to_dyn().clone())
    }

    /// Returns the virtual channel for every phase, service level and hop, uint8 (phases, service levels, hops). Returns `None` if the
    /// virtual channel depends on the switch.
    fn vc<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArrayDyn<u8>>>> {
        let Some(hops) = self.0.num_hops() else { return Ok(None) };
        let shape = [usize::from(self.0.num_phases()), self.0.num_sls(), hops];
        let mut all = Vec::with_capacity(shape.iter().product());
        for phase in 0..self.0.num_phases() {
            for sl in 0..shape[1] {
                all.extend((0..shape[2]).map(|hop| self.0.vc_of(phase, sl as u8, hop)));
            }
        }
        Ok(Some(copied(py, &all)?.reshape(shape)?.to_dyn().clone()))
    }

    /// Returns the virtual channel for every switch, input (0: another switch, 1: an endpoint) and service level, uint8 (switches, 2,
    /// service levels). Returns `None` if switch, input and service level do not determine the virtual channel.
    fn sl_to_vl<'py>(&self, py: Python<'py>, routing: &Routing) -> PyResult<Option<Bound<'py, PyArrayDyn<u8>>>> {
        let shape = [routing.routing.num_switches(), 2, self.0.num_sls()];
        let mut all = memory::reserved(|| "entries of tables".to_owned(), shape.iter().product()).or_raise(py)?;
        for switch in 0..shape[0] as u32 {
            for injected in [false, true] {
                for sl in 0..shape[2] as u8 {
                    let Some(vl) = self.0.sl_to_vl(switch, injected, sl) else { return Ok(None) };
                    all.push(vl);
                }
            }
        }
        Ok(Some(copied(py, &all)?.reshape(shape)?.to_dyn().clone()))
    }

    /// Returns the rank of every pair of channel and virtual channel. The ranks prove that the plan is free of deadlock.
    fn certificate<'py>(&self, py: Python<'py>) -> Column<'py, u32> {
        copied(py, self.0.certificate().ranks())
    }
}

/// Returns a plan by the scheme of `spec`. If the scheme changed some paths, also returns the routing to use instead of `routing`.
#[pyfunction]
pub fn assign_vcs(py: Python<'_>, routing: &Routing, spec: String) -> PyResult<(VcPlan, Option<Routing>)> {
    let (core, fabric) = (Arc::clone(&routing.routing), Arc::clone(&routing.fabric));
    let (plan, repaired) =
        interruptible(py, move || tulle_deadlock::assign_vcs(&fabric, &core, &spec))?.or_raise(py)?;
    let fabric = Arc::clone(&routing.fabric);
    Ok((VcPlan(Arc::new(plan)), repaired.map(|repaired| Routing { routing: Arc::new(repaired), fabric })))
}

/// Reroutes after failures. Returns a routing of the fabric `damaged` that changes few entries of `routing`, a plan for this routing
/// (`None` without `plan`), and a dictionary with the numbers of changes and the pairs that are left without a path.
#[pyfunction]
pub fn reroute<'py>(
    py: Python<'py>,
    routing: &Routing,
    damaged: &Fabric,
    plan: Option<&VcPlan>,
) -> PyResult<(Routing, Option<VcPlan>, Bound<'py, PyDict>)> {
    let (core, fabric) = (Arc::clone(&routing.routing), Arc::clone(&routing.fabric));
    let (new, plan) = (Arc::clone(&damaged.0), plan.map(|plan| Arc::clone(&plan.0)));
    let rerouted = interruptible(py, move || tulle_deadlock::reroute::reroute(&fabric, &core, plan.as_deref(), &new))?
        .or_raise(py)?;
    let fields = PyDict::new(py);
    fields.set_item("entries", rerouted.entries)?;
    fields.set_item("touched", rerouted.touched)?;
    fields.set_item("broken", rerouted.broken)?;
    fields.set_item("added", rerouted.added)?;
    fields.set_item("left_out", rerouted.left_out.iter().map(|&[from, to]| (from, to)).collect::<Vec<_>>())?;
    let routing = Routing { routing: Arc::new(rerouted.routing), fabric: Arc::clone(&damaged.0) };
    Ok((routing, rerouted.plan.map(|plan| VcPlan(Arc::new(plan))), fields))
}

/// Derives a plan for the routing `new` from the `plan` of `old`. If some paths were shortened, also returns the routing to use instead of
/// `new`. The fabric of `new` must be the fabric of `old` after failures. The plan has at most `vcs` virtual channels and
/// `sls` service levels, and is free of deadlock. With `with_old`, the old and the new paths together are also free of deadlock. Returns
/// `None` if a new plan must be computed.
#[pyfunction]
pub fn adapt_plan(
    py: Python<'_>,
    old: &Routing,
    plan: &VcPlan,
    new: &Routing,
    vcs: u8,
    sls: u8,
    with_old: bool,
) -> PyResult<Option<(VcPlan, Option<Routing>)>> {
    let limits = tulle_deadlock::Hardware { vcs: Some(vcs), sls: Some(sls) };
    let before = OwnedRouting(Arc::clone(&old.fabric), Arc::clone(&old.routing), Some(Arc::clone(&plan.0)));
    let (fabric, routing) = (Arc::clone(&new.fabric), Arc::clone(&new.routing));
    let adapted =
        interruptible(py, move || tulle_deadlock::adapt_plan(before.in_use(), &fabric, &routing, limits, with_old))?
            .or_raise(py)?;
    let fabric = &new.fabric;
    let shorter = |routing| Routing { routing: Arc::new(routing), fabric: Arc::clone(fabric) };
    Ok(adapted.map(|(plan, routing)| (VcPlan(Arc::new(plan)), routing.map(shorter))))
}

/// Returns a routing of `damaged` and its plan, with all service levels and SL-to-VL tables of `old`, or `None` if the search finds none.
/// If `in_traffic` is true, switches may load their tables in any order while traffic flows.
#[pyfunction]
pub fn reroute_undisturbed(
    py: Python<'_>,
    old: &Routing,
    plan: &VcPlan,
    damaged: &Fabric,
    in_traffic: bool,
    drops_u_turns: bool,
) -> PyResult<Option<(Routing, VcPlan)>> {
    let states = match in_traffic {
        true => tulle_deadlock::States::Mixtures { drops_u_turns },
        false => tulle_deadlock::States::New,
    };
    let before = OwnedRouting(Arc::clone(&old.fabric), Arc::clone(&old.routing), Some(Arc::clone(&plan.0)));
    let fabric = Arc::clone(&damaged.0);
    let found = interruptible(py, move || tulle_deadlock::reroute_undisturbed(before.in_use(), &fabric, states))?
        .or_raise(py)?;
    let routing = |routing| Routing { routing: Arc::new(routing), fabric: Arc::clone(&damaged.0) };
    Ok(found.map(|(new, plan)| (routing(new), VcPlan(Arc::new(plan)))))
}

/// Either the ranks that prove freedom from deadlock, or a dependency cycle: its channels with their virtual channels, and a description of
/// the cycle.
type TogetherResult<'py> = (Option<Bound<'py, PyArray1<u32>>>, Vec<(u32, u8)>, String);

/// A fabric, a routing and a plan in use, which a call on another thread can share.
struct OwnedRouting(Arc<tulle_fabric::Fabric>, Arc<tulle_routing::Routing>, Option<Arc<tulle_deadlock::VcPlan>>);

impl OwnedRouting {
    fn in_use(&self) -> InUse<'_> {
        InUse { fabric: &self.0, routing: &self.1, plan: self.2.as_deref() }
    }
}

/// Checks whether the paths of `old` and the paths of `new`, each with its plan, together are free of deadlock. If `down` is false, failed
/// channels still carry packets.
#[pyfunction]
pub fn acyclic_together<'py>(
    py: Python<'py>,
    old: &Routing,
    old_plan: Option<&VcPlan>,
    new: &Routing,
    new_plan: Option<&VcPlan>,
    down: bool,
) -> PyResult<TogetherResult<'py>> {
    let removed = if down { tulle_deadlock::RemovedChannels::Down } else { tulle_deadlock::RemovedChannels::Carrying };
    let owned = |routing: &Routing, plan: Option<&VcPlan>| {
        OwnedRouting(Arc::clone(&routing.fabric), Arc::clone(&routing.routing), plan.map(|plan| Arc::clone(&plan.0)))
    };
    let (before, after) = (owned(old, old_plan), owned(new, new_plan));
    let together =
        interruptible(py, move || tulle_deadlock::acyclic_together(before.in_use(), after.in_use(), removed))?
            .or_raise(py)?;
    Ok(match together {
        Ok(certificate) => (Some(copied(py, certificate.ranks())?), Vec::new(), String::new()),
        Err(cycle) => {
            let name = cycle.name(&old.fabric);
            (None, cycle.channels, name)
        }
    })
}
