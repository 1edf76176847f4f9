"""The measurement `flit`: loads and latencies of a flit simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._internal.arguments import canonical, input_files
from tulle.columns import Columns
from tulle.flit.configuration import OpenLoopSettings, Settings, configure
from tulle.flit.notes import layer_notes
from tulle.flit.options import DEFAULTS
from tulle.metric import Curves, Metric
from tulle.plot.latency_load import LOAD, OF
from tulle.study.measurements.options import FlitOptions, WindowOptions
from tulle.study.measurements.parameters import Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows
from tulle.study.measurements.shared import routed

if TYPE_CHECKING:
    from pathlib import Path


class Network(FlitOptions):
    """A routed fabric and the settings of the flit simulator."""

    vcs: int | None = None
    """number of virtual channels; replaces the number in the router's spec"""

    def settings(self) -> dict[str, Any]:
        """Return the keyword arguments that all functions of the flit simulator share."""
        return self.model_dump(include={*Settings.__annotations__})

    def build(self, seed: int) -> tuple[tulle.Fabric, tulle.Routing]:
        """Return the fabric and its routing with one seed."""
        return routed(self, seed)


class OpenLoop(WindowOptions, Network):
    """A network with traffic and the settings of the measurement: the arguments of ``tulle flit`` except the load."""

    traffic: Annotated[str, Spec("flit-traffics", alone=False)] = "uniform"
    """destinations of packets: a flit traffic pattern, or a traffic pattern whose messages give the destinations"""

    def settings(self) -> dict[str, Any]:
        """Return the keyword arguments of `tulle.simulate_flits`."""
        return self.model_dump(include={*OpenLoopSettings.__annotations__})


class Flit(OpenLoop):
    """The arguments of ``tulle flit``. Fabric, routing, traffic and simulation use the seed of the run."""

    load: float = Field(default=DEFAULTS["load"], ge=0, le=1)
    """offered load in flits per cycle and endpoint"""


def resolved(parameters: Network) -> dict[str, Any]:
    """Return the canonical specs of a network."""
    specs = parameters.canonical_specs()
    if isinstance(parameters, OpenLoop) and _tulle.spec_name(parameters.traffic) != "uniform":
        specs["traffic"] = canonical("flit-traffics", "traffic", parameters.traffic)
    # Exchanges have additional options that `FlitConfiguration` does not have.
    settings = parameters.settings() if isinstance(parameters, OpenLoop) else Network.settings(parameters)
    configuration = configure(0.0, 0, settings)
    # The router's spec now contains the number of virtual channels.
    return {**specs, **_tulle.resolve_flit(configuration), "vcs": None}


def resolve(parameters: Flit) -> Flit:
    """Return the parameters with canonical specs."""
    return parameters.model_copy(update=resolved(parameters))


def inputs(parameters: OpenLoop) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    return input_files(parameters.fabric, parameters.routing, _workload(parameters.traffic))


def _workload(traffic: str) -> str | None:
    """Return the traffic of ``tulle list traffics`` that gives the destinations; None for a flit traffic."""
    name, arguments = _tulle.split_spec(traffic)
    if all(entry["name"] != name for entry in _tulle.registered("flit-traffics")):
        return traffic
    inner = dict(arguments).get("of")
    return None if inner is None else _workload(inner)


def measure(parameters: Flit, seed: int, advance: Advance) -> Rows:
    """Build, route and simulate with one seed."""
    advance(0.0)
    fabric, routing = parameters.build(seed)
    total = parameters.warmup + parameters.window
    result = tulle.simulate_flits(
        fabric,
        routing,
        parameters.traffic,
        load=parameters.load,
        seed=seed,
        progress=lambda progress: advance(min(progress.cycle / total, 1.0)),
        **parameters.settings(),
    )
    latency = result.samples
    table = Columns({"sample": np.arange(len(latency), dtype=np.int64), "latency_cycles": latency})
    figures = {
        "endpoints": fabric.num_endpoints,
        "accepted": result.accepted,
        "latency_mean": result.latency_mean,
        "network_latency_mean": result.network_latency_mean,
        **{f"latency_{name}": value for name, value in result.percentiles.items()},
        "hops_mean": result.hops_mean,
        "minimal": result.minimal,
        "most_loaded": float(result.channel_load.max(initial=0.0)),
        "saturated": int(result.saturated),
        "deadlock": int(result.deadlock is not None),
    }
    notes = layer_notes(routing, result.configuration["selector"])
    return Rows(table, figures, result.counters, (*fabric.warnings, *notes, *result.warnings))


MEASUREMENT = Measurement(
    name="flit",
    example={"fabric": "slimfly:q=3", "routing": "minimal", "load": 0.1, "warmup": 100, "window": 500},
    summary="loads and latencies of a flit simulation, as in tulle flit",
    paper="Kathareios et al. (SC15) §4",
    parameters=Flit,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("endpoints", "endpoints", on_request=True),
        Metric("accepted", "accepted load", unit="flits per cycle and endpoint"),
        Metric("latency_mean", "mean latency", unit="cycles"),
        Metric("network_latency_mean", "mean network latency", on_request=True, unit="cycles"),
        Metric("latency_p50", "p50 latency", on_request=True, unit="cycles"),
        Metric("latency_p90", "p90 latency", on_request=True, unit="cycles"),
        Metric("latency_p99", "p99 latency", unit="cycles"),
        Metric("latency_p999", "p99.9 latency", on_request=True, unit="cycles"),
        Metric("hops_mean", "mean hops"),
        Metric("minimal", "minimal share"),
        Metric("most_loaded", "most loaded channel", on_request=True),
        Metric("saturated", "saturated", usually_zero=True),
        Metric("deadlock", "deadlocks", usually_zero=True),
    ),
    note="Loads in flits per cycle and sending endpoint; latencies in cycles, from creation to the last flit. "
    "Network latencies begin when the first flit is sent.",
    rows_file="samples.csv",
    curves=(
        Curves(
            "latency_load",
            "load",
            LOAD,
            dict(OF.values()),
            logarithmic=("latency_mean",),
            beyond="saturated",
        ),
    ),
)
