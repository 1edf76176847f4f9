"""The measurement `simulate`: the flows of a packet simulation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tulle
from tulle import _tulle
from tulle._arguments import canonical
from tulle._defaults import LATENCY, MTU, QUEUE, RATE, SELECTOR, TRANSPORT
from tulle.columns import Columns
from tulle.errors import InputError
from tulle.packet import MICROSECOND, configure
from tulle.study import completion
from tulle.study.measurement import Advance, Distribution, Figure, Measurement, Parameters, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Simulate(Parameters):
    """The arguments of ``tulle simulate``; the seed of a run is that of fabric, routing, traffic and simulation."""

    fabric: str
    fail: str | None = None
    routing: str
    traffic: str
    transport: str = TRANSPORT
    selector: str = SELECTOR
    queue: str = QUEUE
    rate: str = RATE
    latency: str = LATENCY
    mtu: str = MTU
    until: str | None = None
    warmup: float = 0.0
    """The first share of the time in which flows start whose flows are simulated and do not count; 0 to below 1."""


# Parameter -> kind of registry its spec is of.
_SPECS = {"fabric": "fabrics", "routing": "routings", "traffic": "traffics"}


def resolve(parameters: Simulate) -> Simulate:
    """The same with canonical specs."""
    if not 0 <= parameters.warmup < 1:
        raise InputError(f"warmup={parameters.warmup:g} is out of range; legal: 0 to below 1")
    resolved = {name: canonical(kind, name, getattr(parameters, name)) for name, kind in _SPECS.items()}
    if parameters.fail is not None:
        resolved["fail"] = canonical("faults", "fail", parameters.fail)
    specs = _tulle.resolve(
        configure(
            parameters.transport,
            parameters.selector,
            parameters.rate,
            parameters.latency,
            parameters.mtu,
            parameters.queue,
            0,
            parameters.until,
        )
    )
    return parameters.model_copy(update={**resolved, **specs})


def inputs(parameters: Simulate) -> list[Path]:
    """The files that fabric and traffic are read from."""
    files = [*_tulle.input_files(parameters.fabric), *_tulle.traffic_files(parameters.traffic)]
    return [Path(path) for path in files]


def simulate(parameters: Simulate, seed: int, advance: Advance) -> Rows:
    """Builds, routes, loads and simulates under one seed."""
    fabric = tulle.Fabric(parameters.fabric, seed)
    if parameters.fail is not None:
        fabric = fabric.failed(parameters.fail, seed)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    advance(0.0)
    result = tulle.simulate(
        fabric,
        routing,
        tulle.traffic(fabric, parameters.traffic, seed),
        parameters.transport,
        parameters.selector,
        queue=parameters.queue,
        rate=parameters.rate,
        latency=parameters.latency,
        mtu=parameters.mtu,
        until=parameters.until,
        seed=seed,
        # Runs share the processors already.
        threads=1,
        progress=lambda progress: advance(progress.fraction),
    )
    flows = result.flows
    counted = completion.counted(flows["start"], parameters.warmup)
    table = Columns(
        {
            "flow": np.arange(flows.num_rows, dtype=np.int64),
            "source": flows["source"],
            "destination": flows["destination"],
            "bytes": flows["bytes"],
            "start_ps": flows["start"],
            "delivered_ps": flows["delivered"],
            "finish_ps": flows["finish"],
            "fct_us": result.fct_us,
            "hops": flows["hops"],
            "retransmits": flows["retransmits"],
            "trimmed": flows["trimmed"],
            "timeouts": flows["timeouts"],
            "layer_changes": flows["layer_changes"],
            "counted": counted.astype(np.int8),
        }
    )
    figures = {
        "endpoints": fabric.num_endpoints,
        "switches_per_endpoint": fabric.num_switches / fabric.num_endpoints,
        "cables_per_endpoint": fabric.num_cables / fabric.num_endpoints,
        **completion.figures(flows["bytes"][counted], result.fct_us[counted]),
        "end_us": result.end / MICROSECOND,
        "unfinished": int(np.isnan(result.fct_us).sum()),
    }
    return Rows(table, figures, result.counters)


def _completion_times(flows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of the flows that finished and count."""
    times = flows["fct_us"][flows["counted"] == 1]
    times = times[np.isfinite(times)]
    return times, np.ones(len(times), dtype=np.int64)


MEASUREMENT = Measurement(
    name="simulate",
    parameters=Simulate,
    resolve=resolve,
    inputs=inputs,
    measure=simulate,
    figures=(
        Figure("endpoints", "endpoints"),
        Figure("switches_per_endpoint", "switches per endpoint"),
        Figure("cables_per_endpoint", "cables per endpoint"),
        Figure("fct_mean_us", "mean FCT (us)"),
        Figure("fct_p99_us", "p99 FCT (us)"),
        Figure("throughput_gbps", "Gb/s per flow"),
        Figure("fct_short_mean_us", "mean FCT of short flows (us)", on_request=True),
        Figure("fct_short_p99_us", "p99 FCT of short flows (us)", on_request=True),
        Figure("throughput_short_gbps", "Gb/s per short flow", on_request=True),
        Figure("fct_long_mean_us", "mean FCT of long flows (us)", on_request=True),
        Figure("fct_long_p99_us", "p99 FCT of long flows (us)", on_request=True),
        Figure("throughput_long_gbps", "Gb/s per long flow", on_request=True),
        Figure("end_us", "all done after (us)", on_request=True),
        Figure("unfinished", "unfinished flows", usually_zero=True),
    ),
    note="FCT: flow completion time, start to last acknowledgement. Short flows: up to 100 KB; long ones: from 1 MB. "
    "Cables: between switches, one more each endpoint.",
    rows_file="flows.csv",
    distributions=(Distribution("fct_us", "flow completion time (us)", _completion_times, logarithmic=True),),
    plots=("fct_us",),
)
