"""The measurement `simulate`: the flows of a packet simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tulle import _tulle
from tulle._internal.arguments import canonical, input_files
from tulle._internal.text import brief
from tulle.columns import Columns
from tulle.errors import SpecError
from tulle.metric import Distribution, Metric
from tulle.packet.outcome import MICROSECOND
from tulle.study.measurements import completion, network
from tulle.study.measurements.parameters import Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows
from tulle.workload import foreground_size, refuse_matrix

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.packet.outcome import Simulation
    from tulle.study.report.verdict import Number


class Simulate(network.Network):
    """The arguments of ``tulle simulate``. Fabric, routing, traffic and simulation use the seed of the run."""

    traffic: Annotated[str, Spec("traffics", alone=False)]
    """the messages"""
    mapping: Literal["linear", "random"] | None = None
    """mapping of ranks to endpoints, in all parts of the traffic with ranks; default: that of the traffic"""
    warmup: float = Field(default=0.0, ge=0, lt=1)
    """warm-up, as a fraction of the time in which flows start; flows that start in it are simulated but not counted"""


def resolve(parameters: Simulate) -> Simulate:
    """Return the parameters with canonical specs; the mapping becomes part of the traffic's spec."""
    traffic = parameters.traffic
    refuse_matrix(traffic)
    if parameters.mapping is not None:
        mapped = _mapped(traffic, parameters.mapping)
        if mapped == _mapped(traffic, None):
            raise SpecError(
                f"traffic: {brief(traffic)} has no ranks for mapping={parameters.mapping}; legal: without it"
            )
        traffic = mapped
    traffic = canonical("traffics", "traffic", traffic)
    return network.resolve(parameters).model_copy(update={"traffic": traffic, "mapping": None})


def _mapped(traffic: str, mapping: str | None) -> str:
    """Return a traffic with a mapping of its ranks. In a traffic of several parts, every part with ranks gets it."""
    name, arguments = _tulle.split_spec(traffic)
    entry = next((entry for entry in _tulle.registered("traffics") if entry["name"] == name), None)
    kinds = {each["name"]: each["kind"] for each in entry["parameters"]} if entry else {"mapping": {}}
    for key, value in arguments:
        if mapping and key in ("mapping", "places"):
            raise SpecError(f"traffic: {key}={value} and mapping={mapping} are both set; legal: one of them")
    parts = [
        (key, _mapped(value, mapping) if kinds.get(key, {}).get("type") == "spec" else value)
        for key, value in arguments
    ]
    return _tulle.join_spec(name, [*parts, *([("mapping", mapping)] if mapping and "mapping" in kinds else [])])


def inputs(parameters: Simulate) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    return input_files(parameters.fabric, parameters.routing, parameters.traffic)


