"""The measurement `ebb`: effective bisection bandwidth, the mean bandwidth of pairs across random bisections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from tulle import _tulle
from tulle._internal.arguments import canonical, input_files
from tulle.columns import Columns
from tulle.metric import Metric
from tulle.packet.outcome import MICROSECOND
from tulle.study.measurements import network
from tulle.study.measurements.parameters import Quantity
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class Ebb(network.Network):
    """A network and random bisections of its ranks. Both use the seed of the run."""

    bytes: Annotated[str, Quantity("bytes")] = "1MiB"
    """size of a message"""
    rounds: int = Field(default=20, ge=1, le=65_535)
    """number of bisections, simulated one after the other"""
    both: bool = True
    """whether pairs send in both directions at the same time, or only in one direction"""
    ranks: int | None = Field(default=None, ge=2)
    """number of ranks; they run on the first endpoints of the mapping; default: all endpoints"""
    mapping: Literal["linear", "random"] = "linear"
    """mapping of ranks to endpoints"""

    @property
    def traffic(self) -> str:
        """The bisections as a spec."""
        given = {
            "bytes": self.bytes,
            "rounds": self.rounds,
            "both": "yes" if self.both else "no",
            "mapping": self.mapping,
        }
        if self.ranks is not None:
            given["ranks"] = self.ranks
        return _tulle.join_spec("bisection", [(key, str(value)) for key, value in given.items()])


def resolve(parameters: Ebb) -> Ebb:
    """Return the parameters with canonical specs."""
    _, arguments = _tulle.split_spec(canonical("traffics", "bisection", parameters.traffic))
    return network.resolve(parameters).model_copy(update={"bytes": dict(arguments)["bytes"]})


def inputs(parameters: Ebb) -> list[Path]:
    """The files that fabric and routing are read from."""
    return input_files(parameters.fabric, parameters.routing)


def measure(parameters: Ebb, seed: int, advance: Advance) -> Rows:
    """Build and route the network, and measure all bisections, with one seed.

    The bandwidth of a message is its payload divided by the time from its start to the arrival of its last byte. It is
    divided by the bandwidth of a pair alone on one switch, which headers and latency reduce, too. A bisection's
    ``share`` and ``gbps`` are means over its messages, and ``least_share`` is the minimum (Hoefler, Schneider,
    Lumsdaine, Cluster 2008).
    """
    fabric, result, warnings = network.run(parameters, parameters.traffic, seed, advance)
    flows = result.flows
    taken = np.where(flows["delivered"] < 0, np.nan, (flows["delivered"] - flows["start"]).astype(np.float64))
    # Rows are ordered by bisection, and each bisection has the same number of messages.
    gbps = (flows["bytes"] * 8e-3 / (taken / MICROSECOND)).reshape(parameters.rounds, -1)
    share = (_alone(parameters, seed) / taken).reshape(parameters.rounds, -1)
    table = Columns(
        {
            "bisection": np.arange(parameters.rounds, dtype=np.int64),
            "share": share.mean(axis=1),
            "least_share": share.min(axis=1),
            "gbps": gbps.mean(axis=1),
        }
    )
    complete = bool(np.isfinite(taken).all())
    figures = {
        "endpoints": fabric.num_endpoints if parameters.ranks is None else parameters.ranks,
        "ebb": float(table["share"].mean()) if complete else None,
        "worst": float(table["share"].min()) if complete else None,
        "ebb_gbps": float(table["gbps"].mean()) if complete else None,
        "unfinished": int(np.isnan(taken).sum()),
    }
    return Rows(table, figures, result.counters, warnings)


def _alone(parameters: Ebb, seed: int) -> float:
    """Return the time in picoseconds that a message takes between two endpoints alone on one switch."""
    update: dict[str, Any] = {
        "fabric": "star:endpoints=2",
        "fail": None,
        "routing": "minimal",
        "deadlock": None,
        "faults": [],
        "until": None,
    }
    alone = parameters.model_copy(update={**update, "rounds": 1, "ranks": None, "mapping": "linear"})
    _, result, _ = network.run(alone, alone.traffic, seed, lambda _: None)
    return float((result.flows["delivered"] - result.flows["start"]).min())


MEASUREMENT = Measurement(
    name="ebb",
    example={"fabric": "slimfly:q=3", "routing": "minimal", "bytes": "10KB", "rounds": 2, "ranks": 8},
    summary="effective bisection bandwidth: the mean bandwidth of pairs across random bisections",
    paper="Slim Fly deployment §7.2, §7.4 (Netgauge eBB); Hoefler, Schneider, Lumsdaine, Cluster 2008",
    parameters=Ebb,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("endpoints", "ranks"),
        Metric("ebb", "effective bisection bandwidth"),
        Metric("worst", "worst bisection"),
        Metric("ebb_gbps", "Gb/s per message"),
        Metric("unfinished", "unfinished messages", usually_zero=True),
    ),
    note="Effective bisection bandwidth: the mean bandwidth of pairs across random bisections while all pairs send. "
    "The unit is the bandwidth of a pair alone on one switch.",
    rows_file="bisections.csv",
)
