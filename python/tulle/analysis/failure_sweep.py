"""Measure a fabric under failures: distances, cuts, disjoint paths and throughput, by the share of failed parts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import _tulle, workload
from tulle._internal.arguments import read_gap, read_seeds, read_texts
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import brief
from tulle.analysis.concurrent_flow.run import throughput
from tulle.analysis.connectivity import flow_tree
from tulle.analysis.demand import demands
from tulle.analysis.diversity import disjoint_paths
from tulle.analysis.lengths import members
from tulle.errors import FormatError, InputError, SpecError
from tulle.fabric import as_fabric
from tulle.fabric.fabric import without_endpoints
from tulle.plot.sheet import Drawable
from tulle.routing.recompute import recomputed
from tulle.routing.routing import as_routing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

__all__ = ["METRICS", "SHARES", "Band", "Damage", "Resilience", "resilience"]

KINDS = ("links", "switches")
SHARES = ("0%", "1%", "2%", "5%", "10%", "20%")
"""Default shares of cables or switches that fail."""
METRICS = {
    "diameter": "diameter",
    "average_path_length": "average path",
    "edge_connectivity": "edge connectivity",
    "disjoint_paths": "disjoint paths",
    "all_to_all": "all-to-all",
    "routed": "rerouted",
    "routed_anew": "routed anew",
    "routed_traffic": "rerouted, traffic",
    "routed_anew_traffic": "routed anew, traffic",
}
"""Metrics of a damaged fabric: key -> heading."""

_SPLIT = ("routed", "routed_anew")
"""Keys of `METRICS` for the throughput of all-to-all traffic under a routing."""
_MAX_SEEDS, _MAX_PAIRS = 10_000, 1 << 20
# Up to this number of switches with endpoints, disjoint paths are counted for all pairs.
_SWITCHES, _PAIRS = 100, 1000


@dataclass(frozen=True)
class Band(Shown):
    """Statistics of a metric over the seeds for which it could be measured."""

    median: float
    low: float
    """The minimum."""
    high: float
    """The maximum."""
    seeds: int
    """Number of seeds for which the metric was measured."""


@dataclass(frozen=True)
class Damage(Shown):
    """Metrics for one share of failed cables or switches. Made by `resilience`."""

    kind: str
    """What fails: ``links`` or ``switches``."""
    share: float
    failed: int
    """Number of failed cables or switches."""
    seeds: int
    """Number of random choices (draws) of the failed parts, one per seed."""
    connected: float
    """The share of draws in which all remaining endpoints can reach each other."""
    endpoints: Band
    """The share of endpoints that remain. A failed switch removes its endpoints."""
    joined: Band
    """The share of ordered pairs of switches (with endpoints) that are connected by a path, over all seeds."""
    bands: dict[str, Band | None]
    """Statistics by key of `METRICS`, over connected draws only; None if no draw could be measured."""


@dataclass(frozen=True)
class Resilience(Shown, Drawable):
    """The metrics of a fabric under failures. Made by `resilience`."""

    fabric: str
    routing: str | None
    traffic: str | None
    """The spec of the traffic for ``routed_traffic`` and ``routed_anew_traffic``; None if they are not measured."""
    hops: int
    """Hop limit for counting disjoint paths."""
    rows: tuple[Damage, ...]

    def _overview(self) -> Overview:
        values = {"routing": self.routing, "traffic": self.traffic, "hop limit": self.hops}
        rows = [
            {
                "fails": row.kind,
                "share": 100 * row.share,
                "failed": row.failed,
                "seeds": row.seeds,
                "connected draws": 100 * row.connected,
                "endpoints left": 100 * row.endpoints.median,
                **{METRICS[name]: None if band is None else band.median for name, band in row.bands.items()},
            }
            for row in self.rows
        ]
        percent = dict.fromkeys(("share", "connected draws", "endpoints left"), "%")
        return Overview("Resilience", self.fabric, values, units=percent, rows=rows, note="Medians over seeds.")

    def plot(self, of: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw medians over seeds, with bands from minimum to maximum, over the share of failed parts.

        Parameters
        ----------
        of
            One metric: ``connected`` (the share of draws in which all remaining endpoints reach each other) or a key of
            `Damage.bands`. ``routed_anew`` and ``routed_anew_traffic`` are drawn with ``routed`` and
            ``routed_traffic``, not alone. None: a panel per metric.
        ax
            Axes of matplotlib to draw one metric on; None: a new figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError
            For a metric that was not measured.
        tulle.InputError
            For `ax` without `of`.
        tulle.MissingDependencyError
            If matplotlib is not installed; ``tulle[plot]`` installs it.
        """
        from tulle.plot.resilience import plot_resilience

        return plot_resilience(self.rows, of, ax=ax)


