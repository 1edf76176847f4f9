"""Export a plan as a CSV file that NetBox can import."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export
from tulle.cabling.exports.table import table

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan

_HEAD = (
    "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,label,color,length,length_unit"
)
_INTERFACE, _FRONT = "dcim.interface", "dcim.frontport"
# Medium in tulle -> cable type in NetBox. A medium that is itself a NetBox type is not changed; others are omitted.
_TYPES = {"copper": "dac-passive", "fibre": "aoc"}
_KNOWN = re.compile(
    r"(?:cat(?:[356]|5e|6a|7a?|8)|dac-(?:active|passive)|mrj21-trunk|coaxial|mmf(?:-om[1-5])?|smf(?:-os[12])?|aoc|usb)$"
)


def files(plan: Plan) -> dict[str, str]:
    """Return the table of cables. It has no status column, so NetBox imports all cables as connected."""
    rows = []
    for number, cable in enumerate(plan.cables, 1):
        (a, a_port), (b, b_port) = cable.ends
        colour = plan.steps[cable.step].hex.removeprefix("#")
        types = [_INTERFACE if plan.device[name].kind in ("switch", "endpoint") else _FRONT for name in (a, b)]
        sides = (a, types[0], a_port, b, types[1], b_port)
        rows.append((*sides, _type(cable.medium), number, colour, f"{cable.length / 1000:g}", "m"))
    return {"netbox.csv": table(_HEAD, rows)}


def _type(medium: str) -> str:
    return medium if _KNOWN.match(medium) else _TYPES.get(medium, "")


EXPORT = Export(
    name="netbox",
    summary="cables as NetBox imports them in CSV",
    paper="NetBox 3 and 4: dcim.cable",
    limitations="Cables have no status, so NetBox imports them as connected.",
    examples=("netbox.csv",),
    files=files,
    suffixes=(".csv",),
    readers="NetBox",
)
