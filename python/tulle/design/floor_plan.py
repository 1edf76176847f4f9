"""The floor plan of a layout: racks with their contents and power, and the cables between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._tulle import read_length
from tulle.plot.floor import Racks, plot_floor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.design.placement import Layout
    from tulle.design.power import Power


def plot(layout: Layout, power: Power | None, ax: Axes | None) -> Figure:
    """Draw the floor plan; with `power`, colours show the power of racks."""
    keys = dict(pair.split("=") for pair in layout.floor.split(","))
    column, row = (_metres(key, keys[key]) for key in ("column", "row"))
    switches, endpoints, devices = (
        np.bincount(racks, minlength=len(layout.racks)).astype(np.int64)
        for racks in (layout.switch_rack, layout.endpoint_rack, layout.device_rack)
    )
    watts = None if power is None else power.racks
    racks = Racks(layout.racks, layout.rack_places, switches, endpoints, devices, watts, _pairs(layout))
    return plot_floor(racks, column, row, ax=ax)


def _metres(key: str, text: str) -> float:
    # In a canonical floor, a length of zero is written as 0, without a unit.
    return 0.0 if text == "0" else read_length("floor", key, text) / 1000


def _pairs(layout: Layout) -> NDArray[np.int64]:
    """Return pairs of racks with the number of cables between them, int64 (pairs, 3)."""
    racks = layout.switch_rack.astype(np.int64)
    if layout.circuits is None:
        ends = racks[layout.fabric.edges.astype(np.int64)]
    else:
        switch, _, device, _ = layout.device_cables
        ends = np.stack([racks[switch], layout.device_rack[device]], axis=1)
    # A switch with more endpoints than fit in its rack has cables to endpoints in further racks.
    to_endpoints = np.stack([racks[layout.fabric.endpoint_switch], layout.endpoint_rack], axis=1)
    ends = np.sort(np.concatenate([ends.reshape(-1, 2), to_endpoints]), axis=1)
    found, counts = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0, return_counts=True)
    return np.column_stack([found.reshape(-1, 2), counts]).astype(np.int64)
