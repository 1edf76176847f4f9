"""The measurement `lab`: compare the packet simulator's forecast with throughput measured on Linux."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

import tulle
from tulle import _tulle
from tulle._internal.arguments import input_files
from tulle._internal.reading import read_text
from tulle.columns import Columns
from tulle.errors import FormatError
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import InputFile, Quantity, Routed
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.study.report.verdict import Number

_NEEDED = ("from", "to", "by", "flows", "mbps")
# The first second is ignored, as in the lab.
_FIRST = 1.0


class Lab(Routed):
    """A lab and the file of its measurements. A run uses one seed for fabric, routing and simulation."""

    measured: Annotated[str, InputFile()]
    """the file that tulle lab traffic -o wrote; pairs of hosts without results of both transports are left out"""
    by: Literal["mptcp", "flowlets", "hash"] = "mptcp"
    """the transport that is compared with TCP"""
    rate: Annotated[str, Quantity("rate")] = "20Mbps"
    """rate of the lab's cables"""
    seconds: float = Field(default=5.0, gt=1, le=600)
    """duration of the measurement in seconds"""
    together: bool = False
    """whether all pairs sent at the same time"""


def resolve(parameters: Lab) -> Lab:
    """Return the parameters with canonical specs."""
    _tulle.read_rate("rate", "rate", parameters.rate)
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Lab) -> list[Path]:
    """Return the files of fabric and routing, and the file of measurements."""
    return [*input_files(parameters.fabric, parameters.routing), Path(parameters.measured)]


def lab(parameters: Lab, seed: int, advance: Advance) -> Rows:
    """Simulate the traffic that was measured."""
    from tulle.deploy.ethernet.plan import plan_of
    from tulle.lab.forecast import forecast, links

    rate = _tulle.read_rate("rate", "rate", parameters.rate)
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, [*parameters.links, *links(rate)])
    routing = tulle.route(fabric, parameters.routing, seed)
    ids = {host.name: host.endpoint for host in plan_of(routing).hosts}
    found = _read(Path(parameters.measured), ids)
    pairs = [ends for ends, kinds in found.items() if {"tcp", parameters.by} <= kinds.keys()]
    if not pairs:
        raise FormatError(
            f"{parameters.measured}: no pair was measured with both tcp and {parameters.by}; legal: one or more"
        )
    columns: dict[str, list[Any]] = {"source": [ends[0] for ends in pairs], "destination": [ends[1] for ends in pairs]}
    for number, kind in enumerate(("tcp", parameters.by)):
        streams = [(*ends, found[ends][kind][0]) for ends in pairs]
        runs = [streams] if parameters.together else [[one] for one in streams]
        forecasts: list[float] = []
        for place, run in enumerate(runs):
            advance((number + place / len(runs)) / 2)
            forecasts += forecast(routing, run, kind, rate=rate, seconds=parameters.seconds, first=_FIRST, seed=seed)  # type: ignore[arg-type]
        name = "tcp" if kind == "tcp" else "other"
        columns[f"{name}_measured_mbps"] = [found[ends][kind][1] for ends in pairs]
        columns[f"{name}_forecast_mbps"] = forecasts
    table = {name: np.array(column) for name, column in columns.items()}
    for what in ("measured", "forecast"):
        table[f"ratio_{what}"] = table[f"other_{what}_mbps"] / table[f"tcp_{what}_mbps"]
    measured, forecast_ratios = table["ratio_measured"], table["ratio_forecast"]
    figures: dict[str, Number] = {
        "pairs": len(pairs),
        "correlation": _correlation(measured, forecast_ratios),
        "ratio_measured": float(measured.mean()),
        "ratio_forecast": float(forecast_ratios.mean()),
        "off_most": float(np.abs(forecast_ratios / measured - 1).max()),
    }
    return Rows(Columns(table), figures, {})


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """Return Pearson's correlation; None if either value is the same for all pairs."""
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _read(path: Path, ids: dict[str, int]) -> dict[tuple[int, int], dict[str, tuple[int, float]]]:
    """Return, by pair of endpoints and transport, the number of flows and the measured rate in 10⁶ bits per second."""
    rows = list(csv.DictReader(read_text(path).splitlines()))
    found: dict[tuple[int, int], dict[str, tuple[int, float]]] = {}
    for number, row in enumerate(rows, 2):
        try:
            flows, mbps = int(row["flows"]), float(row["mbps"])
            ends, by = (ids[row["from"]], ids[row["to"]]), row["by"] or ""
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"{path}: line {number}: {error}: a missing column, an unknown host or not a number; "
                f"legal: columns {', '.join(_NEEDED)}, with hosts of the fabric"
            ) from None
        if not (0 < mbps < float("inf") and 1 <= flows <= 1024):
            raise FormatError(
                f"{path}: line {number}: mbps={mbps:g}, flows={flows}; legal: mbps above 0, flows from 1 to 1024"
            )
        found.setdefault(ends, {})[by] = flows, mbps
    return found


MEASUREMENT = Measurement(
    name="lab",
    example={
        "fabric": "slimfly:q=5",
        "routing": "almost-minimal:layers=4",
        "measured": "studies/deployment/linux-kernel/mptcp.csv",
        "by": "mptcp",
        "rate": "1Mbps",
        "seconds": 1.5,
    },
    summary="compare the packet simulator with measurements of tulle lab traffic on Linux",
    paper="FatPaths §VII-A (simulators), §V-D to §V-F (mechanisms in a lab)",
    parameters=Lab,
    resolve=resolve,
    inputs=inputs,
    measure=lab,
    figures=(
        Metric("pairs", "pairs"),
        Metric("correlation", "correlation of ratios"),
        Metric("ratio_measured", "ratio to TCP, measured"),
        Metric("ratio_forecast", "ratio to TCP, forecast"),
        Metric("off_most", "largest error of the forecast"),
    ),
    note="Throughput relative to TCP of the same pair. Measured: from the lab's file; forecast: simulated by this run.",
    rows_file="pairs.csv",
)
