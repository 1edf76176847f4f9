"""The measurement `throughput`: certified bounds on the maximum achievable throughput."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

import tulle
from tulle._internal.arguments import canonical, input_files, read_gap
from tulle.columns import Columns
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import OnFabric, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows
from tulle.workload import matrix_path


class Throughput(OnFabric):
    """The arguments of ``tulle throughput``. Fabric, routing and traffic use the seed of the run."""

    routing: Annotated[str | None, Spec("routings")] = None
    """the routing, or @FILE of a saved routing; if unset, flows may use any path"""
    traffic: Annotated[str, Spec("traffics", alone=False)]
    """the demands: messages; all-to-all, in which each endpoint sends at one link's rate, evenly to all others; or
    file:matrix=NAME, a matrix of demands"""
    gap: str = "1%"
    """largest relative gap between the bounds"""
    method: str | None = None
    """method by which the bounds are found; see docs/explanation/throughput.md"""
    stress: int = Field(default=0, ge=0, le=1 << 32)
    """number of swaps that are tried to make the traffic worse for the routing; a swap exchanges the destinations of
    two messages; 0: none"""


def _is_demands(traffic: str) -> bool:
    """Whether the traffic is no pattern of messages."""
    return traffic == "all-to-all" or matrix_path(traffic) is not None


def resolve(parameters: Throughput) -> Throughput:
    """Return the parameters with canonical specs."""
    resolved = parameters.canonical_specs()
    if not _is_demands(parameters.traffic):
        resolved["traffic"] = canonical("traffics", "traffic", parameters.traffic)
    if parameters.stress and (parameters.routing is None or _is_demands(parameters.traffic)):
        raise tulle.InputError(
            f"stress={parameters.stress} needs a routing and messages; "
            "legal: a routing, and a traffic pattern with messages"
        )
    read_gap(parameters.gap)
    tulle.analysis.check_method(parameters.method)
    return parameters.model_copy(update=resolved)


def inputs(parameters: Throughput) -> list[Path]:
    """The files that fabric, routing and traffic are read from."""
    traffic = parameters.traffic
    files = input_files(parameters.fabric, parameters.routing, None if _is_demands(traffic) else traffic)
    matrix = matrix_path(traffic)
    return files if matrix is None else [*files, Path(matrix)]


def throughput(parameters: Throughput, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric, create the demands, and compute bounds of the throughput, with one seed."""
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = None if parameters.routing is None else tulle.route(fabric, parameters.routing, seed)
    advance(0.0)
    worse = 0.0
    load: str | tulle.Workload = parameters.traffic
    if parameters.stress and routing is not None:
        start = tulle.traffic(fabric, parameters.traffic, seed)
        load, before, after = tulle.stress(routing, start, parameters.stress, seed)
        worse = after / before if before else 0.0
    demands = tulle.analysis.demands(fabric, load, seed)
    found = tulle.analysis.throughput(
        fabric, demands, routing, parameters.gap, method=parameters.method, progress=lambda *_: advance(0.0)
    )
    upper = found.upper if np.isfinite(found.upper) else None
    table = Columns({"lower": np.array([found.lower]), "upper": np.array([found.upper])})
    figures = {"lower": found.lower, "upper": upper, "unproven": int(not found.proven), "worse": worse}
    return Rows(table, figures, {"pairs": demands.num_pairs})


MEASUREMENT = Measurement(
    name="throughput",
    example={"fabric": "slimfly:q=3", "traffic": "permutation:bytes=1B"},
    summary="the maximum achievable throughput, bounded from both sides",
    paper="FatPaths §VI (MAT), Flattened Clos Fig. 7 and Table 3, Kathareios et al. (SC15) §4.3",
    parameters=Throughput,
    resolve=resolve,
    inputs=inputs,
    measure=throughput,
    figures=(
        Metric("lower", "MAT at least"),
        Metric("upper", "MAT at most"),
        Metric("worse", "load of the busiest channel, with / without stress", usually_zero=True),
        Metric("unproven", "runs that did not reach the gap", usually_zero=True),
    ),
    note="MAT: maximum achievable throughput. The lower bound is the fraction of the demands that a computed flow "
    "carries; no flow exceeds the upper bound.",
    rows_file="throughput.csv",
    distributions=(),
)
