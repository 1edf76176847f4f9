"""Draw the floor of a layout to scale: racks with their power, and the cable trays above them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import counted, plain
from tulle.plot.sheet import axes_on, figure_of
from tulle.plot.style import COLOURS, COLUMN, DARK, GREY, HEAT, PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

# Footprint of a rack in metres: along its column, and across. Racks are drawn smaller if they are closer together.
_WIDE, _DEEP = 0.6, 1.1
# Scale of small floors in inches per metre, and the maximum height of a drawing in inches.
_SCALE, _TALL = 0.55, 8.5
# Width in inches of the margins below and to the right of the racks, in which arrows show distances; and the position
# of the arrows in these margins.
_NOTE, _ARROW = 0.21, 0.15
# Length in inches of the text of a distance. If an arrow is shorter, its text is beside it.
_TEXT = 0.4
# Distance of a tray along a column from the side of its racks, in metres.
_BESIDE = 0.2
# Widths of trays in points.
_THIN, _THICK = 0.6, 5.0
# Minimum heights of a rack in points for one line of text, for a name of two lines, and for a name and another text.
_ONE, _NAMES, _TWO = 6.0, 11.0, 14.0
# Minimum size of a name in points, and the mean width of a letter as a fraction of the size.
_SMALL, _LETTER = 4.5, 0.62


@dataclass(frozen=True)
class Racks:
    """The racks of a floor."""

    names: Sequence[str]
    places: NDArray[np.int32]
    """Column and row of every rack, int32 (R, 2)."""
    switches: NDArray[np.int64]
    endpoints: NDArray[np.int64]
    devices: NDArray[np.int64]
    """Numbers of switches, endpoints, and optical switches or patch panels in every rack, int64 (R,)."""
    watts: NDArray[np.float64] | None
    """Power of every rack, float64 (R,); None: not known."""
    cables: NDArray[np.int64]
    """Two racks and the number of cables between them, int64 (pairs, 3)."""


def plot_floor(racks: Racks, column: float, row: float, *, ax: Axes | None = None) -> Figure:
    """Draw racks at their places; `column` and `row` are the distances in metres between columns and between rows."""
    pitch = np.array([column or _DEEP, row or _WIDE])
    deep, wide = min(_DEEP, 0.6 * pitch[0]), min(_WIDE, pitch[1]) * 0.92
    columns, rows = (int(racks.places[:, axis].max(initial=0)) for axis in (0, 1))
    width, height = columns * pitch[0] + deep + 0.3 + _BESIDE, rows * pitch[1] + wide + 0.3
    # Space for the labels of the axes, and for the colour bar.
    beside = 0.7 + (0.6 if racks.watts is not None else 0)
    scale = min(_SCALE, (PAGE - beside - _NOTE) / width, (_TALL - _NOTE) / height)
    shown = max(COLUMN, scale * width + _NOTE + beside)
    with axes_on(ax, shown, scale * height + _NOTE + 0.95) as axes:
        centres = racks.places * pitch
        top = _draw_trays(axes, racks, pitch, deep / 2 + min(_BESIDE, 0.25 * (pitch[0] - deep) + 0.05))
        _draw_racks(axes, racks, centres, deep, wide, 72 * scale * wide)
        right, low = columns * pitch[0] + deep / 2 + _BESIDE, rows * pitch[1] + wide / 2
        _draw_distances(axes, (columns, rows), pitch, right + _ARROW / scale, low + _ARROW / scale, _TEXT / scale)
        axes.set_xlim(-deep / 2 - 0.3, right + _NOTE / scale)
        axes.set_ylim(low + _NOTE / scale, -wide / 2 - 0.3)
        axes.set_aspect("equal")
        axes.set_xlabel("m")
        axes.set_ylabel("m")
        if top:
            axes.plot([], [], color=COLOURS[5], linewidth=_THICK, label=f"tray with {counted(top, 'cable')}")
            least = max(1, top // 10)
            axes.plot([], [], color=COLOURS[5], linewidth=_width(least, top), label=counted(least, "cable"))
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        return figure_of(axes)


def trays(racks: Racks) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """Return the number of cables in every part of a tray.

    Cables run along columns and rows. Half of the cables between two racks first run along the column of one rack, and
    half along its row, because both routes have the same length.

    Returns
    -------
    tuple
        Two dictionaries by (column, row): the number of cables to the next row, and the number to the next column.
    """
    along: dict[tuple[int, int], float] = {}
    across: dict[tuple[int, int], float] = {}
    places = racks.places.tolist()
    for a, b, count in racks.cables.tolist():
        (x1, y1), (x2, y2) = places[a], places[b]
        for x, y in ((x1, y2), (x2, y1)):
            for at in range(min(y1, y2), max(y1, y2)):
                along[x, at] = along.get((x, at), 0.0) + count / 2
            for at in range(min(x1, x2), max(x1, x2)):
                across[at, y] = across.get((at, y), 0.0) + count / 2
    return along, across


def _width(count: float, top: float) -> float:
    return float(_THIN + (_THICK - _THIN) * count / top)


def _draw_trays(axes: Axes, racks: Racks, pitch: NDArray[np.float64], beside: float) -> int:
    """Draw trays as wide as their numbers of cables, and return the highest number.

    Trays along a column are drawn `beside` metres to the right of the middle of its racks, so that they do not hide the
    text in the racks. Trays across columns are drawn behind the racks.
    """
    along, across = trays(racks)
    top = max([0.0, *along.values(), *across.values()])
    for parts, step in ((along, (0, 1)), (across, (1, 0))):
        for (x, y), count in sorted(parts.items()):
            start, stop = np.array([x, y]) * pitch, np.array([x + step[0], y + step[1]]) * pitch
            style: Any = {"color": COLOURS[5], "solid_capstyle": "butt", "zorder": 1}
            shift = np.array([beside, 0.0])
            points = zip(start + shift, stop + shift, strict=True)
            axes.plot(*points, linewidth=_width(count, top), **style)
    return round(top)


def _draw_racks(
    axes: Axes, racks: Racks, centres: NDArray[np.float64], deep: float, wide: float, points: float
) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.patches import Rectangle

    heat = None
    if racks.watts is not None:
        heat = ScalarMappable(Normalize(0, float(racks.watts.max(initial=0)) / 1000 or 1), HEAT)
        figure_of(axes).colorbar(heat, ax=axes, label="power of a rack (kW)", shrink=0.8, pad=0.02)
    # One point of space remains on each side of a name.
    names, size = _names([plain(name) for name in racks.names], points * deep / wide - 2, points)
    for rack, name in enumerate(names):
        x, y = centres[rack]
        face: Any = "#FDEBD0" if racks.devices[rack] else "#F2F2F2"
        dark = False
        if heat is not None and racks.watts is not None:
            face = heat.to_rgba(racks.watts[rack] / 1000)
            dark = float(np.dot(face[:3], (0.299, 0.587, 0.114))) < 0.5
        box = Rectangle(
            (x - deep / 2, y - wide / 2), deep, wide, facecolor=face, edgecolor=DARK, linewidth=0.5, zorder=2
        )
        axes.add_patch(box)
        if points < _ONE:
            continue
        lines = list(name)
        if points >= _TWO:
            lines.append(_content(racks, rack))
        axes.text(
            x, y, "\n".join(lines), ha="center", va="center", fontsize=size,
            color="white" if dark else "black", zorder=3, linespacing=1.1,
        )  # fmt: skip


def _content(racks: Racks, rack: int) -> str:
    if racks.watts is not None:
        return f"{racks.watts[rack] / 1000:.3g} kW"
    counts = ((racks.switches, "switch", "switches"), (racks.devices, "device", "devices"))
    return ", ".join(counted(int(of[rack]), one, several) for of, one, several in counts if of[rack]) or counted(
        int(racks.endpoints[rack]), "endpoint"
    )


def _names(names: Sequence[str], width: float, points: float) -> tuple[list[list[str]], float]:
    """Return the lines of every name, and their size in points, so that names fit racks of this width and height.

    If the names are too long, they lose the letters with which all of them begin, for example *rack*. A name that is
    still too long is split at its last hyphen into two lines, in racks that have space for two lines and no other text.
    Lines that are too long are shortened, but keep a number at their end, because it distinguishes neighbouring racks.
    """
    largest = min(6.5, 0.38 * points) if points >= _TWO else 5.0
    fitting = max(4, int(width / (_LETTER * _SMALL)))
    if max(map(len, names), default=0) > fitting:
        letters = {re.split("[^A-Za-z]", name)[0] for name in names}
        cut = len(letters.pop()) if len(letters) == 1 else 0
        names = [name[cut:] for name in names] if all(len(name) > cut for name in names) else names
    found = []
    for name in names:
        head, hyphen, tail = name.rpartition("-")
        parts = [head, tail] if len(name) > fitting and hyphen and _NAMES <= points < _TWO else [name]
        found.append([_shortened(part, fitting) for part in parts])
    longest = max((len(line) for lines in found for line in lines), default=1)
    return found, max(_SMALL, min(largest, width / (_LETTER * longest)))


def _shortened(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    return f"…{name[1 - most :]}" if name[-1].isdigit() else f"{name[: most - 1]}…"


def _draw_distances(
    axes: Axes, last: tuple[int, int], pitch: NDArray[np.float64], right: float, low: float, short: float
) -> None:
    """Draw the distance between the first two columns at y = `low`, and between the first two rows at x = `right`.

    The text is beside an arrow that is shorter than `short` metres.
    """
    arrow = {"arrowstyle": "<->", "color": GREY, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 0}
    text: Any = {"fontsize": 6.5, "color": DARK, "zorder": 4, "textcoords": "offset points"}
    if last[0]:
        axes.annotate("", (0, low), (pitch[0], low), arrowprops=arrow)
        at, beside = ((pitch[0] / 2, low), (0.0, 1.0)) if pitch[0] >= short else ((pitch[0], low), (3.0, -2.5))
        across: Any = {"ha": "center" if pitch[0] >= short else "left", "va": "bottom"}
        axes.annotate(f"{pitch[0]:g} m", at, beside, **across, **text)
    if last[1]:
        axes.annotate("", (right, 0), (right, pitch[1]), arrowprops=arrow)
        at = (right, pitch[1] / 2 if pitch[1] >= short else 0.0)
        along: Any = {"ha": "right", "va": "center" if pitch[1] >= short else "top", "rotation": 90}
        axes.annotate(f"{pitch[1]:g} m", at, (-1, 0), **along, **text)
