"""The measurement `throughput`: certified bounds on the maximum achievable throughput."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import tulle
from tulle import _tulle
from tulle._arguments import canonical, read_gap
from tulle.columns import Columns
from tulle.study.measurement import Advance, Figure, Measurement, Parameters, Rows


class Throughput(Parameters):
    """The arguments of ``tulle throughput``; the seed of a run is that of fabric, routing and traffic."""

    fabric: str
    fail: str | None = None
    routing: str | None = None
    traffic: str
    gap: str = "1%"
    method: str | None = None


# Demands that are not made from a traffic pattern.
_DEMANDS = ("all-to-all",)


def resolve(parameters: Throughput) -> Throughput:
    """The same with canonical specs."""
    resolved: dict[str, str] = {"fabric": canonical("fabrics", "fabric", parameters.fabric)}
    if parameters.routing is not None:
        resolved["routing"] = canonical("routings", "routing", parameters.routing)
    if parameters.traffic not in _DEMANDS:
        resolved["traffic"] = canonical("traffics", "traffic", parameters.traffic)
    if parameters.fail is not None:
        resolved["fail"] = canonical("faults", "fail", parameters.fail)
    read_gap(parameters.gap)
    tulle.analysis.check_method(parameters.method)
    return parameters.model_copy(update=resolved)


def inputs(parameters: Throughput) -> list[Path]:
    """The files that the fabric is read from."""
    return [Path(path) for path in _tulle.input_files(parameters.fabric)]


def throughput(parameters: Throughput, seed: int, advance: Advance) -> Rows:
    """Builds, routes, loads and brackets under one seed."""
    fabric = tulle.Fabric(parameters.fabric, seed)
    if parameters.fail is not None:
        fabric = fabric.failed(parameters.fail, seed)
    advance(0.0)
    routing = None if parameters.routing is None else tulle.route(fabric, parameters.routing, seed)
    advance(0.0)
    demands = tulle.analysis.demands(fabric, parameters.traffic, seed)
    found = tulle.analysis.throughput(
        fabric, demands, routing, parameters.gap, method=parameters.method, progress=lambda *_: advance(0.0)
    )
    upper = found.upper if np.isfinite(found.upper) else None
    table = Columns({"lower": np.array([found.lower]), "upper": np.array([found.upper])})
    figures = {"lower": found.lower, "upper": upper, "unproven": int(not found.proven)}
    return Rows(table, figures, {"pairs": demands.num_pairs})


MEASUREMENT = Measurement(
    name="throughput",
    parameters=Throughput,
    resolve=resolve,
    inputs=inputs,
    measure=throughput,
    figures=(
        Figure("lower", "MAT at least"),
        Figure("upper", "MAT at most"),
        Figure("unproven", "runs beyond the gap", usually_zero=True),
    ),
    note="MAT: maximum achievable throughput, between the share of the demands that a flow was shown to carry and a "
    "bound that no flow exceeds.",
    rows_file="throughput.csv",
    distributions=(),
)