def resilience(
    fabric: Fabric | str,
    routing: Routing | str | None = None,
    *,
    traffic: str | None = None,
    shares: str | Sequence[str] = SHARES,
    kinds: str | Sequence[str] = KINDS,
    seeds: int | Sequence[int] = 5,
    hops: int | None = None,
    pairs: int | None = None,
    gap: float | str = "5%",
    progress: Callable[[int, int], object] | None = None,
) -> Resilience:
    """Let random shares of the cables or switches fail, for several seeds, and measure the damaged fabrics.

    Parameters
    ----------
    fabric
        A fabric in which all endpoints can reach each other.
    routing
        If given, all-to-all throughput is also measured under two routings, with traffic split by their weights, or
        evenly without weights (the method ``split`` of `throughput`). The metric ``routed`` is for this routing after
        `Routing.reroute`. The metric ``routed_anew`` is for a new routing of the damaged fabric by the same scheme; it
        is missing if `routing` came from a file or from arrays.
    traffic
        The spec of a traffic pattern among the remaining endpoints, generated with the first seed. If given, its
        throughput under the routing is measured too.
    shares
        Fractions of cables or switches that fail, for example ``"5%"``.
    kinds
        What fails: ``links``, ``switches``.
    seeds
        Seeds of the failure draws: a number n for the seeds 0 to n − 1, or a list. For the same seed, a larger share
        includes the failures of a smaller share. Other random choices, such as `traffic`, use the first seed.
    hops
        Hop limit for counting disjoint paths. None means the diameter plus one.
    pairs
        Number of random pairs of switches for which disjoint paths are counted. None means all pairs if at most 100
        switches have endpoints, otherwise 1000 random pairs. Random pairs are drawn with the first seed.
    gap
        The maximum relative gap between the bounds of all-to-all throughput. The reported value is the lower bound, or
        the throughput of the routing if it is higher. Both are achievable.
    progress
        Called with the number of finished draws and the number of all draws.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For values out of range, a fabric that has no endpoints or is not connected, and a traffic without a routing.

    Examples
    --------
    >>> found = resilience("slimfly:q=5", shares=["0%", "10%"], kinds=["links"], seeds=3)
    >>> [row.bands["diameter"].median for row in found.rows]
    [2.0, 4.0]
    """
    shares, kinds = read_texts("shares", shares), read_texts("kinds", kinds)
    drawn = read_seeds(seeds, _MAX_SEEDS)
    first = drawn[0]
    fabric = as_fabric(fabric, first)
    fractions = [_share(share) for share in shares]
    for kind in kinds:
        if kind not in KINDS:
            raise SpecError(f"kinds={brief(str(kind))} is not a choice; legal: {', '.join(KINDS)}")
    if pairs is not None and not 1 <= pairs <= _MAX_PAIRS:
        raise InputError(f"pairs={pairs} is out of range; legal: 1 to {_MAX_PAIRS}")
    if fabric.num_endpoints == 0:
        raise without_endpoints(fabric)
    if fabric.average_path_length is None or fabric.diameter is None:
        raise InputError(
            f"{fabric.spec}: fewer than two switches have endpoints, or some of them are disconnected;"
            " legal: a connected fabric with endpoints"
        )
    if traffic is not None and routing is None:
        raise InputError(f"traffic={traffic} without a routing; legal: traffic together with a routing")
    routed = None if routing is None else as_routing(fabric, routing, first)
    hops = fabric.diameter + 1 if hops is None else hops
    if pairs is None and len(members(fabric)) > _SWITCHES:
        pairs = _PAIRS
    measure = _Measure(routed, traffic, hops, pairs, read_gap(gap), first)
    cells = [(kind, text, fraction) for kind in kinds for text, fraction in zip(shares, fractions, strict=True)]
    # The whole fabric is measured first, so that wrong arguments raise errors before the first random failure.
    whole = measure.of(fabric, fabric)
    names = [name for name in METRICS if name in (whole.measured or {})]
    rows: list[Damage] = []
    for at, (kind, text, fraction) in enumerate(cells):
        draws = []
        for number, seed in enumerate(drawn):
            damaged = fabric.with_failures(f"{kind}={text}", seed)
            left = damaged.num_cables == fabric.num_cables and damaged.num_switches == fabric.num_switches
            draws.append(whole if left else measure.of(fabric, damaged))
            if progress is not None:
                progress(at * len(drawn) + number + 1, len(cells) * len(drawn))
        before, after = (
            (fabric.num_cables, damaged.num_cables) if kind == "links" else (fabric.num_switches, damaged.num_switches)
        )
        rows.append(_row(kind, fraction, before - after, draws, names))
    spec = None if traffic is None else workload.traffic(fabric, traffic, first).spec
    return Resilience(fabric.spec, None if routed is None else routed.spec, spec, hops, tuple(rows))


@dataclass(frozen=True)
class _Draw:
    endpoints: float
    joined: float
    measured: dict[str, float] | None
    """The metrics by key of `METRICS`; None if endpoints are disconnected."""


