"""Draw values per pair of switches as a matrix: adjacency, and loads of channels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.errors import InputError
from tulle.plot.sheet import axes_on, figure_of
from tulle.plot.style import COLOURS, COLUMN, HEAT, LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.plot.network import Network

MOST_SWITCHES = 6000
"""Maximum number of switches in a matrix. With more switches, a cell would be much smaller than a dot of a printer."""
# Above this many groups, the lines between them would cover the matrix.
_MOST_GROUPS = 16


def plot_adjacency(network: Network, *, ax: Axes | None = None) -> Figure:
    """Draw the adjacency matrix; the parameters are those of `tulle.Fabric.plot_adjacency`."""
    check_size(network)
    with axes_on(ax, COLUMN, COLUMN) as axes:
        from matplotlib.colors import ListedColormap

        names = network.class_names
        cells = _empty(network)
        tails, heads = network.channels.T
        cells[tails, heads] = network.classes
        colours = [COLOURS[at % len(COLOURS)] for at in range(max(len(names), 1))]
        _show(axes, network, cells, cmap=ListedColormap(colours), vmin=-0.5, vmax=len(colours) - 0.5)
        used = np.unique(network.classes).tolist()
        if len(used) > 1:
            from matplotlib.patches import Patch

            handles = [Patch(color=colours[at], label=names[at]) for at in used]
            axes.legend(
                handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=1, columnspacing=1
            )
        return figure_of(axes)


def draw_matrix(axes: Axes, network: Network, load: NDArray[np.float64], label: str) -> None:
    """Draw the load of every channel at the row of its source switch and the column of its target switch.

    If several channels lead from one switch to another, their cell shows the highest of their loads.
    """
    cells = _empty(network)
    tails, heads = network.channels.T
    order = np.argsort(load, kind="stable")
    cells[tails[order], heads[order]] = load[order]
    top = float(np.nanmax(load, initial=0))
    image = _show(axes, network, cells, cmap=HEAT, vmin=0, vmax=top or 1)
    figure_of(axes).colorbar(image, ax=axes, label=label, shrink=0.8, pad=0.02)


def check_size(network: Network) -> None:
    """Check that a matrix of this size can be drawn.

    Raises
    ------
    tulle.InputError
        If the fabric has no switches, or too many.
    """
    if not network.num_switches:
        raise InputError(f"{network.spec}: no switches; legal: one or more")
    if network.num_switches > MOST_SWITCHES:
        raise InputError(
            f"{network.spec}: a matrix of {network.num_switches:,} switches is not readable; "
            f"legal: up to {MOST_SWITCHES:,} switches"
        )


def _empty(network: Network) -> NDArray[np.float64]:
    return np.full((network.num_switches, network.num_switches), np.nan)


def _show(axes: Axes, network: Network, cells: NDArray[np.float64], **settings: Any) -> Any:
    image = axes.imshow(cells, interpolation="nearest", **settings)
    axes.set_xlabel("to switch")
    axes.set_ylabel("from switch")
    groups = _boundaries(network)
    for at in groups:
        axes.axhline(at, color=LIGHT, linewidth=0.4, zorder=0)
        axes.axvline(at, color=LIGHT, linewidth=0.4, zorder=0)
    return image


def _boundaries(network: Network) -> list[float]:
    """Return the boundaries between groups of switches with consecutive ids; none if there are too many groups."""
    names = network.coordinate_names
    first = np.asarray(network.coordinates)[:, 0] if names else np.asarray(network.levels)
    if names and names[0].startswith("dimension"):
        return []
    found = np.flatnonzero(np.diff(first)) + 0.5
    return [float(at) for at in found] if len(found) <= _MOST_GROUPS else []
