"""Draw the floor plan as SVG: racks at their positions, and a line between two racks if cables connect them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.drawing import COLOURS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.design.placement import Layout

# Sizes in pixels: width and height of a rack, minimum gap between racks, margin, line of text.
_WIDTH, _HEIGHT, _GAP, _MARGIN, _TEXT = 84, 46, 14, 24, 12
# Number of connected rack pairs above which no lines are drawn, because they would cover the plan.
_LINES = 400
# Bend of a line: as a fraction of its length, and the maximum in pixels.
_BEND, _BULGE = 0.6, 110


def svg(layout: Layout) -> str:
    """Return the floor plan as SVG; equal layouts give identical bytes."""
    places = layout.rack_places
    columns, rows = (int(places[:, at].max(initial=-1)) + 1 for at in (0, 1))
    pitch = (_WIDTH + 3 * _GAP, _HEIGHT + _GAP)
    left, top = _MARGIN, _MARGIN + 3 * _TEXT
    corners = places * pitch + (left, top)
    keys = dict(pair.split("=") for pair in layout.floor.split(","))
    width = max(columns * pitch[0] + 2 * _MARGIN - 3 * _GAP, 360)
    height = top + rows * pitch[1] + _MARGIN + _TEXT
    found = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="10">',
        f"<title>{escape(layout.fabric.spec)}: floor plan</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="{_MARGIN}" font-size="13">{escape(layout.fabric.spec)}</text>',
        f'<text x="{left}" y="{_MARGIN + _TEXT + 4}" fill="#555">{len(layout.racks)} racks; {keys["column"]} '
        f"between columns, {keys['row']} between racks of a column</text>",
    ]
    pairs = _pairs(layout)
    if len(pairs) <= _LINES:
        most = max((count for *_, count in pairs), default=1)
        for a, b, count in pairs:
            (x1, y1), (x2, y2) = (corners[rack] + (_WIDTH // 2, _HEIGHT // 2) for rack in (a, b))
            # Lines are bent. Straight lines within a column of racks would cover each other.
            bend = min(_BEND, _BULGE / float(np.hypot(x2 - x1, y2 - y1)))
            bent = f"{(x1 + x2) / 2 + bend * (y2 - y1):.1f} {(y1 + y2) / 2 - bend * (x2 - x1):.1f}"
            found.append(
                f'<path d="M{x1} {y1}Q{bent} {x2} {y2}" fill="none" stroke="{COLOURS[0]}" stroke-opacity="0.35" '
                f'stroke-width="{0.5 + 2.5 * count / most:.2f}"><title>{escape(layout.racks[a])} to '
                f"{escape(layout.racks[b])}: {count} cables</title></path>"
            )
    held = [np.bincount(racks, minlength=len(layout.racks)) for racks in _held(layout)]
    for rack, name in enumerate(layout.racks):
        x, y = corners[rack]
        inside = [f"{counts[rack]} {word}" for counts, word in zip(held, _WORDS, strict=True) if counts[rack]]
        colour = "#F2F2F2" if held[2][rack] == 0 else "#FDEBD0"
        found.append(
            f"<g><title>{escape(name)}: {', '.join(inside)}</title>"
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="3" fill="{colour}" stroke="#333"/>'
            f'<text x="{x + 5}" y="{y + _TEXT}" font-weight="bold">{escape(_short(name))}</text>'
        )
        found += [
            f'<text x="{x + 5}" y="{y + (at + 2) * _TEXT + 2}" font-size="9">{line}</text>'
            for at, line in enumerate(inside[:2])
        ]
        found.append("</g>")
    note = "" if len(pairs) <= _LINES else f"; no lines, because {len(pairs)} pairs of racks have cables"
    found.append(f'<text x="{left}" y="{height - _TEXT}" fill="#555">not to scale{note}</text>')
    return "\n".join([*found, "</svg>", ""])


_WORDS = ("switches", "endpoints", "devices")


def _held(layout: Layout) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    return layout.switch_rack, layout.endpoint_rack, layout.device_rack


def _pairs(layout: Layout) -> list[tuple[int, int, int]]:
    """Return pairs of racks with the number of cables between them."""
    racks = layout.switch_rack
    if layout.circuits is None:
        ends = racks[layout.fabric.edges.astype(np.int64)]
    else:
        switch, _, device, _ = layout.device_cables
        ends = np.stack([racks[switch], layout.device_rack[device]], axis=1)
    ends = np.sort(ends.reshape(-1, 2), axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    found, counts = np.unique(ends, axis=0, return_counts=True)
    return [(int(a), int(b), int(count)) for (a, b), count in zip(found, counts, strict=True)]


def _short(name: str) -> str:
    """Return a name shortened to fit a rack of the plan."""
    return name if len(name) <= 13 else f"{name[:12]}…"
