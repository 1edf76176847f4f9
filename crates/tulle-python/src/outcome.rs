//! Results of packet simulations as arrays and dictionaries.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList};
use tulle_packet::{Config, PacketTime};

use crate::arrays::{Column, column, copied, counts, id, ids};
use crate::call::interruptible;
use crate::errors::OrRaise;

/// The results of a packet simulation.
#[pyclass(frozen, module = "tulle._tulle")]
pub struct Outcome {
    pub outcome: Arc<tulle_packet::Outcome>,
    /// Whether Ctrl-C ended the run.
    #[pyo3(get)]
    pub partial: bool,
    /// The deadlock scheme of the plan, if the simulation has virtual lanes.
    #[pyo3(get)]
    pub scheme: Option<String>,
    pub fabric: Arc<tulle_fabric::Fabric>,
    pub config: Config,
}

#[pymethods]
impl Outcome {
    #[getter]
    fn complete(&self) -> bool {
        self.outcome.complete
    }

    #[getter]
    fn end(&self) -> u64 {
        self.outcome.end
    }

    /// Returns the number of virtual lanes per port.
    #[getter]
    fn num_lanes(&self) -> usize {
        self.outcome.num_lanes
    }

    /// Returns the deadlock that ended the run, if any.
    fn deadlock<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(deadlock) = &self.outcome.deadlock else { return Ok(None) };
        let ports = PyList::empty(py);
        for port in &deadlock.ports {
            let fields = PyDict::new(py);
            fields.set_item("channel", port.channel)?;
            fields.set_item("lane", port.lane)?;
            fields.set_item("source", port.from)?;
            fields.set_item("target", port.to)?;
            fields.set_item("since", port.since)?;
            fields.set_item("bytes", port.bytes)?;
            fields.set_item("flows", port.flows.clone())?;
            ports.append(fields)?;
        }
        let fields = PyDict::new(py);
        fields.set_item("time", deadlock.time)?;
        fields.set_item("ports", ports)?;
        fields.set_item("text", deadlock.to_string())?;
        Ok(Some(fields))
    }

    /// Returns the counters by name, in the order of the fields of [`tulle_packet::Counters`].
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = &self.outcome.counters;
        [
            ("data_sent", counters.data_sent),
            ("data_delivered", counters.data_delivered),
            ("data_trimmed", counters.data_trimmed),
            ("data_dropped", counters.data_dropped),
            ("data_lost", counters.data_lost),
            ("data_in_flight", counters.data_in_flight),
            ("control_sent", counters.control_sent),
            ("control_delivered", counters.control_delivered),
            ("control_dropped", counters.control_dropped),
            ("control_lost", counters.control_lost),
            ("control_in_flight", counters.control_in_flight),
            ("retransmitted", counters.retransmitted),
            ("timeouts", counters.timeouts),
            ("marked", counters.marked),
            ("pauses", counters.pauses),
            ("pulls", counters.pulls),
            ("link_hops", counters.link_hops),
            ("events", counters.events),
        ]
        .into_py_dict(py)
    }

    /// Returns the total time of all packets by cause, in picoseconds.
    fn spent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let PacketTime { waiting_at_endpoints, waiting_at_switches, sending, travelling, handling } =
            self.outcome.spent;
        [
            ("waiting_at_endpoints", waiting_at_endpoints),
            ("waiting_at_switches", waiting_at_switches),
            ("sending", sending),
            ("travelling", travelling),
            ("handling", handling),
        ]
        .into_py_dict(py)
    }

    /// Returns the time of threads by activity, in seconds, and the number of events by kind; `None` if no profile was requested.
    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(profile) = &self.outcome.profile else { return Ok(None) };
        let (fields, seconds, events) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
        seconds.set_item("setup", profile.setup)?;
        let mut ordering = profile.running;
        for &(kind, number, time) in &profile.events {
            events.set_item(kind, number)?;
            seconds.set_item(kind, time)?;
            ordering -= time;
        }
        seconds.set_item("ordering", ordering.max(0.0))?;
        seconds.set_item("waiting", profile.waiting)?;
        seconds.set_item("gathering", profile.gathering)?;
        fields.set_item("threads", profile.threads)?;
        fields.set_item("events", events)?;
        fields.set_item("seconds", seconds)?;
        Ok(Some(fields))
    }

    /// Returns the links as columns by name, with one row per direction: channels, then links from endpoints to switches, then links from
    /// switches to endpoints.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (fabric, links, end) = (&self.fabric, &self.outcome.links, self.outcome.links.end);
        let switches = fabric.endpoint_switch();
        let none = |number: usize| std::iter::repeat_n(u32::MAX, number);
        let endpoints = 0..fabric.num_endpoints() as u32;
        let sources = fabric.sources().iter().copied().chain(none(endpoints.len())).chain(switches.iter().copied());
        let targets = fabric.targets().iter().chain(switches).copied().chain(none(endpoints.len()));
        let endpoint = none(fabric.num_channels()).chain(endpoints.clone()).chain(endpoints);
        let columns = PyDict::new(py);
        columns.set_item("source", column(py, sources.map(id))?)?;
        columns.set_item("target", column(py, targets.map(id))?)?;
        columns.set_item("endpoint", column(py, endpoint.map(id))?)?;
        columns.set_item("bytes", counts(py, &links.bytes)?)?;
        let share = |(&bytes, rate)| if end == 0 { 0.0 } else { bytes as f64 / (end as f64 * rate as f64 / 8e12) };
        let utilisation = links.bytes.iter().zip(self.rates()).map(share);
        columns.set_item("utilisation", column(py, utilisation)?)?;
        columns.set_item("peak", counts(py, &links.peak)?)?;
        Ok(columns)
    }

    /// Returns the samples as columns by name. The columns are empty if no samples were requested.
    fn samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let samples = &self.outcome.samples;
        let columns = PyDict::new(py);
        for (name, values) in [
            ("time", &samples.time),
            ("finished", &samples.finished),
            ("data_delivered", &samples.data_delivered),
            ("data_failed", &samples.data_failed),
            ("in_flight", &samples.in_flight),
            ("backlog", &samples.backlog),
            ("longest", &samples.longest),
        ] {
            columns.set_item(name, counts(py, values)?)?;
        }
        Ok(columns)
    }

    /// Returns the samples of links as columns by name. The columns are empty if no links were chosen.
    fn link_samples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (fabric, samples) = (&self.fabric, &self.outcome.link_samples);
        let (channels, endpoints) = (fabric.num_channels(), fabric.num_endpoints());
        let end = |link: u32, of_channel: &[u32]| of_channel.get(link as usize).copied();
        // If a chosen link is not a channel between switches, it is the link from a switch to an endpoint.
        let endpoint = |link: u32| (link as usize).checked_sub(channels + endpoints);
        let source = |link| match endpoint(link) {
            Some(endpoint) => fabric.endpoint_switch()[endpoint],
            None => end(link, fabric.sources()).unwrap_or(u32::MAX),
        };
        let of_links = |of: &dyn Fn(u32) -> u32| column(py, samples.link.iter().map(|&link| id(of(link))));
        let columns = PyDict::new(py);
        columns.set_item("time", counts(py, &samples.time)?)?;
        columns.set_item("link", ids(py, &samples.link)?)?;
        columns.set_item("source", of_links(&source)?)?;
        columns.set_item("target", of_links(&|link| end(link, fabric.targets()).unwrap_or(u32::MAX))?)?;
        columns.set_item("endpoint", of_links(&|link| endpoint(link).map_or(u32::MAX, |endpoint| endpoint as u32))?)?;
        columns.set_item("bytes", counts(py, &samples.bytes)?)?;
        columns.set_item("queue", counts(py, &samples.queue)?)?;
        columns.set_item("utilisation", copied(py, &samples.utilisation)?)?;
        Ok(columns)
    }

    /// Returns the effects of each fault, in the order of the configured faults.
    fn faults<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for fault in &self.outcome.faults {
            let fields = PyDict::new(py);
            fields.set_item("spec", &fault.spec)?;
            fields.set_item("links", fault.links)?;
            fields.set_item("data_lost", fault.data_lost)?;
            fields.set_item("control_lost", fault.control_lost)?;
            fields.set_item("stalled", fault.stalled)?;
            let recovery = fault.time_to_recover().map(|time| time as f64 / 1e6);
            fields.set_item("time_to_recover_us", recovery)?;
            rows.append(fields)?;
        }
        Ok(rows)
    }

    /// Returns the stalls as columns by name. The time `until` is −1 for stalls that did not end.
    fn stalls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stalls = &self.outcome.stalls;
        let columns = PyDict::new(py);
        columns.set_item("flow", column(py, stalls.iter().map(|stall| id(stall.flow)))?)?;
        columns.set_item("fault", column(py, stalls.iter().map(|stall| id(stall.fault)))?)?;
        columns.set_item("since", column(py, stalls.iter().map(|stall| stall.since as i64))?)?;
        columns.set_item("until", column(py, stalls.iter().map(|stall| stall.until as i64))?)?;
        columns.set_item("lost", column(py, stalls.iter().map(|stall| stall.lost))?)?;
        Ok(columns)
    }

    /// Returns the flows that faults disconnected.
    fn cut_off(&self) -> Vec<u32> {
        self.outcome.cut_off.clone()
    }

    /// Returns the flows as columns by name. Times are −1 for events that did not happen.
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let flows = &self.outcome.flows;
        let columns = PyDict::new(py);
        columns.set_item("source", ids(py, &flows.source)?)?;
        columns.set_item("destination", ids(py, &flows.destination)?)?;
        columns.set_item("bytes", counts(py, &flows.bytes)?)?;
        columns.set_item("start", counts(py, &flows.start)?)?;
        columns.set_item("delivered", counts(py, &flows.delivered)?)?;
        columns.set_item("finish", counts(py, &flows.finish)?)?;
        columns.set_item("hops", copied(py, &flows.hops)?)?;
        columns.set_item("retransmits", copied(py, &flows.retransmits)?)?;
        columns.set_item("trimmed", copied(py, &flows.trimmed)?)?;
        columns.set_item("timeouts", copied(py, &flows.timeouts)?)?;
        columns.set_item("layer_changes", copied(py, &flows.layer_changes)?)?;
        columns.set_item("bytes_delivered", counts(py, &flows.bytes_delivered)?)?;
        Ok(columns)
    }

    /// Returns, for each flow, the picoseconds that it takes over a shortest path without other traffic.
    fn ideal_fct<'py>(&self, py: Python<'py>) -> Column<'py, i64> {
        let (fabric, outcome, config) = (Arc::clone(&self.fabric), Arc::clone(&self.outcome), self.config.clone());
        let times =
            interruptible(py, move || tulle_packet::ideal_fct(&fabric, &outcome.flows, &config))?.or_raise(py)?;
        counts(py, &times)
    }
}

impl Outcome {
    /// Returns the rate of every link in bits per second, in the order of [`tulle_packet::Links`].
    fn rates(&self) -> impl Iterator<Item = u64> {
        let (fabric, default) = (&self.fabric, self.config.rate);
        let number = fabric.num_channels() + 2 * fabric.num_endpoints();
        let known = fabric.links().map(|links| {
            let kinds = links.channels().iter().chain(links.endpoints()).chain(links.endpoints());
            kinds.map(|&kind| links.kinds()[kind as usize].rate)
        });
        known.into_iter().flatten().chain(std::iter::repeat(None)).take(number).map(move |rate| rate.unwrap_or(default))
    }
}
