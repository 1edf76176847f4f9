"""Draw the cables inside a rack and between two racks for technicians, with the ports at both ends."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from tulle._internal.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.cabling.plan import Device, Plan, PlannedCable

# Sizes in pixels: width of a switch and of its column of ports, minimum height of a switch, height of a port, gap
# between switches, distance between columns, margin, and width of curves.
_WIDTH, _PORTS, _HEIGHT, _PORT, _GAP, _BETWEEN, _MARGIN, _BOW = 210, 64, 26, 12, 8, 260, 20, 190
# Maximum number of drawings. If racks and pairs of racks need more, only racks are drawn; if racks alone need more,
# nothing is drawn.
MOST_DRAWINGS = 500
# Maximum number of letters of a port's name in the column of ports.
_PORT_LETTERS = 11


def diagrams(plan: Plan) -> tuple[dict[str, str], str | None]:
    """Draw every rack and every pair of racks that has cables between switches.

    Endpoints and their cables are not drawn.

    Returns
    -------
    tuple
        SVG texts by file name, and a note about drawings that are left out; the note is None if there are none.
    """
    inside: dict[str, list[PlannedCable]] = defaultdict(list)
    pairs: dict[tuple[str, str], list[PlannedCable]] = defaultdict(list)
    order = {rack: at for at, rack in enumerate(plan.racks)}
    switches: dict[str, list[Device]] = defaultdict(list)
    for device in plan.devices:
        if device.kind != "endpoint":
            switches[device.rack].append(device)
    for cable in plan.cables:
        if cable.step:
            a, b = sorted((plan.device[name].rack for name, _ in cable.ends), key=order.__getitem__)
            (inside[a] if a == b else pairs[a, b]).append(cable)
    name, note = _file_names(plan.racks), None
    if len(pairs) + len(inside) > MOST_DRAWINGS:
        needed = (
            f"{counted(len(inside), 'rack')} and {counted(len(pairs), 'pair')} of racks have cables between switches"
        )
        pairs.clear()
        if len(inside) > MOST_DRAWINGS:
            inside.clear()
        left_out = "pairs of racks are not drawn" if inside else "there are no diagrams"
        note = f"{left_out}: {needed}; at most {MOST_DRAWINGS} drawings are made"
    found = {f"{name[rack]}.svg": _rack(plan, rack, switches[rack], of) for rack, of in sorted(inside.items())}
    for (a, b), of in sorted(pairs.items(), key=lambda item: [order[rack] for rack in item[0]]):
        found[f"{name[a]}--{name[b]}.svg"] = _pair(plan, (a, b), (switches[a], switches[b]), of)
    return found, note


def _file_names(racks: Sequence[str]) -> dict[str, str]:
    """Return a file name for each rack: its name with ``-`` instead of unusual characters.

    A number follows if an earlier rack has the same file name.
    """
    found: dict[str, str] = {}
    # Some file systems do not distinguish upper and lower case.
    used: set[str] = set()
    for at, rack in enumerate(racks):
        name = re.sub(r"[^A-Za-z0-9._]+", "-", rack).strip(".-")[:80] or "rack"
        while name.lower() in used:
            name += f"-{at}"
        found[rack] = name
        used.add(name.lower())
    return found


@dataclass(frozen=True)
class _Box:
    """The rectangle of a switch in a drawing. It is high enough for a line of text per port."""

    device: Device
    top: int
    height: int


def _boxes(switches: list[Device], cables: list[PlannedCable]) -> dict[str, _Box]:
    """Return the rectangle of each switch by its name. The switch in the highest rack unit is on top."""
    ports: Counter[str] = Counter(name for cable in cables for name, _ in cable.ends)
    found, top = {}, _MARGIN + 40
    for device in sorted(switches, key=lambda device: (-device.unit, device.name)):
        height = max(_HEIGHT, _PORT * ports[device.name] + 6)
        found[device.name] = _Box(device, top, height)
        top += height + _GAP
    return found


def _head(title: str, width: int, *columns: dict[str, _Box]) -> list[str]:
    low = max((box.top + box.height for boxes in columns for box in boxes.values()), default=_MARGIN + 40)
    height = low + _MARGIN
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_MARGIN}" y="{_MARGIN + 4}" font-size="14">{escape(title)}</text>',
    ]


def _drawn(boxes: dict[str, _Box], x: int, rack: str, *, ports_left: bool = False) -> list[str]:
    """Draw switches with their names. Their ports are in a column on the side where the cables are."""
    found = [f'<text x="{x}" y="{_MARGIN + 30}" font-weight="bold">{escape(rack)}</text>']
    name_at = x + 6 + (_PORTS if ports_left else 0)
    found += [
        f'<rect x="{x}" y="{box.top}" width="{_WIDTH}" height="{box.height}" rx="3" fill="#f2f2f2" stroke="#333"/>'
        f'<text x="{name_at}" y="{box.top + 17}">U{box.device.unit} {escape(_short(box.device.name))}</text>'
        for box in boxes.values()
    ]
    return found


def _rack(plan: Plan, rack: str, switches: list[Device], cables: list[PlannedCable]) -> str:
    boxes = _boxes(switches, cables)
    found = _head(f"{rack}: {counted(len(cables), 'cable')} inside", 2 * _MARGIN + _WIDTH + _BOW, boxes)
    found += _drawn(boxes, _MARGIN, rack)
    right, places = _MARGIN + _WIDTH, _places(cables, boxes)
    longest = max(abs(places[row, 0] - places[row, 1]) for row in range(len(cables))) or 1
    for row, cable in enumerate(cables):
        colour = plan.steps[cable.step].hex
        y1, y2 = places[row, 0], places[row, 1]
        bow = right + 20 + (_BOW - 30) * abs(y1 - y2) / longest
        found.append(
            f'<path d="M{right} {y1}C{bow:.1f} {y1} {bow:.1f} {y2} {right} {y2}" fill="none" '
            f'stroke="{colour}"><title>{escape(_description(cable))}</title></path>'
        )
        found += [_port(right - 4, places[row, side], end[1], "end") for side, end in enumerate(cable.ends)]
    return "\n".join([*found, "</svg>", ""])


def _pair(
    plan: Plan, racks: tuple[str, str], switches: tuple[list[Device], list[Device]], cables: list[PlannedCable]
) -> str:
    near_boxes, far_boxes = (_boxes(of, cables) for of in switches)
    places = _places(cables, near_boxes | far_boxes)
    width = 2 * _MARGIN + 2 * _WIDTH + _BETWEEN
    found = _head(f"{racks[0]} to {racks[1]}: {counted(len(cables), 'cable')}", width, near_boxes, far_boxes)
    left, right = _MARGIN + _WIDTH, _MARGIN + _WIDTH + _BETWEEN
    found += _drawn(near_boxes, _MARGIN, racks[0]) + _drawn(far_boxes, right, racks[1], ports_left=True)
    for row, cable in enumerate(cables):
        colour = plan.steps[cable.step].hex
        sides = sorted(enumerate(cable.ends), key=lambda end: plan.device[end[1][0]].rack != racks[0])
        (y1, near), (y2, far) = ((places[row, side], end) for side, end in sides)
        found.append(
            f'<line x1="{left}" y1="{y1}" x2="{right}" y2="{y2}" stroke="{colour}">'
            f"<title>{escape(_description(cable))}</title></line>"
        )
        found += [_port(left - 4, y1, near[1], "end"), _port(right + 4, y2, far[1], "start")]
    return "\n".join([*found, "</svg>", ""])


def _port(x: int, y: int, name: str, anchor: str) -> str:
    """Write the name of a port inside its switch, at the height of its cable."""
    return f'<text x="{x}" y="{y + 3}" font-size="9" text-anchor="{anchor}">{escape(name[:_PORT_LETTERS])}</text>'


def _places(cables: list[PlannedCable], boxes: dict[str, _Box]) -> dict[tuple[int, int], int]:
    """Return the vertical place of each cable end, in pixels: the ports of a switch in order, one below the other."""
    ends: dict[str, list[tuple[int, str, int, int]]] = defaultdict(list)
    for row, cable in enumerate(cables):
        for side, (name, port) in enumerate(cable.ends):
            ends[name].append((len(port), port, row, side))
    found = {}
    for name, of in ends.items():
        box = boxes[name]
        first = box.top + (box.height - _PORT * len(of)) // 2 + _PORT // 2
        for at, (_, _, row, side) in enumerate(sorted(of)):
            found[row, side] = first + _PORT * at
    return found


def _description(cable: PlannedCable) -> str:
    (a, b) = cable.ends
    return f"{a[0]} port {a[1]} to {b[0]} port {b[1]}, {cable.length / 1000:g} m {cable.medium}"


def _short(name: str) -> str:
    # East Asian letters are about twice as wide as others.
    ends = [*accumulate(2 if east_asian_width(letter) in "FW" else 1 for letter in name)]
    return name if ends[-1:] <= [18] else f"{name[: bisect(ends, 17)]}…"
