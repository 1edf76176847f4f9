"""The measurement `quality`.

Measure lengths, load and diversity of a routing's paths, and the virtual channels that they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

import tulle
from tulle._internal.arguments import input_files
from tulle.columns import Columns
from tulle.fabric import build_with_failures
from tulle.metric import Distribution, Metric
from tulle.study.measurements.parameters import Routed, Spec
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tulle.routing.quality import Quality
    from tulle.study.report.verdict import Number


class Measure(Routed):
    """A routing of a fabric, and the definition of disjoint paths. Fabric and routing use the seed of the run.

    With `deadlock`, a deadlock scheme, the routing is measured after the scheme has changed it.
    """

    deadlock: Annotated[str | None, Spec("deadlocks")] = None
    """a deadlock scheme: the routing is measured after the scheme has changed it, with the virtual channels it needs"""
    sharing: Literal["cable", "channel"] = "cable"
    """whether disjoint paths share no cables, or only no channels (directions)"""


# The histograms of `Quality`, in the order of the rows.
_HISTOGRAMS = ("paths", "hops", "shortest", "longest", "disjoint", "disjoint_greedy", "most_shared")


def resolve(parameters: Measure) -> Measure:
    """Return the parameters with canonical specs."""
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Measure) -> list[Path]:
    """The files that fabric and routing are read from."""
    return input_files(parameters.fabric, parameters.routing)


def measure(parameters: Measure, seed: int, advance: Advance) -> Rows:
    """Build and route the fabric, assign virtual channels if `deadlock` is set, and measure, with one seed."""
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    plan = None
    if parameters.deadlock is not None:
        advance(0.4)
        plan = routing.assign_vcs(parameters.deadlock)
        routing = plan.routing
    advance(0.7)
    quality = routing.quality(parameters.sharing)
    found: dict[str, Number] = {
        "layers": routing.num_layers if routing.num_paths is None else None,
        **_figures(quality),
        "needed_vcs": None if plan is None else plan.needed_vcs,
        "num_sls": None if plan is None else plan.num_sls,
    }
    return Rows(_rows(quality), found, {"pairs": quality.pairs})


def _figures(quality: Quality) -> dict[str, Number]:
    load = quality.paths_over.astype(np.float64)
    mean, sd = (float(load.mean()), float(load.std())) if len(load) else (0.0, 0.0)
    shortest = _mean(quality.shortest)
    return {
        "paths": _mean(quality.paths),
        "fewest_paths": int(np.flatnonzero(quality.paths)[0]) if quality.pairs else None,
        "shortest_hops": shortest,
        "mean_hops": quality.mean_hops,
        "longest_hops": max(len(quality.longest) - 1, 0),
        "mean_longest_hops": _mean(quality.longest),
        "shortest_switches": shortest + 1,
        "mean_switches": quality.mean_hops + 1,
        "disjoint_2": 100 * quality.share(quality.disjoint, 2),
        "disjoint_3": 100 * quality.share(quality.disjoint, 3),
        "disjoint_3_in_order": 100 * quality.share(quality.disjoint_greedy, 3),
        "all_disjoint": 100 * (1 - quality.share(quality.most_shared, 2)),
        "most_shared": max(len(quality.most_shared) - 1, 0),
        "load_mean": mean,
        "load_sd": sd,
        "load_spread": 100 * sd / mean if mean else 0.0,
    }


def _mean(histogram: NDArray[np.uint64]) -> float:
    """Return the mean of a histogram; 0 if it is empty."""
    return int(histogram @ np.arange(len(histogram), dtype=np.uint64)) / max(int(histogram.sum()), 1)


def _rows(quality: Quality) -> Columns:
    """Return all histograms as rows without zeros, then the mean hops of pairs and the paths per channel."""
    parts = [(name, np.flatnonzero(getattr(quality, name)), getattr(quality, name)) for name in _HISTOGRAMS]
    names, at, count = [], [], []
    for name, values, histogram in parts:
        names += [name] * len(values)
        at.append(values.astype(np.float64))
        count.append(histogram[values].astype(np.int64))
    loads, channels = np.unique(quality.paths_over, return_counts=True)
    hops = quality.mean_hops_of_pairs
    names += ["mean_hops"] * len(hops) + ["paths_over_channel"] * len(loads)
    at += [hops[:, 0], loads.astype(np.float64)]
    count += [hops[:, 1].astype(np.int64), channels.astype(np.int64)]
    return Columns({"histogram": np.array(names), "at": np.concatenate(at), "count": np.concatenate(count)})


def _distribution(histogram: str, title: str) -> Distribution:
    """Return a distribution over one of the histograms."""

    def sample(rows: Columns) -> tuple[NDArray[Any], NDArray[Any]]:
        own = rows["histogram"] == histogram
        return rows["at"][own], rows["count"][own]

    return Distribution(histogram, title, sample)


# By a word in the titles of metrics.
_EXPLAINED = {
    "disjoint": "Disjoint: the maximum number of a pair's paths that share no link.",
    "in order": "Disjoint in order: in the order of the pair's paths, a path is chosen if it shares no link with the "
    "paths chosen before.",
}

MEASUREMENT = Measurement(
    name="quality",
    example={"fabric": "slimfly:q=3", "routing": "random:layers=2,rho=0.8"},
    summary="lengths, disjoint paths and load of a routing's paths, and the virtual channels that they need",
    paper="Slim Fly deployment §6.1 to §6.3 (lengths, load, disjoint paths), Flattened Clos Tables 1 and 2",
    parameters=Measure,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("layers", "layers", usually_zero=True),
        Metric("paths", "paths per pair"),
        Metric("fewest_paths", "fewest paths of a pair"),
        Metric("shortest_hops", "hops of shortest path"),
        Metric("mean_hops", "mean hops"),
        Metric("longest_hops", "most hops"),
        Metric("mean_longest_hops", "mean of each pair's most hops"),
        Metric("shortest_switches", "switches of shortest path"),
        Metric("mean_switches", "mean switches of a path"),
        Metric("disjoint_2", "% with 2 disjoint"),
        Metric("disjoint_3", "% with 3 disjoint"),
        Metric("disjoint_3_in_order", "% with 3 disjoint in order"),
        Metric("all_disjoint", "% all disjoint"),
        Metric("most_shared", "most over one link"),
        Metric("load_mean", "paths per channel"),
        Metric("load_sd", "sd of paths per channel"),
        Metric("load_spread", "sd in % of mean"),
        Metric("needed_vcs", "VCs needed", usually_zero=True),
        Metric("num_sls", "service levels", usually_zero=True),
    ),
    note=" ".join(["Values cover all ordered pairs of switches with endpoints.", *_EXPLAINED.values()]),
    explained=_EXPLAINED,
    rows_file="histograms.csv",
    distributions=(
        _distribution("mean_hops", "mean hops of a pair's paths"),
        _distribution("longest", "hops of a pair's longest path"),
        _distribution("paths_over_channel", "paths over a channel"),
        _distribution("disjoint", "disjoint paths of a pair"),
    ),
)
