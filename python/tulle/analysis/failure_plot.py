"""Plot a failure sweep. Every metric has a panel, with a line and a band over seeds for each kind of failure.

A throughput panel has two lines per kind of failure: rerouted, and routed from scratch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.drawing import COLOURS, DASHES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from tulle.analysis.failure_sweep import Resilience

__all__ = ["paint"]

_BESIDE = {"routed": "routed_anew", "routed_traffic": "routed_anew_traffic"}
"""Metric of the rerouted network -> metric of the newly routed network, which is drawn in the same panel."""
_TITLES = {"connected": "share of seeds connected", "routed": "all-to-all of the routing", "routed_traffic": "traffic"}


def paint(found: Resilience, titles: Mapping[str, str], figure: Figure) -> None:
    """Draw a panel per metric, with medians and bands from minimum to maximum. `titles` has the titles by metric."""
    names = list(found.rows[0].bands) if found.rows else []
    panels = ["connected", *(name for name in names if name not in _BESIDE.values())]
    axes = figure.subplots(2, (len(panels) + 1) // 2, squeeze=False).ravel()
    for panel, name in zip(axes, panels, strict=False):
        beside = _BESIDE.get(name)
        _lines(panel, found, name, "rerouted" if beside in names else None)
        panel.set_title(_TITLES.get(name) or titles[name], fontsize=8)
        if beside in names:
            _lines(panel, found, beside, "routed anew")
            panel.legend(fontsize=5, frameon=False)
        panel.set_ylim(bottom=0)
        panel.tick_params(labelsize=7)
        panel.set_xlabel("% failed", fontsize=7)
    for panel in axes[len(panels) :]:
        panel.set_visible(False)
    axes[0].legend(fontsize=7, frameon=False)


def _lines(panel: Axes, found: Resilience, name: str, way: str | None) -> None:
    """Draw one metric with a line per kind of failure. `way` is the legend's word for the routing, if it needs one."""
    for at, kind in enumerate(dict.fromkeys(row.kind for row in found.rows)):
        points = []
        for row in (row for row in found.rows if row.kind == kind):
            band = row.bands.get(name)
            if name == "connected":
                points.append((100 * row.share, row.connected, row.connected, row.connected))
            elif band is not None:
                points.append((100 * row.share, band.median, band.low, band.high))
        if points:
            shares, medians, lows, highs = zip(*sorted(points), strict=True)
            anew = way == "routed anew"
            colour, dash = COLOURS[at % len(COLOURS)], ":" if anew else DASHES[at % len(DASHES)]
            label = kind if way is None else f"{kind}, {way}"
            mark = "x" if anew else "o"
            panel.plot(shares, medians, marker=mark, ms=3, lw=1, color=colour, ls=dash, label=label)
            panel.fill_between(shares, lows, highs, color=colour, alpha=0.1 if anew else 0.2, lw=0)
