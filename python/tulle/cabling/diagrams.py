"""Draw the cables inside a rack and between two racks for technicians, with the ports at both ends."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

from tulle._internal.text import counted

if TYPE_CHECKING:
    from tulle.cabling.plan import Device, Plan, PlannedCable

# Sizes in pixels: width and height of a switch, gap between switches, distance of columns, margin, width of curves.
_WIDTH, _HEIGHT, _GAP, _BETWEEN, _MARGIN, _BOW = 150, 26, 8, 300, 20, 190
# If there are more racks and pairs of racks with cables than this, no drawings are made.
MOST_PAIRS = 500


def diagrams(plan: Plan) -> dict[str, str]:
    """Draw every rack and every pair of racks that has cables. Return SVG texts by file name."""
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
    number = {rack: f"{at:0{len(str(len(order)))}d}" for rack, at in order.items()}
    if len(pairs) + len(inside) > MOST_PAIRS:
        return {}
    found = {f"rack-{number[rack]}.svg": _rack(plan, rack, switches[rack], of) for rack, of in sorted(inside.items())}
    for (a, b), of in sorted(pairs.items(), key=lambda item: [order[rack] for rack in item[0]]):
        found[f"racks-{number[a]}-{number[b]}.svg"] = _pair(plan, (a, b), (switches[a], switches[b]), of)
    return found


def _tops(switches: list[Device]) -> dict[str, int]:
    """Return the vertical position of each switch in a drawing. The switch in the highest rack unit is on top."""
    ranked = sorted(switches, key=lambda device: (-device.unit, device.name))
    return {device.name: _MARGIN + 40 + at * (_HEIGHT + _GAP) for at, device in enumerate(ranked)}


def _head(title: str, width: int, rows: int) -> list[str]:
    height = 2 * _MARGIN + 40 + rows * (_HEIGHT + _GAP)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_MARGIN}" y="{_MARGIN + 4}" font-size="14">{escape(title)}</text>',
    ]


def _boxes(switches: list[Device], tops: dict[str, int], x: int, rack: str) -> list[str]:
    found = [f'<text x="{x}" y="{_MARGIN + 30}" font-weight="bold">{escape(rack)}</text>']
    for device in switches:
        y = tops[device.name]
        found.append(
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="3" fill="#f2f2f2" stroke="#333"/>'
            f'<text x="{x + 6}" y="{y + 17}">U{device.unit} {escape(_short(device.name))}</text>'
        )
    return found


def _rack(plan: Plan, rack: str, switches: list[Device], cables: list[PlannedCable]) -> str:
    tops = _tops(switches)
    found = _head(f"{rack}: {counted(len(cables), 'cable')} inside", 2 * _MARGIN + _WIDTH + _BOW, len(switches))
    right, spread = _MARGIN + _WIDTH, _spread(cables)
    longest = max(abs(tops[a[0]] - tops[b[0]]) for a, b in (cable.ends for cable in cables)) or 1
    for row, cable in enumerate(cables):
        colour = plan.steps[cable.step].hex
        (a, b) = cable.ends
        y1, y2 = (tops[end[0]] + spread[row, side] for side, end in enumerate((a, b)))
        bow = right + 20 + (_BOW - 30) * abs(y1 - y2) / (longest + _HEIGHT)
        found.append(
            f'<path d="M{right} {y1:.1f}C{bow:.1f} {y1:.1f} {bow:.1f} {y2:.1f} {right} {y2:.1f}" fill="none" '
            f'stroke="{colour}"><title>{escape(_description(cable))}</title></path>'
        )
        found += [
            f'<text x="{right - 3}" y="{y + 3:.1f}" font-size="8" text-anchor="end" fill="{colour}">'
            f"{escape(end[1])}</text>"
            for y, end in ((y1, a), (y2, b))
        ]
    return "\n".join([*found, *_boxes_behind(switches, tops, rack), "</svg>", ""])


def _boxes_behind(switches: list[Device], tops: dict[str, int], rack: str) -> list[str]:
    # The boxes have no fill colour, because they are drawn over the port numbers.
    return [line.replace('fill="#f2f2f2"', 'fill="none"') for line in _boxes(switches, tops, _MARGIN, rack)]


def _pair(
    plan: Plan, racks: tuple[str, str], switches: tuple[list[Device], list[Device]], cables: list[PlannedCable]
) -> str:
    tops = {**_tops(switches[0]), **_tops(switches[1])}
    width = 2 * _MARGIN + 2 * _WIDTH + _BETWEEN
    title = f"{racks[0]} to {racks[1]}: {counted(len(cables), 'cable')}"
    found = _head(title, width, max(map(len, switches)))
    left, right, spread = _MARGIN + _WIDTH, _MARGIN + _WIDTH + _BETWEEN, _spread(cables)
    for row, cable in enumerate(cables):
        colour = plan.steps[cable.step].hex
        sides = sorted(enumerate(cable.ends), key=lambda end: plan.device[end[1][0]].rack != racks[0])
        (y1, near), (y2, far) = ((tops[end[0]] + spread[row, side], end) for side, end in sides)
        found.append(
            f'<line x1="{left}" y1="{y1:.1f}" x2="{right}" y2="{y2:.1f}" stroke="{colour}">'
            f"<title>{escape(_description(cable))}</title></line>"
            f'<text x="{left + 3}" y="{y1 - 2:.1f}" font-size="9">{escape(near[1])}</text>'
            f'<text x="{right - 3}" y="{y2 - 2:.1f}" font-size="9" text-anchor="end">{escape(far[1])}</text>'
        )
    found += _boxes(switches[0], tops, _MARGIN, racks[0]) + _boxes(switches[1], tops, right, racks[1])
    return "\n".join([*found, "</svg>", ""])


def _spread(cables: list[PlannedCable]) -> dict[tuple[int, int], float]:
    """Return the vertical offset of each cable end from the top of its switch, in pixels."""
    ends: dict[str, list[tuple[int, str, int, int]]] = defaultdict(list)
    for row, cable in enumerate(cables):
        for side, (name, port) in enumerate(cable.ends):
            ends[name].append((len(port), port, row, side))
    found = {}
    for of in ends.values():
        for at, (_, _, row, side) in enumerate(sorted(of)):
            found[row, side] = _HEIGHT * (at + 1) / (len(of) + 1)
    return found


def _description(cable: PlannedCable) -> str:
    (a, b) = cable.ends
    return f"{a[0]} port {a[1]} to {b[0]} port {b[1]}, {cable.length / 1000:g} m {cable.medium}"


def _short(name: str) -> str:
    return name if len(name) <= 18 else f"{name[:17]}…"
