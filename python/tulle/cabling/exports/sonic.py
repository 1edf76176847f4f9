"""Export the expected LLDP neighbours of every switch, as ``DEVICE_NEIGHBOR`` of SONiC's configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tulle.cabling.exports.model import Export
from tulle.cabling.links import neighbours

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan


def files(plan: Plan) -> dict[str, str]:
    """Return a JSON object with all switches by name. The value of a switch is a part of its ``config_db.json``."""
    found: dict[str, Any] = {device.name: {"DEVICE_NEIGHBOR": {}} for device in plan.devices if device.kind == "switch"}
    for (device, port), (other, far) in neighbours(plan):
        if device in found:
            found[device]["DEVICE_NEIGHBOR"][port] = {"name": other, "port": far}
    return {"lldp-neighbours.json": json.dumps(found, indent=1, ensure_ascii=False) + "\n"}


EXPORT = Export(
    name="sonic",
    summary="the expected LLDP neighbours: DEVICE_NEIGHBOR of SONiC's configuration, per switch",
    paper="SONiC: config_db.json",
    limitations="The file lists neighbours without rates and lengths.",
    examples=("lldp-neighbours.json",),
    files=files,
    suffixes=(".json",),
    readers="SONiC",
    shows_neighbours=True,
    is_directed=True,
)
