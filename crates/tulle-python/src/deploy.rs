//! Deployments: the forwarding tables that switches load.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use tulle_deploy::infiniband::{self, Before, Deployment, Parts, SERVICE_LEVELS, Tables};
use tulle_fabric::Subnet;

use crate::arrays::{Column, column, copied, counts, matrix, read_ids};
use crate::call::interruptible;
use crate::deadlock::VcPlan;
use crate::errors::{self, OrRaise};
use crate::fabric::Fabric;
use crate::properties::{Numbers, address};
use crate::routing::Routing;

/// Returns the fabric with the GUIDs, LIDs and port numbers of an InfiniBand subnet. They come from `addresses` (of switches and endpoints)
/// or from the fabric; missing numbers are generated from ids.
#[pyfunction]
#[pyo3(signature = (fabric, addresses=None))]
pub fn in_subnet(py: Python<'_>, fabric: &Fabric, addresses: Option<[Vec<Numbers>; 2]>) -> PyResult<Fabric> {
    let mut subnet = Subnet::of(&fabric.0);
    if let Some([switches, endpoints]) = addresses {
        if [switches.len(), endpoints.len()] != [subnet.switches.len(), subnet.endpoints.len()] {
            return Err(errors::input(py, "addresses do not match the fabric; legal: one per switch and endpoint"));
        }
        subnet.switches = switches.into_iter().map(address).collect();
        subnet.endpoints = endpoints.into_iter().map(address).collect();
    }
    match subnet.refuses(&fabric.0) {
        None => Ok(Fabric(Arc::new(fabric.0.in_subnet(&subnet)))),
        Some(problem) => Err(errors::input(py, &problem)),
    }
}

/// The forwarding tables of switches.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct ForwardingTables(Arc<Tables>);

#[pymethods]
impl ForwardingTables {
    /// Returns the port for every switch and LID, uint8 (switches, LIDs). 255 means that the LID has no port.
    fn ports<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        matrix(py, self.0.ports().to_vec(), self.0.lids())
    }
}

/// Reads the forwarding tables of the switches with these node GUIDs.
#[pyfunction]
pub fn read_lfts(py: Python<'_>, path: PathBuf, guids: Vec<u64>) -> PyResult<ForwardingTables> {
    let tables = interruptible(py, move || infiniband::read_lfts(&path, &guids))?.or_raise(py)?;
    Ok(ForwardingTables(Arc::new(tables)))
}

/// The forwarding tables and service levels of an InfiniBand subnet.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct InfinibandDeployment(Arc<Deployment>);

/// Returns the deployment of `routing` with its `plan`. If the routing gives a switch several ports for a LID, and the tables `before` use
/// one of them, this port stays. `switches` holds, for every switch, its row in these tables.
#[pyfunction]
#[pyo3(signature = (routing, plan, lmc, vls, before=None, switches=None))]
pub fn deploy_infiniband(
    py: Python<'_>,
    routing: &Routing,
    plan: &VcPlan,
    lmc: u8,
    vls: u8,
    before: Option<&ForwardingTables>,
    switches: Option<Vec<i64>>,
) -> PyResult<InfinibandDeployment> {
    let (fabric, routing) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let parts = Parts { fabric, routing, plan: Arc::clone(&plan.0) };
    let before = match before {
        None => None,
        Some(tables) => Some((Arc::clone(&tables.0), places(py, &tables.0, switches, &parts)?)),
    };
    let deployment = interruptible(py, move || {
        let before = before.as_ref().map(|(tables, switches)| Before { tables, switches });
        Deployment::after(parts, lmc, vls, before)
    })?
    .or_raise(py)?;
    Ok(InfinibandDeployment(Arc::new(deployment)))
}

/// Returns, for each switch, its row in `tables`. By default, rows are in the order of the switches.
fn places(py: Python<'_>, tables: &Tables, switches: Option<Vec<i64>>, parts: &Parts) -> PyResult<Vec<u32>> {
    let count = parts.fabric.num_switches();
    let switches = switches.unwrap_or_else(|| (0..count as i64).collect());
    let places = read_ids(py, "switches: switch", switches.into_iter())?;
    let rows = tables.ports().len() / tables.lids().max(1);
    if places.len() != count {
        let problem = format!("switches has {} values for {count} switches", places.len());
        return Err(errors::input(py, &format!("{problem}; legal: one row per switch")));
    }
    match places.iter().find(|&&place| place as usize >= rows) {
        Some(place) => Err(errors::input(py, &format!("switches: row {place} is out of range; legal: below {rows}"))),
        None => Ok(places),
    }
}

