//! Packet simulations: calling and progress.

use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tulle_packet::Config;
use tulle_spec::{SpecError, units};

use crate::call::observed;
use crate::errors::OrRaise;
use crate::outcome::Outcome;
use crate::quantity;
use crate::routing::Routing;
use crate::traffic::Workload;

/// How far a running simulation is.
#[pyclass(frozen, get_all, module = "tulle._tulle")]
pub struct Progress {
    /// Simulated time in picoseconds.
    now: u64,
    /// Events so far.
    events: u64,
    /// Links crossed so far.
    link_hops: u64,
    /// Flows that finished.
    finished: usize,
    /// All flows.
    flows: usize,
    /// Packets that arrived with payload, duplicates counted.
    delivered: u64,
    /// Packets that all flows have.
    packets: u64,
    /// The share of the work that is done, as far as packets tell.
    fraction: f64,
}

/// The configuration of a simulation: a dictionary of texts with units and specs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Configuration {
    rate: String,
    link_latency: String,
    mtu: String,
    queue: String,
    nic: String,
    transport: String,
    selector: String,
    faults: Vec<String>,
    seed: u64,
    until: Option<String>,
    sample: Option<String>,
}

/// How a simulation is run, which changes nothing about its outcome: a dictionary, too.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct RunOptions {
    threads: Option<usize>,
    profile: bool,
    keep_partial: bool,
}

/// Checks the configuration of a simulation without running it: its canonical specs by the names of the parameters.
#[pyfunction]
pub fn resolve<'py>(py: Python<'py>, configuration: Configuration) -> PyResult<Bound<'py, PyDict>> {
    let resolved = tulle_packet::resolve(&configuration.read().or_raise(py)?).or_raise(py)?;
    let specs = PyDict::new(py);
    specs.set_item("transport", resolved.transport)?;
    specs.set_item("selector", resolved.selector)?;
    specs.set_item("queue", resolved.queue)?;
    specs.set_item("nic", resolved.nic)?;
    specs.set_item("faults", resolved.faults)?;
    Ok(specs)
}

/// The configuration of a simulation for which nothing is given but its queue, which is the transport's affair.
#[pyfunction]
pub fn packet_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let default = Config::default();
    let texts = PyDict::new(py);
    texts.set_item("transport", default.transport)?;
    texts.set_item("selector", default.selector)?;
    texts.set_item("nic", default.nic)?;
    texts.set_item("rate", units::write_rate(default.rate))?;
    texts.set_item("link_latency", units::write_duration(default.link_latency))?;
    texts.set_item("mtu", units::write_bytes(default.mtu.into()))?;
    Ok(texts)
}

/// The queue that a simulation with this transport has if none is named.
#[pyfunction]
pub fn default_queue(py: Python<'_>, transport: &str) -> PyResult<&'static str> {
    tulle_packet::default_queue(transport).or_raise(py)
}

/// Simulates `workload` on the fabric of `routing`; `progress` is called with a [`Progress`] now and then.
///
/// With `keep_partial`, Ctrl-C ends the run and what happened until then is the outcome, marked as partial.
#[pyfunction]
pub fn simulate(
    py: Python<'_>,
    routing: &Routing,
    workload: &Workload,
    configuration: Configuration,
    options: RunOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<Outcome> {
    let RunOptions { threads, profile, keep_partial } = options;
    let config = Config { threads, profile, ..configuration.read().or_raise(py)? };
    let (fabric, tables) = (Arc::clone(&routing.fabric), Arc::clone(&routing.routing));
    let (load, settings) = (Arc::clone(&workload.0), config.clone());
    let tell = |py: Python<'_>, state: &_| tell(py, progress.as_ref(), state);
    let (outcome, stopped) =
        observed(py, tell, move |observe| tulle_packet::simulate(&fabric, &tables, &load, &settings, observe))?;
    let partial = match stopped {
        Some(error) if keep_partial && error.is_instance_of::<PyKeyboardInterrupt>(py) => true,
        Some(error) => return Err(error),
        None => false,
    };
    Ok(Outcome { outcome: Arc::new(outcome.or_raise(py)?), partial, fabric: routing.fabric.clone(), config })
}

/// Tells Python how far the run is.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, state: &tulle_packet::Progress) -> PyResult<()> {
    if let Some(progress) = progress {
        let tulle_packet::Progress { now, events, link_hops, finished, flows, delivered, packets } = *state;
        let fraction = state.fraction();
        progress.call1(py, (Progress { now, events, link_hops, finished, flows, delivered, packets, fraction },))?;
    }
    Ok(())
}

impl Configuration {
    fn read(self) -> Result<Config, SpecError> {
        Ok(Config {
            rate: read("rate", &self.rate, units::rate)?,
            link_latency: duration("link_latency", &self.link_latency)?,
            // What does not fit is as far out of range as the largest that does.
            mtu: u32::try_from(read("mtu", &self.mtu, units::bytes)?).unwrap_or(u32::MAX),
            queue: self.queue,
            nic: self.nic,
            transport: self.transport,
            selector: self.selector,
            faults: self.faults,
            seed: self.seed,
            until: self.until.as_deref().map(|text| duration("until", text)).transpose()?,
            sample: self.sample.as_deref().map(|text| duration("sample", text)).transpose()?,
            threads: None,
            profile: false,
        })
    }
}

fn duration(parameter: &str, text: &str) -> Result<u64, SpecError> {
    read(parameter, text, units::duration)
}

fn read(parameter: &str, text: &str, unit: impl Fn(&str) -> Result<u64, units::Unreadable>) -> Result<u64, SpecError> {
    quantity::read("simulate", parameter, text, unit)
}