def simulate(parameters: Simulate, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric, create the traffic and simulate it, with one seed."""
    fabric, result, warnings = network.run(parameters, parameters.traffic, seed, advance)
    flows = result.flows
    counted = completion.counted(flows["start"], parameters.warmup)
    first = foreground_size(fabric, parameters.traffic, seed)
    part = np.arange(flows.num_rows) >= (flows.num_rows if first is None else first)
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
            "slowdown": result.slowdown,
            "hops": flows["hops"],
            "retransmits": flows["retransmits"],
            "trimmed": flows["trimmed"],
            "timeouts": flows["timeouts"],
            "layer_changes": flows["layer_changes"],
            "counted": counted.astype(np.int8),
            # Runs without a background have this column too, so that all runs of a study have the same columns.
            "part": part.astype(np.int8),
        }
    )
    figures: dict[str, Number] = {
        "endpoints": fabric.num_endpoints,
        "switches_per_endpoint": fabric.num_switches / fabric.num_endpoints,
        "cables_per_endpoint": fabric.num_cables / fabric.num_endpoints,
        **completion.figures(flows["bytes"][counted], result.fct_us[counted]),
        **_parts(flows["bytes"], result.fct_us, counted, None if first is None else part),
        **_communication(result),
        "end_us": result.end / MICROSECOND,
        "unfinished": int(np.isnan(result.fct_us).sum()),
        "deadlock": int(result.deadlock is not None),
        **_deadlock(result),
        **_faults(result),
        **_overflows(result.counters),
    }
    return Rows(table, figures, result.counters, warnings)


def _deadlock(result: Simulation) -> dict[str, Number]:
    """Return the time of the deadlock, and the time from the first to the last of the pauses that cause it."""
    if result.deadlock is None:
        return {"deadlock_us": None, "deadlock_pauses_us": None}
    since = [port["since"] for port in result.deadlock["ports"]]
    return {
        "deadlock_us": result.deadlock["time"] / MICROSECOND,
        "deadlock_pauses_us": (max(since) - min(since)) / MICROSECOND,
    }


def _parts(
    size: NDArray[Any], fct_us: NDArray[np.float64], counted: NDArray[np.bool_], part: NDArray[np.bool_] | None
) -> dict[str, Number]:
    """Return the completion times of the foreground and of the background; None if the traffic has only one part."""
    found: dict[str, Number] = {}
    for name, wanted in (("foreground", False), ("background", True)):
        own = np.zeros(len(counted), dtype=np.bool_) if part is None else counted & (part == wanted)
        times = completion.figures(size[own], fct_us[own])
        found |= {f"fct_{name}_{key}_us": times[f"fct_{key}_us"] for key in ("mean", "p99")}
    return found


def _communication(result: Simulation) -> dict[str, Number]:
    """Return the time of the last arrival, and the mean time at which an endpoint has handled all its messages."""
    flows = result.flows
    if not flows.num_rows or (flows["delivered"] < 0).any():
        return {"arrived_us": None, "endpoint_us": None}
    last = np.full(int(max(flows["source"].max(), flows["destination"].max())) + 1, -1, dtype=np.int64)
    for end in ("source", "destination"):
        np.maximum.at(last, flows[end], flows["delivered"])
    return {
        "arrived_us": float(flows["delivered"].max() / MICROSECOND),
        "endpoint_us": float(last[last >= 0].mean() / MICROSECOND),
    }


def _overflows(counters: dict[str, int]) -> dict[str, Number]:
    """Return the percentages of sent data packets that full queues dropped, and that they trimmed to headers."""
    sent = counters["data_sent"]
    if not sent:
        return {"dropped_percent": None, "trimmed_percent": None}
    return {f"{what}_percent": 100 * counters[f"data_{what}"] / sent for what in ("dropped", "trimmed")}


def _faults(result: Simulation) -> dict[str, Number]:
    """Return the effects of faults.

    The time to recover is the longest over all faults, or None if the run did not recover from every fault.
    """
    times = [fault["time_to_recover_us"] for fault in result.faults]
    known = [time for time in times if time is not None]
    return {
        "lost": sum(fault["data_lost"] for fault in result.faults),
        "stalled": sum(fault["stalled"] for fault in result.faults),
        "recover_us": max(known, default=0.0) if len(known) == len(times) else None,
        "cut_off": len(result.cut_off),
    }


def _completion_times(flows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the completion times of flows that finished and started after the warm-up."""
    times = flows["fct_us"][flows["counted"] == 1]
    times = times[np.isfinite(times)]
    return times, np.ones(len(times), dtype=np.int64)


# By a word in the titles of metrics.
_EXPLAINED = {
    "FCT": "FCT: flow completion time, from start to last acknowledgement.",
    "ground": "Values without a named part cover the foreground and the background together.",
    "short flow": "Short flows have up to 100 KB.",
    "medium flow": "Medium flows have more than 100 KB and less than 1 MB.",
    "long flow": "Long flows have 1 MB or more.",
    "cable": "Cables are those between switches.",
}

MEASUREMENT = Measurement(
    name="simulate",
    example={"fabric": "slimfly:q=3", "routing": "minimal", "traffic": "permutation:bytes=10KB"},
    summary="completion times of flows in a packet simulation, as in tulle simulate",
    paper="FatPaths §VII",
    parameters=Simulate,
    resolve=resolve,
    inputs=inputs,
    measure=simulate,
    figures=(
        Metric("endpoints", "endpoints"),
        Metric("switches_per_endpoint", "switches per endpoint"),
        Metric("cables_per_endpoint", "cables per endpoint"),
        Metric("fct_p1_us", "p1 FCT (us)", on_request=True),
        Metric("fct_p50_us", "median FCT (us)", on_request=True),
        Metric("fct_mean_us", "mean FCT (us)"),
        Metric("fct_p99_us", "p99 FCT (us)"),
        # Only rows of the traffic `with-background` have these metrics.
        Metric("fct_foreground_mean_us", "mean FCT of the foreground (us)", usually_zero=True),
        Metric("fct_foreground_p99_us", "p99 FCT of the foreground (us)", usually_zero=True),
        Metric("fct_background_mean_us", "mean FCT of the background (us)", on_request=True),
        Metric("fct_background_p99_us", "p99 FCT of the background (us)", on_request=True),
        Metric("throughput_p1_gbps", "p1 of Gb/s per flow", on_request=True),
        Metric("throughput_gbps", "Gb/s per flow"),
        Metric("throughput_p99_gbps", "p99 of Gb/s per flow", on_request=True),
        Metric("arrived_us", "all arrived (us)", on_request=True),
        Metric("endpoint_us", "arrived per endpoint (us)", on_request=True),
        Metric("fct_short_p1_us", "p1 FCT of short flows (us)", on_request=True),
        Metric("fct_short_mean_us", "mean FCT of short flows (us)", on_request=True),
        Metric("fct_short_p99_us", "p99 FCT of short flows (us)", on_request=True),
        Metric("throughput_short_p1_gbps", "p1 of Gb/s per short flow", on_request=True),
        Metric("throughput_short_gbps", "Gb/s per short flow", on_request=True),
        Metric("throughput_short_p99_gbps", "p99 of Gb/s per short flow", on_request=True),
        Metric("fct_medium_p1_us", "p1 FCT of medium flows (us)", on_request=True),
        Metric("fct_medium_mean_us", "mean FCT of medium flows (us)", on_request=True),
        Metric("fct_medium_p99_us", "p99 FCT of medium flows (us)", on_request=True),
        Metric("throughput_medium_p1_gbps", "p1 of Gb/s per medium flow", on_request=True),
        Metric("throughput_medium_gbps", "Gb/s per medium flow", on_request=True),
        Metric("throughput_medium_p99_gbps", "p99 of Gb/s per medium flow", on_request=True),
        Metric("fct_long_p1_us", "p1 FCT of long flows (us)", on_request=True),
        Metric("fct_long_mean_us", "mean FCT of long flows (us)", on_request=True),
        Metric("fct_long_p99_us", "p99 FCT of long flows (us)", on_request=True),
        Metric("throughput_long_p1_gbps", "p1 of Gb/s per long flow", on_request=True),
        Metric("throughput_long_gbps", "Gb/s per long flow", on_request=True),
        Metric("throughput_long_p99_gbps", "p99 of Gb/s per long flow", on_request=True),
        Metric("end_us", "all done after (us)", on_request=True),
        Metric("dropped_percent", "% of packets dropped", on_request=True),
        Metric("trimmed_percent", "% of packets trimmed", on_request=True),
        Metric("unfinished", "unfinished flows", usually_zero=True),
        Metric("deadlock", "deadlocks", usually_zero=True),
        Metric("deadlock_us", "deadlock at (us)", usually_zero=True),
        Metric("deadlock_pauses_us", "pauses of the deadlock within (us)", on_request=True),
        Metric("lost", "packets lost to faults", usually_zero=True),
        Metric("stalled", "stalled flows", usually_zero=True),
        Metric("recover_us", "time to recover (us)", usually_zero=True),
        Metric("cut_off", "flows cut off", usually_zero=True),
    ),
    note=" ".join(_EXPLAINED.values()),
    explained=_EXPLAINED,
    rows_file="flows.csv",
    distributions=(Distribution("fct_us", "flow completion time (µs)", _completion_times, logarithmic=True),),
    plots=("fct_us",),
)
