"""Positions of switches in a drawing: by level, in groups on a circle, or at their racks on the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.design.placement import Layout
    from tulle.fabric import Fabric

# A drawing is this wide, in the units of its coordinates. Its height depends on the arrangement.
_WIDTH = 1000.0
_MARGIN = 30.0
# Height of the drawing of a tree, as a fraction of its width.
_LEVELS = 0.62
# `_IN_GROUP`: the fraction of a group's space on the circle that its switches use. `_FILLED`: the same for a rack's
# space on the floor.
_IN_GROUP, _FILLED = 0.65, 0.8
# Rack structures whose groups of racks do not follow from the structure of the network.
_WITHOUT_GROUPS = ("runs", "parts")


def arrangements(layout: Layout) -> list[dict[str, Any]]:
    """Return the arrangements of a drawing, each with its name, width and height, and the places of the switches."""
    fabric = layout.fabric
    first = ("by level", *_by_level(fabric)) if fabric.levels.max(initial=0) else ("by group", *_in_groups(layout))
    return [
        {"name": name, "width": _WIDTH, "height": round(height, 1), "places": places}
        for name, height, places in (first, ("on the floor", *_on_the_floor(layout)))
    ]


def _by_level(fabric: Fabric) -> tuple[float, NDArray[np.float64]]:
    """Place each level on a line, the edge at the bottom. Switches of a level keep the order of their ids."""
    levels = fabric.levels.astype(np.int64)
    height = _WIDTH * _LEVELS
    places = np.zeros((fabric.num_switches, 2))
    rows = int(levels.max())
    for level in range(rows + 1):
        here = np.flatnonzero(levels == level)
        step = (_WIDTH - 2 * _MARGIN) / max(len(here), 1)
        places[here, 0] = _MARGIN + step * (np.arange(len(here)) + 0.5)
        places[here, 1] = height - _MARGIN - (height - 2 * _MARGIN) * level / rows
    return height, places


def _in_groups(layout: Layout) -> tuple[float, NDArray[np.float64]]:
    """Place the groups of racks on a circle, and the switches of each group on a smaller circle there."""
    switches = layout.fabric.num_switches
    groups = layout.rack_groups[layout.switch_rack]
    names, group = np.unique(groups, return_inverse=True)
    centre, outer = _WIDTH / 2, _WIDTH / 2 - _MARGIN
    if len(names) < 3 or layout.structure in _WITHOUT_GROUPS:
        return _WIDTH, centre + outer * _circle(np.arange(switches) / switches)
    # Neighbouring groups touch if the radius of each is that of the large circle times the sine of half the angle
    # between them.
    half = np.sin(np.pi / len(names))
    ring = outer / (1 + half)
    inner = _IN_GROUP * ring * half
    places = centre + ring * _circle(group / len(names))
    for number in range(len(names)):
        here = np.flatnonzero(group == number)
        if len(here) > 1:
            # The first switch of a group is the outermost one.
            places[here] += inner * _circle(np.arange(len(here)) / len(here) + number / len(names))
    return _WIDTH, places


def _circle(turns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of the unit circle, clockwise from the top."""
    angle = 2 * np.pi * turns
    return np.stack([np.sin(angle), -np.cos(angle)], axis=1)


def _on_the_floor(layout: Layout) -> tuple[float, NDArray[np.float64]]:
    """Place every switch in the cell of its rack. Cells have the columns and rows of the floor, but not its scale."""
    racks = layout.rack_places.astype(np.float64)
    held = np.bincount(layout.switch_rack, minlength=len(racks))
    columns, rows = (int(racks[:, at].max(initial=0)) + 1 for at in (0, 1))
    cell = (_WIDTH - 2 * _MARGIN) / max(columns, rows)
    across = int(np.ceil(np.sqrt(held.max(initial=1))))
    step = _FILLED * cell / max(across, 1)
    order = np.argsort(layout.switch_rack, kind="stable")
    starts = np.cumsum(held) - held
    within = np.empty(len(order), dtype=np.int64)
    within[order] = np.arange(len(order)) - starts[layout.switch_rack[order]]
    inside = np.stack([within % across, within // across], axis=1) + 0.5
    left = (_WIDTH - columns * cell) / 2
    places = (left, _MARGIN) + racks[layout.switch_rack] * cell + inside * step + (1 - _FILLED) * cell / 2
    return rows * cell + 2 * _MARGIN, places
