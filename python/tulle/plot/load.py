"""Draw the load of channels as a heat map: on the drawing of the fabric, and as a matrix of switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.errors import InputError
from tulle.plot.adjacency import check_size, draw_matrix
from tulle.plot.fabric import MOST_SWITCHES, draw_network
from tulle.plot.positions import positions
from tulle.plot.sheet import axes_on, figure, figure_of, not_a_choice
from tulle.plot.style import COLUMN, PAGE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.plot.network import Network

ON = ("drawing", "matrix")
"""Where loads are shown."""


def plot_load(
    network: Network, load: NDArray[np.float64], label: str, on: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw one load per channel, as described in `tulle.Routing.plot_load`; `label` names the load and its unit."""
    if on is not None and on not in ON:
        raise not_a_choice("on", on, f"{', '.join(ON)}, or None for both side by side")
    if on is None and ax is not None:
        raise InputError("ax has room for one panel only; legal: on='drawing' or on='matrix' with ax=")
    check_size(network)
    if on != "matrix" and network.num_switches > MOST_SWITCHES:
        raise InputError(
            f"{network.spec}: a drawing of {network.num_switches:,} switches is not readable; "
            f"legal: up to {MOST_SWITCHES:,} switches, or on='matrix'"
        )
    if on is None:
        with figure(PAGE, 3.0) as sheet:
            left, right = sheet.subplots(1, 2)
            _on_drawing(left, network, load, label)
            draw_matrix(right, network, load, label)
        return sheet
    with axes_on(ax, COLUMN, 2.9) as axes:
        if on == "drawing":
            _on_drawing(axes, network, load, label)
        else:
            draw_matrix(axes, network, load, label)
        return figure_of(axes)


def _on_drawing(axes: Axes, network: Network, load: NDArray[np.float64], label: str) -> None:
    kinds = np.zeros(network.num_switches, dtype=np.int64)
    draw_network(axes, network, positions(network), kinds, [], load, label)
