"""Write the README of a plan: the wiring steps, and regularities that technicians check by eye after each step."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tulle._internal.text import counted
from tulle.cabling.exports.numbers import has_numbers
from tulle.cabling.invariants import BETWEEN, invariants, pair_counts, remote_ports
from tulle.cabling.links import links_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tulle.cabling.plan import Plan

# Maximum number of racks in a table, because wider tables are unreadable on paper.
_MOST_RACKS = 40
_PROPOSED = (
    "**Racks and rack units are a proposal**, because the file of the network does not have them. If the devices are "
    "already installed, ignore racks, units, and lengths that the file does not have, in all files of this plan."
)


def instructions(plan: Plan, folders: Mapping[str, str]) -> str:
    """Return the text of the README. `folders` has a description of every other file of the plan, by name."""
    kinds = Counter(device.kind for device in plan.devices)
    lines = [
        f"# Cabling plan of {plan.fabric}",
        "",
        f"{counted(kinds['switch'], 'switch', 'switches')}{_joining(kinds)} and {_endpoints(plan)} in "
        f"{counted(len(plan.racks), 'rack')}, {counted(len(plan.cables), 'cable')}. Wire the steps one after the "
        "other. Cables have the colour of their step.",
        "",
        *([_PROPOSED, ""] if plan.proposed_places else []),
        "| step | what | colour | cables | media |",
        "|---|---|---|---|---|",
    ]
    for step, (what, count) in enumerate(zip(plan.steps, plan.counts(), strict=True)):
        media = Counter(cable.medium for cable in plan.cables if cable.step == step)
        of = ", ".join(f"{number} {medium}" for medium, number in sorted(media.items())) or "-"
        lines.append(f"| {step} | {what.name} | {what.colour} | {count} | {of} |")
    for step, what in enumerate(plan.steps):
        if plan.counts()[step]:
            lines += ["", f"## Step {step}: {what.name}", ""]
            lines += [f"* {sentence}" for sentence in invariants(plan, step)] or ["* See the tables and drawings."]
            if step == BETWEEN:
                lines += _remote(plan)
    if plan.joins:
        lines += [
            *("", "## Port maps", ""),
            "`port-maps.csv` lists the pairs of ports that each optical switch or patch panel connects. If the fabric "
            "is planned with another seed, only the port maps change, not the cables.",
        ]
    lines += [*("", "## Checking", ""), "At any time, even when wiring is incomplete:", ""]
    if has_numbers(plan) and not links_of(plan).directed:
        lines += [
            "    ibnetdiscover > now.txt && tulle cabling verify plan.json --live now.txt",
            "",
            "or with LLDP:",
            "",
        ]
    lines += [
        "    lldpctl -f json0 > SWITCH.json   # on every switch",
        "    tulle cabling verify plan.json --live *.json",
        "",
        "or, before switches run, with a table of the installed cables that has the columns `from`, `from_port`, `to`",
        "and `to_port` of `cables.csv`:",
        "",
        "    tulle cabling verify plan.json --live installed.csv",
        *("", "## Files", ""),
        *(f"* `{name}`: {what}" for name, what in folders.items()),
        "",
    ]
    return "\n".join(lines)


def _endpoints(plan: Plan) -> str:
    """Return the number of endpoints in words, with the number of hosts if hosts have several ports."""
    hosts, ports = len(plan.endpoint_ports), sum(map(len, plan.endpoint_ports.values()))
    text = counted(ports, "endpoint")
    return text if hosts == ports else f"{text} of {counted(hosts, 'host')}"


def _joining(kinds: Counter[str]) -> str:
    found = [(kinds["optical"], "optical switch", "optical switches"), (kinds["panel"], "patch panel", "patch panels")]
    return "".join(f", {counted(*what)}" for what in found if what[0])


def _remote(plan: Plan) -> list[str]:
    """Return the lines of a table with a row and a column per rack.

    A cell has the port that all switches of the row's rack use for the column's rack. If they do not use the same port,
    all cells have the number of cables instead.
    """
    ports, counts = remote_ports(plan), pair_counts(plan)
    racks = [rack for rack in plan.racks if any(rack in pair for pair in counts)]
    if not 1 < len(racks) <= _MOST_RACKS:
        return []
    head = "port for" if ports else "cables to"
    lines = ["", f"| {head} | {' | '.join(racks)} |", "|---" * (len(racks) + 1) + "|"]
    for here in racks:
        cells = [
            ports.get((here, there), "-") if ports else str(counts[here, there] + counts[there, here])
            for there in racks
        ]
        lines.append(f"| {here} | {' | '.join(cells)} |")
    return lines