@dataclass(frozen=True)
class _Measure:
    routing: Routing | None
    traffic: str | None
    hops: int
    pairs: int | None
    """Number of random pairs of switches; None: all pairs."""
    gap: float
    seed: int

    def of(self, whole: Fabric, damaged: Fabric) -> _Draw:
        """Measure the fabric `damaged`, which is the fabric `whole` without the failed parts."""
        endpoints = damaged.num_endpoints / whole.num_endpoints
        component, joined = _joined(damaged)
        if damaged.num_endpoints == 0 or damaged.diameter is None or damaged.average_path_length is None:
            return _Draw(endpoints, joined, None)
        # Disconnected switches without endpoints, for example spine switches, do not matter; they are removed.
        apart = np.flatnonzero(component != component[members(damaged)[0]])
        core = damaged.without(switches=apart.tolist()) if len(apart) else damaged
        measured: dict[str, float] = {
            "diameter": damaged.diameter,
            "average_path_length": damaged.average_path_length,
            "edge_connectivity": _connectivity(core),
            "disjoint_paths": disjoint_paths(core, self.hops, "exact", self.pairs, self.seed).mean,
            "all_to_all": throughput(core, "all-to-all", gap=self.gap).lower,
        }
        if self.routing is not None:
            routed = self._routed(core, whole, self.routing)
            # The throughput of a routing is achievable, so it is also a lower bound, which is sometimes higher.
            measured["all_to_all"] = max(measured["all_to_all"], *(routed[name] for name in _SPLIT if name in routed))
            measured.update(routed)
        return _Draw(endpoints, joined, measured)

    def _routed(self, core: Fabric, whole: Fabric, routing: Routing) -> dict[str, float]:
        """Measure the throughput of `core` with the rerouted routing, and with a new routing."""
        is_whole = core.faults == whole.faults
        ways: dict[str, Routing | None] = {
            "routed": routing if is_whole else routing.reroute(core).routing,
            "routed_anew": (None if routing.seed is None else routing) if is_whole else recomputed(routing, core),
        }
        wanted = None if self.traffic is None else demands(core, self.traffic, self.seed)
        measured = {}
        for name, way in ways.items():
            if way is not None:
                measured[name] = throughput(core, "all-to-all", way, method="split").lower
                if wanted is not None:
                    measured[f"{name}_traffic"] = throughput(core, wanted, way, method="split").lower
        return measured


def read_sweep(path: Path) -> Resilience:
    """Read the output of ``tulle resilience --json``.

    Raises
    ------
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        If the file does not contain this output.
    """
    from tulle._internal.reading import read_text

    try:
        given = json.loads(read_text(path))
        rows = []
        for row in given["rows"]:
            bands = {name: None if band is None else Band(**band) for name, band in row["bands"].items()}
            ends = {name: Band(**row[name]) for name in ("endpoints", "joined")}
            rows.append(Damage(**{**row, **ends, "bands": bands}))
        names = ("fabric", "routing", "traffic", "hops")
        found = Resilience(**{name: given[name] for name in names}, rows=tuple(rows))
    except (ValueError, KeyError, TypeError, AttributeError):
        found = None
    if found is None or not found.rows or any(name not in METRICS for row in found.rows for name in row.bands):
        raise FormatError(f"{path}: not a failure sweep; legal: the output of `tulle resilience --json`")
    return found


def _connectivity(fabric: Fabric) -> int:
    """Return the minimum number of cables whose removal disconnects two switches with endpoints."""
    ends = members(fabric)
    if len(ends) == fabric.num_switches:
        return flow_tree(fabric).smallest or 0
    # Every cut separates some switch from the first switch, so pairs with the first switch are enough.
    pairs = np.stack([np.full(len(ends) - 1, ends[0]), ends[1:]], axis=1)
    return int(_tulle.edge_connectivity(fabric._core, pairs).min())


def _joined(fabric: Fabric) -> tuple[NDArray[np.int32], float]:
    """Return the component of every switch, and the connected share of ordered pairs of switches with endpoints."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    size = fabric.num_switches
    tails, heads = fabric.channels.T
    adjacent = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(size, size))
    component = connected_components(adjacent, directed=False)[1]
    ends = np.unique(fabric.endpoint_switch)
    sizes = np.bincount(component[ends]).astype(np.int64)
    pairs = len(ends) * (len(ends) - 1)
    return component, float((sizes * (sizes - 1)).sum() / pairs) if pairs else 0.0


def _row(kind: str, share: float, failed: int, draws: list[_Draw], names: list[str]) -> Damage:
    whole = [draw.measured for draw in draws if draw.measured is not None]
    values = {name: [measured[name] for measured in whole if name in measured] for name in names}
    bands = {name: _band(found) if found else None for name, found in values.items()}
    endpoints, joined = (_band([getattr(draw, name) for draw in draws]) for name in ("endpoints", "joined"))
    return Damage(kind, share, failed, len(draws), len(whole) / len(draws), endpoints, joined, bands)


def _band(values: list[float]) -> Band:
    return Band(float(np.median(values)), float(min(values)), float(max(values)), len(values))


def _share(text: Any) -> float:
    legal = "legal: 0% to below 100%, for example 5%"
    try:
        value = float(str(text).removesuffix("%")) / 100
    except ValueError:
        raise SpecError(f"shares={brief(str(text))} is not a share; {legal}") from None
    if not (str(text).endswith("%") and 0 <= value < 1):
        raise SpecError(f"shares={brief(str(text))} is not a share; {legal}")
    return value
