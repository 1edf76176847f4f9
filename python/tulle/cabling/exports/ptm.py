"""Export ``topology.dot`` for the Prescriptive Topology Manager (PTM), which compares it with LLDP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export

if TYPE_CHECKING:
    from tulle.cabling.plan import End, Plan


def files(plan: Plan) -> dict[str, str]:
    """Return the graph of all cables in DOT format."""
    lines = [f"  {_quoted(cable.ends[0])} -- {_quoted(cable.ends[1])}\n" for cable in plan.cables]
    return {"topology.dot": f"graph G {{\n{''.join(lines)}}}\n"}


def _quoted(end: End) -> str:
    return ":".join('"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in end)


EXPORT = Export(
    name="ptm",
    summary="a topology.dot of the Prescriptive Topology Manager, which compares it with LLDP",
    paper="Cumulus Linux: Prescriptive Topology Manager",
    limitations="The file lists cables without rates and lengths.",
    examples=("topology.dot",),
    files=files,
    suffixes=(".dot",),
    readers="PTM",
    shows_neighbours=True,
)