#[pymethods]
impl InfinibandDeployment {
    /// Returns the fabric with its GUIDs, LIDs and port numbers.
    fn addressed(&self) -> Fabric {
        Fabric(Arc::new(self.0.addressed()))
    }

    #[getter]
    fn top_lid(&self) -> u16 {
        self.0.lids().top()
    }

    /// The service level of multicast packets, if multicast is configured.
    #[getter]
    fn multicast_sl(&self) -> Option<u8> {
        self.0.lanes().multicast()
    }

    /// The number of virtual lanes (VLs) that the plan uses.
    #[getter]
    fn vls(&self) -> u8 {
        self.0.lanes().vls()
    }

    /// The number of service levels that the plan uses.
    #[getter]
    fn sls(&self) -> u8 {
        self.0.lanes().sls()
    }

    /// Returns the LID of every switch.
    fn switch_lids<'py>(&self, py: Python<'py>) -> Column<'py, u16> {
        copied(py, self.0.lids().switches())
    }

    /// Returns the base LID of every endpoint.
    fn endpoint_lids<'py>(&self, py: Python<'py>) -> Column<'py, u16> {
        copied(py, self.0.lids().endpoints())
    }

    /// Returns the forwarding tables.
    fn tables(&self) -> ForwardingTables {
        ForwardingTables(Arc::new(self.0.tables().clone()))
    }

    /// Returns the service level for every source switch and LID, uint8 (switches, LIDs).
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let deployment = Arc::clone(&self.0);
        let levels = interruptible(py, move || {
            let owners = deployment.lids().owners();
            let switches = 0..deployment.subnet().switches.len() as u32;
            let level = |switch| owners.iter().map(|&owner| deployment.sl(switch, owner)).collect::<Vec<u8>>();
            switches.flat_map(level).collect::<Vec<u8>>()
        })?;
        matrix(py, levels, usize::from(self.0.lids().top()) + 1)
    }

    /// Returns the virtual lane (VL) for every switch, input (0: another switch, 1: an adapter or the switch itself) and service level,
    /// uint8 (switches, 2, 16).
    fn lanes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let switches = self.0.subnet().switches.len();
        let rows =
            (0..switches as u32).flat_map(|switch| [false, true].map(|injected| self.0.lanes().row(switch, injected)));
        column(py, rows.flatten().copied())?.reshape([switches, 2, SERVICE_LEVELS])
    }

    /// Returns the virtual lane (VL) for every service level of packets that leave an adapter.
    fn adapter_lanes<'py>(&self, py: Python<'py>) -> Column<'py, u8> {
        copied(py, self.0.lanes().adapters())
    }

    /// Follows every path with the tables only. Returns three values: the number of paths; for every layer, the number of pairs (switch,
    /// endpoint) by hops; and the number of channel dependencies.
    #[allow(clippy::type_complexity, reason = "a tuple that Python names")]
    fn walk<'py>(&self, py: Python<'py>) -> PyResult<(u64, Vec<Bound<'py, PyArray1<i64>>>, u64)> {
        let deployment = Arc::clone(&self.0);
        let walked = interruptible(py, move || deployment.walk())?.or_raise(py)?;
        let hops = walked.hops.iter().map(|hops| counts(py, hops)).collect::<PyResult<_>>()?;
        Ok((walked.paths, hops, walked.dependencies))
    }

    /// Writes the forwarding tables.
    fn write_lfts(&self, py: Python<'_>, path: PathBuf, compact: bool) -> PyResult<()> {
        let deployment = Arc::clone(&self.0);
        interruptible(py, move || infiniband::write_lfts(&deployment, &path, compact))?.or_raise(py)
    }

    /// Writes the tables of virtual lanes and service levels.
    fn write_sl2vl(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let deployment = Arc::clone(&self.0);
        interruptible(py, move || infiniband::write_sl2vl(&deployment, &path))?.or_raise(py)
    }

    /// Returns the entries that differ from the tables `before`, int32 (changes, 4). Columns: switch, LID, old port, new port.
    #[pyo3(signature = (before, switches=None))]
    fn changes<'py>(
        &self,
        py: Python<'py>,
        before: &ForwardingTables,
        switches: Option<Vec<i64>>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (deployment, tables) = (Arc::clone(&self.0), Arc::clone(&before.0));
        let places = places(py, &tables, switches, deployment.parts())?;
        let rows = interruptible(py, move || {
            let before = Before { tables: &tables, switches: &places };
            let changes = infiniband::changes(before, deployment.tables());
            changes.iter().flat_map(|one| [one.switch as i32, one.lid.into(), one.old.into(), one.new.into()]).collect()
        })?;
        matrix(py, rows, 4)
    }
}
