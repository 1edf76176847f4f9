"""Draw a fabric: its switches by a layout of its family, and its cables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import plain
from tulle.errors import InputError
from tulle.plot.positions import positions
from tulle.plot.sheet import axes_on, figure_of, not_a_choice
from tulle.plot.spacing import place_names
from tulle.plot.style import BEHIND_NAMES, COLOURS, COLUMN, DARK, GREY, HEAT, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.plot.network import Network
    from tulle.plot.positions import Positions

MOST_SWITCHES = 2500
"""Maximum number of switches in a drawing. With more switches, the drawing would be a single patch of colour."""
BY = ("level", "group", "role", "load")
"""What colours can show."""
# With more cables than `_RASTER`, SVG and PDF files store the cables as an image. With more switches than `_NAMED`, the
# drawing has no names.
_RASTER, _NAMED = 4000, 24
_TALL = {"layers": 2.2}


def plot_fabric(
    network: Network,
    colour: str | None = None,
    *,
    load: NDArray[np.float64] | None = None,
    load_label: str = "load",
    names: bool | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw a fabric; the parameters are those of `tulle.Fabric.plot`."""
    if not network.num_switches:
        raise InputError(f"{network.spec}: no switches; legal: one or more")
    if network.num_switches > MOST_SWITCHES:
        raise InputError(
            f"{network.spec}: a drawing of {network.num_switches:,} switches is not readable; "
            f"legal: up to {MOST_SWITCHES:,} switches, or plot_adjacency"
        )
    if colour is not None and colour not in BY:
        raise not_a_choice("colour", colour, ", ".join(BY))
    if colour == "load" and load is None:
        raise InputError("colour=load needs loads; legal: load= with one number per channel")
    if load is not None and colour not in (None, "load"):
        raise InputError(f"colour={colour} does not show load=; legal: load= with colour='load', or without colour")
    places = positions(network)
    colour = _default(network, places, load) if colour is None else colour
    kinds, words = _kinds(network, places, colour)
    with axes_on(ax, COLUMN, _TALL.get(places.kind, COLUMN * 0.9) + (0.25 if len(words) > 1 else 0)) as axes:
        draw_network(axes, network, places, kinds, words, load if colour == "load" else None, load_label)
        if names or (names is None and network.num_switches <= _NAMED):
            _name(axes, network, places)
        return figure_of(axes)


def _default(network: Network, places: Positions, load: Any) -> str | None:
    if load is not None:
        return "load"
    if any(network.roles):
        return "role"
    if network.levels.any():
        return "level"
    return "group" if places.groups is not None else None


def _kinds(network: Network, places: Positions, colour: str | None) -> tuple[NDArray[np.int64], list[str]]:
    """Return the kind of every switch, and the names of the kinds for a legend; no names if there are too many."""
    plain_kinds = np.zeros(network.num_switches, dtype=np.int64)
    if colour == "level":
        different, kinds = np.unique(network.levels, return_inverse=True)
        return kinds.reshape(-1).astype(np.int64), _if_few([f"level {level}" for level in different.tolist()])
    if colour == "group":
        if places.groups is None:
            raise InputError(f"colour=group: {network.spec} has no groups; legal: level, role or load")
        return places.groups, []
    if colour == "role":
        if not any(network.roles):
            raise InputError(f"colour=role: {network.spec} has no roles; legal: level, group or load")
        order = list(dict.fromkeys(network.roles))
        found = {role: at for at, role in enumerate(order)}
        kinds = np.array([found[role] for role in network.roles], dtype=np.int64)
        return kinds, _if_few([role or "no role" for role in order])
    return plain_kinds, []


def _if_few(words: list[str]) -> list[str]:
    return words if 1 < len(words) <= len(COLOURS) else []


def draw_network(
    axes: Axes,
    network: Network,
    places: Positions,
    kinds: NDArray[np.int64],
    words: list[str],
    load: NDArray[np.float64] | None,
    load_label: str,
) -> None:
    """Draw cables and switches on `axes`. With loads, a cable has the colour of its busier direction."""
    lines = segments(network, places)
    width = float(np.clip(16 / np.sqrt(max(len(lines), 1)), 0.12, 0.9))
    if load is None:
        alpha = float(np.clip(8 / np.sqrt(max(len(lines), 1)), 0.05, 0.7))
        draw_cables(axes, lines, colors=GREY, linewidths=width, alpha=alpha)
    else:
        value = per_cable(network, load)
        order = np.argsort(value, kind="stable")
        shown = draw_cables(axes, [lines[at] for at in order.tolist()], cmap=HEAT, linewidths=1.3 * width)
        shown.set_array(value[order])
        top = float(value.max(initial=0))
        shown.set_clim(0, top or 1)
        figure_of(axes).colorbar(shown, ax=axes, label=load_label, shrink=0.8, pad=0.02)
    _draw_switches(axes, network, places, kinds, words, is_loaded=load is not None)
    axes.set_axis_off()
    if places.kind != "layers":
        axes.set_aspect("equal")
    axes.margins(0.06)


