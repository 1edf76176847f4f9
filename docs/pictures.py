"""Draws the pictures of the documentation from routings: ``python docs/pictures.py``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import matplotlib.pyplot as plt

import tulle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

IMAGES = Path(__file__).parent / "images"
PANELS = [
    ("minimal", "minimal: one table"),
    ("random:layers=8,rho=0.6", "random layers, as published: eight tables"),
    ("spread:layers=8", "layers that spread: eight tables"),
]


def pair() -> None:
    """The paths between two neighbours of a small Slim Fly in three routings."""
    fabric = tulle.Fabric("slimfly:q=5")
    source, destination = 0, int(fabric.channels[0, 1])
    figure, axes = plt.subplots(1, len(PANELS), figsize=(9.6, 2.7), sharey=True)
    for axis, (spec, title) in zip(axes, PANELS, strict=True):
        paths = tulle.route(fabric, spec, seed=1).paths(source, destination)
        walks = [[source, *(int(fabric.channels[channel, 1]) for channel in path)] for path in paths]
        panel(axis, list(dict.fromkeys(map(tuple, walks))))
        axis.set_title(title, fontsize=9)
    figure.tight_layout()
    # Neither a date nor random names: the same picture gives the same file.
    mpl.rcParams["svg.hashsalt"] = "tulle"
    figure.savefig(IMAGES / "spread-pair.svg", metadata={"Date": None})


def panel(axis: Axes, walks: list[tuple[int, ...]]) -> None:
    """Different walks between two switches, those of fewest hops in the middle."""
    walks = sorted(walks, key=lambda walk: (len(walk), walk))
    ends = (walks[0][0], walks[0][-1])
    spots = {ends[0]: (0.0, 0.0), ends[1]: (1.0, 0.0)}
    for row, walk in enumerate(walks):
        height = (row + 1) // 2 * (1 if row % 2 else -1)
        for place, switch in enumerate(walk):
            spots.setdefault(switch, (place / (len(walk) - 1), height))
    for number, walk in enumerate(walks):
        across, up = zip(*(spots[switch] for switch in walk), strict=True)
        axis.plot(across, up, color=f"C{number}", linewidth=1.6, zorder=1)
    for switch, spot in spots.items():
        size, colour = (90, "black") if switch in ends else (22, "dimgrey")
        axis.scatter(*spot, s=size, color=colour, zorder=2)
    axis.set_xlabel(f"{len(walks)} different path{'s' * (len(walks) > 1)}", fontsize=9)
    axis.set(xticks=[], yticks=[], ylim=(-4, 4))
    axis.spines[:].set_visible(False)


if __name__ == "__main__":
    pair()
