"""The measurement `flit-exchange`: all messages of a workload through the flit simulator, until they have arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import tulle
from tulle._internal.arguments import canonical, input_files
from tulle.columns import Columns
from tulle.flit.configuration import ClosedLoopSettings
from tulle.flit.notes import layer_notes
from tulle.flit.run_to_completion import count_packets
from tulle.metric import Metric
from tulle.study.measurements.flit import Network, resolved
from tulle.study.measurements.options import ExchangeOptions
from tulle.study.measurements.parameters import Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class FlitExchange(ExchangeOptions, Network):
    """The arguments of ``tulle exchange``. Fabric, routing, traffic and simulation use the seed of the run."""

    traffic: Annotated[str, Spec("traffics", alone=False)]
    """the messages"""

    def settings(self) -> dict[str, Any]:
        """Return the keyword arguments of `tulle.simulate_exchange`."""
        return self.model_dump(include={*ClosedLoopSettings.__annotations__})


def resolve(parameters: FlitExchange) -> FlitExchange:
    """Return the parameters with canonical specs."""
    traffic = canonical("traffics", "traffic", parameters.traffic)
    return parameters.model_copy(update={**resolved(parameters), "traffic": traffic})


def inputs(parameters: FlitExchange) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    return input_files(parameters.fabric, parameters.routing, parameters.traffic)


def measure(parameters: FlitExchange, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric and run the exchange, with one seed."""
    advance(0.0)
    fabric, routing = parameters.build(seed)
    workload = tulle.traffic(fabric, parameters.traffic, seed)
    packets = count_packets(workload, parameters.packet, parameters.flit_bytes)
    result = tulle.simulate_exchange(
        fabric,
        routing,
        workload,
        seed=seed,
        progress=lambda progress: advance(min(progress.delivered / packets, 1.0)),
        **parameters.settings(),
    )
    summary = result.summary()
    endpoints = np.arange(fabric.num_endpoints, dtype=np.int64)
    sent = _last(workload.source, result.arrival, len(endpoints))
    received = _last(workload.destination, result.arrival, len(endpoints))
    table = Columns({"endpoint": endpoints, "last_sent_cycle": sent, "last_received_cycle": received})
    figures = {
        "endpoints": fabric.num_endpoints,
        "senders": result.counters["senders"],
        "throughput": result.throughput,
        "cycles": result.cycles if result.complete else None,
        "endpoint_us": _mean_end(np.maximum(sent, received), summary["completion_us"]),
        **{name: summary[name] for name in _FROM_SUMMARY},
        "most_loaded": float(result.channel_load.max(initial=0.0)),
        "unfinished": int((result.arrival < 0).sum()),
        "deadlock": int(result.deadlock is not None),
    }
    notes = layer_notes(routing, result.configuration["selector"])
    return Rows(table, figures, result.counters, (*fabric.warnings, *workload.warnings, *notes, *result.warnings))


def _mean_end(last: NDArray[np.int64], completion_us: float | None) -> float | None:
    """Return the mean time at which an endpoint has sent and received everything, in µs.

    None if not all messages have arrived. The last endpoint is ready at the completion time.
    """
    taking_part = last[last >= 0]
    if completion_us is None or not len(taking_part):
        return None
    return float(taking_part.mean() / taking_part.max() * completion_us)


_FROM_SUMMARY = ("completion_us", "latency_mean", "latency_p99", "network_latency_mean", "hops_mean", "minimal")


def _last(endpoint: NDArray[np.int32], arrival: NDArray[np.int64], endpoints: int) -> NDArray[np.int64]:
    """Return the cycle in which the last message of each endpoint arrives; `endpoint` has one end of each message.

    −1 if the endpoint has no message, or if one of its messages has not arrived.
    """
    last = np.full(endpoints, -1, dtype=np.int64)
    np.maximum.at(last, endpoint, arrival)
    last[endpoint[arrival < 0]] = -1
    return last


MEASUREMENT = Measurement(
    name="flit-exchange",
    example={"fabric": "slimfly:q=3", "routing": "minimal", "traffic": "permutation:bytes=1KB"},
    summary="all messages of a workload through the flit simulator, as in tulle exchange",
    paper="Kathareios et al. (SC15) §4.4",
    parameters=FlitExchange,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("endpoints", "endpoints", on_request=True),
        Metric("senders", "senders", on_request=True),
        Metric("throughput", "effective throughput"),
        Metric("completion_us", "completion, µs"),
        Metric("cycles", "completion, cycles"),
        Metric("endpoint_us", "mean over endpoints, µs", on_request=True),
        Metric("latency_mean", "mean message latency", on_request=True),
        Metric("latency_p99", "p99 message latency", on_request=True),
        Metric("network_latency_mean", "mean network latency", on_request=True),
        Metric("hops_mean", "mean hops"),
        Metric("minimal", "minimal share"),
        Metric("most_loaded", "most loaded channel", on_request=True),
        Metric("unfinished", "unfinished messages", usually_zero=True),
        Metric("deadlock", "deadlocks", usually_zero=True),
    ),
    note="Effective throughput: payload per sender / completion time, relative to the link rate. Latencies are in "
    "cycles.",
    rows_file="endpoints.csv",
)