def per_cable(network: Network, load: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the higher load of the two directions of every cable.

    Raises
    ------
    tulle.InputError
        If there is not one load per channel, or a load is negative or not finite.
    """
    channels = len(network.channels)
    values = np.asarray(load, dtype=np.float64)
    if values.shape != (channels,):
        raise InputError(f"load has shape {values.shape}; legal: ({channels},), one number per channel")
    if (wrong := np.flatnonzero(~(np.isfinite(values) & (values >= 0)))).size:
        raise InputError(f"channel {wrong[0]} has load {values[wrong[0]]}; legal: finite, 0 or more")
    cables = np.asarray(network.cables)
    return np.asarray(np.maximum(values[cables], values[np.asarray(network.reverse)[cables]]))


def draw_cables(axes: Axes, lines: list[NDArray[np.float64]], **settings: Any) -> Any:
    """Draw lines under the switches. Very many lines become an image in SVG and PDF files."""
    from matplotlib.collections import LineCollection

    found = LineCollection(lines, zorder=1, rasterized=len(lines) > _RASTER, capstyle="round", **settings)
    axes.add_collection(found)
    return found


def segments(network: Network, places: Positions) -> list[NDArray[np.float64]]:
    """Return the line of every cable. In a grid, cables that would pass over switches are curves."""
    ends = np.asarray(network.edges, dtype=np.int64)
    starts, stops = places.xy[ends[:, 0]], places.xy[ends[:, 1]]
    if places.kind != "grid":
        return list(np.stack([starts, stops], axis=1))
    along = stops - starts
    length = np.hypot(*along.T)
    is_bent = (length > 1.01) & ((np.abs(along) < 1e-9).any(axis=1))
    steps = np.linspace(0, 1, 13)[:, None]
    found = []
    for start, stop, way, far, bent in zip(starts, stops, along, length, is_bent, strict=True):
        if not bent:
            found.append(np.stack([start, stop]))
            continue
        middle = (start + stop) / 2 + np.array([-way[1], way[0]]) * np.sign(way.sum()) * (0.1 + 0.12 / far)
        found.append((1 - steps) ** 2 * start + 2 * steps * (1 - steps) * middle + steps**2 * stop)
    return found


def _draw_switches(
    axes: Axes, network: Network, places: Positions, kinds: NDArray[np.int64], words: list[str], *, is_loaded: bool
) -> None:
    size = float(np.clip(900 / max(network.num_switches, 1), 2, 26))
    has_endpoints = np.zeros(network.num_switches, dtype=bool)
    has_endpoints[np.asarray(network.endpoint_switch)] = True
    is_mixed = bool(has_endpoints.any() and not has_endpoints.all())
    for kind in np.unique(kinds).tolist():
        of = kinds == kind
        colour = DARK if is_loaded or (not words and not kinds.any()) else COLOURS[kind % len(COLOURS)]
        marker = MARKERS[kind % len(MARKERS)] if words else "o"
        for filled in (True, False):
            part = of & (has_endpoints == filled) if is_mixed else of & filled
            if not part.any():
                continue
            face = colour if filled else "white"
            width = (0.25 if size > 6 else 0) if filled else max(0.4, min(0.8, size / 12))
            axes.scatter(
                places.xy[part, 0],
                places.xy[part, 1],
                s=size,
                marker=marker,
                facecolors=face,
                edgecolors="white" if filled else colour,
                linewidths=width,
                zorder=2 + filled / 10,
                clip_on=False,
            )
    if words:
        from matplotlib.lines import Line2D

        handles: list[Any] = [
            Line2D([], [], color=COLOURS[at % len(COLOURS)], marker=MARKERS[at % len(MARKERS)], linestyle="none")
            for at in range(len(words))
        ]
        labels = [plain(word) for word in words]
        if is_mixed:
            handles.append(Line2D([], [], color=DARK, marker="o", markerfacecolor="white", linestyle="none"))
            labels.append("without endpoints")
        axes.legend(
            handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4, handletextpad=0.1, columnspacing=1
        )


def _name(axes: Axes, network: Network, places: Positions) -> None:
    labels = [plain(label) for label in network.labels]
    scale = _points_per_unit(axes, places)
    shifts = place_names(
        places.xy * scale,
        [len(label) for label in labels],
        places.xy.mean(axis=0) * scale,
        upright=places.kind in ("layers", "grid"),
    )
    for label, spot, shift in zip(labels, places.xy, shifts, strict=True):
        axes.annotate(
            label, spot, (shift.x, shift.y), textcoords="offset points", ha=shift.across, va=shift.down, fontsize=6,
            color=DARK, zorder=4, bbox=BEHIND_NAMES,
        )  # fmt: skip


def _points_per_unit(axes: Axes, places: Positions) -> NDArray[np.float64]:
    """Return the approximate size of a unit of the drawing in points, horizontally and vertically."""
    size = np.array(figure_of(axes).get_size_inches()) * 72 * axes.get_position().size
    span = np.maximum(np.ptp(places.xy, axis=0), 1e-9) * 1.12
    scale = size / span
    return scale if places.kind == "layers" else np.full(2, scale.min())
