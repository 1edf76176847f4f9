"""Draw the paths between two switches, from left to right; every distinct path has its own line."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle._internal.text import counted, plain
from tulle.errors import InputError
from tulle.plot.sheet import axes_on, figure_of
from tulle.plot.style import BEHIND_NAMES, COLUMN, DARK, name_lines, step_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PATHS = 64
"""Maximum number of different paths of a drawing."""
# With more different paths than `_LISTED`, the legend lists numbers of hops instead of paths. With more switches than
# `_NAMED`, intermediate switches are drawn without names.
_LISTED, _NAMED = 7, 40
# Distance between lines over the same cable, as a fraction of the height of a row.
_BESIDE = 0.1
# Minimum distance between a line and the mark of a switch at which it does not end, as a fraction of a row's height.
_APART = 0.3

Spot = tuple[float, float]


def plot_paths(paths: Sequence[Sequence[int]], labels: Sequence[str], word: str, *, ax: Axes | None = None) -> Figure:
    """Draw paths, each given by its switches; the path at position i is called ``word i`` in the legend.

    Raises
    ------
    tulle.InputError
        If there is no path, or too many different paths.
    """
    numbers: dict[tuple[int, ...], list[int]] = {}
    for number, path in enumerate(paths):
        numbers.setdefault(tuple(path), []).append(number)
    # The shortest paths are in the middle.
    different = sorted(numbers, key=lambda path: (len(path), numbers[path]))
    if not different:
        raise InputError("no path between these switches; legal: a pair with paths")
    if len(different) > MOST_PATHS:
        raise InputError(f"{len(different)} different paths; legal: up to {MOST_PATHS}")
    spots = _spots(different)
    heights = [height for _, height in spots.values()]
    entries = len(different) if len(different) <= _LISTED else 2
    height = 0.6 + 0.28 * (max(heights) - min(heights)) + 0.15 * entries
    with axes_on(ax, COLUMN, height) as axes:
        _draw(axes, different, spots, numbers, word, axes if ax is not None else figure_of(axes))
        ends = (different[0][0], different[0][-1])
        for switch, spot in spots.items():
            is_end = switch in ends
            axes.plot(
                *spot,
                marker="o",
                markersize=7 if is_end else 3.5,
                color=DARK,
                linestyle="none",
                zorder=3,
                clip_on=False,
            )
            if is_end or len(spots) <= _NAMED:
                right = switch == ends[1]
                shift = ((7 if right else -7), 0) if is_end else (0, 4)
                axes.annotate(
                    plain(labels[switch]), spot, shift, textcoords="offset points", fontsize=7 if is_end else 6,
                    ha=("left" if right else "right") if is_end else "center", va="center" if is_end else "bottom",
                    zorder=4, annotation_clip=False, bbox=BEHIND_NAMES,
                )  # fmt: skip
        axes.set_axis_off()
        axes.margins(x=0.02)
        axes.set_ylim(min(heights) - 0.5, max(heights) + 0.9)
        return figure_of(axes)


def _spots(paths: list[tuple[int, ...]]) -> dict[int, Spot]:
    """Return the position (x, row) of every switch.

    x is the relative position on the first path over the switch: 0 at the source, 1 at the target.
    """
    spots = {paths[0][0]: (0.0, 0.0), paths[0][-1]: (1.0, 0.0)}
    taken: set[tuple[float, int]] = set()
    cables: list[tuple[Spot, Spot]] = []
    for path in paths:
        across = {switch: place / (len(path) - 1) for place, switch in enumerate(path)}
        new = [switch for switch in path if switch not in spots]
        known = [spots[switch][1] for switch in path[1:-1] if switch in spots]
        wanted = round(float(np.mean(known))) if known else 0
        # All switches that are on no earlier path get the same free row, so that the line of this path is straight.
        rows = sorted(range(-len(taken) - 2, len(taken) + 3), key=lambda row: (abs(row - wanted), -row))
        free = [row for row in rows if not {(across[switch], row) for switch in new} & taken]
        found = [spots | {switch: (across[switch], float(row)) for switch in new} for row in free]
        # A line through the mark of a switch looks like a path over this switch.
        lines = [[*cables, *((each[a], each[b]) for a, b in pairwise(path))] for each in found]
        clear = (at for at, each in enumerate(found) if not _crosses(lines[at], each))
        at = next(clear, 0)
        spots, cables = found[at], lines[at]
        taken |= {(across[switch], free[at]) for switch in new}
    return spots


def _crosses(lines: list[tuple[Spot, Spot]], spots: dict[int, Spot]) -> bool:
    """Return whether a line passes through the mark of a switch at which it does not end."""
    for (x, y), (to_x, to_y) in lines:
        for at_x, at_y in spots.values():
            share = (at_x - x) / (to_x - x) if to_x != x else 0.0
            if 0 < share < 1 and abs(y + share * (to_y - y) - at_y) < _APART:
                return True
    return False


def _draw(
    axes: Axes,
    paths: list[tuple[int, ...]],
    spots: dict[int, Spot],
    numbers: dict[tuple[int, ...], list[int]],
    word: str,
    legend_of: Any,
) -> None:
    by_hops = len(paths) > _LISTED
    hops = sorted({len(path) - 1 for path in paths})
    over: dict[tuple[int, int], list[int]] = {}
    for at, path in enumerate(paths):
        for pair in pairwise(path):
            over.setdefault((min(pair), max(pair)), []).append(at)
    lines: dict[int, Any] = {}
    names: dict[int, str] = {}
    for at, path in enumerate(paths):
        key = hops.index(len(path) - 1) if by_hops else at
        parts: list[tuple[float, float]] = []
        for pair in pairwise(path):
            sharing = over[min(pair), max(pair)]
            shift = (sharing.index(at) - (len(sharing) - 1) / 2) * _BESIDE
            start, stop = (np.array(spots[end]) for end in pair)
            # Between the two switches, the line is shifted away from the lines of other paths. At each switch, all
            # lines meet.
            parts += [(x, y + shift) for x, y in (start + (stop - start) * share for share in (0.06, 0.94))]
            parts.append(spots[pair[1]])
        (line,) = axes.plot(
            *zip(spots[path[0]], *parts, strict=True), zorder=2, solid_joinstyle="round", **step_style(key)
        )
        lines.setdefault(key, line)
        length = counted(len(path) - 1, "hop")
        names[key] = length if by_hops else f"{_listed(word, numbers[path])}: {length}"
    if by_hops:
        for key, count in enumerate(hops):
            many = sum(len(path) - 1 == count for path in paths)
            names[key] = f"{counted(many, 'path')} of {counted(count, 'hop')}"
    keys = sorted(lines)
    place: dict[str, Any] = {"loc": "outside lower center"}
    if legend_of is axes:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
    name_lines(legend_of, [lines[key] for key in keys], [names[key] for key in keys], ncols=1 + by_hops, **place)


def _listed(word: str, numbers: list[int]) -> str:
    """Return ``layer 3`` or ``layers 0–2, 5``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    return f"{word}{'s' if len(numbers) > 1 else ''} {', '.join(texts)}"
