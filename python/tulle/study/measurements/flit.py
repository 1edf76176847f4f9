"""The measurement `flit`: loads and latencies of a flit simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._internal.arguments import canonical, input_files
from tulle.columns import Columns
from tulle.fabric import build_with_failures
from tulle.flit.configuration import DEFAULTS, OpenLoopSettings, configure
from tulle.metric import Figure
from tulle.study.measurements.parameters import Routed, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

# An exchange has a `cycle_ps` of its own.
_SETTINGS = {*OpenLoopSettings.__annotations__} - {"cycle_ps"}


class Network(Routed):
    """A routed fabric and how flits cross it."""

    router: Annotated[str, Spec("routers", alone=False)] = DEFAULTS["router"]
    """the router model"""
    selector: Annotated[str, Spec("flit-selectors", alone=False)] = DEFAULTS["selector"]
    """how packets choose among paths"""
    policy: Annotated[str, Spec("policies", alone=False)] = DEFAULTS["policy"]
    """how packets choose virtual channels"""
    vcs: int | None = None
    """virtual channels, in place of the router's"""
    packet: int = DEFAULTS["packet"]
    """flits of a packet"""
    link_latency: int = DEFAULTS["link_latency"]
    """cycles of cables that say nothing of their own"""
    class_latency: dict[str, int] | None = None
    """cycles of cables by channel class"""
    endpoint_latency: int = DEFAULTS["endpoint_latency"]
    """cycles of endpoints' links"""

    def settings(self) -> dict[str, Any]:
        """The keyword arguments that `tulle.simulate_flits` and its like share."""
        return self.model_dump(include=_SETTINGS)

    def build(self, seed: int) -> tuple[tulle.Fabric, tulle.Routing]:
        """The fabric and its routing under one seed."""
        fabric = build_with_failures(self.fabric, seed, self.fail, self.links)
        return fabric, tulle.route(fabric, self.routing, seed)


class OpenLoop(Network):
    """The same with traffic and its measurement; all but the load of ``tulle flit``."""

    traffic: Annotated[str, Spec("flit-traffics", alone=False)] = "uniform"
    """where packets go: flit traffic, or traffic whose messages name the destinations"""
    cycle_ps: int | None = DEFAULTS["cycle_ps"]
    """picoseconds of a cycle: with it, the latencies that the fabric knows count"""
    warmup: int = DEFAULTS["warmup"]
    """cycles before the window; with a tolerance, the fewest"""
    warmup_tolerance: float | None = DEFAULTS["warmup_tolerance"]
    """change of mean latency between samples below which the warm-up ends"""
    window: int = DEFAULTS["window"]
    """cycles measured"""
    drain: int = DEFAULTS["drain"]
    """cycles at most in which packets of the window arrive"""
    sample: int = DEFAULTS["sample"]
    """cycles of a sample of the mean latency"""

    def settings(self) -> dict[str, Any]:
        """The keyword arguments of `tulle.simulate_flits`."""
        return {**super().settings(), "cycle_ps": self.cycle_ps}


class Flit(OpenLoop):
    """The arguments of ``tulle flit``; the seed of a run is that of fabric, routing, traffic and simulation."""

    load: float = Field(default=DEFAULTS["load"], ge=0, le=1)
    """flits per cycle that every endpoint offers"""


def resolved(parameters: Network) -> dict[str, Any]:
    """The canonical specs of a network."""
    specs = parameters.canonical_specs()
    if isinstance(parameters, OpenLoop) and _tulle.spec_name(parameters.traffic) != "uniform":
        specs["traffic"] = canonical("flit-traffics", "traffic", parameters.traffic)
    configuration = configure(0.0, 0, parameters.settings())
    # The number of virtual channels is part of the router's spec from here on.
    return {**specs, **_tulle.resolve_flit(configuration), "vcs": None}


def resolve(parameters: Flit) -> Flit:
    """The same with canonical specs."""
    return parameters.model_copy(update=resolved(parameters))


def inputs(parameters: OpenLoop) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    return input_files(parameters.fabric, parameters.routing, _workload(parameters.traffic))


def _workload(traffic: str) -> str | None:
    """The traffic of ``tulle list traffics`` that destinations are from, None where there is none."""
    name, arguments = _tulle.split_spec(traffic)
    if all(entry["name"] != name for entry in _tulle.registered("flit-traffics")):
        return traffic
    inner = dict(arguments).get("of")
    return None if inner is None else _workload(inner)


def measure(parameters: Flit, seed: int, advance: Advance) -> Rows:
    """Builds, routes and simulates under one seed."""
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
        "saturated": int(result.exceeds_500_cycles),
        "deadlock": int(result.deadlock is not None),
    }
    return Rows(table, figures, result.counters)


MEASUREMENT = Measurement(
    name="flit",
    summary="loads and latencies of a flit simulation, as of tulle flit",
    paper="diameter-two §4",
    parameters=Flit,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Figure("endpoints", "endpoints", on_request=True),
        Figure("accepted", "accepted load"),
        Figure("latency_mean", "mean latency"),
        Figure("network_latency_mean", "mean network latency", on_request=True),
        Figure("latency_p50", "p50 latency", on_request=True),
        Figure("latency_p90", "p90 latency", on_request=True),
        Figure("latency_p99", "p99 latency"),
        Figure("latency_p999", "p99.9 latency", on_request=True),
        Figure("hops_mean", "mean hops"),
        Figure("minimal", "minimal share"),
        Figure("most_loaded", "most loaded channel", on_request=True),
        Figure("saturated", "above 500 cycles", usually_zero=True),
        Figure("deadlock", "deadlocks", usually_zero=True),
    ),
    note="Loads in flits per cycle and sending endpoint; latencies in cycles, from creation to the last flit.",
    rows_file="samples.csv",
)
