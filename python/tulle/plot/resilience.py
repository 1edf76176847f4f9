"""Draw a failure sweep: a panel per metric, with a line and a band over seeds for each kind of failure.

A panel about the throughput of a routing has two lines per kind of failure: rerouted, and routed from scratch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from tulle._internal.text import did_you_mean
from tulle.errors import InputError, SpecError
from tulle.plot.sheet import axes_on, figure, figure_of
from tulle.plot.style import COLUMN, HEIGHT, PAGE, grid, line_style, name_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BESIDE = {"routed": "routed_anew", "routed_traffic": "routed_anew_traffic"}
"""Metric of the rerouted network -> metric of the newly routed network, which is drawn in the same panel."""
_LABELS = {
    "connected": "connected (share)",
    "diameter": "diameter (hops)",
    "average_path_length": "average path (hops)",
    "edge_connectivity": "smallest cut (cables)",
    "disjoint_paths": "disjoint paths",
    "all_to_all": "all-to-all",
    "routed": "all-to-all, routed",
    "routed_traffic": "traffic, routed",
}
"""Name of a panel -> label of its axis. Throughput is a fraction of the rate of an endpoint's link."""
_PANEL = 1.65


class _Band(Protocol):
    @property
    def median(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...


class _Damage(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def share(self) -> float: ...
    @property
    def connected(self) -> float: ...
    @property
    def bands(self) -> Mapping[str, Any]: ...


def plot_resilience(rows: Sequence[_Damage], of: str | None = None, *, ax: Axes | None = None) -> Figure:
    """Draw medians and bands from minimum to maximum; the parameters are those of `Resilience.plot`."""
    names = list(rows[0].bands) if rows else []
    panels = ["connected", *(name for name in names if name not in _BESIDE.values())]
    if of is not None and of not in panels:
        raise SpecError(f"of={of} is not a metric of this sweep; {did_you_mean(of, panels)}")
    if of is None and ax is not None:
        raise InputError(f"ax has room for one panel only; legal: of= with one of {', '.join(panels)}")
    if of is not None:
        with axes_on(ax, COLUMN, HEIGHT) as axes:
            found = _panel(axes, rows, of, names)
            axes.legend(list(found.values()), list(found))
            return figure_of(axes)
    across = 3 if len(panels) <= 6 else 4
    down = -(-len(panels) // across)
    with figure(PAGE, _PANEL * down + 0.25) as sheet:
        all_axes = sheet.subplots(down, across, squeeze=False).ravel()
        lines: dict[str, Any] = {}
        for axes, name in zip(all_axes, panels, strict=False):
            lines = {**_panel(axes, rows, name, names), **lines}
        for axes in all_axes[len(panels) :]:
            axes.set_visible(False)
        name_lines(sheet, list(lines.values()), list(lines), loc="outside lower center", ncols=4)
    return sheet


def _panel(axes: Axes, rows: Sequence[_Damage], name: str, names: Sequence[str]) -> dict[str, Any]:
    """Draw a metric, and return its lines by their text in the legend."""
    beside = _BESIDE.get(name)
    is_split = beside in names
    lines: dict[str, Any] = {}
    for at, kind in enumerate(dict.fromkeys(row.kind for row in rows)):
        for number, (key, way) in enumerate(((name, "rerouted"), (beside, "routed anew"))):
            points = sorted(_points(rows, kind, key)) if key is not None else []
            if not points:
                continue
            shares, medians, lows, highs = zip(*points, strict=True)
            style = line_style(at + 2 * number)
            word = f"{kind}, {way}" if is_split and number else kind
            (lines[word],) = axes.plot(shares, medians, clip_on=False, zorder=3, **style)
            if lows != highs:
                axes.fill_between(shares, lows, highs, color=style["color"], alpha=0.15, linewidth=0)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("failed (%)")
    axes.set_ylabel(_LABELS[name])
    grid(axes)
    return lines


def _points(rows: Sequence[_Damage], kind: str, name: str) -> list[tuple[float, float, float, float]]:
    points = []
    for row in rows:
        band = row.bands.get(name)
        if row.kind != kind:
            continue
        if name == "connected":
            points.append((100 * row.share, row.connected, row.connected, row.connected))
        elif band is not None:
            points.append((100 * row.share, band.median, band.low, band.high))
    return points
